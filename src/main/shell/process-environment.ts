/** What the processes that Nocturne starts get of its environment, which may hold a key and much that is not ours. */

/** Without these a process of Electron does not start, or not with the libraries that it was started with here. */
const TO_START: readonly string[] = [
  // Set by an AppImage, and where libraries lie in unusual places.
  'LD_LIBRARY_PATH',
  // Windows finds its own parts by them; it gives them to every process that Node starts.
  'SystemRoot',
  'SystemDrive',
  'windir',
];

/** What the engine needs besides. */
const OF_ENGINE: readonly string[] = [
  // Nights, plans and names of files are in the user's time.
  'TZ',
  'TZDIR',
  // SQLite sorts what is large in files, where the user wants such files.
  'TMPDIR',
  'TEMP',
  'TMP',
  // Where Windows looks for a folder of that kind if none is named.
  'USERPROFILE',
];

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of the engine's process. Proxies and certificates are not in it: it uses none of the environment's. */
export function engineEnvironment(environment: Environment): Record<string, string> {
  return { ...mark('engine'), ...pick([...TO_START, ...OF_ENGINE], environment) };
}

/** The environment of a process that reads a stranger's sheet: nothing but what lets it start. */
export function sheetReaderEnvironment(environment: Environment): Record<string, string> {
  return { ...mark('sheet-reader'), ...pick(TO_START, environment) };
}

/** Electron gives a process everything if the environment that it is told is empty. */
function mark(part: string): Record<string, string> {
  return { NOCTURNE_PROCESS: part };
}

function pick(names: readonly string[], environment: Environment): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
