import type { Figures } from './contender.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Line, Report } from './support/report.ts';
import { numberOf, runContender, runInTurn } from './support/run-contender.ts';
import { writeCsv, writeXlsx } from './support/sheet-fixture.ts';

const ROUNDS = 3;
const ROWS = 100_000;
const COLUMNS = 20;

/** From a file to rows of text. */
export function sheet(): Promise<Report> {
  return inTemporaryFolder(async (folder) => {
    const csv = `${folder}/night.csv`;
    const xlsx = `${folder}/night.xlsx`;
    writeCsv(csv, ROWS, COLUMNS);
    writeXlsx(xlsx, ROWS, COLUMNS);
    const [ourCsv, papaparse, ourXlsx, readExcelFile, checked] = await runInTurn(
      [
        () => runContender('our-sheet', { path: csv, depth: 'text' }),
        () => runContender('papaparse', { path: csv }),
        () => runContender('our-sheet', { path: xlsx, depth: 'text' }),
        () => runContender('read-excel-file', { path: xlsx }),
        () => runContender('our-sheet', { path: xlsx, depth: 'checked' }),
      ],
      ROUNDS,
    );
    if (!ourCsv || !papaparse || !ourXlsx || !readExcelFile || !checked) throw new Error('A contender gave nothing.');
    return {
      title: `sheet: ${ROWS.toLocaleString('en-GB')} × ${COLUMNS} cells`,
      lines: [
        // One parser in both: what ours does around it (encoding, delimiter, line ends, sha256) is the difference.
        ...compare('CSV against papaparse alone', ourCsv, papaparse, { time: 1.5, rss: 2 }),
        // The goals of the design, turned round: three times as fast, half the memory.
        ...compare('XLSX against read-excel-file', ourXlsx, readExcelFile, { time: 1 / 3, rss: 0.5 }),
        { what: 'XLSX read and checked', unit: 'ms', ours: numberOf(checked, 'wallMs') },
        { what: 'XLSX read and checked, largest RSS', unit: 'MiB', ours: numberOf(checked, 'rssMiB') },
      ],
      notes: [
        `CSV: every cell is ${ourCsv['digest'] === papaparse['digest'] ? 'the same' : 'NOT THE SAME'} by both readers.`,
        `XLSX: every cell is ${ourXlsx['digest'] === readExcelFile['digest'] ? 'the same' : 'NOT THE SAME'} by both readers, and ${
          ourXlsx['digest'] === ourCsv['digest'] ? 'the same' : 'NOT THE SAME'
        } as in the CSV.`,
        `Medians of ${ROUNDS} rounds in turn, each run in a new process.`,
      ],
    };
  });
}

function compare(what: string, ours: Figures, rival: Figures, most: { time: number; rss: number }): readonly Line[] {
  return [
    {
      what,
      unit: 'ms',
      ours: numberOf(ours, 'wallMs'),
      rival: numberOf(rival, 'wallMs'),
      goal: { bound: 'at most', value: most.time },
    },
    {
      what: `${what}, largest RSS`,
      unit: 'MiB',
      ours: numberOf(ours, 'rssMiB'),
      rival: numberOf(rival, 'rssMiB'),
      goal: { bound: 'at most', value: most.rss },
    },
  ];
}
