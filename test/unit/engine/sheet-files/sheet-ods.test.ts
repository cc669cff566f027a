import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoadedSheet } from '../../../../src/engine/sheet-files/reader-process/load-sheet.ts';
import { isoDateText, isoDurationText } from '../../../../src/engine/sheet-files/read/workbook/iso-values.ts';
import { odsNumberText } from '../../../../src/engine/sheet-files/read/ods/ods-text.ts';
import { readSheet } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import { fixture, loadHere, places, sheetFile } from '../../../support/sheet-files.ts';
import { zipParts } from '../../../support/workbook-parts.ts';

const NAMESPACES = ['office', 'table', 'text', 'style', 'xlink', 'draw', 'calcext', 'dc']
  .map((name) => `xmlns:${name}="urn:${name}"`)
  .join(' ');

function document(body: string, styles = ''): string {
  return `<?xml version="1.0"?><office:document-content ${NAMESPACES}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${body}</office:spreadsheet></office:body></office:document-content>`;
}

function archive(content: string, more: Readonly<Record<string, string>> = {}): string {
  const parts = { mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': content, ...more };
  return sheetFile(zipParts(parts), 'ods');
}

const table = (inside: string, name = 'One', more = ''): string =>
  `<table:table table:name="${name}" ${more}>${inside}</table:table>`;
const row = (cells: string, more = ''): string => `<table:table-row ${more}>${cells}</table:table-row>`;
const paragraph = (text: string): string => `<text:p>${text}</text:p>`;
const cell = (inside: string, more = ''): string =>
  `<table:table-cell office:value-type="string" ${more}>${inside}</table:table-cell>`;
const texts = (...cells: string[]): string => row(cells.map((text) => cell(paragraph(text))).join(''));
const HEADER = texts('operation', 'prompt');

function load(inside: string, sheet?: string): Promise<LoadedSheet> {
  return loadHere(archive(document(inside)), sheet === undefined ? {} : { sheet });
}

/** The cell below the header “prompt”, as it is read. */
async function promptOf(xml: string): Promise<string | undefined> {
  const sheet = await readSheet(archive(document(table(HEADER + row(cell(paragraph('lyrics')) + xml)))));
  if (!sheet.ok) throw new Error(sheet.error.message);
  return sheet.value.records[0]?.cells[1];
}

test('a file of LibreOffice says the same as its XLSX', async () => {
  const [ods, xlsx] = await Promise.all([loadHere(fixture('opendocument.ods')), loadHere(fixture('libreoffice.xlsx'))]);
  expect(ods.source).toMatchObject({ format: 'ods', sheet: 'Blatt 1', sheets: ['Blatt 1'] });
  expect({ ...ods, source: undefined }).toEqual({ ...xlsx, source: undefined });
});

test('blanks before a line end are one, however many they are', async () => {
  expect(await promptOf(cell(paragraph(`a${' '.repeat(500_000)}b${' '.repeat(500_000)}\nc`)))).toBe(
    `a${' '.repeat(500_000)}b c`,
  );
});

test('a cell of more blanks than any text can have refuses the sheet', async () => {
  const blanks = '<text:s text:c="32767"/>'.repeat(20_000);
  const sheet = await readSheet(archive(document(table(HEADER + row(cell(`<text:p>${blanks}x</text:p>`))))));
  expect(sheet).toMatchObject({ ok: false, error: { code: 'too-large' } });
});

describe('the text of a cell', () => {
  test.each([
    ['paragraphs are lines', `${paragraph('a')}<text:p/>${paragraph('b')}`, 'a\n\nb'],
    [
      'parts with a look of their own',
      paragraph('a <text:span>bold</text:span> <text:a xlink:href="http://x">link</text:a>'),
      'a bold link',
    ],
    [
      'spaces, tabs and line breaks',
      paragraph('<text:s text:c="3"/>a<text:s/>b<text:tab/>c<text:line-break/>d'),
      '   a b\tc\nd',
    ],
    ['blanks as they were typed', paragraph(' a  b '), ' a  b '],
    ['how the document is laid out', paragraph('\n    a\n    <text:span>b</text:span>'), 'a b'],
    ['references', paragraph('&lt;b&gt; &amp;amp; &#x1F319;'), '<b> &amp; 🌙'],
    [
      'a comment is not part of it',
      `<office:annotation><dc:creator>me</dc:creator>${paragraph('note')}</office:annotation>${paragraph('a')}`,
      'a',
    ],
    [
      'what is drawn over it is not part of it',
      `${paragraph('a')}<draw:frame><draw:text-box>${paragraph('box')}</draw:text-box></draw:frame>`,
      'a',
    ],
    [
      'readings of signs are not part of it',
      paragraph('<text:ruby><text:ruby-base>月</text:ruby-base><text:ruby-text>つき</text:ruby-text></text:ruby>'),
      '月',
    ],
    [
      'a table within it is not part of it',
      `${paragraph('a')}<table:table>${texts('inner', 'cells')}</table:table>`,
      'a',
    ],
  ])('%s', async (_name, inside, text) => {
    expect(await promptOf(cell(inside))).toBe(text);
  });

  test('a text of the cell itself goes before what its paragraphs show', async () => {
    expect(await promptOf(cell(paragraph('shown'), 'office:string-value="meant"'))).toBe('meant');
  });
});

describe('values', () => {
  const typed = (type: string, attribute: string, shown: string, more = ''): string =>
    `<table:table-cell office:value-type="${type}" office:${attribute} ${more}>${paragraph(shown)}</table:table-cell>`;

  test.each([
    [typed('float', 'value="0.30000000000000004"', '0.3'), '0.3'],
    [typed('float', 'value="1234.5"', '1.234,50'), '1234.5'],
    [typed('float', 'value="7"', '0007'), '0007'],
    [typed('float', 'value="7"', '007.5'), '7'],
    [typed('percentage', 'value="0.25"', '25 %'), '0.25'],
    [typed('currency', 'value="12.5"', '12,50 €'), '12.5'],
    [typed('boolean', 'boolean-value="true"', 'WAHR'), 'true'],
    [typed('date', 'date-value="2026-03-01"', '01.03.26'), '2026-03-01'],
    [typed('date', 'date-value="2026-03-01T13:45:10"', '01.03.26 13:45'), '2026-03-01T13:45:10'],
    [typed('time', 'time-value="PT07H30M00S"', '07:30'), '07:30:00'],
    [typed('float', 'value="1"', 'WAHR', 'table:formula="of:=TRUE()"'), 'true'],
    [typed('float', 'value="1"', 'one'), '1'],
    [typed('float', 'value="3"', '3', 'table:formula="of:=1+2"'), '3'],
    [typed('string', 'string-value=""', '', 'table:formula="of:=&quot;&quot;"'), undefined],
  ])('%s is %s', async (xml, text) => {
    expect(await promptOf(xml)).toBe(text);
  });

  test.each([
    ['2026-03-01T00:00:00', '2026-03-01'],
    ['2026-03-01T23:59:59.6', '2026-03-02'],
    ['2026-03-01T13:45:09,999999997', '2026-03-01T13:45:10'],
    ['1899-12-30', '1899-12-30'],
    ['2026-99-99T99:99:99', '2026-99-99T99:99:99'],
    ['2024-13-45', '2024-13-45'],
    ['2023-02-29', '2023-02-29'],
    ['2024-02-29', '2024-02-29'],
    ['2024-01-02T24:00:00', '2024-01-02T24:00:00'],
    ['0024-01-02', '0024-01-02'],
    ['9999-12-31T23:59:59.9', '9999-12-31T23:59:59.9'],
    ['yesterday', 'yesterday'],
  ])('the date %s is %s', (stored, text) => {
    expect(isoDateText(stored)).toBe(text);
  });

  test.each([
    ['PT12H30M05S', '12:30:05'],
    ['PT25H00M00S', '25:00:00'],
    ['P1DT1H', '25:00:00'],
    ['-PT0H30M', '-00:30:00'],
    ['PT0H0M59.9999S', '00:01:00'],
    ['noon', 'noon'],
  ])('the time %s is %s', (stored, text) => {
    expect(isoDurationText(stored)).toBe(text);
  });

  test('no value makes the reader fail', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map(String)), fc.string(), (stored, shown) => {
        expect([isoDateText(stored), isoDurationText(stored), odsNumberText(stored, shown)]).toHaveLength(3);
      }),
    );
  });

  test('numbers that a spreadsheet cannot hold are named', async () => {
    const id = '<table:table-cell office:value-type="float" office:value="1.23456789012346E+018"/>';
    const sheet = await load(table(HEADER + row(cell(paragraph('lyrics')) + id)));
    expect(places(sheet.problems)).toEqual(['warning number-imprecise prompt']);
  });

  test.each([
    ['no result', '<table:table-cell table:formula="of:=1+1"/>', '(formula)'],
    ['a type and no result', '<table:table-cell table:formula="of:=1+1" office:value-type="float"/>', '(formula)'],
    [
      'an error of LibreOffice',
      '<table:table-cell table:formula="of:=1/0" office:value-type="string" office:string-value="" calcext:value-type="error"><text:p>#DIV/0!</text:p></table:table-cell>',
      '#DIV/0!',
    ],
    [
      'an error of another program',
      '<table:table-cell table:formula="of:=1/0" office:value-type="string"><text:p>#DIV/0!</text:p></table:table-cell>',
      '#DIV/0!',
    ],
  ])('a formula with %s is an error of its row', async (_name, xml, shown) => {
    const sheet = await load(table(HEADER + row(cell(paragraph('lyrics')) + xml)));
    expect(places(sheet.problems)).toEqual(['error value-formula 2 r0002 prompt']);
    expect(sheet.rows[0]?.cells['prompt']).toBe(shown);
  });
});

