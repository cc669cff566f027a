import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Result } from '../../../../src/shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../src/shared/domain/sheet/problems.ts';
import type { SheetCells } from '../../../../src/engine/sheet-files/read/workbook/workbook-cells.ts';
import { parseCells, scanCells } from '../../../../src/engine/sheet-files/read/xlsx/xlsx-cells.ts';
import { parseStrings, scanStrings } from '../../../../src/engine/sheet-files/read/xlsx/xlsx-strings.ts';
import { readWorkbook } from '../../../../src/engine/sheet-files/read/xlsx/xlsx-workbook.ts';
import type { Workbook } from '../../../../src/engine/sheet-files/read/xlsx/xlsx-workbook.ts';
import { openZip } from '../../../../src/engine/sheet-files/read/zip/zip-archive.ts';
import type { ZipArchive } from '../../../../src/engine/sheet-files/read/zip/zip-archive.ts';

const WORKBOOK: Workbook = {
  sheets: [],
  epoch1904: false,
  strings: ['zero', 'one', '', 'three & <b>', 'four'],
  formats: [{ kind: 'number' }, { kind: 'date' }, { kind: 'zeros', digits: 4 }],
};

/** A part that comes in pieces of this many bytes. */
function archiveOf(bytes: Buffer, pieceBytes: number): ZipArchive {
  return {
    names: new Set(['part.xml']),
    written: ['part.xml'],
    read: () => ({ ok: true, value: bytes }),
    pour: (_name, take) => {
      for (let start = 0; start < bytes.length; start += pieceBytes) {
        if (!take(bytes.subarray(start, start + pieceBytes))) return Promise.resolve({ ok: true, value: 'stopped' });
      }
      return Promise.resolve({ ok: true, value: 'whole' });
    },
  };
}

/**
 * What the scanner makes of a part, which must be what the parser makes of it; `declined` where it leaves it to that, or
 * where both refuse it.
 */
async function scanned<T>(
  scan: Promise<Result<T | undefined, SheetProblem>>,
  parsed: Result<T, SheetProblem>,
): Promise<T | 'declined'> {
  const result = await scan;
  if (!result.ok) {
    expect(parsed).toEqual(result);
    return 'declined';
  }
  if (result.value === undefined) return 'declined';
  expect({ ok: true, value: result.value }).toEqual(parsed);
  return result.value;
}

function scanSheet(xml: string | Buffer, pieceBytes = 1e6): Promise<SheetCells | 'declined'> {
  const zip = archiveOf(Buffer.from(xml), pieceBytes);
  return scanned(scanCells(zip, 'part.xml', WORKBOOK), parseCells(zip, 'part.xml', WORKBOOK));
}

function scanShared(xml: string | Buffer, pieceBytes = 1e6): Promise<readonly string[] | 'declined'> {
  const zip = archiveOf(Buffer.from(xml), pieceBytes);
  return scanned(scanStrings(zip, 'part.xml'), parseStrings(zip, 'part.xml'));
}

