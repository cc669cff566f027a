/**
 * The engine's programs that run as a process or a thread of their own. Each build has to put them beside the chunk
 * that starts them, under these names; `startedIn` is the module that does.
 */
const PARTS = {
  'sheet-reader-process': {
    source: 'src/engine/sheet-files/reader-process/sheet-reader-process.ts',
    startedIn: 'load-sheet',
  },
  'sheet-worker': { source: 'src/engine/sheet-files/reader-process/sheet-worker.ts', startedIn: 'serve-sheet' },
  'media-check-worker': {
    source: 'src/engine/media-folder/checks/media-check-worker.ts',
    startedIn: 'media-checker',
  },
  'file-worker': { source: 'src/engine/media-folder/thread/file-worker.ts', startedIn: 'file-threads' },
  'store-worker': { source: 'src/engine/store/thread/store-worker.ts', startedIn: 'store-thread' },
  'postgres-worker': {
    source: 'src/engine/store/postgres/postgres-worker.ts',
    startedIn: 'synchronous-connection',
  },
} as const;

/** Their entries for a bundler: name to source. `folder` is the place of the chunks, with its `/`. */
export function engineParts(folder = ''): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(PARTS).map(([name, { source }]) => [folder + name, source]));
}

/** The names of the modules that start them. */
export const STARTERS: readonly string[] = Object.values(PARTS).map(({ startedIn }) => startedIn);
