/** Loads the sheet that it is given, in a process of its own, and prints what that took. */
import { loadSheet } from '../../src/engine/sheet-files/reader-process/load-sheet.ts';
import { sheetReaderOf } from '../../src/engine/sheet-files/reader-process/sheet-reader.ts';
import { startReaderThread } from '../../src/engine/sheet-files/reader-process/serve-sheet.ts';

const [path = ''] = process.argv.slice(2);
const { rows, problems } = await loadSheet(path, { reader: sheetReaderOf(startReaderThread) });
const { maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ rows: rows.length, problems: problems.slice(0, 3), maxMemoryMb: maxRSS / 1024 }));
