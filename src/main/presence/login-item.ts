/**
 * Starts Nocturne with the user's session: through the system's own list or, on Linux, through a file in the autostart
 * folder.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { writeNoteSync } from '../../engine/whole-file.ts';

/** Tells an application that starts with the session that nobody asked for its window. */
export const BACKGROUND_FLAG = '--background';

export interface LoginItem {
  isOn(): boolean;
  /** Throws if the system refuses it. */
  set(isOn: boolean): void;
}

/** What macOS and Windows keep, as Electron offers it. */
interface SystemList {
  getLoginItemSettings(options?: { path: string; args: string[] }): { readonly openAtLogin: boolean };
  setLoginItemSettings(settings: { openAtLogin: boolean; path?: string; args?: string[] }): void;
}

/** @param command The program and its arguments, without the flag. */
export function loginItem(
  platform: NodeJS.Platform,
  command: readonly [string, ...string[]],
  list: SystemList,
  environment: Readonly<Record<string, string | undefined>>,
): LoginItem {
  const [path, ...args] = command;
  switch (platform) {
    case 'darwin':
      // macOS passes no arguments: the system is asked whether the application was opened at login.
      return {
        isOn: () => list.getLoginItemSettings().openAtLogin,
        set: (openAtLogin) => list.setLoginItemSettings({ openAtLogin }),
      };
    case 'win32': {
      // Windows joins the arguments into one line as they are: each needs its own quotes.
      const quoted = [...args, BACKGROUND_FLAG].map((argument) => `"${argument}"`);
      return {
        isOn: () => list.getLoginItemSettings({ path, args: quoted }).openAtLogin,
        set: (openAtLogin) => list.setLoginItemSettings({ openAtLogin, path, args: quoted }),
      };
    }
    default:
      return autostartFile(join(configHome(environment), 'autostart', 'nocturne.desktop'), [
        ...command,
        BACKGROUND_FLAG,
      ]);
  }
}

function autostartFile(file: string, command: readonly string[]): LoginItem {
  const text = desktopEntry(command);
  return {
    // The desktop's own settings may have switched it off, or another copy of Nocturne may have written it.
    isOn: () => {
      try {
        return readFileSync(file, 'utf8') === text;
      } catch {
        return false;
      }
    },
    set: (isOn) => {
      if (!isOn) {
        rmSync(file, { force: true });
        return;
      }
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeNoteSync(file, text);
    },
  };
}

/** A relative path is ignored (XDG Base Directory Specification). */
function configHome({ XDG_CONFIG_HOME: named }: Readonly<Record<string, string | undefined>>): string {
  return named !== undefined && isAbsolute(named) ? named : join(homedir(), '.config');
}

/** A file of the Desktop Entry Specification that starts a program with these arguments, whatever is in them. */
export function desktopEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Nocturne',
    'Comment=Continues a night that was under way',
    `Exec=${command.map(quoted).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Quoted for a command line; then for a value of the file, which reads backslashes first; `%` begins a field code. */
function quoted(argument: string): string {
  const inQuotes = `"${argument.replaceAll(/["`$\\]/gu, String.raw`\$&`)}"`;
  return inQuotes
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll('\r', String.raw`\r`);
}
