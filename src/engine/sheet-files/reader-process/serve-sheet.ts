/** What a process does that reads a sheet for another one: the work is done in a thread, and watched over from here. */
import { tookTooMuch, type FromSheetReader, type SheetReaderInput, type ReaderChannel } from './sheet-reader.ts';
import { Worker } from 'node:worker_threads';

/** Besides the heap of the thread: a file of the largest size, what is unpacked of it, and the program itself. */
const MOST_OUTSIDE_OF_HEAP_MB = 1024;
const WATCH_INTERVAL_MS = 100;

/** Does one piece of work and tells everything of it; the process is ended by who asked. */
export function serveSheet(input: SheetReaderInput, tell: (message: FromSheetReader) => void): void {
  tell({ kind: 'started' });
  const thread = startReaderThread(input);
  const refuseMemory = (): void => tell({ kind: 'refused', problem: tookTooMuch(input.path, input.limits) });
  const mostBytes = (input.limits.memoryMb + MOST_OUTSIDE_OF_HEAP_MB) * 1024 * 1024;
  let isOver = false;
  thread.onMessage((message) => {
    if (!isOver) tell(message);
    if (message.kind !== 'records') isOver = true;
  });
  thread.onEnd((cause) => {
    if (isOver) return;
    isOver = true;
    if (cause === 'memory') refuseMemory();
    else tell({ kind: 'bug', message: cause.stack ?? cause.message });
  });
  // What is outside of the thread's heap has no limit of its own.
  setInterval(() => {
    if (isOver || process.memoryUsage.rss() < mostBytes) return;
    isOver = true;
    void thread.end();
    refuseMemory();
  }, WATCH_INTERVAL_MS).unref();
}

/**
 * Starts a thread with a heap of its own that reads one sheet. It is what a reader's process does its work in, because only
 * a thread says in every program that its heap is full.
 */
export function startReaderThread(input: SheetReaderInput): ReaderChannel {
  const worker = new Worker(workerUrl(), {
    workerData: input,
    // The environment may hold the key, which is no business of the reader.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: input.limits.memoryMb, maxYoungGenerationSizeMb: 16 },
  });
  const hasEnded = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  let hasSaidAll = false;
  return {
    begin: () => undefined,
    onMessage: (listener) =>
      worker.on('message', (message: FromSheetReader) => {
        hasSaidAll ||= message.kind !== 'records';
        listener(message);
      }),
    onEnd: (listener) => {
      worker.on('error', (error: unknown) => {
        const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        listener(isMemory ? 'memory' : error instanceof Error ? error : new Error(String(error)));
      });
      worker.on('exit', () => listener(new Error('its reader ended without a word')));
    },
    // A thread that is ended while zlib still works for it has been seen to take its whole process along.
    end: async () => {
      if (!hasSaidAll) await worker.terminate();
      await hasEnded;
    },
  };
}

/** Run from its source or built, the reader lies beside this file, or beside what this file was built into. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './sheet-worker.ts' : './sheet-worker.js', import.meta.url);
}
