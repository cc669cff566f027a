/**
 * Runs a command on a desktop of its own: a virtual screen, a session bus, an unlocked keyring, and a home folder that
 * is thrown away, so that neither the user's keyring nor settings are touched.
 *
 *   node scripts/with-desktop.ts [--no-keyring] COMMAND [ARGUMENT]…
 *
 * With `--no-keyring` there is no secret service, as on a bare server. Where there is no virtual screen (macOS,
 * Windows) the command runs as it is.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findElectron } from './electron-runtime.ts';

const SCREEN = '-screen 0 1600x1000x24';
/** Unlocks a new keyring with an empty password, then becomes the command. */
const WITH_KEYRING = 'printf "\\n" | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$@"';

function desktopEnvironment(home: string, hasKeyring: boolean): NodeJS.ProcessEnv {
  const inHome = (name: string): string => {
    const folder = join(home, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: inHome('config'),
    XDG_DATA_HOME: inHome('data'),
    XDG_CACHE_HOME: inHome('cache'),
    XDG_RUNTIME_DIR: inHome('runtime'),
    // What the screen, the bus and Electron leave there disappears with the home folder.
    TMPDIR: inHome('tmp'),
    // Electron chooses its secret storage by the desktop's name.
    XDG_CURRENT_DESKTOP: hasKeyring ? 'GNOME' : '',
    PATH: [join(import.meta.dirname, '..', 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter),
  };
  delete environment['WAYLAND_DISPLAY'];
  const electron = findElectron();
  if (electron !== undefined) environment['ELECTRON_OVERRIDE_DIST_PATH'] = electron.distPath;
  return environment;
}

function desktopCommand(command: readonly string[], hasKeyring: boolean): readonly string[] {
  const screen = ['xvfb-run', '--auto-servernum', `--server-args=${SCREEN}`];
  if (!hasKeyring) return [...screen, ...command];
  return [...screen, 'dbus-run-session', '--', 'sh', '-c', WITH_KEYRING, 'sh', ...command];
}

function run(command: readonly string[], environment: NodeJS.ProcessEnv): number {
  const [program = '', ...rest] = command;
  const result = spawnSync(program, rest, { stdio: 'inherit', env: environment });
  if (result.error !== undefined) console.error(`${program}: ${result.error.message}. Run \`npm run setup\` first.`);
  return result.status ?? 1;
}

const hasKeyring = process.argv[2] !== '--no-keyring';
const command = process.argv.slice(hasKeyring ? 2 : 3);
if (command.length === 0) {
  console.error('Usage: node scripts/with-desktop.ts [--no-keyring] COMMAND [ARGUMENT]…');
  process.exitCode = 2;
} else if (process.platform === 'linux') {
  const home = mkdtempSync(join(tmpdir(), 'nocturne-desktop-'));
  try {
    process.exitCode = run(desktopCommand(command, hasKeyring), desktopEnvironment(home, hasKeyring));
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
} else {
  process.exitCode = run(command, process.env);
}
