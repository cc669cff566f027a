/**
 * The process that reads one sheet for another process: it says what it finds, and waits for its end. It is spoken to
 * through the channel of Node's `fork` (see forkedSheetReader), or through a port where Electron has started it.
 */
import { serveSheet } from './serve-sheet.ts';
import type { SheetReaderInput } from './sheet-reader.ts';

/** What is used of a port of Electron's, which the engine knows nothing else of. */
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
  // Who asked is gone: nobody wants to know.
  process.once('disconnect', () => process.exit());
} else {
  parentPort.once('message', ({ ports: [port] }) => {
    if (port === undefined) return;
    // Who asked is gone, or knows everything.
    port.once('close', () => process.exit(0));
    port.once('message', ({ data }) => {
      serveSheet(data as SheetReaderInput, (message) => port.postMessage(message));
    });
    port.start();
  });
}
