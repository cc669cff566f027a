/** Workbooks as other programs write them, and damaged ones: what is read is what their author saw, or nothing. */
import { describe, expect, test } from 'vitest';
import { readSheet } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import { sheetFile } from '../../../support/sheet-files.ts';
import { sheetXml, withFormats, workbookParts, zipParts } from '../../../support/workbook-parts.ts';

type Parts = Record<string, string | Uint8Array>;

const text = (cell: string, value: string): string => `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`;
const HEAD = `<row r="1">${text('A1', 'row')}${text('B1', 'prompt')}</row>`;
const sheetOf = (rows: string, after = ''): string =>
  `<worksheet><sheetData>${HEAD}${rows}</sheetData>${after}</worksheet>`;
const oneCell = (cell: string): string => sheetOf(`<row r="2">${text('A2', 'a')}${cell}</row>`);

async function read(parts: Parts): Promise<Awaited<ReturnType<typeof readSheet>>> {
  return readSheet(sheetFile(zipParts(parts), 'xlsx'));
}

/** The cells below the header, line by line. */
async function cellsOf(parts: Parts): Promise<readonly (readonly string[])[]> {
  const sheet = await read(parts);
  if (!sheet.ok) throw new Error(sheet.error.message);
  return sheet.value.records.map((record) => record.cells);
}

async function refusalOf(parts: Parts): Promise<string> {
  const sheet = await read(parts);
  if (sheet.ok) throw new Error('It was read.');
  expect(sheet.error.code).toBe('unreadable');
  return sheet.error.message;
}

describe('dates', () => {
  test('count from 1904 where the workbook says so, whatever an extension of the same name says', async () => {
    const parts = withFormats(workbookParts(oneCell('<c r="B2" s="1"><v>44599</v></c>')), ['0', 'yyyy-mm-dd']);
    const workbook = (parts['xl/workbook.xml'] ?? '').replace(
      '<sheets>',
      '<workbookPr date1904="1"/><extLst><ext xmlns:x15="urn:x15"><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst><sheets>',
    );
    expect(await cellsOf({ ...parts, 'xl/workbook.xml': workbook })).toEqual([['a', '2026-02-08']]);
  });

  test.each([
    ['11:12:01.00000000000239300', '11:12:01'],
    ['PT48H0M0.000S', '48:00:00'],
    ['2026-03-01T13:45:10Z', '2026-03-01T13:45:10'],
    ['2026-03-01T13:45:10+02:00', '2026-03-01T13:45:10'],
    ['2026-03-01T23:59:59.9999', '2026-03-02'],
    ['2026-03-01', '2026-03-01'],
    ['2026-03-01T00:00:00', '2026-03-01'],
    ['23:59:59.9', '23:59:59'],
    ['24:30', '24:30'],
    ['12:61:00Z', '12:61:00Z'],
    ['2024-13-45', '2024-13-45'],
    ['2024-02-30T10:00:00+02:00', '2024-02-30T10:00:00+02:00'],
    ['next week', 'next week'],
  ])('written as text: %s', async (stored, shown) => {
    expect(await cellsOf(workbookParts(oneCell(`<c r="B2" t="d"><v>${stored}</v></c>`)))).toEqual([['a', shown]]);
  });

  test.each([
    ['[h]:mm:ss', '2.5', '60:00:00'],
    ['[mm]:ss', '0.0625', '01:30:00'],
    ['[h]:mm', '-0.5', '-12:00:00'],
    ['yyyy-mm-dd hh:mm', '46081.9999999', '2026-03-01'],
    ['[h]:mm', '3000000', '3000000'],
    [`[${'['.repeat(500_000)}`, '5', '5'],
  ])('as numbers in the format %s', async (format, stored, shown) => {
    const parts = withFormats(workbookParts(oneCell(`<c r="B2" s="1"><v>${stored}</v></c>`)), ['0', format]);
    expect(await cellsOf(parts)).toEqual([['a', shown]]);
  });
});

