/** Loads the sheet that it is given, in a process of its own, and prints what that took. */
import { loadSheet } from '../../src/engine/sheet/load-sheet.ts';

const [path = ''] = process.argv.slice(2);
const { rows, problems } = await loadSheet(path);
const { maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ rows: rows.length, problems: problems.slice(0, 3), maxMemoryMb: maxRSS / 1024 }));