const sheetOf = (rows: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\r\n<worksheet xmlns="urn:x"><cols><col min="2" max="3" hidden="1"/></cols><sheetData>${rows}</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells></worksheet>`;
const cellOf = (cell: string): string => sheetOf(`<row r="3">${cell}</row>`);
const texts = (cells: SheetCells | 'declined'): unknown =>
  cells === 'declined' ? cells : cells.lines.map((line) => line.cells);

describe('sheets of spreadsheet programs', () => {
  const folder = path.join(import.meta.dirname, '../../../..');
  const files = ['test/fixtures/sheets', 'resources/samples'].flatMap((where) =>
    readdirSync(path.join(folder, where), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.xlsx'))
      .map((name) => path.join(where, name)),
  );

  test.each(files)('%s: every sheet is scanned, cell for cell as it is parsed', async (file) => {
    const zip = openZip(readFileSync(path.join(folder, file)), 1e9);
    if (!zip.ok) throw new Error(zip.error.message);
    const workbook = await readWorkbook(zip.value);
    if (!workbook.ok) throw new Error(workbook.error.message);
    const strings = [...zip.value.names].find((name) => name.endsWith('sharedstrings.xml'));
    if (strings !== undefined) {
      const found = await scanned(scanStrings(zip.value, strings), parseStrings(zip.value, strings));
      expect(found).toEqual(workbook.value.strings);
    }
    for (const { part = '' } of workbook.value.sheets) {
      const cells = await scanned(
        scanCells(zip.value, part, workbook.value),
        parseCells(zip.value, part, workbook.value),
      );
      expect(cells).not.toBe('declined');
    }
  });
});

describe('what is scanned', () => {
  test.each([
    ['a shared string', '<c r="A3" t="s"><v>3</v></c>', 'three & <b>'],
    ['a whole number', '<c r="A3"><v>42</v></c>', '42'],
    ['a style', '<c r="A3" s="2"><v>42</v></c>', '0042'],
    ['a date', '<c r="A3" s="1"><v>46082</v></c>', '2026-03-01'],
    ['a fraction', '<c r="A3"><v>0.30000000000000004</v></c>', '0.3'],
    ['a zero before a number', '<c r="A3"><v>007</v></c>', '7'],
    ['other attributes and blanks', '<c  cm="1" r="A3"\n t="n" >\r\n <v>1</v>\t</c>', '1'],
    [
      'a text',
      '<c r="A3" t="inlineStr"><is><t xml:space="preserve"> a &amp; &#x1F319;\r\nb_x000D_ </t></is></c>',
      ' a & 🌙\nb\r ',
    ],
    [
      'pieces of a text',
      '<c t="inlineStr"><is><r><rPr><b/><sz val="11"/></rPr><t>a</t></r><r><t>b</t></r></is></c>',
      'ab',
    ],
    [
      'hints',
      '<c t="inlineStr"><is><t>月</t><rPh sb="0" eb="1"><t>つき</t></rPh><phoneticPr fontId="1"/></is></c>',
      '月',
    ],
    ['a formula', '<c r="A3" t="str"><f t="shared" si="0" ref="A1">B1&amp;"&lt;"</f><v>&lt;x&gt;</v></c>', '<x>'],
    ['a formula without a result', '<c r="A3"><f>B1</f></c>', '(formula)'],
    ['a boolean', '<c r="A3" t="b"><v>1</v></c>', 'true'],
    ['an error', '<c r="A3" t="e"><v>#N/A</v></c>', '#N/A'],
    ['an empty value', '<c r="A3" t="str"><v/></c><c t="str"><v>x</v></c>', ['', 'x']],
  ])('%s', async (_name, cell, text) => {
    expect(texts(await scanSheet(cellOf(cell)))).toEqual([[text].flat()]);
  });

  test('rows that are hidden, have no number or nothing in them, and hidden columns', async () => {
    const cells = await scanSheet(
      sheetOf(
        '<row r="2" spans="1:2" x14ac:dyDescent="0.25" hidden="1"><c t="s"><v>1</v></c></row>\n<row/><row r="7" ht="3"/><row hidden="true"><c r="C8" t="s"><v>4</v></c></row><row><c r="A9"/></row>',
      ),
    );
    expect(cells).toMatchObject({
      lines: [
        { line: 2, cells: ['one'] },
        { line: 8, cells: ['', '', 'four'] },
      ],
      hiddenLines: [2, 8],
      hiddenColumns: [{ first: 1, last: 2 }],
    });
  });

  test('shared strings', async () => {
    const xml = `<sst xmlns="urn:x" count="4"><si><t>a</t></si><si><r><rPr><b/></rPr><t xml:space="preserve">b </t></r><r><t>c</t></r></si>\n<si/><si><t/></si><si><t>_x0041_&#10;</t></si></sst>`;
    expect(await scanShared(xml)).toEqual(['a', 'b c', '', '', 'A\n']);
  });
});

