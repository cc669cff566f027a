import { describe, expect, test } from 'vitest';
import { readSheet } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import type { LoadedSheet } from '../../../../src/engine/sheet-files/reader-process/load-sheet.ts';
import { readCells } from '../../../../src/engine/sheet-files/read/xlsx/xlsx-cells.ts';
import { numberFormat, numberText } from '../../../../src/engine/sheet-files/read/xlsx/xlsx-values.ts';
import { openZip } from '../../../../src/engine/sheet-files/read/zip/zip-archive.ts';
import { fixture, loadHere, places, sheetFile } from '../../../support/sheet-files.ts';
import { sheetXml, workbookParts, zipParts } from '../../../support/workbook-parts.ts';

const HEADER = ['row', 'operation', 'prompt'];

async function load(parts: Readonly<Record<string, string | Uint8Array>>, sheet?: string): Promise<LoadedSheet> {
  return loadHere(sheetFile(zipParts(parts), 'xlsx'), sheet === undefined ? {} : { sheet });
}

function cellXml(cells: string): Record<string, string> {
  return workbookParts(
    `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>operation</t></is></c><c r="B1" t="inlineStr"><is><t>prompt</t></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>lyrics</t></is></c>${cells}</row></sheetData></worksheet>`,
  );
}

describe('workbooks of other programs', () => {
  test.each(['openpyxl.xlsx', 'zip64.xlsx'])('%s', async (name) => {
    const sheet = await loadHere(fixture(name));
    expect(sheet.source).toMatchObject({ format: 'xlsx', sheet: 'Tonight' });
    expect(places(sheet.problems)).toEqual([
      'warning other-sheets',
      'warning hidden-rows',
      'error value-formula 3 8 prompt',
    ]);
    expect(sheet.problems[0]?.message).toContain('Notes');
    expect(sheet.problems[0]?.message).not.toContain('Secret');
    expect(sheet.problems[1]?.message).toContain('5');
    expect(sheet.rows.map(({ id, line, note }) => [id, line, note])).toEqual([
      ['0007', 2, '2026-03-01'],
      ['8', 3, undefined],
      ['9', 4, '2026-03-01T13:45:10'],
      ['10', 5, 'hidden'],
      ['12', 7, 'merged'],
    ]);
    expect(sheet.rows[0]?.body).toEqual({ prompt: 'A lamp\nis lit 🪔', duration: 7.5, removeWatermark: true });
    expect(sheet.rows[1]?.body).toMatchObject({ duration: 3, removeWatermark: false });
    expect(sheet.rows[2]?.body).toEqual({ prompt: 'A window', duration: 0.3 });
  });

  test.each(['xlsxwriter.xlsx', 'xlsxwriter-inline-1904.xlsx'])('%s', async (name) => {
    const sheet = await loadHere(fixture(name));
    expect(places(sheet.problems)).toEqual([
      'warning number-imprecise clip_id',
      'warning row-id-mangled 2 2026-03-01 row',
      'error value-formula 4 c num_images',
    ]);
    expect(sheet.rows.map((row) => row.body)).toEqual([
      { prompt: 'A bold kite', num_images: 2 },
      { clip_id: '1234567890123460000' },
      { prompt: 'A ship' },
      { prompt: '_x0041_ is no escape\r\nline two & <b>' },
    ]);
    expect(sheet.rows.map((row) => row.note)).toEqual(['  blanks kept  ', 'the id lost its end', undefined, 'true']);
  });

  test('libreoffice.xlsx has the results of its formulas', async () => {
    const sheet = await loadHere(fixture('libreoffice.xlsx'));
    expect(sheet.problems).toEqual([]);
    expect(sheet.rows.map((row) => row.body)).toEqual([
      { prompt: 'Grüße, 世界 🌍', tags: ['ruhig', 'Klavier'] },
      { prompt: 'A TOWER', duration: 2.5 },
      { prompt: 'Ein "Haus"\nam See', duration: 3 },
    ]);
  });

  test('a sheet is chosen by its name, and a wrong name is answered with the right ones', async () => {
    const notes = await loadHere(fixture('openpyxl.xlsx'), { sheet: 'tonight' });
    expect(notes.source?.sheet).toBe('Tonight');
    expect(places(notes.problems)).not.toContain('warning other-sheets');
    const wrong = await loadHere(fixture('openpyxl.xlsx'), { sheet: 'Morning' });
    expect(places(wrong.problems)).toEqual(['error unreadable']);
    expect(wrong.problems[0]?.remedy).toContain('“Tonight”, “Notes”');
  });
});

