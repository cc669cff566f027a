/** `npm run bench` measures everything, `npm run bench -- NAME …` a part. Not a test: a busy machine fails nothing. */
import { cpus, totalmem } from 'node:os';
import { csv } from './csv.ts';
import { download } from './download.ts';
import { edit } from './edit.ts';
import { engine, engineBusy } from './engine.ts';
import { memory } from './memory.ts';
import { poll } from './poll.ts';
import { storeUpdates } from './store-updates.ts';
import { printReport, type Report } from './support/report.ts';
import { xlsx } from './xlsx.ts';

const ENTRIES: Readonly<Record<string, () => Promise<Report>>> = {
  memory,
  engine,
  'engine-busy': engineBusy,
  'store-updates': storeUpdates,
  csv,
  xlsx,
  edit,
  download,
  poll,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in ENTRIES));
if (unknown.length > 0) {
  console.error(`No such entry: ${unknown.join(', ')}. Entries: ${Object.keys(ENTRIES).join(', ')}.`);
  process.exit(2);
}
console.log(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${process.platform} ${process.arch}, ` +
    `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
);
for (const [name, entry] of Object.entries(ENTRIES)) {
  if (wanted.length === 0 || wanted.includes(name)) printReport(await entry());
}
