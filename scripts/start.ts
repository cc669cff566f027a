/**
 * Opens the window: gets what the machine lacks, builds, starts. With `--dev` the renderer is served from its sources
 * and follows every change. Arguments after `--` go to the application, except two: `--outdated-electron` starts an
 * Electron that gets no security fixes, `--no-sandbox` starts without Chromium's sandbox. Neither happens unasked.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { canUseSandbox, electronVersion, findElectron, outdatedElectronProblem } from './electron-runtime.ts';

const ROOT = join(import.meta.dirname, '..');

function run(args: readonly string[], environment: NodeJS.ProcessEnv): number {
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: environment }).status ?? 1;
}

/** Options that this script keeps for itself. */
const OUTDATED = '--outdated-electron';
const NO_SANDBOX = '--no-sandbox';

function start(isDevelopment: boolean, given: readonly string[]): number {
  const isOutdatedAllowed = given.includes(OUTDATED);
  const setup = run([join(ROOT, 'scripts', 'setup.ts'), ...(isOutdatedAllowed ? [] : ['--official'])], process.env);
  const electron = findElectron();
  if (electron === undefined) return setup === 0 ? 1 : setup;
  const outdated = outdatedElectronProblem(electronVersion(electron));
  if (outdated !== undefined && !isOutdatedAllowed) {
    console.error(outdated);
    return 1;
  }
  const dropsSandbox = given.includes(NO_SANDBOX);
  if (!canUseSandbox() && !dropsSandbox) {
    console.error(
      'This is root, and Chromium has no sandbox for root. Start Nocturne as another user; or, without the fence between ' +
        'the window and this machine: npm start -- --no-sandbox',
    );
    return 1;
  }
  if (dropsSandbox) console.error('Opening the window without Chromium’s sandbox.');
  const applicationArguments = given.filter((argument) => argument !== OUTDATED && argument !== NO_SANDBOX);
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) {
    console.error('There is no screen here (DISPLAY is not set). The command line does the same work: `npm run demo`.');
    return 1;
  }
  const electronVite = join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  return run(
    [
      electronVite,
      isDevelopment ? 'dev' : 'preview',
      ...(dropsSandbox ? ['--noSandbox'] : []),
      '--',
      ...(isDevelopment ? ['--renderer-from-sources'] : []),
      ...applicationArguments,
    ],
    { ...process.env, ELECTRON_EXEC_PATH: electron.executable, ELECTRON_OVERRIDE_DIST_PATH: electron.distPath },
  );
}

const isDevelopment = process.argv[2] === '--dev';
process.exitCode = start(isDevelopment, process.argv.slice(isDevelopment ? 3 : 2));
