import { Worker } from 'node:worker_threads';
import type { FromSheetReader, ReaderChannel, SheetReaderInput } from './sheet-reader.ts';

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
