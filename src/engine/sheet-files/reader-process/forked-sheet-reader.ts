import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { READER_LIMITS, sheetReaderOf } from './sheet-reader.ts';
import type { FromSheetReader, ReaderChannel, ReaderLimits, SheetReader, SheetReaderInput } from './sheet-reader.ts';

/** How a process ends that gets no more memory: by its own hand, or by that of the system. */
const OUT_OF_MEMORY_SIGNALS: ReadonlySet<string | number | null> = new Set(['SIGABRT', 'SIGKILL', 134, 137]);

/** Reads each sheet in a process of its own, which is given the file's path and nothing else. */
export function forkedSheetReader(limits: ReaderLimits = READER_LIMITS): SheetReader {
  return sheetReaderOf((input) => channelOf(startReader(limits), input), limits);
}

function startReader({ memoryMb }: ReaderLimits): ChildProcess {
  const name = import.meta.url.endsWith('.ts') ? './sheet-reader-process.ts' : './sheet-reader-process.js';
  return fork(fileURLToPath(new URL(name, import.meta.url)), {
    execArgv: [`--max-old-space-size=${memoryMb}`],
    env: withoutSecrets(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** The environment may hold the key. Windows starts nothing without the name of its own folder. */
function withoutSecrets(): NodeJS.ProcessEnv {
  const systemRoot = process.env['SystemRoot'];
  return systemRoot === undefined ? {} : { SystemRoot: systemRoot };
}

function channelOf(child: ChildProcess, input: SheetReaderInput): ReaderChannel {
  return {
    begin: () => {
      child.send(input);
    },
    onMessage: (listener) => child.on('message', (message) => listener(message as FromSheetReader)),
    onEnd: (listener) => {
      child.on('error', listener);
      child.on('exit', (code, signal) => {
        const isMemory = OUT_OF_MEMORY_SIGNALS.has(signal) || OUT_OF_MEMORY_SIGNALS.has(code);
        listener(isMemory ? 'memory' : new Error(`its reader ended without a word (${signal ?? `code ${code}`})`));
      });
    },
    end: () => {
      child.kill('SIGKILL');
    },
  };
}
