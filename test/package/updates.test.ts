/** A program that replaces itself: from a feed that runs here, in all the ways in which that can go wrong. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createPackageWithOptions, extractAll } from '@electron/asar';
import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses';
import { _electron, expect, test, type Page } from '@playwright/test';
import { canUseSandbox } from '../../scripts/electron-runtime.ts';
import { STORE_SCHEMA } from '../../scripts/package/updates-of-build.ts';
import { DIST } from '../../scripts/package/program.ts';
import { digestOf, signFeed, type Release, type ReleasedFile } from '../../src/main/updates/release-feed.ts';
import { makeRelease, makeReleasedFile, makeUpdateKey } from '../support/releases.ts';
import { makeStoreOfSchema } from '../support/store-fixture.ts';
import { startReleaseServer, type ReleaseServer } from './release-server.ts';
import { startWindowOf, windowOnData } from './window.ts';

test.describe.configure({ mode: 'serial' });

const OURS = makeUpdateKey();
const SOMEBODYS = makeUpdateKey();
const [OLD, NEW] = ['0.1.0', '0.2.0'] as const;

let folder = '';
let server: ReleaseServer;
/** When the newest feed was signed; each is signed after the one before. */
let at = 1_000_000;

test.beforeAll(async () => {
  // Beside what was built, for hard links.
  folder = mkdtempSync(join(DIST, 'updates-'));
  server = await startReleaseServer();
  process.env['XDG_CACHE_HOME'] = join(folder, 'cache');
  await makeProgram(OLD);
  await makeProgram(NEW);
  // The way back asks in a box of the system, which only a debugger can answer here.
  const program = join(programOf(NEW), 'nocturne-window');
  copyFileSync(program, `${program}.own`);
  renameSync(`${program}.own`, program);
  await flipFuses(program, { version: FuseVersion.V1, [FuseV1Options.EnableNodeCliInspectArguments]: true });
});

test.afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('a feed or a file that is not what was released changes nothing', async () => {
  const { image, dataFolder } = newInstallation('hostile');
  const { page, close } = await startWindowOf(image, dataFolder);
  await showUpdates(page);
  const look = async (): Promise<void> => page.getByRole('button', { name: 'Look for updates' }).click();

  publish([releaseOf(NEW)], SOMEBODYS.privateKey);
  await look();
  await expect(page.getByText('not signed by the maintainers')).toBeVisible();

  publish([releaseOf(OLD), makeRelease({ version: '0.0.9' })]);
  await look();
  await expect(page.getByText(`This is version ${OLD}. No newer one is available`)).toBeVisible();

  at -= 5000;
  publish([releaseOf(NEW)]);
  await look();
  await expect(page.getByText('somebody may be holding updates back')).toBeVisible();
  at += 5000;

  publish([releaseOf(NEW)]);
  server.halved.add(`/${NEW}.AppImage`);
  await look();
  await page.getByRole('button', { name: `Get ${NEW}` }).click();
  await expect(page.getByText('The file could not be fetched')).toBeVisible();
  server.halved.clear();

  const right = server.files.get(`/${NEW}.AppImage`) ?? new Uint8Array();
  server.files.set(`/${NEW}.AppImage`, Buffer.from(right).fill(0x20, 3, 4));
  await page.getByRole('button', { name: `Get ${NEW}` }).click();
  await expect(page.getByText('The file that arrived is not the one that was released.')).toBeVisible();

  expect(readFileSync(image)).toEqual(imageOf(OLD));
  expect(await close()).toBe(0);
  for (const { headers } of server.asked) {
    expect(Object.keys(headers)).not.toContain('x-user-staging-id');
    expect(headers).toMatchObject({ 'user-agent': 'Nocturne', 'accept-language': 'en' });
  }
});

