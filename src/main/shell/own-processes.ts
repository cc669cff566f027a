/** Starts the processes that do Nocturne's work beside the window's: the engine, and a reader for each sheet. */
import { dirname, join } from 'node:path';
import { MessageChannelMain, utilityProcess } from 'electron';
import type { EngineProcess, SheetReaderProcess } from '../engine-process/engine-host.ts';
import { causeWithoutContent, type Log } from './log.ts';
import { engineEnvironment, sheetReaderEnvironment } from './process-environment.ts';

/** A flag of V8: Electron passes it on, but not Node's own flags. */
const NO_CODE_OF_TEXT = '--js-flags=--disallow-code-generation-from-strings';

/** Reads one sheet for the engine. */
export function spawnSheetReader(): SheetReaderProcess {
  const child = utilityProcess.fork(join(import.meta.dirname, 'sheet-reader-process.js'), [], {
    serviceName: 'Nocturne sheet reader',
    stdio: 'ignore',
    env: sheetReaderEnvironment(process.env),
    execArgv: [NO_CODE_OF_TEXT],
    // Its thread may read its current folder: nothing of the user's is in this one.
    cwd: dirname(process.execPath),
  });
  const { port1, port2 } = new MessageChannelMain();
  child.postMessage(undefined, [port1]);
  return { port: port2, kill: () => child.kill() };
}

/** Starts a process of the engine, which waits for its first message. */
export function spawnEngine(log: Log): EngineProcess {
  const child = utilityProcess.fork(join(import.meta.dirname, 'engine-process.js'), [], {
    serviceName: 'Nocturne engine',
    stdio: ['ignore', 'inherit', 'pipe'],
    env: engineEnvironment(process.env),
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    const cause = causeWithoutContent(chunk.toString());
    if (cause !== '') log('error', `the engine’s process: ${cause}`);
  });
  return {
    post: (message, ports = []) => child.postMessage(message, [...ports]),
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', listener),
    kill: () => {
      try {
        // Not by its own `kill`, which only asks: a hanging process does not hear that.
        if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL');
      } catch {
        // The process has just ended by itself.
      }
    },
  };
}
