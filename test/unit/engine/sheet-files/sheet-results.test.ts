import { readFileSync, writeFileSync } from 'node:fs';
import { copyFileSync, existsSync, linkSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { csvSpans } from '../../../../src/engine/sheet-files/read/text/csv-spans.ts';
import { readSheet, type ReadSheetOptions } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import type { SheetResults } from '../../../../src/shared/domain/base/result-columns.ts';
import { forkedSheetReader } from '../../../../src/engine/sheet-files/reader-process/load-sheet.ts';
import {
  writeOwnResults,
  writeResults,
  type ResultsTarget,
} from '../../../../src/engine/sheet-files/results/write-results.ts';
import { fixture, READER_HERE, sheetFile } from '../../../support/sheet-files.ts';
import { sheetXml, withFormats, workbookParts, zipParts } from '../../../support/workbook-parts.ts';

const DONE = ['done', 'music/a.mp3|music/a-2.mp3', 'T-1', ''];
const FAILED = ['failed', '', 'T-2', '=REMOTE_FAILED: <no>'];

function results(byLine: Readonly<Record<number, readonly string[]>>, added: SheetResults['added'] = []): SheetResults {
  return { byLine: new Map(Object.entries(byLine).map(([line, texts]) => [Number(line), texts])), added };
}

async function write(
  original: string,
  what: SheetResults,
  into: ResultsTarget['into'] = { kind: 'copy' },
  reading: ReadSheetOptions = {},
): Promise<string> {
  const read = await readSheet(original, reading);
  if (!read.ok) throw new Error(read.error.message);
  const written = await writeResults({ original, source: read.value.source, into }, what, READER_HERE);
  if (!written.ok) throw new Error(written.error);
  return written.value.file;
}

async function cellsOf(file: string, reading: ReadSheetOptions = {}): Promise<readonly (readonly string[])[]> {
  const read = await readSheet(file, reading);
  if (!read.ok) throw new Error(read.error.message);
  return [read.value.headers, ...read.value.records.map((record) => record.cells)];
}

describe('results of a text file', () => {
  test('come behind the last header, and what was there stays byte for byte', async () => {
    const file = sheetFile('row;prompt;note\r\na;"two\r\nlines; and ""quotes""";x\r\n\r\nb;plain;\r\n');
    const copy = await write(file, results({ 2: DONE, 4: FAILED }));
    expect(basename(copy)).toBe(basename(file).replace('.csv', '.results.csv'));
    expect(readFileSync(copy, 'utf8')).toBe(
      'row;prompt;note;status;files;taskCode;failure\r\n' +
        'a;"two\r\nlines; and ""quotes""";x;done;music/a.mp3|music/a-2.mp3;T-1;\r\n' +
        '\r\n' +
        "b;plain;;failed;;T-2;'=REMOTE_FAILED: <no>\r\n",
    );
  });

  test('leave what stands above the header as it is, and go into the same copy the next time', async () => {
    const file = sheetFile('My songs\n\nrow,prompt\na,owl\nb,fox\n');
    const copy = await write(file, results({ 4: DONE }), { kind: 'copy' }, { headerLine: 3 });
    expect(readFileSync(copy, 'utf8')).toBe(
      'My songs\n\nrow,prompt,status,files,taskCode,failure\na,owl,done,music/a.mp3|music/a-2.mp3,T-1,\nb,fox\n',
    );
    expect(await write(file, results({ 5: DONE }), { kind: 'copy' }, { headerLine: 3 })).toBe(copy);
  });

  test('leave what stands above the header of a workbook as it is', async () => {
    const parts = workbookParts(sheetXml([['My songs'], [''], ['row', 'prompt'], ['a', 'owl']]));
    const copy = await write(
      sheetFile(zipParts(parts), 'xlsx'),
      results({ 4: DONE }),
      { kind: 'copy' },
      { headerLine: 3 },
    );
    const read = await readSheet(copy, { headerLine: 3 });
    expect(read.ok && read.value.headers).toEqual(['row', 'prompt', 'status', 'files', 'taskCode', 'failure']);
    expect(read.ok && read.value.records[0]?.cells).toEqual(['a', 'owl', 'done', 'music/a.mp3|music/a-2.mp3', 'T-1']);
    const whole = await readSheet(copy, { headerLine: 1 });
    expect(whole.ok && whole.value.headers).toEqual(['My songs']);
  });

  test('fill the columns of their names, wherever they are', async () => {
    const file = sheetFile('status,row,files,prompt\nold,a,old,owl\n,b,,fox\n');
    const copy = await write(file, results({ 2: DONE, 3: FAILED }));
    expect(await cellsOf(copy)).toEqual([
      ['status', 'row', 'files', 'prompt', 'taskCode', 'failure'],
      ['done', 'a', 'music/a.mp3|music/a-2.mp3', 'owl', 'T-1', ''],
      ['failed', 'b', '', 'fox', 'T-2', '=REMOTE_FAILED: <no>'],
    ]);
  });

  test('are quoted where the delimiter stands in them', async () => {
    const copy = await write(sheetFile('row|prompt\na|owl\n'), results({ 2: DONE }));
    expect((await cellsOf(copy))[1]).toEqual(['a', 'owl', ...DONE]);
  });

  test('keep the encoding and the byte order mark', async () => {
    const utf16 = sheetFile(Buffer.from('\uFEFFrow\tprompt\r\na\tküß\r\n', 'utf16le'));
    const copy = await write(utf16, results({ 2: DONE }));
    expect(readFileSync(copy).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]));
    expect((await cellsOf(copy))[1]).toEqual(['a', 'küß', ...DONE]);
    const western = sheetFile(Buffer.from('row;prompt\r\na;caf\xe9 \x80\r\n', 'latin1'));
    expect(readFileSync(await write(western, results({ 2: DONE }))).toString('latin1')).toContain('caf\xe9 \x80;done');
  });

  test('that the encoding cannot hold make the copy UTF-8, and never the original', async () => {
    const western = Buffer.from('row;prompt\r\na;caf\xe9 cr\xe8me\r\n', 'latin1');
    const file = sheetFile(western);
    const strange = results({ 2: ['failed', '', '', '失敗'] });
    expect((await cellsOf(await write(file, strange)))[1]).toEqual(['a', 'café crème', 'failed', '', '', '失敗']);
    await expect(write(file, strange, { kind: 'original' })).rejects.toThrow('encoding');
    expect(readFileSync(file)).toEqual(western);
  });

  test('of rows that the file does not have follow at its end', async () => {
    const file = sheetFile('row,prompt\na,owl');
    const copy = await write(
      file,
      results({ 2: DONE }, [{ cells: { row: 'z', prompt: 'new, one' }, results: FAILED }]),
    );
    expect((await cellsOf(copy)).at(-1)).toEqual(['z', 'new, one', ...FAILED]);
  });

  test('are imported again as they were: what was kept from being a formula, and apostrophes of the user’s own', async () => {
    const prompts = ['=1+1', "'=quoted", "''@twice", '- a dash', 'calm;-low,=x', "it's", '＝wide', '\t=tab', "'\n+x"];
    const lines = prompts.map((prompt, index) => `${index},"${prompt.replaceAll('"', '""')}"\n`);
    const file = sheetFile(`row,prompt\n${lines.join('')}`);
    const cells = (read: readonly (readonly string[])[]): unknown => read.map(([row, prompt]) => [row, prompt]);
    const before = cells(await cellsOf(file));
    const added = prompts.map((prompt, index) => ({ cells: { row: `new ${index}`, prompt }, results: DONE }));
    const copy = await write(file, results({ 2: DONE, 3: FAILED }, added));
    const expected = [before, prompts.map((prompt, index) => [`new ${index}`, prompt])].flat();
    expect(cells(await cellsOf(copy))).toEqual(expected);
    expect(cells(await cellsOf(await write(copy, results({ 2: FAILED }), { kind: 'original' })))).toEqual(expected);
  });

  test('any text is cut into its cells and put together again', () => {
    const piece = fc.constantFrom('a', '"', ',', '\n', '\r', '\r\n', ' ', '""', 'x,y');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const joined = [...csvSpans(text, ',')].map((line) => line.cells.join(',') + line.lineEnd).join('');
        expect(joined).toBe(text);
      }),
    );
  });
});

