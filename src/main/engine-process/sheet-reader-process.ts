/** The process that reads one sheet for the engine's: it says what it finds through the port that it is given. */
import { serveSheet } from '../../engine/sheet-files/reader-process/serve-sheet.ts';
import type { SheetReaderInput } from '../../engine/sheet-files/reader-process/sheet-reader.ts';

process.parentPort.once('message', ({ ports: [port] }) => {
  if (port === undefined) return;
  // Who asked is gone, or knows everything.
  port.once('close', () => process.exit(0));
  port.once('message', ({ data }) => {
    serveSheet(data as SheetReaderInput, (message) => port.postMessage(message));
  });
  port.start();
});
