/**
 * The process that reads one sheet for another process: it reports its findings and waits to be ended. It talks through
 * the channel of Node's `fork` (see forkedSheetReader), or through a port if Electron started it.
 */
import { serveSheet } from './serve-sheet.ts';
import type { SheetReaderInput } from './sheet-reader.ts';

/** The part of Electron's port that is used here; the engine knows nothing else about Electron. */
interface Port {
  once(
    event: 'message',
    listener: (message: { readonly data: unknown; readonly ports: readonly Port[] }) => void,
  ): void;
  once(event: 'close', listener: () => void): void;
  postMessage(message: unknown): void;
  start(): void;
}

const { parentPort } = process as unknown as { readonly parentPort?: Port };

if (parentPort === undefined) {
  process.once('message', (input) => {
    serveSheet(input as SheetReaderInput, (message) => process.send?.(message));
  });
  // The caller is gone: nobody wants the answer.
  process.once('disconnect', () => process.exit());
} else {
  parentPort.once('message', ({ ports: [port] }) => {
    if (port === undefined) return;
    // The caller is gone, or has all answers.
    port.once('close', () => process.exit(0));
    port.once('message', ({ data }) => {
      serveSheet(data as SheetReaderInput, (message) => port.postMessage(message));
    });
    port.start();
  });
}