describe('results of a workbook', () => {
  test.each(['xlsxwriter.xlsx', 'openpyxl.xlsx', 'libreoffice.xlsx', 'xlsxwriter-inline-1904.xlsx'])(
    '%s keeps every other part and every cell',
    async (name) => {
      const file = sheetFile(readFileSync(fixture(name)), 'xlsx');
      const before = await cellsOf(file);
      const copy = await write(file, results({ 2: DONE, 3: FAILED }));
      const [headers = [], first = [], second = []] = await cellsOf(copy);
      const width = before[0]?.length ?? 0;
      expect(headers.slice(0, width)).toEqual(before[0]);
      expect(headers.slice(-4)).toEqual(['status', 'files', 'taskCode', 'failure']);
      expect(first.slice(headers.length - 4)).toEqual(trimmed(DONE));
      expect(second.slice(headers.length - 4)).toEqual(FAILED);
      expect((await cellsOf(copy)).map((cells) => trimmed(cells.slice(0, headers.length - 4)))).toEqual(
        before.map(trimmed),
      );
      const [parts, changed] = [unzipSync(readFileSync(file)), unzipSync(readFileSync(copy))];
      const different = Object.keys(parts).filter((part) => !sameBytes(parts[part], changed[part]));
      expect(Object.keys(changed)).toEqual(Object.keys(parts));
      expect(different).toEqual([expect.stringMatching(/^xl\/worksheets\/sheet\d*\.xml$/)]);
    },
  );

  test('written twice are in the same columns, and the copy has one name', async () => {
    const file = sheetFile(
      zipParts(
        workbookParts(
          sheetXml([
            ['row', 'prompt'],
            ['a', 'owl'],
          ]),
        ),
      ),
      'xlsx',
    );
    const once = await write(file, results({ 2: FAILED }));
    expect(await write(file, results({ 2: DONE }))).toBe(once);
    const again = await write(once, results({ 2: DONE }), { kind: 'original' });
    expect(await cellsOf(again)).toEqual([
      ['row', 'prompt', 'status', 'files', 'taskCode', 'failure'],
      ['a', 'owl', ...DONE.slice(0, 3)],
    ]);
  });

  test('are no longer than a cell of Excel may be, which else takes the file for damaged', async () => {
    const lines = sheetXml([
      ['row', 'prompt'],
      ['a', 'owl'],
    ]);
    const file = sheetFile(zipParts(workbookParts(lines)), 'xlsx');
    const whole = 'x'.repeat(32_767);
    const longer = `${'x'.repeat(32_765)}\u{1F319} and more`;
    const copy = await write(file, results({ 2: ['failed', whole, 'T-2', longer] }));
    const [, row = []] = await cellsOf(copy);
    expect(row.slice(2)).toEqual(['failed', whole, 'T-2', `${'x'.repeat(32_765)}…`]);
  });

  test('are in a workbook what they are, also where they look like one of its escapes', async () => {
    const file = sheetFile(zipParts(workbookParts(sheetXml([['row'], ['a']]))), 'xlsx');
    const codes = ['done', 'music/_x0041_.mp3', 'T_x000a_x0042_7', 'a_x_b _x12_.'];
    const [, row = []] = await cellsOf(await write(file, results({ 2: codes })));
    expect(row.slice(1)).toEqual(codes);
  });

  test('keep the styles of cells, give new headers that of the last one, and leave formulas alone', async () => {
    const xml =
      '<worksheet><dimension ref="A1:C2"/><sheetData>' +
      '<row r="1" spans="1:3"><c r="A1" t="str" s="4"><v>row</v></c><c r="C1" s="5" t="str"><v>files</v></c></row>' +
      '<row r="2" ht="30"><c r="A2" t="str"><v>a</v></c><c r="C2" s="7"><f>1+1</f><v>2</v></c></row>' +
      '</sheetData><autoFilter ref="A1:C2"/></worksheet>';
    const copy = await write(
      sheetFile(zipParts(withFormats(workbookParts(xml), Array<string>(8).fill('0'))), 'xlsx'),
      results({ 2: DONE }),
    );
    const written = new TextDecoder().decode(unzipSync(readFileSync(copy))['xl/worksheets/sheet1.xml']);
    expect(written).toContain('<dimension ref="A1:G2"/>');
    expect(written).toContain('spans="1:7"');
    expect(written).toContain('<c r="D1" s="5" t="inlineStr"><is><t xml:space="preserve">status</t></is></c>');
    expect(written).toContain('<c r="C2" s="7"><f>1+1</f><v>2</v></c>');
    expect(written).toContain('<row r="2" ht="30">');
    expect(written).toContain('</sheetData><autoFilter ref="A1:C2"/>');
  });
});

