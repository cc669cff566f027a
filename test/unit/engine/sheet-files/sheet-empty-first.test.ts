import { expect, test } from 'vitest';
import { readSheet } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import { sheetFile } from '../../../support/sheet-files.ts';
import { sheetXml, workbookParts, zipParts } from '../../../support/workbook-parts.ts';

/** A workbook with these sheets, by name. */
function workbook(sheets: Readonly<Record<string, readonly (readonly string[])[]>>): string {
  const names = Object.keys(sheets);
  const parts = workbookParts('');
  const list = names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="r${i + 1}"/>`).join('');
  const related = names.map((_, i) =>
    (parts['xl/_rels/workbook.xml.rels'] ?? '')
      .replace(/.*(<Relationship .*\/>).*/s, '$1')
      .replace(/r1|sheet1/g, (found) => found.replace('1', String(i + 1))),
  );
  return sheetFile(
    zipParts({
      ...parts,
      'xl/workbook.xml': (parts['xl/workbook.xml'] ?? '').replace(/<sheet .*\/>/, list),
      'xl/_rels/workbook.xml.rels': (parts['xl/_rels/workbook.xml.rels'] ?? '').replace(
        /<Relationship .*\/>/s,
        related.join(''),
      ),
      ...Object.fromEntries(names.map((name, i) => [`xl/worksheets/sheet${i + 1}.xml`, sheetXml(sheets[name] ?? [])])),
    }),
    'xlsx',
  );
}

const SONGS = [
  ['row', 'prompt'],
  ['a', 'owl'],
];

test('an empty sheet in front of the one with rows is passed over with a word, and the others can still be chosen', async () => {
  const read = await readSheet(workbook({ Notes: [], Songs: SONGS, More: SONGS }));
  expect(read).toMatchObject({
    ok: true,
    value: { headers: ['row', 'prompt'], source: { sheet: 'Songs', sheets: ['Notes', 'Songs', 'More'] } },
  });
  expect(read.ok && read.value.records).toHaveLength(1);
  expect(read.ok && read.value.problems).toMatchObject([
    { code: 'other-sheets', message: 'Only the sheet “Songs” is read; the workbook also has “Notes”, “More”.' },
  ]);
});

test('a cover and notes in front of the one with known columns are passed over with a word, and none hides it', async () => {
  const cover = [['Our album'], ['for the band']];
  const read = await readSheet(workbook({ Cover: cover, Notes: [['what', 'who']], Songs: SONGS }));
  expect(read).toMatchObject({ ok: true, value: { headers: ['row', 'prompt'], source: { sheet: 'Songs' } } });
  // Where no sheet has known columns, it is the first with content, as far as it is looked.
  const unknown = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`Notes ${i}`, cover]));
  expect(await readSheet(workbook({ Empty: [], ...unknown, Songs: SONGS }))).toMatchObject({
    value: { source: { sheet: 'Notes 0' } },
  });
  expect(await readSheet(workbook({ Cover: cover, Songs: SONGS }), { sheet: 'Cover' })).toMatchObject({
    value: { headers: ['Our album'] },
  });
});

test('a sheet with nothing but its header is not passed over: which one is meant is asked', async () => {
  const read = await readSheet(workbook({ Tonight: [['row', 'prompt']], 'Done last week': SONGS }));
  expect(read).toMatchObject({
    ok: true,
    value: {
      headers: ['row', 'prompt'],
      records: [],
      source: { sheet: 'Tonight', sheets: ['Tonight', 'Done last week'] },
    },
  });
  const [problem] = read.ok ? read.value.problems : [];
  expect(problem).toMatchObject({ severity: 'error', code: 'empty' });
  expect(problem?.remedy).toContain('choose another sheet of the workbook: “Done last week”');
});

test('a thousand empty sheets are passed over in one reading', async () => {
  const empty = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`Empty ${i}`, []]));
  const file = workbook({ ...empty, Songs: SONGS });
  expect(await readSheet(file)).toMatchObject({ ok: true, value: { source: { sheet: 'Songs' } } });
});

test('an empty sheet that was chosen is empty, and so is a workbook without rows', async () => {
  const file = workbook({ Notes: [], Songs: SONGS });
  expect(await readSheet(file, { sheet: 'Notes' })).toMatchObject({ ok: false, error: { code: 'empty' } });
  expect(await readSheet(workbook({ Notes: [], More: [] }))).toMatchObject({ ok: false, error: { code: 'empty' } });
});
