/** What users install, as it is shipped: installed, looked at, used for a night, and removed. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { expect, test } from '@playwright/test';
import { FUSES } from '../../electron-builder.config.ts';
import { canUseSandbox } from '../../scripts/electron-runtime.ts';
import { readVerifiedManifest, rehearsalCharges } from '../e2e/proof.ts';
import { builtPackage, dpkg, emptyRoot, filesIn, filesInArchive, modeOf } from './installation.ts';
import { startProgram, startWindow } from './window.ts';

test.describe.configure({ mode: 'serial' });

const NOBODY = 65_534;
const KEY = 'sk-nocturne-package-7d20b1';
/** Nothing of this repository, and no other Node, is on the path of the installed program. */
const BARE = { PATH: '/usr/bin:/bin', HOME: process.env['HOME'], LANG: 'C.UTF-8' };

let root = '';
let before: readonly string[] = [];
const at = (path: string): string => join(root, path);
const program = (path = ''): string => at(join('usr/lib/nocturne', path));

function newFolder(name: string): string {
  const { outputDir } = test.info();
  mkdirSync(outputDir, { recursive: true });
  return mkdtempSync(join(outputDir, `${name}-`));
}

test.beforeAll(() => {
  root = emptyRoot();
  before = filesIn(root);
});

test.afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

test('the .deb installs into an empty system', () => {
  dpkg(root, '--install', builtPackage('deb'));
  expect(dpkg(root, '--status', 'nocturne')).toContain('Status: install ok installed');
  expect(dpkg(root, '--verify', 'nocturne')).toBe('');
});

test('every file is root’s, nobody else can write, and only Chromium’s sandbox may become root', () => {
  const paths = filesIn(root).filter((path) => !before.includes(path) && !lstatSync(at(path)).isSymbolicLink());
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => (lstatSync(at(path)).mode & 0o022) !== 0)).toEqual([]);
  expect(paths.filter((path) => (lstatSync(at(path)).mode & 0o6000) !== 0)).toEqual([
    'usr/lib/nocturne/chrome-sandbox',
  ]);
  if (!canUseSandbox()) expect(paths.filter((path) => lstatSync(at(path)).uid !== 0)).toEqual([]);
  for (const path of ['nocturne-window', 'resources/cli/bin/node', 'resources/cli/bin/nocturne']) {
    expect(modeOf(program(path))).toBe('755');
  }
});

test('nothing is in it that does not belong there', () => {
  const resources = readdirSync(program('resources')).toSorted();
  expect(resources).toEqual(['app-update.yml', 'app.asar', 'app.asar.unpacked', 'apparmor-profile', 'cli', 'help']);
  const unpacked = readdirSync(program('resources/app.asar.unpacked'), { recursive: true, withFileTypes: true });
  expect(unpacked.filter((entry) => entry.isFile() && !entry.name.endsWith('.node'))).toEqual([]);
  const named = filesIn(root).filter((path) => /\.(?:map|ts|tsx|log)$|\.env|musl/u.test(path));
  expect(named).toEqual([]);
  const archived = filesInArchive(program('resources/app.asar'));
  expect(archived).toContain('out/main/engine-process.js');
  expect(archived.filter((path) => !/^(?:out|resources|node_modules)\/|^package\.json$/u.test(path))).toEqual([]);
  expect(archived.filter((path) => /\.(?:map|ts|tsx)$|\.test\./u.test(path))).toEqual([]);
});

test('it brings the list of what it is made of, and the licences', () => {
  const list = JSON.parse(readFileSync(program('resources/help/sbom.cdx.json'), 'utf8')) as {
    readonly bomFormat: string;
    readonly components: readonly { readonly name: string }[];
  };
  expect(list.bomFormat).toBe('CycloneDX');
  expect(list.components.map(({ name }) => name)).toContain('undici');
  for (const path of [
    'LICENSES.chromium.html',
    'LICENSE.electron.txt',
    'resources/cli/bin/LICENSE',
    'resources/help/LICENSE',
    'resources/help/licences.json',
    'resources/help/site/index.html',
  ]) {
    expect(existsSync(program(path))).toBe(true);
  }
});

test('desktops know it', () => {
  const entry = readFileSync(at('usr/share/applications/nocturne.desktop'), 'utf8');
  expect(entry).toMatch(/^Exec=\/usr\/lib\/nocturne\/nocturne-window %U$/mu);
  expect(entry).toMatch(/^MimeType=text\/csv;.*x-scheme-handler\/nocturne;$/mu);
  expect(entry).not.toContain('no-sandbox');
  expect(existsSync(at('usr/share/icons/hicolor/512x512/apps/nocturne.png'))).toBe(true);
  expect(readFileSync(program('resources/apparmor-profile'), 'utf8')).toContain('\n  userns,\n');
});