test('a version is fetched, is not put in place in a night, and takes its place with a backup', async () => {
  const { image, dataFolder } = newInstallation('right');
  publish([releaseOf(NEW), releaseOf(OLD)]);
  const first = await startWindowOf(image, dataFolder);
  await first.page.getByRole('button', { name: 'Rehearse with the built-in gateway' }).click();
  await first.page.getByRole('button', { name: 'A night of 60 rows' }).click();
  await first.page.getByRole('button', { name: 'Start rehearsal' }).click();
  await expect(first.page.getByRole('button', { name: 'Pause' })).toBeVisible();
  await showUpdates(first.page);
  await first.page.getByRole('button', { name: 'Look for updates' }).click();
  await first.page.getByRole('button', { name: `Get ${NEW}` }).click();
  await expect(first.page.getByText(`Version ${NEW} is ready.`)).toBeVisible();
  await first.page.getByRole('button', { name: 'Update and restart' }).click();
  await expect(first.page.getByText('A batch is at work').first()).toBeVisible();
  const [batch] = await first.ask('batch.list');
  await first.ask('batch.pause', { batchId: batch?.id ?? '' });
  expect(readFileSync(image)).toEqual(imageOf(OLD));

  const ended = new Promise((resolve) => first.process.once('exit', resolve));
  await first.page.getByRole('button', { name: 'Update and restart' }).click();
  await ended;
  expect(readFileSync(image)).toEqual(imageOf(NEW));

  const second = await windowOnData(dataFolder);
  expect(await second.ask('updates.get')).toMatchObject({ version: NEW });
  await expect(second.page.getByText(`Nocturne is now version ${NEW}`).first()).toBeVisible();
  expect((await second.ask('batch.list')).map(({ state }) => state)).toEqual(['paused']);
  expect(readdirSync(join(dataFolder, 'backups'))).toEqual([expect.stringContaining(`before-${NEW}`)]);
  await end(dataFolder);
});

test('the way back is the version before, after a word of the system', async () => {
  const { image, dataFolder } = newInstallation('back', NEW);
  publish([releaseOf(NEW), releaseOf(OLD)]);
  const sandbox = canUseSandbox() ? [] : ['--no-sandbox'];
  const app = await _electron.launch({ executablePath: image, args: [...sandbox, `--user-data-dir=${dataFolder}`] });
  const page = await app.firstWindow();
  const asked = await app.evaluateHandle(({ dialog }) => {
    const questions: unknown[] = [];
    dialog.showMessageBox = (...given: unknown[]) => {
      questions.push(given.at(-1));
      return Promise.resolve({ response: 0, checkboxChecked: false });
    };
    return questions;
  });
  await showUpdates(page);
  await page.getByRole('button', { name: 'Look for updates' }).click();
  await page.getByRole('button', { name: `Get ${OLD} back` }).click();
  await expect(page.getByText(`Version ${OLD} is ready.`)).toBeVisible();
  const ended = app.waitForEvent('close');
  await page.getByRole('button', { name: 'Go back and restart…' }).click();
  await expect
    .poll(() => asked.jsonValue())
    .toEqual([expect.objectContaining({ message: `Go back to version ${OLD}?` })]);
  await ended;
  expect(readFileSync(image)).toEqual(imageOf(OLD));
  const back = await windowOnData(dataFolder);
  expect(await back.ask('updates.get')).toMatchObject({ version: OLD });
  await end(dataFolder);
});

test('the new version takes over the store of the version before', async () => {
  const { image, dataFolder } = newInstallation('store');
  const earlier = join(folder, 'earlier-store');
  makeStoreOfSchema(STORE_SCHEMA - 1, earlier);
  // What the earlier version has written, when the new one starts.
  const store = join(dataFolder, 'store');
  const swaps = imageOf(
    NEW,
    `[ -e ${store}/swapped ] || { rm -rf ${store}; cp -r ${earlier} ${store}; touch ${store}/swapped; }`,
  );
  publish([{ ...releaseOf(NEW), files: [fileOf(NEW, swaps)] }]);
  const first = await startWindowOf(image, dataFolder);
  await first.ask('updates.look');
  await first.ask('updates.fetch', { version: NEW });
  await expect.poll(async () => (await first.ask('updates.get')).step.kind).toBe('ready');
  const ended = new Promise((resolve) => first.process.once('exit', resolve));
  await first.ask('updates.install', { version: NEW }).catch(() => undefined);
  await ended;
  const second = await windowOnData(dataFolder);
  expect((await second.ask('batch.list')).length).toBeGreaterThan(0);
  expect(readdirSync(store)).toContain(`nocturne-schema-${STORE_SCHEMA - 1}.db`);
  await end(dataFolder);
});