test('an id that a spreadsheet took for a date is named', async () => {
  const id = '<table:table-cell office:value-type="date" office:date-value="2026-03-01"/>';
  const sheet = await load(
    table(texts('row', 'operation', 'prompt') + row(id + cell(paragraph('lyrics')) + cell(paragraph('x')))),
  );
  expect(places(sheet.problems)).toEqual(['warning row-id-mangled 2 2026-03-01 row']);
});

describe('rows, columns and sheets', () => {
  test('cells and rows that are repeated', async () => {
    const cells = `<table:table-cell table:number-columns-repeated="2"/>${cell(paragraph('x'), 'table:number-columns-repeated="3"')}<table:table-cell table:number-columns-repeated="16379"/>`;
    const sheet = await readSheet(
      archive(
        document(
          table(
            `${row('', 'table:number-rows-repeated="4"')}${texts('a', 'b', 'c', 'd', 'e')}${row(cells, 'table:number-rows-repeated="2"')}${row('<table:table-cell table:number-columns-repeated="16384"/>', 'table:number-rows-repeated="1048000"')}`,
          ),
        ),
      ),
    );
    expect(sheet).toMatchObject({
      ok: true,
      value: {
        records: [
          { line: 6, cells: ['', '', 'x', 'x', 'x'] },
          { line: 7, cells: ['', '', 'x', 'x', 'x'] },
        ],
      },
    });
  });

  test('rows of groups and of the header count like others; covered cells are blank', async () => {
    const merged = `<table:table-cell table:number-columns-spanned="2" office:value-type="string">${paragraph('lyrics')}</table:table-cell><table:covered-table-cell>${paragraph('under')}</table:covered-table-cell>${cell(paragraph('x'))}`;
    const inside = `<table:table-header-rows>${texts('operation', 'title', 'prompt')}</table:table-header-rows><table:table-row-group>${row(merged)}</table:table-row-group>`;
    const sheet = await load(table(inside));
    expect(sheet.rows.map(({ line, cells }) => [line, { ...cells }])).toEqual([
      [2, { operation: 'lyrics', title: '', prompt: 'x' }],
    ]);
  });

  test('what is hidden is named: rows, filtered rows, columns with something in them', async () => {
    const columns =
      '<table:table-column/><table:table-column table:visibility="collapse"/><table:table-column table:visibility="collapse" table:number-columns-repeated="1000"/>';
    const hidden = row(cell(paragraph('lyrics')) + cell(paragraph('y')), 'table:visibility="collapse"');
    const filtered = row(cell(paragraph('lyrics')) + cell(paragraph('z')), 'table:visibility="filter"');
    const empty = row('', 'table:visibility="collapse" table:number-rows-repeated="100"');
    const sheet = await load(table(columns + HEADER + texts('lyrics', 'x') + hidden + filtered + empty));
    expect(places(sheet.problems)).toEqual(['warning hidden-rows', 'warning hidden-columns']);
    expect(sheet.problems[0]?.message).toContain('2 rows are hidden in the workbook (3, 4)');
    expect(sheet.problems[1]?.message).toContain('The column “prompt” is hidden');
    expect(sheet.rows).toHaveLength(3);
  });

  const styles =
    '<style:style style:name="ta9" style:family="table"><style:table-properties table:display="false"/></style:style>';
  const three = `${table(HEADER + texts('lyrics', 'hidden'), 'Old', 'table:style-name="ta9"')}${table(HEADER + texts('lyrics', 'first'), 'Tonight')}${table(HEADER + texts('lyrics', 'second'), 'Notes')}`;

  test.each([
    [undefined, 'first', ['warning other-sheets']],
    ['Notes', 'second', []],
    [' tonight', 'first', []],
    ['Old', 'hidden', []],
  ])('the sheet %s', async (wanted, prompt, problems) => {
    const sheet = await loadHere(archive(document(three, styles)), wanted === undefined ? {} : { sheet: wanted });
    expect(sheet.rows.map((one) => one.body)).toEqual([{ prompt }]);
    expect(places(sheet.problems)).toEqual(problems);
    expect(sheet.source?.sheets).toEqual(['Tonight', 'Notes']);
  });

  test('a cover and notes in front of the one with known columns are passed over, also behind an empty one', async () => {
    const cover = table(texts('Our album'), 'Cover');
    const songs = table(HEADER + texts('lyrics', 'a song'), 'Songs');
    for (const before of ['', table('', 'Empty')]) {
      const sheet = await loadHere(
        archive(document(`${before}${cover}${table(texts('who', 'what'), 'Notes')}${songs}`)),
      );
      expect(sheet.rows.map((one) => one.body)).toEqual([{ prompt: 'a song' }]);
      expect(sheet.source?.sheet).toBe('Songs');
    }
    const alone = await loadHere(archive(document(`${table('', 'Empty')}${cover}${table(texts('x'), 'Notes')}`)));
    expect(alone.source?.sheet).toBe('Cover');
  });

  test('a wrong name is answered with the right ones', async () => {
    const sheet = await loadHere(archive(document(three, styles)), { sheet: 'Morning' });
    expect(places(sheet.problems)).toEqual(['error unreadable']);
    expect(sheet.problems[0]?.remedy).toContain('“Tonight”, “Notes”');
  });
});