describe('what is left to the parser', () => {
  test.each([
    ['a comment', cellOf('<!-- <c r="A3"> --><c r="A3"><v>1</v></c>')],
    ['CDATA', cellOf('<c r="A3" t="str"><v><![CDATA[x]]></v></c>')],
    ['a prefix', cellOf('<x:c r="A3"><x:v>1</x:v></x:c>')],
    ['an attribute with a prefix that counts', cellOf('<c x:r="B3"><v>1</v></c>')],
    ['an attribute twice', cellOf('<c r="A3" r="B3"><v>1</v></c>')],
    ['quotes of the other kind', cellOf(`<c r='A3'><v>1</v></c>`)],
    ['a list within a comment', `<worksheet><!-- <sheetData><row><c><v>1</v></c></row></sheetData> --></worksheet>`],
    ['a list within an attribute', `<worksheet a="<sheetData><row><c><v>1</v></c></row></sheetData>"></worksheet>`],
    [
      'a quotation mark that is not closed',
      `<worksheet a="><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>`,
    ],
    ['two lists', sheetOf('<row><c><v>1</v></c></row></sheetData><sheetData><row><c><v>2</v></c></row>')],
    ['a list somewhere else', `<worksheet><x><sheetData><row><c><v>1</v></c></row></sheetData></x></worksheet>`],
    ['a row after the list', `<worksheet><sheetData><row/></sheetData><row><c><v>1</v></c></row></worksheet>`],
    ['a document type', `<!DOCTYPE x>${sheetOf('<row/>')}`],
    ['another encoding', Buffer.from(sheetOf('<row><c t="str"><v>ä</v></c></row>'), 'latin1')],
    ['UTF-16', Buffer.from(`\uFEFF${sheetOf('<row><c t="str"><v>ä</v></c></row>')}`, 'utf16le')],
    ['what is broken in the list', sheetOf('<row><c><v>1</c></row>')],
    ['what is broken after it', sheetOf('<row/>').replace('</worksheet>', '')],
    ['an item that is larger than any program writes', cellOf(`<c t="str"><v>${'x'.repeat(33 * 1024 * 1024)}</v></c>`)],
    ['two values', cellOf('<c><v>1</v><v>2</v></c>')],
    ['an unknown type', cellOf('<c t="x"><v>1</v></c>')],
  ])('%s', async (_name, xml) => {
    expect(await scanSheet(xml)).toBe('declined');
  });
});

/** Rows and cells as programs write them, and now and then as none does. */
const rarely = (usual: fc.Arbitrary<string>, odd: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: odd });
const blank = rarely(fc.constantFrom('', '', '\n', '\r\n  ', '\t'), fc.constantFrom('<!-- x -->', 'x', '<?x?>'));
const xmlText = fc
  .array(
    rarely(
      fc.oneof(
        fc.string({ maxLength: 5, unit: 'grapheme' }).map((text) => text.replace(/[&<]/g, '_')),
        fc.constantFrom('&amp;', '&lt;', '&#65;', '&#x1F319;', '&quot;', '_x000D_', '\r\n', ' ', ']]>', '>'),
      ),
      fc.constantFrom('&nbsp;', '&#1114112;', '&', '<![CDATA[<x>]]>', '<b/>', '<!--y-->', '\u0000', '\r'),
    ),
    { maxLength: 4 },
  )
  .map((pieces) => pieces.join(''));
const numeral = fc.oneof(
  fc.nat({ max: 12_000 }).map(String),
  fc.nat({ max: 5 }).map(String),
  fc.double({ noNaN: true }).map(String),
  fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }).map(String),
  fc.constantFrom('', '007', '-0', '1E+20', '0.30000000000000004', ' 5 ', '1e400', 'x', '0x10', '+3', '46082.75'),
);
const item = fc
  .array(
    rarely(
      fc.oneof(
        xmlText.map((text) => `<t>${text}</t>`),
        xmlText.map((text) => `<t xml:space="preserve">${text}</t>`),
        xmlText.map((text) => `<r><rPr><b/><color rgb="FF&quot;"/></rPr><t>${text}</t></r>`),
        xmlText.map((text) => `<rPh sb="0" eb="1"><t>${text}</t></rPh>`),
        fc.constantFrom('<phoneticPr fontId="1"/>', '<t/>', '<t></t>', '\n'),
      ),
      fc.constantFrom(
        '<v>1</v>',
        '<r><t>',
        '<x:t>a</x:t>',
        '<col hidden="1"/>',
        '</t>',
        'text',
        '<rPh/>',
        '<t><t>a</t></t>',
      ),
    ),
    { maxLength: 3 },
  )
  .map((pieces) => pieces.join(''));
