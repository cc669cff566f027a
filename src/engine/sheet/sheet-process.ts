import { Worker } from 'node:worker_threads';
import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import type { RawRecord, RawSheet } from '../../shared/domain/sheet-raw.ts';
import type { ReadSheetOptions, SheetHead } from './read-sheet.ts';

/** What the reader's thread is given. */
export interface SheetWorkerInput {
  readonly path: string;
  readonly options: ReadSheetOptions;
}

/** What the reader's thread says: its records, part by part, and then the rest of the sheet; or why there is none. */
export type FromSheetWorker =
  | { readonly kind: 'records'; readonly lines: readonly number[]; readonly cells: readonly (readonly string[])[] }
  | { readonly kind: 'read'; readonly head: SheetHead }
  | { readonly kind: 'refused'; readonly problem: SheetProblem };

/** How much the reading of one sheet may take before it is ended. */
export interface ReaderLimits {
  /** Of the reader's own heap, in MiB. */
  readonly memoryMb: number;
  readonly timeMs: number;
}

export const READER_LIMITS: ReaderLimits = { memoryMb: 512, timeMs: 60_000 };

/**
 * Reads a sheet's file in a thread with a heap and a clock of its own: a file that makes the reader run wild ends the
 * reader and is refused, and who asked goes on. A thread and no process, because an Electron that is made fast for
 * users does not start as Node.
 * @returns The sheet, or the one problem that refuses the whole file.
 */
export async function readSheetApart(
  path: string,
  options: ReadSheetOptions = {},
  limits: ReaderLimits = READER_LIMITS,
): Promise<Result<RawSheet, SheetProblem>> {
  const worker = new Worker(workerUrl(), {
    workerData: { path, options } satisfies SheetWorkerInput,
    // The environment may hold the key, which is no business of the reader.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: 16 },
  });
  try {
    return await listen(worker, path, limits);
  } finally {
    await worker.terminate();
  }
}

function listen(worker: Worker, path: string, limits: ReaderLimits): Promise<Result<RawSheet, SheetProblem>> {
  const records: RawRecord[] = [];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(err(tookTooLong(path, limits))), limits.timeMs);
    worker.on('message', (message: FromSheetWorker) => {
      switch (message.kind) {
        case 'records':
          for (const [index, cells] of message.cells.entries()) {
            records.push({ line: message.lines[index] ?? 0, cells });
          }
          break;
        case 'read':
          resolve(ok({ ...message.head, records }));
          break;
        case 'refused':
          resolve(err(message.problem));
          break;
      }
    });
    worker.on('error', (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        resolve(err(tookTooMuch(path, limits)));
      else reject(error);
    });
    worker.on('exit', () => {
      clearTimeout(timer);
      reject(new Error('The reader of sheets ended without a word.'));
    });
  });
}

/** Run from its source or built, the reader lies beside this file, or beside what this file was built into. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './sheet-worker.ts' : './sheet-worker.js', import.meta.url);
}

function tookTooMuch(path: string, { memoryMb }: ReaderLimits): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    message: `${path} needs more than ${memoryMb} MiB of memory to be read.`,
    remedy: 'Divide the sheet into several ones.',
  };
}

function tookTooLong(path: string, { timeMs }: ReaderLimits): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    message: `${path} could not be read within ${timeMs / 1000} seconds.`,
    remedy: 'Divide the sheet into several ones, or save it as “CSV UTF-8”.',
  };
}
