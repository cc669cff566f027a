import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import type { RawRecord, RawSheet } from '../../shared/domain/sheet-raw.ts';
import type { ReadSheetOptions, SheetHead } from './read-sheet.ts';
import { unpackRecords } from './sheet-parts.ts';
import type { PackedRecords } from './sheet-parts.ts';

/** How far the reading of a sheet is. */
export interface ReadProgress {
  /** Rows that were read so far. */
  readonly rows: number;
}

/** Reads sheets where a file that makes the reader run wild ends the reader, and who asked goes on. */
export interface SheetReader {
  /** @returns The sheet, or the one problem that refuses the whole file. */
  readonly read: (
    path: string,
    options: ReadSheetOptions,
    onProgress?: (progress: ReadProgress) => void,
  ) => Promise<Result<RawSheet, SheetProblem>>;
}

/** What a reader is given. */
export interface SheetReaderInput {
  readonly path: string;
  readonly options: ReadSheetOptions;
  readonly limits: ReaderLimits;
}

/** What a reader says: its records, part by part, and then the rest of the sheet; or why there is none. */
export type FromSheetReader =
  /** A process has begun, and its end from here on is no fault of its program. */
  | { readonly kind: 'started' }
  | { readonly kind: 'records'; readonly part: PackedRecords }
  | { readonly kind: 'read'; readonly head: SheetHead }
  | { readonly kind: 'refused'; readonly problem: SheetProblem }
  /** It failed in a way that no file should make it. */
  | { readonly kind: 'bug'; readonly message: string };

/** How much the reading of one sheet may take before it is ended. */
export interface ReaderLimits {
  /** Of the reader's own heap, in MiB. */
  readonly memoryMb: number;
  readonly timeMs: number;
}

export const READER_LIMITS: ReaderLimits = { memoryMb: 512, timeMs: 60_000 };

/** A reader at work, in a thread or a process of its own. */
export interface ReaderChannel {
  readonly onMessage: (listener: (message: FromSheetReader) => void) => void;
  /** Called when it is gone: because it wanted more memory than there is for it, or with what is a bug. */
  readonly onEnd: (listener: (cause: 'memory' | Error) => void) => void;
  /** Ends it, whatever it is at. */
  readonly end: () => void | Promise<unknown>;
}

/** What a reader needs to know, and nothing else that a caller has: the key is no business of it. */
export function readerInput(
  path: string,
  { encoding, delimiter, sheet }: ReadSheetOptions,
  limits: ReaderLimits,
): SheetReaderInput {
  return { path, options: { encoding, delimiter, sheet }, limits };
}

/** Takes what a reader says until it has said everything, is gone, or takes too long; and ends it. */
export async function receiveSheet(
  channel: ReaderChannel,
  path: string,
  limits: ReaderLimits,
  onProgress: (progress: ReadProgress) => void = () => undefined,
): Promise<Result<RawSheet, SheetProblem>> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const records: RawRecord[] = [];
      timer = setTimeout(() => resolve(err(tookTooLong(path, limits))), limits.timeMs);
      channel.onMessage((message) => {
        switch (message.kind) {
          case 'started':
            break;
          case 'records':
            for (const record of unpackRecords(message.part)) records.push(record);
            onProgress({ rows: records.length });
            break;
          case 'read':
            resolve(ok({ ...message.head, records }));
            break;
          case 'refused':
            resolve(err(message.problem));
            break;
          case 'bug':
            reject(new Error(message.message));
            break;
        }
      });
      channel.onEnd((cause) => {
        if (cause === 'memory') resolve(err(tookTooMuch(path, limits)));
        else reject(cause);
      });
    });
  } finally {
    clearTimeout(timer);
    await channel.end();
  }
}

/** Says that a file was given up because of its memory. */
export function tookTooMuch(path: string, { memoryMb }: ReaderLimits): SheetProblem {
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
