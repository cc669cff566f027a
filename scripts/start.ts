/**
 * Opens the window: gets what the machine lacks, builds, starts. With `--dev` the renderer is served from its sources
 * and follows every change. What comes after `--` goes to the application.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { canUseSandbox, findElectron } from './electron-runtime.ts';

const ROOT = join(import.meta.dirname, '..');

function run(args: readonly string[], environment: NodeJS.ProcessEnv): number {
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: environment }).status ?? 1;
}

function start(isDevelopment: boolean, applicationArguments: readonly string[]): number {
  const setup = run([join(ROOT, 'scripts', 'setup.ts')], process.env);
  const electron = findElectron();
  if (electron === undefined) return setup;
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) {
    console.error('There is no screen here (DISPLAY is not set). The command line does the same work: `npm run demo`.');
    return 1;
  }
  const electronVite = join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  return run(
    [
      electronVite,
      isDevelopment ? 'dev' : 'preview',
      ...(canUseSandbox() ? [] : ['--noSandbox']),
      '--',
      ...(isDevelopment ? ['--renderer-from-sources'] : []),
      ...applicationArguments,
    ],
    { ...process.env, ELECTRON_EXEC_PATH: electron.executable, ELECTRON_OVERRIDE_DIST_PATH: electron.distPath },
  );
}

const isDevelopment = process.argv[2] === '--dev';
process.exitCode = start(isDevelopment, process.argv.slice(isDevelopment ? 3 : 2));