describe('a reference to nothing', () => {
  test.each([
    ['a text that is not there', '<c r="B2" t="s"><v>4</v></c>', 'its cell B2 refers to a text that is not in it'],
    ['a format that is not there', '<c r="B2" s="3"><v>46082</v></c>', 'its cell B2 refers to a format'],
  ])('%s', async (_name, cell, message) => {
    expect(await refusalOf(workbookParts(oneCell(cell)))).toContain(message);
  });

  const listing = (...sheets: readonly string[]): Parts => {
    const parts = workbookParts(oneCell(text('B2', 'owl')));
    const workbook = parts['xl/workbook.xml'] ?? '';
    const known = '<sheet name="One" sheetId="1" r:id="r1"/>';
    expect(workbook).toContain(known);
    const list = sheets.map((id, i) => `<sheet name="Tonight ${i}" sheetId="${i + 2}" r:id="${id}"/>`).join('');
    return { ...parts, 'xl/workbook.xml': workbook.replace(known, list + known) };
  };

  test('a first sheet that is not there is not passed over for the next one', async () => {
    expect(await refusalOf(listing('lost'))).toContain('its sheet “Tonight 0” is missing');
  });

  test('a sheet that is not there is refused where it is chosen, and no other one is', async () => {
    const file = sheetFile(zipParts(listing('lost')), 'xlsx');
    const chosen = await readSheet(file, { sheet: 'Tonight 0' });
    expect(chosen.ok ? '' : chosen.error.message).toContain('its sheet “Tonight 0” is missing');
    expect(await readSheet(file, { sheet: 'One' })).toMatchObject({ ok: true });
  });

  test('a chart in the list of sheets is none, and not missed', async () => {
    const parts = listing('chart');
    const relations = 'xl/_rels/workbook.xml.rels';
    const chart =
      '<Relationship Id="chart" Type="http://x/chartsheet" Target="chartsheets/sheet1.xml"/></Relationships>';
    parts[relations] = String(parts[relations]).replace('</Relationships>', chart);
    expect(await cellsOf(parts)).toEqual([['a', 'owl']]);
  });
});

describe('names that mean something else elsewhere', () => {
  const inside = `<x:row r="9"><x:c r="A9" t="inlineStr"><x:is><x:t>no</x:t></x:is></x:c></x:row>`;
  const extension = `<extLst><ext><x:worksheet><x:cols><x:col min="1" max="2" hidden="1"/></x:cols><x:sheetData>${inside}</x:sheetData><x:mergeCells><x:mergeCell ref="A2:B2"/></x:mergeCells></x:worksheet></ext></extLst>`;
  const control =
    '<controls><control><controlPr><anchor><from><xdr:col hidden="1" min="1" max="1">3</xdr:col><xdr:row>2</xdr:row></from></anchor></controlPr></control></controls>';

  test.each([
    ['an extension of the sheet', sheetOf(`<row r="2">${text('A2', 'a')}${text('B2', 'owl')}</row>`, extension)],
    ['a form control', sheetOf(`<row r="2">${text('A2', 'a')}${text('B2', 'owl')}</row>`, control)],
    [
      'an extension of a row',
      sheetOf(
        `<row r="2">${text('A2', 'a')}<extLst><ext>${inside}<x:v>7</x:v></ext></extLst>${text('B2', 'owl')}</row>`,
      ),
    ],
    [
      'an extension of a cell',
      oneCell(
        '<c r="B2" t="inlineStr"><is><t>owl</t><rPh sb="0" eb="1"><t>ou</t></rPh></is><extLst><ext><f>1</f><t>no</t></ext></extLst></c>',
      ),
    ],
  ])('%s changes no cell and hides none', async (_where, xml) => {
    const sheet = await read(workbookParts(xml));
    if (!sheet.ok) throw new Error(sheet.error.message);
    expect(sheet.value.records).toEqual([{ line: 2, cells: ['a', 'owl'] }]);
    expect(sheet.value.problems).toEqual([]);
  });
});