describe('hostile files', () => {
  test.each([
    ['a million columns', table(row(cell(paragraph('x'), 'table:number-columns-repeated="1000000000"')) + texts('a'))],
    [
      'a row a billion times',
      table(HEADER + row(cell(paragraph('lyrics')), 'table:number-rows-repeated="1000000000"')),
    ],
    [
      'a row far below',
      table(HEADER + row('', 'table:number-rows-repeated="9007199254740991"') + texts('lyrics', 'x')),
    ],
  ])('%s is refused', async (_name, inside) => {
    expect(places((await load(inside)).problems)).toEqual(['error too-large']);
  });

  test('numbers of repetitions that are none count as one; blank ones are nothing', async () => {
    const wrong = ['-5', '0', 'x', '1e999', '2.5'].map((times) =>
      row(cell(paragraph('lyrics')) + cell(paragraph(times)), `table:number-rows-repeated="${times}"`),
    );
    const blank = row(
      `<table:table-cell table:number-columns-repeated="99999999999"/>`,
      'table:number-rows-repeated="99999999999"',
    );
    const sheet = await load(table(HEADER + wrong.join('') + blank));
    expect(sheet.rows.map((one) => one.body['prompt'])).toEqual(['-5', '0', 'x', '1e999', '2.5']);
    expect(sheet.problems).toEqual([]);
  });

  test('a billion spaces are not made', async () => {
    expect((await promptOf(cell(paragraph('a<text:s text:c="1000000000"/>b'))))?.length).toBe(32_769);
  });

  test('a file with a password says so', async () => {
    const manifest =
      '<manifest:manifest xmlns:manifest="urn:m"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const sheet = await loadHere(archive('\u0001\u0002', { 'META-INF/manifest.xml': manifest }));
    expect(places(sheet.problems)).toEqual(['error encrypted']);
    const whole = sheetFile(
      zipParts({ mimetype: 'x', 'META-INF/manifest.xml': manifest, 'encrypted-package': '\u0001' }),
      'ods',
    );
    expect(places((await loadHere(whole)).problems)).toEqual(['error encrypted']);
  });

  test.each([
    ['a linked sheet', table(`<table:table-source xlink:href="file:///etc/passwd"/>${HEADER}${texts('lyrics', 'x')}`)],
    [
      'a linked range',
      table(
        HEADER +
          row(cell(paragraph('lyrics')) + cell(`<table:cell-range-source xlink:href="http://x"/>${paragraph('x')}`)),
      ),
    ],
    [
      'a formula into another file',
      table(
        HEADER +
          row(cell(paragraph('lyrics')) + cell(paragraph('x'), `table:formula="of:=['file:///a.ods'#$Sheet1.A1]"`)),
      ),
    ],
    [
      'what was last seen of another file',
      `${table(HEADER + texts('lyrics', 'x'))}${table(`<table:table-source xlink:href="a.ods"/>${texts('secret', 'x')}`, "'file:///a.ods'#$Sheet1")}`,
    ],
    [
      'another program',
      `${table(HEADER + texts('lyrics', 'x'))}<table:dde-links><table:dde-link><office:dde-source/><table:table>${texts('a', 'b')}</table:table></table:dde-link></table:dde-links>`,
    ],
  ])('%s is not followed, and named', async (_name, inside) => {
    const sheet = await load(inside);
    expect(places(sheet.problems)).toEqual(['warning external-link']);
    expect(sheet.rows.map((one) => one.body)).toEqual([{ prompt: 'x' }]);
    expect(sheet.source?.sheets).toEqual(['One']);
  });

  test('a document type, broken XML and other documents are refused', async () => {
    const good = document(table(HEADER + texts('lyrics', 'x')));
    const entity = good.replace('?>', '?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>');
    expect(places((await loadHere(archive(entity))).problems)).toEqual(['error unreadable']);
    expect(places((await loadHere(archive(good.slice(0, -40)))).problems)).toEqual(['error unreadable']);
    const text = good.replaceAll('office:spreadsheet', 'office:text');
    expect(places((await loadHere(archive(text))).problems)).toEqual(['error unsupported-format']);
    expect(places((await loadHere(archive(document('')))).problems)).toEqual(['error unreadable']);
  });
});
