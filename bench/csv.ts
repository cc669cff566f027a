import { inTemporaryFolder } from './support/measure.ts';
import type { Report } from './support/report.ts';
import { runContender, runInTurn } from './support/run-contender.ts';
import { agreement, COLUMNS, compareSheets, ROUNDS, ROWS, SHEET_SIZE } from './support/sheet-report.ts';
import { writeCsv } from './support/sheet-fixture.ts';

/** From a CSV file to rows of text, and to committed rows. */
export function csv(): Promise<Report> {
  return inTemporaryFolder(async (folder) => {
    const path = `${folder}/night.csv`;
    writeCsv(path, ROWS, COLUMNS);
    const [ours, papaparse, csvParse, committed, rival] = await runInTurn(
      [
        () => runContender('our-sheet', { path }),
        () => runContender('papaparse', { path }),
        () => runContender('csv-parse', { path }),
        () => runContender('our-import', { path, folder }),
        () => runContender('library-import', { path, folder, library: 'papaparse' }),
      ],
      ROUNDS,
    );
    if (!ours || !papaparse || !csvParse || !committed || !rival) throw new Error('A contender gave nothing.');
    return {
      title: `csv: ${SHEET_SIZE}`,
      lines: [
        // The same parser in both: the difference is what ours adds (encoding, delimiter, line ends, sha256).
        ...compareSheets('rows / papaparse alone', ours, papaparse, { time: 1.5, rss: 2 }),
        ...compareSheets('rows / csv-parse', ours, csvParse),
        ...compareSheets('committed rows / papaparse and one transaction', committed, rival),
      ],
      notes: agreement('CSV', [ours, papaparse, csvParse]),
    };
  });
}