test('a package of the system is told of a version, and does not touch itself', async () => {
  const dataFolder = join(folder, 'told', 'data');
  mkdirSync(dataFolder, { recursive: true });
  publish([releaseOf(NEW)]);
  const { page, ask, close } = await startWindowOf(join(programOf(OLD), 'nocturne-window'), dataFolder);
  await showUpdates(page);
  await page.getByRole('button', { name: 'Look for updates' }).click();
  await expect(page.getByText('install it as you did this one')).toBeVisible();
  expect((await ask('updates.get')).by).toBe('user');
  await expect(ask('updates.fetch', { version: NEW })).rejects.toThrow('cannot be fetched here');
  expect(await close()).toBe(0);
});

function programOf(version: string): string {
  return join(folder, `program-${version}`);
}

/** The program that was built, as another version of itself, with the feed that runs here and our key. */
async function makeProgram(version: string): Promise<void> {
  const program = programOf(version);
  execFileSync('cp', ['--archive', '--link', join(DIST, 'linux-unpacked'), program]);
  const archive = join(program, 'resources/app.asar');
  const content = join(folder, `content-${version}`);
  extractAll(archive, content);
  const manifestFile = join(content, 'package.json');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as object;
  const updates = { feed: server.feed, keys: [OURS.key], schema: STORE_SCHEMA };
  writeFileSync(manifestFile, JSON.stringify({ ...manifest, version, updates }));
  // Links to what was built, which must stay as it is.
  for (const path of [archive, `${archive}.unpacked`]) rmSync(path, { recursive: true });
  await createPackageWithOptions(content, archive, { unpack: '*.node' });
}

/** What an image does, as far as it concerns its program: it mounts it, says where it is itself, and runs it. */
function imageOf(version: string, before = ''): Buffer {
  const lines = [
    '#!/bin/sh',
    before,
    `export APPIMAGE="$(realpath "$0")" APPDIR=${programOf(version)}`,
    'exec "$APPDIR/nocturne-window" "$@"',
    '',
  ];
  return Buffer.from(lines.join('\n'));
}

function newInstallation(
  name: string,
  version = OLD as string,
): { readonly image: string; readonly dataFolder: string } {
  const dataFolder = join(folder, name, 'data');
  mkdirSync(dataFolder, { recursive: true });
  const image = join(folder, name, 'Nocturne.AppImage');
  writeFileSync(image, imageOf(version), { mode: 0o755 });
  return { image, dataFolder };
}

function fileOf(version: string, content: Buffer): ReleasedFile {
  const url = `${version}.AppImage`;
  server.files.set(`/${url}`, content);
  return makeReleasedFile({ url, size: content.length, sha512: digestOf(content) });
}

function releaseOf(version: string): Release {
  return makeRelease({ version, schema: STORE_SCHEMA, files: [fileOf(version, imageOf(version))] });
}

/** Publishes a feed, signed a second after the one before. */
function publish(releases: readonly Release[], privateKey = OURS.privateKey): void {
  at += 1000;
  server.files.set('/releases.json', Buffer.from(signFeed({ at, releases }, privateKey)));
}

async function showUpdates(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Updates', exact: true }).click();
}

/** Ends a program that is not a child of this one, as the system's session would: its lock names it, and goes with it. */
async function end(dataFolder: string): Promise<void> {
  const lock = join(dataFolder, 'SingletonLock');
  process.kill(Number(readlinkSync(lock).split('-').at(-1)), 'SIGTERM');
  await expect.poll(() => lstatSync(lock, { throwIfNoEntry: false })).toBeUndefined();
}
