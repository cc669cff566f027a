import { checkSheet } from '../../../shared/domain/sheet/check-sheet.ts';
import type { CheckOptions } from '../../../shared/domain/sheet/sheet-checker.ts';
import type { CheckedSheet } from '../../../shared/domain/sheet/row.ts';
import type { SheetSource } from '../../../shared/domain/sheet/sheet-raw.ts';
import type { ReadSheetOptions } from '../read/read-sheet.ts';
import { meansOfReader } from './reader-rights.ts';
import {
  type ReadProgress,
  type SheetReader,
  READER_LIMITS,
  sheetReaderOf,
  type FromSheetReader,
  type ReaderChannel,
  type ReaderLimits,
  type SheetReaderInput,
} from './sheet-reader.ts';
import { fork, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How to read a sheet, and what to check it against. */
export interface LoadOptions extends ReadSheetOptions, CheckOptions {
  /** The reader of the file; by default a separate process. */
  readonly reader?: SheetReader;
  readonly onProgress?: (progress: ReadProgress) => void;
}

/** A sheet that was read from a file and checked. */
export interface LoadedSheet extends CheckedSheet {
  /** How the file was understood; undefined if it could not be read. */
  readonly source: SheetSource | undefined;
}

/** Reads and checks a sheet's file. An unreadable file gives a sheet without rows, with the error that refuses it. */
export async function loadSheet(path: string, options: LoadOptions = {}): Promise<LoadedSheet> {
  const { reader = forkedSheetReader(), onProgress } = options;
  const raw = await reader.read(path, options, { onProgress });
  if (!raw.ok) return { headers: [], rows: [], problems: [raw.error], source: undefined };
  return { ...checkSheet(raw.value, options), source: raw.value.source };
}

/** How a process ends when it gets no more memory: it aborts, or the system kills it. */
const OUT_OF_MEMORY_SIGNALS: ReadonlySet<string | number | null> = new Set(['SIGABRT', 'SIGKILL', 134, 137]);

/** Reads each sheet in its own process, which receives only the file's path. */
export function forkedSheetReader(limits: ReaderLimits = READER_LIMITS): SheetReader {
  return sheetReaderOf((input) => {
    // The reader is in another folder.
    const path = resolve(input.path);
    return channelOf(startReader(limits, path), { ...input, path });
  }, limits);
}

function startReader({ memoryMb }: ReaderLimits, path: string): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts');
  const program = new URL(isSource ? './sheet-reader-process.ts' : './sheet-reader-process.js', import.meta.url);
  return fork(fileURLToPath(program), {
    ...meansOfReader(path, memoryMb, import.meta.url),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

function channelOf(child: ChildProcess, input: SheetReaderInput): ReaderChannel {
  return {
    begin: () => {
      // If the reader dies over it, its end says more than a broken pipe does.
      child.send(input, () => undefined);
    },
    onMessage: (listener) => child.on('message', (message) => listener(message as FromSheetReader)),
    onEnd: (listener) => {
      child.on('error', listener);
      child.on('exit', (code, signal) => {
        const isMemory = OUT_OF_MEMORY_SIGNALS.has(signal) || OUT_OF_MEMORY_SIGNALS.has(code);
        listener(isMemory ? 'memory' : new Error(`its reader ended without an answer (${signal ?? `code ${code}`})`));
      });
    },
    end: () => {
      child.kill('SIGKILL');
    },
  };
}
