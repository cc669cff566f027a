/** Which of Chromium's and Electron's switches the installed program obeys: another program may start it with any. */

/** What makes it run where it else would not, or look as the user wants. None of them gives anybody a hold on it. */
const HARMLESS: ReadonlySet<string> = new Set([
  'user-data-dir',
  // Like the folder: whose store it is stands in the window, and each of its batches waits for the user's own start.
  'store',
  // Chromium's sandbox begins before this program: where it cannot be had, as for root, this is the user's way to say so.
  'no-sandbox',
  // Which keyring, where a desktop does not say.
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
  /** Those that are to be taken away before Chromium reads them. */
  readonly dropped: readonly string[];
  /** Another program can drive the page. */
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

/** Chromium trims an argument, takes one hyphen for two, on Windows a slash, too, and there it does not mind capitals. */
function switchNames(argument: string): readonly string[] {
  const name = /^(?:--?|\/)([^=]+)/u.exec(argument.trim())?.[1];
  return name === undefined ? [] : [...new Set([name, name.toLowerCase()])];
}
