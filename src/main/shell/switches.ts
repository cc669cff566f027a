/**
 * Which of Chromium's and Electron's switches the installed program obeys: another program may start it with any of
 * them.
 */

/**
 * Switches that let the program run where it otherwise would not, or look as the user wants. None of them gives anybody
 * control over it.
 */
const HARMLESS: ReadonlySet<string> = new Set([
  'user-data-dir',
  // Like the folder: the window shows whose store it is, and each of its batches waits for the user's own start.
  'store',
  // Chromium's sandbox starts before this program: where it is not available, as for root, this is how the user says
  // so.
  'no-sandbox',
  // Which keyring to use, if the desktop does not say.
  'password-store',
  'ozone-platform',
  'ozone-platform-hint',
  'enable-wayland-ime',
  'wayland-text-input-version',
  'gtk-version',
  'lang',
  'use-gl',
  'use-angle',
  'disable-gpu',
  'disable-gpu-compositing',
  'disable-dev-shm-usage',
  'force-device-scale-factor',
  'force-renderer-accessibility',
]);

const OF_DEBUGGER: ReadonlySet<string> = new Set([
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-debugging-address',
]);

export interface SwitchVerdict {
  /** The switches to remove before Chromium reads them. */
  readonly dropped: readonly string[];
  /** Whether another program can drive the page. */
  readonly isDebugged: boolean;
}

/**
 * Judges the arguments that the program was started with. A debugger of the page is for tests of the program as it is
 * shipped, and never for the user's own folder.
 */
export function judgeSwitches(args: readonly string[], isUsersFolder: boolean): SwitchVerdict {
  const named = [...new Set(args.flatMap(switchNames))];
  return {
    dropped: named.filter((name) => !HARMLESS.has(name) && (isUsersFolder || !OF_DEBUGGER.has(name))),
    isDebugged: !isUsersFolder && named.some((name) => OF_DEBUGGER.has(name)),
  };
}

/** Chromium trims an argument and accepts one hyphen for two; on Windows it also accepts a slash, and ignores case. */
function switchNames(argument: string): readonly string[] {
  const name = /^(?:--?|\/)([^=]+)/u.exec(argument.trim())?.[1];
  return name === undefined ? [] : [...new Set([name, name.toLowerCase()])];
}