test('its fuses are set', async () => {
  const wire = await getCurrentFuseWire(program('nocturne-window'));
  const found = Object.fromEntries(
    Object.keys(FUSES).map((name) => {
      const option = FuseV1Options[(name[0]?.toUpperCase() + name.slice(1)) as keyof typeof FuseV1Options];
      return [name, wire[option] === FuseState.ENABLE];
    }),
  );
  expect(found).toEqual(FUSES);
});

test('the command line rehearses a night with the Node that it brings', () => {
  const out = join(newFolder('command-line'), 'out');
  const run = (...args: readonly string[]): string =>
    execFileSync(at('usr/bin/nocturne'), args, { env: BARE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/u);
  run('demo', '--rows', '3', '--out', out, '--data', newFolder('data'));
  run('verify', out);
  expect(readVerifiedManifest(out).rows).toHaveLength(3);
  expect(spawnSync(at('usr/bin/nocturne'), ['check', 'missing.csv'], { env: BARE }).status).toBe(2);
});

test('the .rpm installs the same files', () => {
  const query = '[%{FILENAMES}\t%{FILEMODES:octal}\t%{FILEUSERNAME}\t%{FILEDIGESTS}\n]';
  const lines = execFileSync('rpm', ['-qp', '--qf', query, builtPackage('rpm')], { encoding: 'utf8' });
  const files = lines
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(files.filter(([, , user]) => user !== 'root')).toEqual([]);
  const regular = files.filter(([, mode = '']) => /^10\d{4}$/u.test(mode));
  for (const [path = '', mode = '', , digest] of regular) {
    expect([path, mode.slice(-4)]).toEqual([path, modeOf(at(path)).padStart(4, '0')]);
    expect([path, digest]).toEqual([
      path,
      createHash('sha256')
        .update(readFileSync(at(path)))
        .digest('hex'),
    ]);
  }
  const installed = filesIn(root).filter((path) => !before.includes(path) && lstatSync(at(path)).isFile());
  expect(regular.map(([path = '']) => path.slice(1)).toSorted()).toEqual(installed.toSorted());
});

test('a night is rehearsed in the window, from the first start to the last file', async () => {
  const dataFolder = newFolder('window');
  const { page, ask, close } = await startWindow(root, dataFolder);
  await page.getByRole('button', { name: 'Rehearse with the built-in gateway' }).click();
  await page.getByRole('button', { name: 'A night of 60 rows' }).click();
  await page.getByRole('button', { name: 'Start rehearsal' }).click();
  await expect(page.getByText(/^100\s?%$/u).first()).toBeVisible({ timeout: 150_000 });
  const [listed] = await ask('batch.list');
  const batchId = listed?.id ?? '';
  await expect.poll(async () => (await ask('batch.get', { batchId })).state).toBe('finished');
  const batch = await ask('batch.get', { batchId });
  expect(batch.submitsUsed).toBe(batch.taskCount);
  expect(await close()).toBe(0);
  const charged = [...rehearsalCharges(dataFolder).values()].reduce((sum, count) => sum + count, 0);
  expect(charged).toBe(batch.taskCount);
  expect(readVerifiedManifest(batch.folder).files).toHaveLength(batch.files);
  // Its folder leads back to it.
  const again = await startWindow(root, dataFolder, [batch.folder]);
  await expect(again.page.getByRole('heading', { name: batch.name })).toBeVisible();
  expect(await again.close()).toBe(0);
  // Nothing in it went elsewhere, or asked for a permission.
  expectNothingDenied(dataFolder);
});

test('a sheet opens with it, and a key goes into the keyring', async () => {
  const dataFolder = newFolder('keyring');
  const sheet = join(newFolder('sheet'), 'Lighthouse.csv');
  writeFileSync(sheet, 'operation,prompt\nlyrics,A lighthouse\n');
  const first = await startWindow(root, dataFolder, [sheet]);
  await expect(first.page.getByRole('textbox', { name: 'Name' })).toHaveValue('Lighthouse');
  await first.ask('gateway.setBaseUrl', { baseUrl: 'https://gateway.example/api' });
  expect(await first.ask('key.set', { key: KEY })).toMatchObject({ present: true, storage: 'keyring' });
  expect(await first.close()).toBe(0);
  expect(readFileSync(join(dataFolder, 'key.json'), 'utf8')).not.toContain(KEY);
  const second = await startWindow(root, dataFolder);
  expect(await second.ask('key.status')).toMatchObject({ present: true, last4: KEY.slice(-4), storage: 'keyring' });
  expect(await second.close()).toBe(0);
  expectNothingDenied(dataFolder);
});

test('its page can go nowhere, gets no permission, and makes no code of text', async () => {
  const dataFolder = newFolder('hardened');
  const { page, close } = await startWindow(root, dataFolder);
  const policy = await page.evaluate(async () => (await fetch(location.href)).headers.get('Content-Security-Policy'));
  for (const rule of [
    "default-src 'none'",
    "webrtc 'block'",
    "require-trusted-types-for 'script'",
    "frame-ancestors 'none'",
  ]) {
    expect(policy).toContain(rule);
  }
  const found = await page.evaluate(async () => {
    location.href = 'https://example.com/';
    const granted = await Notification.requestPermission();
    return {
      granted,
      opened: window.open('https://example.com/') !== null,
      globals: ['require', 'process', 'module', 'Buffer'].filter((name) => name in window),
    };
  });
  expect(found).toEqual({ granted: 'denied', opened: false, globals: [] });
  expect(page.url()).toMatch(/^app:\/\/nocturne\//u);
  const log = (): string => readFileSync(join(dataFolder, 'logs/nocturne.log'), 'utf8');
  await expect.poll(log).toMatch(/navigation away/u);
  expect(log()).toMatch(/permission notifications denied/u);
  expect(log()).toMatch(/a new window was denied/u);
  expect(await close()).toBe(0);
});

test('on the user’s own data no other program can drive the window', async () => {
  const config = process.env['XDG_CONFIG_HOME'] ?? '';
  // Never on the data of whoever runs the tests.
  expect(config).toContain('nocturne-desktop-');
  const own = join(config, 'Nocturne');
  const folder = newFolder('driven');
  const [prefix, marker, log] = ['prefix', 'marker', 'net.json'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(prefix, `#!/bin/sh\n: > '${marker}'\nexec "$@"\n`, { mode: 0o755 });
  const child = startProgram(root, [`--utility-cmd-prefix=${prefix}`, `--log-net-log=${log}`]);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // The engine has opened the store: long past where the debugger would have told of itself.
  await expect.poll(() => existsSync(join(own, 'store'))).toBe(true);
  child.kill('SIGTERM');
  await ended;
  expect(said).not.toContain('DevTools listening');
  expect(existsSync(join(own, 'DevToolsActivePort'))).toBe(false);
  // Nor stands anybody between it and its engine, or reads along.
  expect([marker, log].filter((path) => existsSync(path))).toEqual([]);
});

test('started by anybody but root, its page is in Chromium’s sandbox', async () => {
  const { anybody, home } = ordinaryUser();
  test.skip(
    spawnSync('setpriv', [...anybody, 'unshare', '--user', 'true']).status !== 0,
    'No sandbox is to be had here.',
  );
  const command = [
    'xvfb-run',
    '--auto-servernum',
    at('usr/bin/nocturne-window'),
    `--user-data-dir=${join(home, 'data')}`,
  ];
  const child = spawn('setpriv', [...anybody, ...command], {
    stdio: 'ignore',
    env: { ...BARE, HOME: home, TMPDIR: home },
    // The screen and the program end together.
    detached: true,
  });
  try {
    await expect.poll(() => statusOfRenderer(program('nocturne-window'))).toMatch(/^Seccomp:\t2$/mu);
    expect(statusOfRenderer(program('nocturne-window'))).toMatch(/^NSpid:\t\d+\t\d+/mu);
  } finally {
    const ended = once(child, 'exit');
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await ended;
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
});

test('removed, it leaves nothing', () => {
  expect(dpkg(root, '--remove', 'nocturne')).toContain('stays in ~/.config/Nocturne');
  expect(filesIn(root)).toEqual(before);
  dpkg(root, '--purge', 'nocturne');
  expect(filesIn(root)).toEqual(before);
});

/** A walk asks for no permission, goes nowhere, opens nothing, and meets no bug. */
function expectNothingDenied(dataFolder: string): void {
  const log = join(dataFolder, 'logs/nocturne.log');
  expect(existsSync(log) ? readFileSync(log, 'utf8') : '').not.toMatch(/navigation|permission|new window|error/u);
}

/** What makes a command somebody else's than root's, with a home of their own. */
function ordinaryUser(): { readonly anybody: readonly string[]; readonly home: string } {
  const home = mkdtempSync('/tmp/nocturne-somebody-');
  if (canUseSandbox()) return { anybody: [], home };
  chownSync(home, NOBODY, NOBODY);
  return { anybody: [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'], home };
}

/** What the system says of the process of a window's page; nothing before there is one. */
function statusOfRenderer(executable: string): string {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/u.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      if (command.startsWith(executable) && command.includes('--type=renderer')) {
        return readFileSync(`/proc/${pid}/status`, 'latin1');
      }
    } catch {
      // It has just ended.
    }
  }
  return '';
}