describe('the XML of workbooks', () => {
  test('prefixes, comments, CDATA, quotes and character references', async () => {
    const prefixed = `<?xml version='1.0'?><!-- x --><x:worksheet xmlns:x='y'><x:sheetData><x:row><x:c t='inlineStr'><x:is><x:t>operation</x:t></x:is></x:c><x:c t='inlineStr'><x:is><x:t>prompt</x:t></x:is></x:c></x:row><x:row><x:c t='inlineStr'><x:is><x:t><![CDATA[lyrics]]></x:t></x:is></x:c><x:c t='inlineStr'><x:is><x:t>&lt;&#128512;&#x1F319;&amp;amp;</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`;
    const sheet = await load(workbookParts(prefixed));
    expect(sheet.rows.map((row) => row.body)).toEqual([{ prompt: '<😀🌙&amp;' }]);
  });

  test('phonetic hints are not part of a text', async () => {
    const sheet = await load(
      cellXml('<c r="B2" t="inlineStr"><is><t>月</t><rPh sb="0" eb="1"><t>つき</t></rPh></is></c>'),
    );
    expect(sheet.rows[0]?.body).toEqual({ prompt: '月' });
  });

  test.each([
    ['no result', '<c r="B2"><f>A1</f></c>'],
    ['an empty number', '<c r="B2"><f>A1</f><v/></c>'],
    ['a text without a result', '<c r="B2" t="str"><f>A1</f></c>'],
  ])('a formula with %s is an error of its row', async (_name, cell) => {
    expect(places((await load(cellXml(cell))).problems)).toEqual(['error value-formula 2 r0002 prompt']);
  });

  test('a formula with an error holds its row back only if something of its cell is sent', async () => {
    const xml = sheetXml([
      ['row', 'operation', 'prompt', 'Budget', 'duration', 'note'],
      ['a', 'lyrics', 'A tram', '#N/A', '#N/A', '#N/A'],
      ['b', 'video-a', 'A tram', '', '#N/A'],
      ['c', 'lyrics', 'For {Budget}', '#N/A'],
    ]);
    const [text, error] = ['<c t="inlineStr"><is><t>#N/A</t></is></c>', '<c t="e"><f>B9</f><v>#N/A</v></c>'];
    const sheet = await load(workbookParts(xml.replaceAll(text, error)));
    expect(places(sheet.problems).filter((place) => place.includes('value-formula'))).toEqual([
      'warning value-formula 2 a Budget',
      'warning value-formula 2 a duration',
      'warning value-formula 2 a note',
      'error value-formula 3 b duration',
      'error value-formula 4 c Budget',
    ]);
  });

  test('a formula that gives an empty text is a blank cell', async () => {
    const sheet = await load(cellXml('<c r="B2" t="str"><f>A1</f><v></v></c>'));
    expect(places(sheet.problems)).toEqual(['error nothing-to-render 2 r0002 prompt']);
  });

  test('NUL and half characters are errors of their row', async () => {
    const nul = await load(cellXml('<c r="B2" t="inlineStr"><is><t>a_x0000_b</t></is></c>'));
    expect(places(nul.problems)).toEqual(['error value-characters 2 r0002 prompt']);
    const half = await load(cellXml('<c r="B2" t="inlineStr"><is><t>a_xD83D_b</t></is></c>'));
    expect(places(half.problems)).toEqual(['error value-characters 2 r0002 prompt']);
  });

  test('links to other files are named', async () => {
    const parts = {
      ...workbookParts(sheetXml([HEADER, ['a', 'lyrics', 'x']])),
      'xl/externalLinks/externalLink1.xml': '<x/>',
    };
    expect(places((await load(parts)).problems)).toEqual(['warning external-link']);
  });

  test('a cell far to the right is refused in the header and an error of its row below it', async () => {
    const far = '<c r="XFD2" t="inlineStr"><is><t>far</t></is></c>';
    expect(places((await load(cellXml(`<c r="B2"><v>1</v></c>${far}`))).problems)).toEqual([
      'error extra-cells 2 r0002',
    ]);
    const header = await load(
      workbookParts(
        `<worksheet><sheetData><row r="2">${far}</row><row r="3"><c r="A3"><v>1</v></c></row></sheetData></worksheet>`,
      ),
    );
    expect(places(header.problems)).toEqual(['error too-large']);
    const zip = openZip(
      Buffer.from(zipParts({ 'one.xml': `<worksheet><sheetData><row r="2">${far}</row></sheetData></worksheet>` })),
      1000,
    );
    if (!zip.ok) throw new Error(zip.error.message);
    const cells = await readCells(zip.value, 'one.xml', { sheets: [], epoch1904: false, strings: [], formats: [] });
    expect(cells).toMatchObject({ ok: true, value: { lines: [{ line: 2, cells: { length: 1025 } }] } });
  });

  test('XML that is broken is refused, not read halfway', async () => {
    const sheet = await load(
      workbookParts(sheetXml([HEADER, ['a', 'lyrics', 'x']]).replace('</sheetData></worksheet>', '')),
    );
    expect(places(sheet.problems)).toEqual(['error unreadable']);
    expect(sheet.problems[0]?.message).toContain('sheet1.xml');
  });
});