describe('the place of results', () => {
  test('is never somebody else’s file', async () => {
    const file = sheetFile('row,prompt\na,owl\n');
    const taken = join(dirname(file), basename(file).replace('.csv', '.results.csv'));
    writeFileSync(taken, 'my own notes\nkeep them\n');
    expect(basename(await write(file, results({ 2: DONE })))).toBe(basename(file).replace('.csv', '.results-2.csv'));
    expect(readFileSync(taken, 'utf8')).toBe('my own notes\nkeep them\n');
  });

  test('can be the original, with what it was beside it', async () => {
    const file = sheetFile('row,prompt\na,owl\n');
    await write(file, results({ 2: FAILED }), { kind: 'original' });
    await write(file, results({ 2: DONE }), { kind: 'original' });
    expect((await cellsOf(file))[1]).toEqual(['a', 'owl', ...DONE]);
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('row,prompt\na,owl\n');
  });

  test('is not a file that has changed since it was read', async () => {
    const file = sheetFile('row,prompt\na,owl\n');
    const read = await readSheet(file);
    if (!read.ok) throw new Error(read.error.message);
    writeFileSync(file, 'row,prompt\na,fox\n');
    const target = { original: file, source: read.value.source, into: { kind: 'original' as const } };
    expect(await writeResults(target, results({ 2: DONE }), READER_HERE)).toMatchObject({ ok: false });
    expect(readFileSync(file, 'utf8')).toBe('row,prompt\na,fox\n');
    expect(existsSync(`${file}.bak`)).toBe(false);
  });

  test.each([
    ['xlsx', 'out.ods', '.xlsx'],
    ['xlsx', 'out.csv', '.xlsx'],
    ['csv', 'out.xlsx', '.csv'],
  ])('of a .%s file is not called %s', async (kind, name, wanted) => {
    const original = sheetFile('row,prompt\na,owl\n', kind);
    if (kind === 'xlsx') copyFileSync(fixture('libreoffice.xlsx'), original);
    const read = await readSheet(original);
    if (!read.ok) throw new Error(read.error.message);
    const file = join(dirname(original), name);
    const target = { original, source: read.value.source, into: { kind: 'file' as const, file } };
    const written = await writeResults(target, results({ 2: DONE }), READER_HERE);
    expect(written).toMatchObject({ ok: false, error: expect.stringContaining(wanted) as string });
    expect(existsSync(file)).toBe(false);
  });

  test('is what a link leads to, and the link stays', async () => {
    const file = sheetFile('row,prompt\na,owl\n');
    const link = file.replace('.csv', '-link.csv');
    symlinkSync(file, link);
    await write(link, results({ 2: DONE }), { kind: 'original' });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('done');
    expect(readFileSync(`${link}.bak`, 'utf8')).toBe('row,prompt\na,owl\n');
  });

  test('is not under merged cells or a pivot table', async () => {
    const rows = [
      ['row', 'prompt'],
      ['a', 'owl'],
    ];
    const xml = sheetXml(rows).replace('</worksheet>', '<mergeCells><mergeCell ref="C2:D4"/></mergeCells></worksheet>');
    const parts = {
      ...workbookParts(xml),
      'xl/worksheets/_rels/sheet1.xml.rels':
        '<Relationships><Relationship Id="p" Type="http://x/pivotTable" Target="../pivotTables/pivotTable1.xml"/></Relationships>',
      'xl/pivotTables/pivotTable1.xml': '<pivotTableDefinition name="p"><location ref="E1:F9"/></pivotTableDefinition>',
    };
    const [header] = await cellsOf(await write(sheetFile(zipParts(parts), 'xlsx'), results({ 2: DONE })));
    expect(header).toEqual(['row', 'prompt', '', '', '', '', 'status', 'files', 'taskCode', 'failure']);
  });

  const text = (cell: string, value: string): string => `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const workbookOf = (rows: string, after = ''): string =>
    sheetFile(zipParts(workbookParts(`<worksheet><sheetData>${rows}</sheetData>${after}</worksheet>`)), 'xlsx');
  const PLAIN_ROWS = `<row r="1">${text('A1', 'row')}${text('B1', 'prompt')}</row><row r="2">${text('A2', 'a')}${text('B2', 'owl')}</row><row r="3">${text('A3', 'a note')}</row>`;

  test('goes on behind the last header where merged cells lie over other rows', async () => {
    const merges = '<mergeCells><mergeCell ref="A3:Z5"/><mergeCell ref="D9:XFC9"/></mergeCells>';
    const [header] = await cellsOf(await write(workbookOf(PLAIN_ROWS, merges), results({ 2: DONE })));
    expect(header).toEqual(['row', 'prompt', 'status', 'files', 'taskCode', 'failure']);
  });

  test('is none where merged cells or other cells reach to the last columns', async () => {
    const read = async (file: string): Promise<Awaited<ReturnType<typeof writeResults>>> => {
      const sheet = await readSheet(file);
      if (!sheet.ok) throw new Error(sheet.error.message);
      return writeResults(
        { original: file, source: sheet.value.source, into: { kind: 'copy' } },
        results({ 2: DONE }),
        READER_HERE,
      );
    };
    const merged = await read(workbookOf(PLAIN_ROWS, '<mergeCells><mergeCell ref="C2:XFC2"/></mergeCells>'));
    expect(merged.ok ? '' : merged.error).toContain('there are no free columns next to its cells');
    const far = PLAIN_ROWS.replace('<row r="3">', `<row r="3">${text('XFC3', 'far')}`);
    const filled = await read(workbookOf(far));
    expect(filled.ok ? '' : filled.error).toContain('there are no free columns next to its cells');
  });

  test('is not over a cell that is farther to the right than sheets are read', async () => {
    const file = workbookOf(PLAIN_ROWS.replace('<row r="3">', `<row r="3">${text('AMP3', 'far')}`));
    const xml = new TextDecoder().decode(
      unzipSync(readFileSync(await write(file, results({ 2: DONE, 3: FAILED }))))['xl/worksheets/sheet1.xml'],
    );
    expect(xml).toContain(text('AMP3', 'far'));
    expect(xml).toContain('r="AMQ2"');
  });

  test('is once in a line that the workbook has as a row for each cell', async () => {
    const rows = `<row r="1">${text('A1', 'row')}</row><row r="1">${text('B1', 'files')}</row><row r="1">${text('C1', 'prompt')}</row>`;
    const song = `<row r="2" ht="30">${text('A2', 'a')}</row><row r="2">${text('B2', 'old')}<c r="A2" s="0"/></row><row r="2">${text('C2', 'owl')}</row>`;
    const copy = await write(
      workbookOf(`${rows}${song}<row r="3">${text('A3', 'b')}</row><row r="3">${text('C3', 'fox')}</row>`),
      results({ 2: DONE, 3: FAILED }),
    );
    const xml = new TextDecoder().decode(unzipSync(readFileSync(copy))['xl/worksheets/sheet1.xml']);
    expect(await cellsOf(copy)).toEqual([
      ['row', 'files', 'prompt', 'status', 'taskCode', 'failure'],
      ['a', 'music/a.mp3|music/a-2.mp3', 'owl', 'done', 'T-1'],
      ['b', '', 'fox', 'failed', 'T-2', '=REMOTE_FAILED: <no>'],
    ]);
    const names = [...xml.matchAll(/<(?:c|row)[^>]* r="([A-Z]*\d+)"/g)].map((found) => found[1]);
    expect(names).toHaveLength(new Set(names).size);
  });

  test('is in every line of a row that an ODS repeats', async () => {
    const repeated = `<t:table-row t:number-rows-repeated="2">${openCell('owl')}</t:table-row>`;
    const file = openDocument(
      `<t:table-row>${openCell('prompt')}</t:table-row>${repeated}<t:table-row t:number-rows-repeated="3"/>${repeated}`,
    );
    const copy = await write(file, results({ 2: DONE, 3: FAILED, 7: DONE, 8: FAILED }));
    expect((await cellsOf(copy)).map((cells) => cells.slice(0, 2))).toEqual([
      ['prompt', 'status'],
      ['owl', 'done'],
      ['owl', 'failed'],
      ['owl', 'done'],
      ['owl', 'failed'],
    ]);
  });

  test('is found where parts are named in capitals or with a slash before them', async () => {
    const parts = workbookParts(
      sheetXml([
        ['row', 'prompt'],
        ['a', 'owl'],
      ]),
    );
    const { 'xl/worksheets/sheet1.xml': sheet = '', ...rest } = parts;
    const file = sheetFile(zipParts({ ...rest, 'XL/Worksheets/Sheet1.xml': sheet }), 'xlsx');
    expect((await cellsOf(await write(file, results({ 2: DONE }))))[1]).toEqual(['a', 'owl', ...DONE.slice(0, 3)]);
  });

  test('is never sought for longer than a file may be read, whatever its XML holds', async () => {
    const xml = sheetXml([
      ['row', 'prompt'],
      ['a', 'owl'],
    ]).replace('<sheetData>', `<!--${'<row '.repeat(200_000)}--><sheetData>`);
    const file = sheetFile(zipParts(workbookParts(xml)), 'xlsx');
    const read = await readSheet(file);
    if (!read.ok) throw new Error(read.error.message);
    const target = { original: file, source: read.value.source, into: { kind: 'copy' as const } };
    expect(await writeResults(target, results({ 2: DONE }), forkedSheetReader())).toMatchObject({ ok: false });
  });

  test.each(['.xlsm', '.xltx', '.xltm'])('of a workbook that is more than cells keep its ending %s', async (ending) => {
    const file = sheetFile(readFileSync(fixture('libreoffice.xlsx')), ending.slice(1));
    expect(await write(file, results({ 2: DONE }))).toBe(file.replace(ending, `.results${ending}`));
  });

  test.each(['a linked folder', 'a link', 'another name of it'])(
    'through %s is the original, which keeps its encoding and leaves beside it what it was',
    async (kind) => {
      const western = Buffer.from('row;prompt\r\na;caf\xe9 cr\xe8me\r\n', 'latin1');
      const file = sheetFile(western);
      const folder = `${file}-folder`;
      mkdirSync(folder);
      if (kind === 'a linked folder') symlinkSync(dirname(file), join(folder, 'linked'));
      if (kind === 'a link') symlinkSync(file, join(folder, 'sheet.csv'));
      if (kind === 'another name of it') linkSync(file, join(folder, 'sheet.csv'));
      const named = kind === 'a linked folder' ? join(folder, 'linked', basename(file)) : join(folder, 'sheet.csv');
      const strange = results({ 2: ['failed', '', '', '失敗'] });
      await expect(write(file, strange, { kind: 'file', file: named })).rejects.toThrow('encoding');
      expect(readFileSync(file)).toEqual(western);
      await write(file, results({ 2: DONE }), { kind: 'file', file: named });
      expect(readFileSync(file).toString('latin1')).toContain('caf\xe9 cr\xe8me;done');
      expect(readFileSync(`${file}.bak`)).toEqual(western);
    },
  );

  test('has no backup through a link that leads to nothing', async () => {
    const file = sheetFile('row,prompt\na,owl\n');
    symlinkSync(`${file}-elsewhere`, `${file}.bak`);
    await expect(write(file, results({ 2: DONE }), { kind: 'original' })).rejects.toThrow('cannot be written');
    expect(existsSync(`${file}-elsewhere`)).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('row,prompt\na,owl\n');
  });

  test('that is named and is the original leaves beside it what it was', async () => {
    const file = sheetFile('row,prompt\na,owl\n');
    await write(file, results({ 2: DONE }), { kind: 'file', file });
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('row,prompt\na,owl\n');
  });

  test('that is named and holds something else is kept beside the results, once; results of before are replaced', async () => {
    const file = sheetFile('row,prompt\na,owl\n');
    const named = file.replace('.csv', '-precious.csv');
    writeFileSync(named, 'my,precious\n');
    await write(file, results({ 2: FAILED }), { kind: 'file', file: named });
    await write(file, results({ 2: DONE }), { kind: 'file', file: named });
    expect((await cellsOf(named))[1]).toEqual(['a', 'owl', ...DONE]);
    expect(readFileSync(`${named}.bak`, 'utf8')).toBe('my,precious\n');
    writeFileSync(named, 'other,things\n');
    await expect(write(file, results({ 2: DONE }), { kind: 'file', file: named })).rejects.toThrow('Name another file');
    expect(readFileSync(named, 'utf8')).toBe('other,things\n');
  });

  const TWO_SHEETS = {
    ...workbookParts(sheetXml([['my notes'], ['x']])),
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><sheets><sheet name="One" r:id="r1"/><sheet name="Two" r:id="r2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://x/worksheet" Target="worksheets/sheet2.xml"/></Relationships>',
    'xl/worksheets/sheet2.xml': sheetXml([
      ['row', 'prompt'],
      ['a', 'owl'],
    ]),
  };

  test.each<[string, string, ReadSheetOptions, () => string]>([
    ['a sheet behind another', '.xlsx', { sheet: 'Two' }, () => sheetFile(zipParts(TWO_SHEETS), 'xlsx')],
    [
      'a text of another encoding, with another delimiter',
      '.csv',
      { encoding: 'windows-1251', delimiter: '~' },
      // In this encoding, “текст~prompt”.
      () => sheetFile(Buffer.from('\xf2\xe5\xea\xf1\xf2~prompt\na~owl\n', 'latin1')),
    ],
    [
      'an OpenDocument sheet with a title and blank lines above its header',
      '.csv',
      { headerLine: 5 },
      () =>
        openDocument(
          `<t:table-row>${openCell('My songs')}</t:table-row><t:table-row t:number-rows-repeated="3"/>` +
            `<t:table-row>${openCell('prompt')}</t:table-row><t:table-row>${openCell('owl')}</t:table-row>`,
        ),
    ],
    [
      'a sheet with formulas under the name of a result',
      '.xlsx',
      {},
      () =>
        workbookOf(
          `<row r="1">${text('A1', 'files')}${text('B1', 'prompt')}</row><row r="2"><c r="A2"><f>1+1</f><v>2</v></c>${text('B2', 'owl')}</row>`,
        ),
    ],
  ])('of %s are replaced by the next, each time', async (_, ending, reading, make) => {
    const file = make();
    const named = join(dirname(file), `named${ending}`);
    const line = (reading.headerLine ?? 1) + 1;
    const copies = new Set<string>();
    for (const one of [FAILED, FAILED, DONE]) {
      await write(file, results({ [line]: one }), { kind: 'file', file: named }, reading);
      copies.add(await write(file, results({ [line]: one }), { kind: 'copy' }, reading));
    }
    expect(copies.size).toBe(1);
    const { sheet, delimiter } = reading;
    for (const made of [named, ...copies])
      expect((await cellsOf(made, { sheet, delimiter })).flat()).toContain(DONE[1]);
    expect(existsSync(`${named}.bak`)).toBe(false);
  });

  test('of a sheet whose columns change are replaced where they are named, each time', async () => {
    const file = sheetFile('');
    const named = file.replace('.csv', '-named.csv');
    for (const header of ['row,prompt', 'row,prompt,note', 'row,text']) {
      writeFileSync(file, `${header}\na,owl\n`);
      await write(file, results({ 2: DONE }), { kind: 'file', file: named });
      expect(readFileSync(named, 'utf8')).toMatch(`${header},status`);
    }
    expect(existsSync(`${named}.bak`)).toBe(false);
  });

  test('of a batch without a file are replaced, each time, whatever its columns were', async () => {
    const file = join(dirname(sheetFile('')), 'named.csv');
    const none = async function* () {};
    for (const headers of [['row'], ['row', 'prompt'], ['one "note",\nand more']]) {
      expect(await writeOwnResults({ kind: 'file', file }, headers, none())).toMatchObject({ ok: true });
    }
    expect(existsSync(`${file}.bak`)).toBe(false);
  });

  test('of a batch without a file are kept apart from something else in the same way', async () => {
    const file = sheetFile('my,precious\n');
    const none = async function* () {};
    for (const time of ['first', 'second']) {
      expect([time, await writeOwnResults({ kind: 'file', file }, ['row'], none())]).toMatchObject([
        time,
        { ok: true },
      ]);
    }
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('my,precious\n');
  });

  test('of an OpenDocument sheet is a text file', async () => {
    const file = sheetFile('', 'ods');
    copyFileSync(fixture('opendocument.ods'), file);
    const before = await cellsOf(file);
    const copy = await write(file, results({ 2: DONE }));
    expect(copy.endsWith('.results.csv')).toBe(true);
    const after = await cellsOf(copy);
    expect(after[0]).toEqual([...(before[0] ?? []), 'status', 'files', 'taskCode', 'failure']);
    expect(after[1]?.slice(-4)).toEqual(DONE);
  });
});

/** A cell of text in a row of {@link openDocument}. */
function openCell(value: string): string {
  return `<t:table-cell office:value-type="string"><text:p>${value}</text:p></t:table-cell>`;
}

/** The file of an OpenDocument sheet with these rows. */
function openDocument(rows: string): string {
  const content = `<office:document-content xmlns:office="urn:o" xmlns:t="urn:t" xmlns:text="urn:x"><office:body><office:spreadsheet><t:table t:name="One">${rows}</t:table></office:spreadsheet></office:body></office:document-content>`;
  const mimetype = 'application/vnd.oasis.opendocument.spreadsheet';
  return sheetFile(zipParts({ mimetype, 'content.xml': content }), 'ods');
}

function trimmed(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;
}
