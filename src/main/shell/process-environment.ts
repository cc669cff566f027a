/**
 * What the processes that Nocturne starts get from its environment, which may hold a key and much else that is not
 * ours.
 */

/** Without these, a process of Electron does not start, or not with the libraries that it was started with here. */
const TO_START: readonly string[] = [
  // Set by an AppImage, and when libraries are in unusual places.
  'LD_LIBRARY_PATH',
  // Windows finds its own parts with these; it gives them to every process that Node starts.
  'SystemRoot',
  'SystemDrive',
  'windir',
];

/** What the engine needs in addition. */
const OF_ENGINE: readonly string[] = [
  // Nights, plans and file names use the user's time.
  'TZ',
  'TZDIR',
  // SQLite sorts large data in files, in the place that the user wants for such files.
  'TMPDIR',
  'TEMP',
  'TMP',
  // Where Windows looks for a folder of that kind if none is named.
  'USERPROFILE',
];

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of the engine's process. It contains no proxies or certificates: the engine uses none from there. */
export function engineEnvironment(environment: Environment): Record<string, string> {
  return { ...mark('engine'), ...pick([...TO_START, ...OF_ENGINE], environment) };
}

/** The environment of a process that reads a stranger's sheet: only what lets it start. */
export function sheetReaderEnvironment(environment: Environment): Record<string, string> {
  return { ...mark('sheet-reader'), ...pick(TO_START, environment) };
}

/** Electron gives a process the whole environment if it is told to give an empty one. */
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
