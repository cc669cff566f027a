/** The process that reads a sheet for the command line, started by forkedSheetReader: it says what it finds, and waits for its end. */
import { serveSheet } from './serve-sheet.ts';
import type { SheetReaderInput } from './sheet-reader.ts';

process.once('message', (input) => {
  serveSheet(input as SheetReaderInput, (message) => process.send?.(message));
});
// Who asked is gone: nobody wants to know.
process.once('disconnect', () => process.exit());