/** Lets the directory of an archive lie about how large a part is. */
function writeDeclaredSize(bytes: Buffer, name: string, size: number): void {
  const entry = bytes.lastIndexOf(name) - 46;
  expect(bytes.readUInt32LE(entry)).toBe(0x02014b50);
  bytes.writeUInt32LE(size, entry + 24);
}

describe('hostile workbooks', () => {
  const good = workbookParts(sheetXml([HEADER, ['a', 'lyrics', 'x']]));

  test('the harmless one is read', async () => {
    expect((await load(good)).problems).toEqual([]);
  });

  test('declared entities are refused', async () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]>${sheetXml([HEADER, ['a', 'lyrics', '&b;']])}`;
    const sheet = await load(workbookParts(bomb));
    expect(places(sheet.problems)).toEqual(['error unreadable']);
    expect(sheet.problems[0]?.message).toContain('document type');
    const shared = { ...good, '_rels/.rels': `<!DOCTYPE x SYSTEM "file:///etc/passwd">${good['_rels/.rels']}` };
    expect(places((await load(shared)).problems)).toEqual(['error unreadable']);
  });

  test('more than 200 MiB, as the directory says, are refused before anything is inflated', async () => {
    const bytes = Buffer.from(zipParts({ ...good, 'xl/media/large.bin': 'small' }));
    writeDeclaredSize(bytes, 'xl/media/large.bin', 201 * 1024 * 1024);
    expect(places((await loadHere(sheetFile(bytes, 'xlsx'))).problems)).toEqual(['error too-large']);
  });

  test('a part that grows beyond what its directory says is given up while it grows', () => {
    const bytes = Buffer.from(zipParts({ 'bomb.xml': new Uint8Array(1_000_000), 'other.xml': new Uint8Array(900) }));
    writeDeclaredSize(bytes, 'bomb.xml', 100);
    // What comes after the limit is broken: whoever inflates that far sees damage, not size.
    const packedEnd = bytes.indexOf('other.xml') - 30;
    bytes.fill(0xff, packedEnd - 100, packedEnd);
    const zip = openZip(bytes, 2000);
    if (!zip.ok) throw new Error(zip.error.message);
    expect(zip.value.read('bomb.xml')).toMatchObject({ ok: false, error: { code: 'too-large' } });
  });

  test('all parts together count against the limit, however often one is read', () => {
    const zip = openZip(Buffer.from(zipParts({ 'a.xml': new Uint8Array(900) })), 2000);
    if (!zip.ok) throw new Error(zip.error.message);
    const codes = [1, 2, 3].map(() => {
      const part = zip.value.read('a.xml');
      return part.ok ? part.value?.length : part.error.code;
    });
    expect(codes).toEqual([900, 900, 'too-large']);
  });

  test('a part that is poured has the same bytes, limit and damage as one that is read', async () => {
    const content = Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * index) % 251));
    const whole = Buffer.from(zipParts({ 'a.xml': content, 'b.xml': new Uint8Array(900_000) }));
    const entry = whole.lastIndexOf('a.xml') - 46;
    const wrongSum = Buffer.from(whole);
    wrongSum[entry + 16] = (whole[entry + 16] ?? 0) ^ 1;
    const wrongSize = Buffer.from(whole);
    wrongSize.writeUInt32LE(699_999, entry + 24);
    const broken = Buffer.from(whole).fill(0xff, 1000, 1100);
    const liar = Buffer.from(whole);
    liar.writeUInt32LE(100, entry + 24);
    for (const [bytes, most] of [
      [whole, 2_000_000],
      [wrongSum, 2_000_000],
      [wrongSize, 2_000_000],
      [broken, 2_000_000],
      [liar, 999_999],
    ] as const) {
      const [read, poured] = [openZip(bytes, most), openZip(bytes, most)];
      if (!read.ok || !poured.ok) throw new Error('The archive is broken.');
      // The second part finds what the first one has left of the limit.
      for (const name of ['b.xml', 'a.xml', 'a.xml', 'c.xml']) {
        const pieces: Buffer[] = [];
        const ended = await poured.value.pour(name, (piece) => pieces.push(Buffer.from(piece)) > 0);
        const expected = read.value.read(name);
        if (!expected.ok || expected.value === undefined) {
          expect(ended).toEqual(expected.ok ? { ok: true, value: 'missing' } : expected);
        } else {
          expect(ended).toEqual({ ok: true, value: 'whole' });
          expect(Buffer.concat(pieces).equals(expected.value)).toBe(true);
        }
      }
    }
  });

  test('what is poured and not wanted does not count against the limit', async () => {
    const zip = openZip(Buffer.from(zipParts({ 'a.xml': new Uint8Array(900_000) })), 1_000_000);
    if (!zip.ok) throw new Error(zip.error.message);
    let pieces = 0;
    expect(await zip.value.pour('a.xml', () => ++pieces < 2)).toEqual({ ok: true, value: 'stopped' });
    expect(pieces).toBe(2);
    expect(await zip.value.pour('a.xml', () => true)).toEqual({ ok: true, value: 'whole' });
    expect(await zip.value.pour('a.xml', () => true)).toMatchObject({ ok: false, error: { code: 'too-large' } });
  });

  test('sizes and checksums that do not fit are damage', async () => {
    for (const field of [16, 24]) {
      const bytes = Buffer.from(zipParts(good));
      const entry = bytes.lastIndexOf('xl/worksheets/sheet1.xml') - 46;
      bytes.writeUInt32LE(bytes.readUInt32LE(entry + field) - 1, entry + field);
      const sheet = await loadHere(sheetFile(bytes, 'xlsx'));
      expect(places(sheet.problems)).toEqual(['error unreadable']);
      expect(sheet.problems[0]?.message).toContain('damaged');
    }
  });

  test('a file cut anywhere, or with any byte changed, is refused or read, and never a crash', async () => {
    const whole = Buffer.from(zipParts(good));
    for (let at = 0; at < whole.length; at += 7) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      for (const bytes of [whole.subarray(0, at), changed]) {
        const sheet = await readSheet(sheetFile(bytes, 'xlsx'));
        expect(sheet.ok ? sheet.value.records : sheet.error.message).not.toHaveLength(0);
      }
    }
  });

  test('an archive of something else says what it is', async () => {
    for (const [name, word] of [
      ['word/document.xml', '.docx'],
      ['xl/workbook.bin', '.xlsb'],
      ['readme.txt', 'archive'],
    ] as const) {
      const sheet = await load({ '[Content_Types].xml': '<Types/>', [name]: '<x/>' });
      expect(places(sheet.problems)).toEqual(['error unsupported-format']);
      expect(sheet.problems[0]?.message).toContain(word);
    }
  });
});

describe('numbers as a person sees them', () => {
  const NUMBER = { kind: 'number' } as const;
  test.each([
    ['3', '3'],
    ['3.0', '3'],
    ['-5', '-5'],
    ['0.30000000000000004', '0.3'],
    ['1e5', '100000'],
    ['123456789012345', '123456789012345'],
    ['1.2345678901234567E+18', '1234567890123460000'],
    ['1E+20', '100000000000000000000'],
  ])('%s is %s', (stored, text) => {
    expect(numberText(stored, NUMBER, false)).toBe(text);
  });

  test.each([
    ['1', '1900-01-01', '1904-01-02'],
    ['59', '1900-02-28', '1904-02-29'],
    ['61', '1900-03-01', '1904-03-02'],
    ['46082', '2026-03-01', '2030-03-02'],
    ['46082.75', '2026-03-01T18:00:00', '2030-03-02T18:00:00'],
    ['0.5', '12:00:00', '12:00:00'],
    ['0.9999999', '23:59:59', '23:59:59'],
    ['2958465', '9999-12-31', '2958465'],
    ['2958465.9999999', '2958465.9999999', '2958465.9999999'],
    ['1e10', '10000000000', '10000000000'],
  ])('the date %s is %s, or %s where days count from 1904', (stored, text, text1904) => {
    expect(numberText(stored, { kind: 'date' }, false)).toBe(text);
    expect(numberText(stored, { kind: 'date' }, true)).toBe(text1904);
  });

  test.each([
    [0, undefined, 'number'],
    [14, undefined, 'date'],
    [164, 'General', 'number'],
    [164, '0.00', 'number'],
    [164, '"day" 0', 'number'],
    [164, '[Red]0.0', 'number'],
    [164, '#,##0\\ "h"', 'number'],
    [164, 'yyyy-mm-dd', 'date'],
    [164, '[$-409]d\\ mmm\\ yy;@', 'date'],
    [164, '[h]:mm', 'duration'],
    [164, '[mm]:ss', 'duration'],
    [46, undefined, 'duration'],
    [164, '0000', 'zeros'],
  ])('format %s %s is a %s', (id, code, kind) => {
    expect(numberFormat(id, code).kind).toBe(kind);
  });
});