describe('XML that is not what it says', () => {
  test('a tag that swallows the next one is refused, with the row', async () => {
    const rows = Array.from({ length: 9 }, (_, i) => `<row r="${i + 2}">${text(`A${i + 2}`, 'a')}</row>`);
    const broken = sheetOf(rows.join('')).replace('<row r="6">', '<row r="6"');
    expect(await refusalOf(workbookParts(broken))).toMatch(/worksheets\/sheet1\.xml is broken in row [56]/);
  });

  test.each([
    ['an ampersand that stands for nothing', 'salt & pepper'],
    ['an entity that XML does not know', '&eacute;'],
    ['a character that XML cannot hold', '&#2;'],
    ['a half of a character', '&#xD83D;'],
  ])('%s is refused', async (_name, cell) => {
    expect(await refusalOf(workbookParts(oneCell(text('B2', cell))))).toContain('in row 2');
  });

  test('a byte that is not UTF-8 is refused, not guessed around', async () => {
    const xml = Buffer.from(oneCell(text('B2', 'Grüße')), 'latin1');
    expect(await refusalOf({ ...workbookParts(''), 'xl/worksheets/sheet1.xml': xml })).toContain('not UTF-8');
  });

  test('UTF-16 and other encodings are read as they are declared', async () => {
    const xml = oneCell(text('B2', 'Grüße 🌙'));
    const wide = Buffer.from(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${xml}`, 'utf16le');
    expect(await cellsOf({ ...workbookParts(''), 'xl/worksheets/sheet1.xml': wide })).toEqual([['a', 'Grüße 🌙']]);
    const latin = Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${oneCell(text('B2', 'Grüße'))}`, 'latin1');
    expect(await cellsOf({ ...workbookParts(''), 'xl/worksheets/sheet1.xml': latin })).toEqual([['a', 'Grüße']]);
  });
});

describe('what else programs do', () => {
  test('a formula whose result is an inline text has one', async () => {
    const cell = '<c r="B2" t="inlineStr"><f>CONCAT("o","wl")</f><is><t>owl</t></is></c>';
    expect(await cellsOf(workbookParts(oneCell(cell)))).toEqual([['a', 'owl']]);
  });

  test('a row for each cell, all of one number, is one row', async () => {
    const rows = `<row r="2">${text('A2', 'a')}</row><row r="2">${text('B2', 'owl')}</row><row r="3">${text('B3', 'fox')}</row>`;
    expect(await cellsOf(workbookParts(sheetOf(rows)))).toEqual([
      ['a', 'owl'],
      ['', 'fox'],
    ]);
  });

  test('a workbook may lie in any folder', async () => {
    const parts = workbookParts(oneCell(text('B2', 'owl')));
    const moved = Object.entries(parts).map(([name, part]) => [
      name.replace(/^xl\//, 'book/'),
      part.replace('Target="xl/', 'Target="book/'),
    ]);
    const types =
      '<Types><Override PartName="/book/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>';
    expect(await cellsOf({ ...(Object.fromEntries(moved) as Parts), '[Content_Types].xml': types })).toEqual([
      ['a', 'owl'],
    ]);
  });

  test('what lies under merged cells is not read: nobody sees it', async () => {
    const rows = `<row r="2">${text('A2', 'a')}${text('B2', 'owl')}</row><row r="3">${text('A3', 'b')}${text('B3', 'under')}</row>`;
    const merges = '<mergeCells count="1"><mergeCell ref="B2:B3"/></mergeCells>';
    expect(await cellsOf(workbookParts(sheetOf(rows, merges)))).toEqual([
      ['a', 'owl'],
      ['b', ''],
    ]);
  });

  test('merged cells that all cover everything come to an end', async () => {
    const rows = Array.from({ length: 2000 }, (_, i) => `<row r="${i + 2}">${text(`B${i + 2}`, 'x')}</row>`).join('');
    const merges = `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(20_000)}</mergeCells>`;
    expect(await refusalOf(workbookParts(sheetOf(rows, merges)))).toContain('merged cells overlap');
  });

  test('an archive that lists a part twice is refused', async () => {
    const bytes = Buffer.from(zipParts({ ...workbookParts(sheetXml([['row']])), 'xl/worksheets/sheet2.xml': '<x/>' }));
    const twice = Buffer.from(bytes.toString('latin1').replaceAll('sheet2.xml', 'sheet1.xml'), 'latin1');
    const sheet = await readSheet(sheetFile(twice, 'xlsx'));
    expect(sheet).toMatchObject({ ok: false, error: { code: 'unreadable' } });
    expect(!sheet.ok && sheet.error.message).toContain('twice');
  });
});
