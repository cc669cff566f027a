import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { RawBeginning, RawRecord, RawSheet } from '../../../shared/domain/sheet/sheet-raw.ts';
import { domainWords, spokenLanguage, type Language } from '../../../shared/words/domain-words.ts';
import type { ResultsDocument, ResultsRequest } from '../results/results-document.ts';
import type { ReadSheetOptions, SheetHead } from '../read/read-sheet.ts';
import { unpackRecords, type PackedRecords } from '../read/sheet-parts.ts';

/** How far the reading of a sheet has got. */
export interface ReadProgress {
  /** Rows read so far. */
  readonly rows: number;
}

/** How a caller follows the reading of a sheet. */
export interface ReadListener {
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  /** Called at most once, with the first rows of a large file, long before the rest is read. */
  readonly onBeginning?: ((beginning: RawBeginning) => void) | undefined;
  /** Ends the reading: nothing more is reported, and the answer says only that it ended. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads sheets apart from its caller: a file that makes the reader run wild ends only the reader. */
export interface SheetReader {
  /** @returns The sheet, or the one problem that refuses the whole file. */
  readonly read: (
    path: string,
    options: ReadSheetOptions,
    listener?: ReadListener,
  ) => Promise<Result<RawSheet, SheetProblem>>;
  /** Makes a copy of a sheet's file with results in it. @returns The copy, or why it cannot be made. */
  readonly resultsDocument: (path: string, request: ResultsRequest) => Promise<Result<ResultsDocument, string>>;
}

/** Everything that a reader receives: it must not see anything else of its caller's, such as the key. */
export interface SheetReaderInput {
  readonly path: string;
  readonly work:
    | { readonly kind: 'read'; readonly options: ReadSheetOptions; readonly wantsBeginning?: true }
    | { readonly kind: 'results'; readonly request: ResultsRequest };
  readonly limits: ReaderLimits;
  /** The language in which it says what is wrong. */
  readonly language: Language;
}

/**
 * A reader's messages: the beginning of a large sheet; all its records, part by part, and then the rest of the sheet;
 * or why there is no sheet.
 */
export type FromSheetReader =
  /** A process has started; if it ends from here on, its program is not at fault. */
  | { readonly kind: 'started' }
  | { readonly kind: 'beginning'; readonly head: Omit<RawBeginning, 'records'>; readonly part: PackedRecords }
  | { readonly kind: 'records'; readonly part: PackedRecords }
  | { readonly kind: 'read'; readonly head: SheetHead }
  | { readonly kind: 'refused'; readonly problem: SheetProblem }
  /** It needs more memory than it may have. */
  | { readonly kind: 'memory' }
  | { readonly kind: 'document'; readonly document: Result<ResultsDocument, string> }
  /** It failed in a way that no file should cause. */
  | { readonly kind: 'bug'; readonly message: string };

/** True if nothing follows. */
export function isLast({ kind }: FromSheetReader): boolean {
  return kind !== 'started' && kind !== 'beginning' && kind !== 'records';
}

/** How much time and memory the reading of one sheet may take. */
export interface ReaderLimits {
  /** The reader's own heap, in MiB. */
  readonly memoryMb: number;
  readonly timeMs: number;
}

export const READER_LIMITS: ReaderLimits = { memoryMb: 512, timeMs: 60_000 };

/** A reader at work, in its own thread or process. */
export interface ReaderChannel {
  /** Starts the work, once all listeners are attached. */
  readonly begin: () => void;
  readonly onMessage: (listener: (message: FromSheetReader) => void) => void;
  /** Called when the reader is gone: because it needed too much memory, or for another reason. */
  readonly onEnd: (listener: (cause: 'memory' | Error) => void) => void;
  /** Ends the reader, whatever it is doing. */
  readonly end: () => void | Promise<unknown>;
}

/** Makes a reader from a function that starts a channel for a single piece of work. */
export function sheetReaderOf(
  start: (input: SheetReaderInput) => ReaderChannel | Promise<ReaderChannel>,
  limits: ReaderLimits = READER_LIMITS,
): SheetReader {
  return {
    read: async (path, { encoding, delimiter, sheet, headerLine }, { onProgress, onBeginning, signal } = {}) => {
      const records: RawRecord[] = [];
      const options = { encoding, delimiter, sheet, headerLine };
      const work = { kind: 'read', options, ...(onBeginning && { wantsBeginning: true as const }) } as const;
      const answerOf = (message: FromSheetReader): Result<RawSheet, SheetProblem> | undefined => {
        if (message.kind === 'refused') return err(message.problem);
        if (message.kind === 'read') return ok({ ...message.head, records });
        if (message.kind === 'beginning') onBeginning?.({ ...message.head, records: unpackRecords(message.part) });
        if (message.kind !== 'records') return undefined;
        for (const record of unpackRecords(message.part)) records.push(record);
        onProgress?.({ rows: records.length });
        return undefined;
      };
      return receive(
        await start({ path, work, limits, language: spokenLanguage() }),
        { path, limits, signal },
        answerOf,
      );
    },
    resultsDocument: async (path, request) => {
      const channel = await start({ path, work: { kind: 'results', request }, limits, language: spokenLanguage() });
      return receive<Result<ResultsDocument, string>>(channel, { path, limits }, (message) => {
        if (message.kind === 'document') return message.document;
        return message.kind === 'refused' ? err(`${message.problem.message} ${message.problem.remedy}`) : undefined;
      });
    },
  };
}

interface ReadTerms {
  readonly path: string;
  readonly limits: ReaderLimits;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes a reader's messages until it has answered, is gone, or takes too long; then ends it.
 * @param answerOf The answer that a message completes; undefined for any other message.
 */
async function receive<T>(
  channel: ReaderChannel,
  { path, limits, signal }: ReadTerms,
  answerOf: (message: FromSheetReader) => T | undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      const take = (message: FromSheetReader): void => {
        if (over.signal.aborted) return;
        const answer = answerOf(message);
        if (answer === undefined) return;
        over.abort();
        resolve(answer);
      };
      const stop = (): void => take({ kind: 'refused', problem: endedEarly(path, new Error('nobody waits for it')) });
      if (signal?.aborted === true) {
        stop();
        return;
      }
      signal?.addEventListener('abort', stop, { signal: over.signal });
      timer = setTimeout(() => take({ kind: 'refused', problem: tookTooLong(path, limits) }), limits.timeMs);
      channel.onMessage((message) => {
        if (message.kind === 'bug') reject(new Error(message.message));
        else if (message.kind === 'memory') take({ kind: 'refused', problem: tookTooMuch(path, limits) });
        else take(message);
      });
      channel.onEnd((cause) => {
        if (cause === 'memory') take({ kind: 'refused', problem: tookTooMuch(path, limits) });
        else take({ kind: 'refused', problem: endedEarly(path, cause) });
      });
      channel.begin();
    });
  } finally {
    clearTimeout(timer);
    await channel.end();
  }
}

/** The problem of a file that needs too much memory. */
function tookTooMuch(path: string, { memoryMb }: ReaderLimits): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    ...domainWords.problems.file.tooMuchMemory(path, memoryMb),
  };
}

/** Native code of a program can end its whole process, and so can the machine's administrator. */
function endedEarly(path: string, { message }: Error): SheetProblem {
  return {
    severity: 'error',
    code: 'unreadable',
    ...domainWords.problems.file.readerEnded(path, message),
  };
}

function tookTooLong(path: string, { timeMs }: ReaderLimits): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    ...domainWords.problems.file.tooSlow(path, timeMs / 1000),
  };
}