const attribute = (name: string, values: readonly string[], odd: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant('') },
    { weight: 60, arbitrary: fc.constantFrom(...values).map((value) => ` ${name}="${value}"`) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
const cell = fc
  .record({
    r: attribute(
      'r',
      ['A1', 'B1', 'C1', 'AB12', 'XFD1'],
      [' r="a1"', ' r="1"', ` r='A1'`, ' r="&#65;1"', ' x:r="B1"', ' r=""'],
    ),
    s: attribute('s', ['0', '1', '2', '9'], [' s="x"', ' s=""', ' s="0" s="1"']),
    t: attribute('t', ['s', 'n', 'str', 'b', 'e', 'd', 'inlineStr'], [' t="x"', ' t=""', ' y:t="s"', ' t="&#115;"']),
    other: attribute('cm', ['1'], [' cm', ' cm="<"', ' cm=1', '\u000b']),
    content: fc.array(
      rarely(
        fc.oneof(
          numeral.map((text) => `<v>${text}</v>`),
          xmlText.map((text) => `<v>${text}</v>`),
          xmlText.map((text) => `<f>${text}</f>`),
          item.map((text) => `<is>${text}</is>`),
          fc.constantFrom('<v/>', '<f/>', '<f t="shared" si="0"/>', '<v xml:space="preserve"> 1 </v>', ''),
        ),
        fc.constantFrom('<is/>', '<extLst/>', '<c><v>1</v></c>', '<t>x</t>', '<row/>', '</v>'),
      ),
      { maxLength: 2 },
    ),
    isEmpty: fc.integer({ min: 0, max: 9 }),
  })
  .map(({ r, s, t, other, content, isEmpty }) =>
    isEmpty === 0 ? `<c${r}${s}${t}${other}/>` : `<c${r}${s}${t}${other}>${content.join('')}</c>`,
  );
const row = fc
  .record({
    r: attribute('r', ['1', '2', '3', '10'], [' r="x"', ' r=""', ' r="1.5"', ' z:r="4"', ' r="-1"', ' r="1" r="2"']),
    hidden: attribute('hidden', ['1', 'true', '0', 'false'], [' hidden="&#49;"', ' x:hidden="1"', ` hidden='1'`]),
    cells: fc.array(fc.tuple(blank, cell), { maxLength: 4 }),
  })
  .map(({ r, hidden, cells }) => `<row${r} spans="1:3"${hidden}>${cells.flat().join('')}</row>`);
const sheet = fc.array(fc.tuple(blank, row), { maxLength: 4 }).map((rows) => sheetOf(rows.flat().join('')));
const sharedStrings = fc
  .array(item, { maxLength: 4 })
  .map((items) => `<sst count="1">${items.map((one) => `<si>${one}</si>`).join('\n')}</sst>`);

/** A document in which some bytes are lost, doubled or another. */
const damaged = (xml: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(xml, fc.nat(), fc.nat({ max: 12 }), fc.constantFrom('', '<', '>', '"', '/', '&', 'x', ' ', '\u00ff'))
    .map(([text, place, length, by]) => {
      const bytes = Buffer.from(text);
      const at = place % bytes.length;
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(by, 'latin1'), bytes.subarray(at + length)]);
    });
const pieces = fc.oneof(fc.constant(1e6), fc.integer({ min: 1, max: 60 }));

describe('whatever is scanned is what the parser reads', () => {
  test('sheets and shared strings', async () => {
    let scans = 0;
    await fc.assert(
      fc.asyncProperty(sheet, sharedStrings, pieces, async (xml, strings, pieceBytes) => {
        if ((await scanSheet(xml, pieceBytes)) !== 'declined') scans += 1;
        if ((await scanShared(strings, pieceBytes)) !== 'declined') scans += 1;
      }),
      { numRuns: 1000 },
    );
    // Who declines everything agrees with everybody.
    expect(scans).toBeGreaterThan(500);
  });

  test('damaged ones', async () => {
    let declined = 0;
    await fc.assert(
      fc.asyncProperty(damaged(sheet), damaged(sharedStrings), pieces, async (xml, strings, pieceBytes) => {
        if ((await scanSheet(xml, pieceBytes)) === 'declined') declined += 1;
        if ((await scanShared(strings, pieceBytes)) === 'declined') declined += 1;
      }),
      { numRuns: 2000 },
    );
    expect(declined).toBeGreaterThan(1000);
  });
});
