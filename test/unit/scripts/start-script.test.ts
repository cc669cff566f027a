import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CURRENT_ELECTRON_LINE } from '../../../src/shared/ipc/app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EXECUTABLES = ['electron', 'electron.exe', 'Electron.app/Contents/MacOS/Electron'];

/** Runs `npm start` on a machine without a screen that has an Electron of this version, or so it seems. */
function start(version: string, ...args: readonly string[]) {
  const dist = temporaryFolder();
  for (const name of EXECUTABLES) {
    mkdirSync(dirname(join(dist, name)), { recursive: true });
    writeFileSync(join(dist, name), '');
  }
  writeFileSync(join(dist, 'version'), version);
  const environment = { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: dist, DISPLAY: '', WAYLAND_DISPLAY: '' };
  const run = spawnSync(process.execPath, [join(ROOT, 'scripts/start.ts'), ...args], {
    encoding: 'utf8',
    env: environment,
  });
  return { status: run.status, said: run.stderr };
}

const CURRENT = `${CURRENT_ELECTRON_LINE}.1.0`;

describe.runIf(process.platform === 'linux')('the window is not opened unasked', () => {
  test('with an Electron that gets no security fixes any more', () => {
    const refused = start('33.2.1', '--no-sandbox');
    expect(refused).toMatchObject({ status: 1, said: expect.stringContaining('--outdated-electron') as string });
    expect(refused.said).not.toContain('no screen');
    expect(start('33.2.1', '--no-sandbox', '--outdated-electron').said).toContain('no screen');
    expect(start(CURRENT, '--no-sandbox').said).toContain('no screen');
  });

  test.runIf(process.getuid?.() === 0)('without a sandbox, as root', () => {
    const refused = start(CURRENT);
    expect(refused).toMatchObject({ status: 1, said: expect.stringContaining('--no-sandbox') as string });
    expect(refused.said).not.toContain('no screen');
  });
});

test('the current line of Electron is the one that is installed with the program', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly devDependencies: { readonly electron: string };
  };
  expect(Number.parseInt(devDependencies.electron, 10)).toBe(CURRENT_ELECTRON_LINE);
});
