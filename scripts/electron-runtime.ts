import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isCurrentElectron } from '../src/shared/ipc/app.ts';

const ELECTRON_PACKAGE = join(import.meta.dirname, '..', 'node_modules', 'electron');

/** An Electron that can start on this machine. */
export interface ElectronRuntime {
  /** The folder that `ELECTRON_OVERRIDE_DIST_PATH` takes. */
  readonly distPath: string;
  readonly executable: string;
  readonly source: 'given' | 'official' | 'registry';
}

/** Where the Electron from the registry is kept: outside node_modules, so that `npm ci` leaves it alone. */
export function registryElectronFolder(): string {
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(caches, 'nocturne-electron', '33.2.1-linux-x64');
}

/**
 * The Electron to use, without installing anything: the one that the environment names (ELECTRON_OVERRIDE_DIST_PATH),
 * otherwise the official one, otherwise the one from the registry; undefined if there is none yet.
 */
export function findElectron(): ElectronRuntime | undefined {
  const given = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  if (given !== undefined && given !== '') return runtimeIn(given, 'given');
  return runtimeIn(join(ELECTRON_PACKAGE, 'dist'), 'official') ?? runtimeIn(registryElectronFolder(), 'registry');
}

/**
 * Why an Electron is for tests only, or undefined: its version line no longer gets security fixes. It would show pages
 * that a gateway can influence, so the window does not open with it unless the user says so.
 */
export function outdatedElectronProblem(version: string): string | undefined {
  if (isCurrentElectron(version)) return undefined;
  return (
    `Electron ${version} is here, and it is for tests only: it lacks security fixes of the versions since. Install the ` +
    'current one with `npx install-electron` where its release host can be reached, or name one with ' +
    'ELECTRON_OVERRIDE_DIST_PATH. To open the window with this one at your own risk: npm start -- --outdated-electron'
  );
}

/** Whether Chromium's sandbox can be used: it refuses to run as root. Everywhere else it stays on. */
export function canUseSandbox(): boolean {
  return !(process.platform === 'linux' && process.getuid?.() === 0);
}

/** What Playwright's `_electron.launch` needs to start the application as users have it, including its sandbox. */
export interface ElectronLaunchOptions {
  readonly executablePath: string;
  readonly chromiumSandbox: boolean;
  readonly args: string[];
}

/** Options to launch an application folder with; both Electron and the application receive the arguments. */
export function electronLaunchOptions(appFolder: string, args: readonly string[] = []): ElectronLaunchOptions {
  const electron = findElectron();
  if (electron === undefined) throw new Error('There is no Electron yet: run `npm run setup`.');
  const sandboxArguments = canUseSandbox() ? [] : ['--no-sandbox'];
  return {
    executablePath: electron.executable,
    // Playwright turns the sandbox off by default.
    chromiumSandbox: canUseSandbox(),
    args: [...sandboxArguments, ...args, appFolder],
  };
}

function runtimeIn(distPath: string, source: ElectronRuntime['source']): ElectronRuntime | undefined {
  const executable = join(distPath, executableName());
  // Both installers write `version` last, so its presence means that the folder is complete.
  return existsSync(executable) && existsSync(join(distPath, 'version')) ? { distPath, executable, source } : undefined;
}

function executableName(): string {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return process.platform === 'win32' ? 'electron.exe' : 'electron';
}

/** The version of the Electron in a folder, such as `45.4.1`. */
export function electronVersion(runtime: ElectronRuntime): string {
  return readFileSync(join(runtime.distPath, 'version'), 'utf8').trim().replace(/^v/, '');
}
