import { roundsOf, scaled, type Bench, type Settings } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Report } from './support/report.ts';
import { runContender, runInTurn } from './support/run-contender.ts';
import { agreement, COLUMNS, compareSheets, ROWS, SHEET_ROUNDS, sheetProbes } from './support/sheet-report.ts';
import { writeCsv } from './support/sheet-fixture.ts';

/** From a CSV file to rows of text, and to committed rows. */
export const csv: Bench = {
  report: (settings) => withSheet(settings, (path, folder) => compare(settings, path, folder)),
  withProbes: (settings, work) => withSheet(settings, (path, folder) => work(sheetProbes(path, folder))),
};

function withSheet<T>(settings: Settings, work: (path: string, folder: string) => Promise<T>): Promise<T> {
  return inTemporaryFolder((folder) => {
    const path = `${folder}/night.csv`;
    writeCsv(path, scaled(ROWS, settings, 100), COLUMNS);
    return work(path, folder);
  });
}

async function compare(settings: Settings, path: string, folder: string): Promise<Report> {
  const rounds = roundsOf(settings, SHEET_ROUNDS);
  const [ours, papaparse, csvParse, committed, rival] = await runInTurn(
    [
      () => runContender('our-sheet', { path }),
      () => runContender('papaparse', { path }),
      () => runContender('csv-parse', { path }),
      () => runContender('our-import', { path, folder }),
      () => runContender('library-import', { path, folder, library: 'papaparse' }),
    ],
    rounds,
  );
  if (!ours || !papaparse || !csvParse || !committed || !rival) throw new Error('A contender gave nothing.');
  return {
    title: `csv: ${scaled(ROWS, settings, 100).toLocaleString('en-GB')} × ${COLUMNS} cells`,
    lines: [
      // The same parser in both: the difference is what ours adds (encoding, delimiter, line ends, sha256).
      ...compareSheets('rows / papaparse alone', ours, papaparse, {
        time: { bound: 'at most', value: 1.5 },
        rss: { bound: 'at most', value: 2 },
      }),
      ...compareSheets('rows / csv-parse', ours, csvParse),
      ...compareSheets('committed rows / papaparse and one transaction', committed, rival),
    ],
    notes: agreement('CSV', [ours, papaparse, csvParse], rounds),
  };
}
