import type { Figures } from './contender.ts';
import { roundsOf, scaled, type Bench, type Settings } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Line, Report } from './support/report.ts';
import { runContender, runInTurn } from './support/run-contender.ts';
import { agreement, COLUMNS, compareSheets, ROWS, SHEET_ROUNDS, sheetProbes } from './support/sheet-report.ts';
import { writeXlsx } from './support/sheet-fixture.ts';

const THIRD = { id: '7', bound: 'at most', value: 1 / 3 } as const;
const EIGHTH = { id: '7', bound: 'at most', value: 1 / 8 } as const;
const HALF = { id: '7', bound: 'at most', value: 1 / 2 } as const;
const COMMITTED = {
  cpu: { id: '8', bound: 'at most', value: 1 / 4 },
  rss: { id: '8', bound: 'at most', value: 0.3 },
} as const;

/** From a workbook to rows of text, and to committed rows. */
export const xlsx: Bench = {
  report: (settings) => withWorkbook(settings, (path, folder) => compare(settings, path, folder)),
  withProbes: (settings, work) => withWorkbook(settings, (path, folder) => work(sheetProbes(path, folder))),
};

function withWorkbook<T>(settings: Settings, work: (path: string, folder: string) => Promise<T>): Promise<T> {
  return inTemporaryFolder((folder) => {
    const path = `${folder}/night.xlsx`;
    writeXlsx(path, scaled(ROWS, settings, 100), COLUMNS);
    return work(path, folder);
  });
}

async function compare(settings: Settings, path: string, folder: string): Promise<Report> {
  const rounds = roundsOf(settings, SHEET_ROUNDS);
  const { sheetjs } = settings;
  const library = sheetjs === undefined ? 'hucre' : 'sheetjs';
  const given = sheetjs === undefined ? {} : { sheetjs };
  const [ours, hucre, readExcelFile, committed, rival, sheetJs] = await runInTurn(
    [
      () => runContender('our-sheet', { path }),
      () => runContender('hucre', { path }),
      () => runContender('read-excel-file', { path }),
      () => runContender('our-import', { path, folder }),
      () => runContender('library-import', { path, folder, library, ...given }),
      ...(sheetjs === undefined ? [] : [() => runContender('sheetjs', { path, sheetjs })]),
    ],
    rounds,
  );
  if (!ours || !hucre || !readExcelFile || !committed || !rival) throw new Error('A contender gave nothing.');
  return {
    title: `xlsx: ${scaled(ROWS, settings, 100).toLocaleString('en-GB')} × ${COLUMNS} cells`,
    lines: [
      // The goals of the design, inverted: three times as fast is a third of the time.
      ...compareSheets('rows / hucre', ours, hucre, { time: THIRD, rss: HALF }),
      ...compareSheets('rows / read-excel-file', ours, readExcelFile, { time: THIRD, rss: HALF }),
      ...linesOfSheetJs(ours, sheetJs),
      ...compareSheets(`committed rows / ${library} and one transaction`, committed, rival, COMMITTED),
    ],
    notes: [
      ...agreement('XLSX', [ours, hucre, readExcelFile, ...(sheetJs === undefined ? [] : [sheetJs])], rounds),
      'Ours to committed rows: read in its thread, checked, and made a batch in a store, with its tasks, problems and',
      'indexes. The rival: each cell as text into a table of as many columns, in one transaction.',
      ...(sheetjs === undefined
        ? [
            'The goals are against SheetJS, which is not installed: what is on npm has known vulnerabilities. hucre, which',
            'needs half of its processor time, stands in: what is met here is met there. --sheetjs FOLDER takes the real one.',
          ]
        : []),
    ],
  };
}

function linesOfSheetJs(ours: Figures, sheetJs: Figures | undefined): readonly Line[] {
  return sheetJs === undefined ? [] : compareSheets('rows / SheetJS', ours, sheetJs, { time: EIGHTH, rss: HALF });
}
