/** Workbooks as other programs write them, and damaged ones: what is read is what their author saw, or nothing. */
import { describe, expect, test } from 'vitest';
import { readSheet } from '../../src/engine/sheet/read-sheet.ts';
import { sheetFile } from './sheet-files.ts';
import { sheetXml, withFormats, workbookParts, zipParts } from '../support/workbook-parts.ts';

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
    expect(await refusalOf(workbookParts(sheetOf(rows, merges)))).toContain('merged cells lie over each other');
  });

  test('an archive that lists a part twice is refused', async () => {
    const bytes = Buffer.from(zipParts({ ...workbookParts(sheetXml([['row']])), 'xl/worksheets/sheet2.xml': '<x/>' }));
    const twice = Buffer.from(bytes.toString('latin1').replaceAll('sheet2.xml', 'sheet1.xml'), 'latin1');
    const sheet = await readSheet(sheetFile(twice, 'xlsx'));
    expect(sheet).toMatchObject({ ok: false, error: { code: 'unreadable' } });
    expect(!sheet.ok && sheet.error.message).toContain('twice');
  });
});
