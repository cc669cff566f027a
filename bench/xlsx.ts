import { inTemporaryFolder } from './support/measure.ts';
import type { Report } from './support/report.ts';
import { runContender, runInTurn } from './support/run-contender.ts';
import { agreement, COLUMNS, compareSheets, ROUNDS, ROWS, SHEET_SIZE } from './support/sheet-report.ts';
import { writeXlsx } from './support/sheet-fixture.ts';

/** From a workbook to rows of text, and to committed rows. */
export function xlsx(): Promise<Report> {
  return inTemporaryFolder(async (folder) => {
    const path = `${folder}/night.xlsx`;
    writeXlsx(path, ROWS, COLUMNS);
    const [ours, hucre, readExcelFile, committed, rival] = await runInTurn(
      [
        () => runContender('our-sheet', { path }),
        () => runContender('hucre', { path }),
        () => runContender('read-excel-file', { path }),
        () => runContender('our-import', { path, folder }),
        () => runContender('library-import', { path, folder, library: 'hucre' }),
      ],
      ROUNDS,
    );
    if (!ours || !hucre || !readExcelFile || !committed || !rival) throw new Error('A contender gave nothing.');
    return {
      title: `xlsx: ${SHEET_SIZE}`,
      lines: [
        // The goals of the design, inverted: three times as fast is a third of the time.
        ...compareSheets('rows / hucre', ours, hucre, { time: 1 / 3, rss: 1 / 2 }),
        ...compareSheets('rows / read-excel-file', ours, readExcelFile, { time: 1 / 3, rss: 1 / 2 }),
        ...compareSheets('committed rows / hucre and one transaction', committed, rival, { time: 1 / 10, rss: 0.3 }),
      ],
      notes: [
        ...agreement('XLSX', [ours, hucre, readExcelFile]),
        'Ours to committed rows: read in its thread, checked, and made a batch in a store, with its tasks, problems and',
        'indexes. The rival: each cell as text into a table of as many columns, in one transaction.',
      ],
    };
  });
}
