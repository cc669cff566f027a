/** The work of a process that reads a sheet for another one: a thread reads, and this code watches over it. */
import { isLast, type FromSheetReader, type SheetReaderInput, type ReaderChannel } from './sheet-reader.ts';
import { Worker } from 'node:worker_threads';
import { programFolderOf, rightsToRead } from './reader-rights.ts';

/** Besides the thread's heap: a file of the largest size, its unpacked content, and the program itself. */
const MOST_OUTSIDE_OF_HEAP_MB = 1024;
const WATCH_INTERVAL_MS = 100;

/** Does one piece of work and reports everything about it; whoever asked ends the process. */
export function serveSheet(input: SheetReaderInput, tell: (message: FromSheetReader) => void): void {
  tell({ kind: 'started' });
  const thread = startReaderThread(input);
  const refuseMemory = (): void => tell({ kind: 'memory' });
  const mostBytes = (input.limits.memoryMb + MOST_OUTSIDE_OF_HEAP_MB) * 1024 * 1024;
  let isOver = false;
  thread.onMessage((message) => {
    if (!isOver) tell(message);
    if (isLast(message)) isOver = true;
  });
  thread.onEnd((cause) => {
    if (isOver) return;
    isOver = true;
    if (cause === 'memory') refuseMemory();
    else tell({ kind: 'bug', message: cause.stack ?? cause.message });
  });
  // Memory outside the thread's heap has no limit of its own.
  setInterval(() => {
    if (isOver || process.memoryUsage.rss() < mostBytes) return;
    isOver = true;
    void thread.end();
    refuseMemory();
  }, WATCH_INTERVAL_MS).unref();
}

/**
 * Starts a thread with its own heap that reads one sheet. A reader's process works in such a thread because only a
 * thread reports a full heap in every program.
 */
export function startReaderThread(input: SheetReaderInput): ReaderChannel {
  const worker = new Worker(workerUrl(), {
    workerData: input,
    // The environment may contain the key, which the reader must not see.
    env: {},
    // The thread needs its own: Electron gives none to the process around it.
    execArgv: [...rightsToRead(input.path, programFolderOf(import.meta.url))],
    resourceLimits: { maxOldGenerationSizeMb: input.limits.memoryMb, maxYoungGenerationSizeMb: 16 },
  });
  const hasEnded = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  let hasSaidAll = false;
  return {
    begin: () => undefined,
    onMessage: (listener) =>
      worker.on('message', (message: FromSheetReader) => {
        hasSaidAll ||= isLast(message);
        listener(message);
      }),
    onEnd: (listener) => {
      worker.on('error', (error: unknown) => {
        const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        listener(isMemory ? 'memory' : error instanceof Error ? error : new Error(String(error)));
      });
      worker.on('exit', () => listener(new Error('its reader ended without an answer')));
    },
    // Ending a thread while zlib still works for it can end the whole process.
    end: async () => {
      if (!hasSaidAll) await worker.terminate();
      await hasEnded;
    },
  };
}

/** The reader is beside this file when run from source, and beside the bundle when built. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './sheet-worker.ts' : './sheet-worker.js', import.meta.url);
}
