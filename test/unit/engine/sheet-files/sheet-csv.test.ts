import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import * as fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { readSheet } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import type { SheetProblem } from '../../../../src/shared/domain/sheet/problems.ts';
import { delimiterOf } from '../../../../src/shared/domain/sheet/sheet-raw.ts';
import type { RawSheet } from '../../../../src/shared/domain/sheet/sheet-raw.ts';
import { fixture, loadHere, places, sheetFile } from '../../../support/sheet-files.ts';

async function read(content: string | Uint8Array, ending?: string): Promise<RawSheet> {
  const sheet = await readSheet(sheetFile(content, ending));
  if (!sheet.ok) throw new Error(sheet.error.message);
  return sheet.value;
}

async function refusal(content: string | Uint8Array, ending?: string): Promise<SheetProblem> {
  return refusalOf(sheetFile(content, ending));
}

async function refusalOf(path: string): Promise<SheetProblem> {
  const sheet = await readSheet(path);
  if (sheet.ok) throw new Error('The sheet was read.');
  return sheet.error;
}

const cellsOf = (sheet: RawSheet): (readonly string[])[] => [
  sheet.headers,
  ...sheet.records.map((record) => record.cells),
];

describe('text sheets', () => {
  test.each([
    ['commas', 'operation,prompt\nlyrics,"a, b"\n', ','],
    ['semicolons', 'operation;prompt\nlyrics;a, b\n', ';'],
    ['tabs', 'operation\tprompt\nlyrics\ta, b\n', '\t'],
    ['bars', 'operation|prompt\nlyrics|a, b\n', '|'],
    ['what a first line says', 'sep=^\r\noperation^prompt\r\nlyrics^a, b\r\n', '^'],
  ])('cells separated by %s', async (_name, text, delimiter) => {
    const sheet = await read(text);
    expect(cellsOf(sheet)).toEqual([
      ['operation', 'prompt'],
      ['lyrics', 'a, b'],
    ]);
    expect(sheet.source).toMatchObject({ delimiter, format: delimiter === '\t' ? 'tsv' : 'csv', encoding: 'utf-8' });
  });

  test('the user’s own choice of what separates the cells goes before every guess', async () => {
    const file = sheetFile('operation,prompt;note\nlyrics,a;b\n');
    const asked = await readSheet(file, { delimiter: ';' });
    expect(asked.ok && cellsOf(asked.value)).toEqual([
      ['operation,prompt', 'note'],
      ['lyrics,a', 'b'],
    ]);
    expect(asked.ok && asked.value.source.delimiter).toBe(';');
    for (const delimiter of ['"', '\n', '\r', '', ',,', '\uFEFF', '\uD83D']) {
      expect(await readSheet(file, { delimiter })).toMatchObject({ ok: false, error: { code: 'unreadable' } });
    }
  });

  test('what stands above the line that is said to be the header is not read, and lines keep their numbers', async () => {
    const file = sheetFile('My songs, 2026\n"for ""Ada"" and Bob"\n\noperation;prompt\nlyrics;a, b\n');
    const title = await readSheet(file, { headerLine: 1 });
    expect(title.ok && title.value.headers).toEqual(['My songs', ' 2026']);
    expect(title.ok && title.value.source.headerLine).toBeUndefined();
    // Where no line is said, known columns tell it.
    for (const headerLine of [undefined, 3, 4]) {
      const told = await readSheet(file, { headerLine });
      expect(told.ok && cellsOf(told.value)).toEqual([
        ['operation', 'prompt'],
        ['lyrics', 'a, b'],
      ]);
      expect(told).toMatchObject({ value: { source: { headerLine: 4, delimiter: ';' }, records: [{ line: 5 }] } });
    }
    expect(await readSheet(file, { headerLine: 5 })).toMatchObject({ ok: false, error: { code: 'empty' } });
    expect(await readSheet(file, { headerLine: 6 })).toMatchObject({
      ok: false,
      error: { code: 'empty', message: 'There is nothing in line 6 or below.' },
    });
  });

  test('the first lines are told by their beginnings, wherever the header is', async () => {
    const file = sheetFile(`My songs,\n,,\nrow,operation,,prompt\none,lyrics,,${'la '.repeat(10_000)}\n`);
    for (const headerLine of [undefined, 1, 4]) {
      const read = await readSheet(file, { headerLine });
      const told = (read.ok ? read.value.firstLines : undefined) ?? [];
      if (headerLine === 4) expect(read).toMatchObject({ ok: false });
      else
        expect(told.map(({ line, text }) => [line, text.slice(0, 26)])).toEqual([
          [1, 'My songs'],
          [3, 'row · operation · prompt'],
          [4, 'one · lyrics · la la la la'],
        ]);
      expect(told.every(({ text }) => text.length <= 4_000)).toBe(true);
    }
  });

  test('a header below a title is found by its columns, and only there', async () => {
    const headers = async (text: string): Promise<unknown> => {
      const sheet = await readSheet(sheetFile(text));
      return sheet.ok && [sheet.value.headers, sheet.value.source.headerLine ?? 1];
    };
    expect(await headers('Film,,\n,,\nShot,Operation,Prompt\n1,video-a,A, slow pan\n')).toEqual([
      ['Shot', 'Operation', 'Prompt'],
      3,
    ]);
    // One known name may be a word of the text; and a known header is the first line, whatever comes below.
    expect(await headers('Scene,Look\nprompt,blue\n1,red\n')).toEqual([['Scene', 'Look'], 1]);
    expect(await headers('Prompt,Look\noperation,prompt\n')).toEqual([['Prompt', 'Look'], 1]);
    // What has as many cells as the header may be a row: nothing moves, and the user is asked as ever.
    expect(await headers('image,A fox,x\nimage,A hen,y\nrow,operation,prompt\n')).toEqual([['image', 'A fox', 'x'], 1]);
    expect(await headers('Nr,Befehl,Worte\nimage,title,style\n1,a,b\n')).toEqual([['Nr', 'Befehl', 'Worte'], 1]);
    // A title may be the name of a column; a sheet of one column still is one.
    expect(await headers('Title\nrow,operation,prompt\n1,lyrics,a\n')).toEqual([['row', 'operation', 'prompt'], 2]);
    expect(await headers('prompt\na fox\na hen\n')).toEqual([['prompt'], 1]);
    const blanks = '\n'.repeat(22);
    expect(await headers(`Songs, 2026, ours\n${blanks}row;operation;prompt;note\n1;lyrics;a;b\n`)).toEqual([
      ['row', 'operation', 'prompt', 'note'],
      24,
    ]);
    // What may have been a row is not left out without a word.
    const cut = await readSheet(sheetFile('Songs\nlyrics,A hen\nrow,operation,prompt\n1,lyrics,a\n'));
    expect(cut.ok && cut.value.problems).toMatchObject([{ severity: 'warning', code: 'lines-above', line: 2 }]);
    // Nobody has so much above a header, and what comes so late is data.
    const high = 'a title\n'.repeat(20);
    expect(await headers(`${high}operation,prompt\nlyrics,a\n`)).toEqual([['a title'], 1]);
    expect(await headers(`${high.slice(8)}operation,prompt\nlyrics,a\n`)).toEqual([['operation', 'prompt'], 20]);
    // A separator within a text does not win over the one of the header.
    expect(await headers('Songs\noperation;prompt\nlyrics;"style, tags, title, prompt"\n')).toEqual([
      ['operation', 'prompt'],
      2,
    ]);
  });

  test('a line that names the separator is no line of the sheet, and places in the file still count it', async () => {
    const sheet = await read('sep=;\noperation;prompt\nlyrics;a\n');
    expect(sheet.records.map(({ line }) => line)).toEqual([2]);
    expect((await refusal('sep=;\noperation;prompt\nlyrics;"a\n')).message).toContain('line 3');
  });

  test('a line with more cells than a sheet has columns is cut, and one cell too many is left to be told of', async () => {
    const sheet = await read(
      `operation,prompt\nlyrics,a${','.repeat(600)}x,${'y,'.repeat(5000)}\nlyrics,b${','.repeat(9000)}\n`,
    );
    expect(sheet.records.map(({ cells }) => [cells.length, cells.at(-1)])).toEqual([
      [513, 'x'],
      [512, ''],
    ]);
  });

  test.each([
    ['tab', '\t'],
    ['Semicolon', ';'],
    ['comma', ','],
    ['pipe', '|'],
    ['^', '^'],
    [' ', ' '],
    ['"', undefined],
    ['\n', undefined],
    ['', undefined],
    ['tabs', undefined],
    ['constructor', undefined],
  ])('the delimiter %j is meant as %j', (name, delimiter) => {
    expect(delimiterOf(name)).toBe(delimiter);
  });

  test.each([
    ['LF', 'operation,prompt\nlyrics,a\nlyrics,b'],
    ['CRLF', 'operation,prompt\r\nlyrics,a\r\nlyrics,b\r\n'],
    ['CR', 'operation,prompt\rlyrics,a\rlyrics,b\r'],
    ['mixed', 'operation,prompt\r\nlyrics,a\nlyrics,b\r'],
    ['mixed, in quotes', '"operation","prompt"\r\n"lyrics","a"\n"lyrics","b"\r'],
  ])('line ends: %s', async (_name, text) => {
    expect(cellsOf(await read(text))).toEqual([
      ['operation', 'prompt'],
      ['lyrics', 'a'],
      ['lyrics', 'b'],
    ]);
  });

  test('line ends inside of a cell stay byte for byte, and a spreadsheet’s line numbers are kept', async () => {
    const sheet = await read('operation,prompt\r\n\r\nlyrics,"one\r\ntwo\nthree\rfour ""5"""\r\nlyrics,b\r\n');
    expect(sheet.records).toEqual([
      { line: 3, cells: ['lyrics', 'one\r\ntwo\nthree\rfour "5"'] },
      { line: 4, cells: ['lyrics', 'b'] },
    ]);
  });

  test('whatever a CSV library writes is read back unchanged, under each line end', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', ';', '"', '\n', '\r', '\r\n', ' ', 'ü', '😀', "'") });
    const lines = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom('\n', '\r\n', '\r'), async (rows, newline) => {
        const written = rows.map((cells) => ['lyrics', ...cells]);
        const text = Papa.unparse([['operation', 'prompt', 'note'], ...written], { newline });
        expect((await read(text)).records.map((record) => record.cells)).toEqual(written);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFoperation,prompt\nlyrics,Grüße 世界 😀'), 'utf-8'],
    ['UTF-16 LE', Buffer.from('\uFEFFoperation,prompt\nlyrics,Grüße 世界 😀', 'utf16le'), 'utf-16le'],
    ['UTF-16 BE', Buffer.from('\uFEFFoperation,prompt\nlyrics,Grüße 世界 😀', 'utf16le').swap16(), 'utf-16be'],
  ])('encoding: %s', async (_name, bytes, encoding) => {
    const sheet = await read(bytes);
    expect(sheet.source.encoding).toBe(encoding);
    expect(sheet.problems).toEqual([]);
    expect(cellsOf(sheet)).toEqual([
      ['operation', 'prompt'],
      ['lyrics', 'Grüße 世界 😀'],
    ]);
  });

  test('what is not UTF-8 is read as Windows-1252, and that is said', async () => {
    const sheet = await read(Buffer.from([...Buffer.from('operation,prompt\nlyrics,'), 0x80, 0x93, 0xfc, 0x94]));
    expect(sheet.records[0]?.cells[1]).toBe('€“ü”');
    expect(places(sheet.problems)).toEqual(['warning encoding-guessed']);
    expect(sheet.problems[0]?.message).toContain('Windows-1252');
  });

  test('a spreadsheet program’s UTF-16 file', async () => {
    const sheet = await loadHere(fixture('libreoffice-utf16.csv'));
    expect(sheet.problems).toEqual([]);
    expect(sheet.rows.map((row) => row.body)).toEqual([
      { prompt: 'Grüße, 世界 🌍', tags: ['ruhig', 'Klavier'] },
      { prompt: 'A TOWER', duration: 2.5 },
      { prompt: 'Ein "Haus"\nam See', duration: 3 },
    ]);
  });

  test('a quotation mark that is never closed is named with its line in the file', async () => {
    const error = await refusal('operation,prompt\r\nlyrics,"a\r\nb"\r\nlyrics,"never\r\nlyrics,c\r\n');
    expect(error).toMatchObject({ code: 'quotes-broken' });
    expect(error.message).toContain('line 4');
  });

  test('text after a closing quotation mark is named with its line', async () => {
    const error = await refusal('operation,prompt\nlyrics,"a"b\nlyrics,"c"\n');
    expect(error).toMatchObject({ code: 'quotes-broken' });
    expect(error.message).toContain('line 2');
  });

  test('the bytes are proven by their hash', async () => {
    const sheet = await read('operation,prompt\nlyrics,a\n');
    expect(sheet.source).toMatchObject({
      bytes: 26,
      sha256: '6cd888208d5f726b6aa28021abefad27eeac7d93ceadb71bca095802866ea3a6',
    });
  });
});

describe('files that are no sheets', () => {
  test.each([
    ['nothing at all', '', 'csv', 'empty'],
    ['only blank lines', '\n , \n\n', 'csv', 'empty'],
    ['only a header', 'operation,prompt\n', 'csv', 'empty'],
    ['a header and blank lines', 'operation,prompt\n,\n\n', 'csv', 'empty'],
    ['a PDF', '%PDF-1.7 …', 'csv', 'unsupported-format'],
    ['a web page', '\n<!DOCTYPE html><html>', 'xls', 'unsupported-format'],
    ['XML', '<?xml version="1.0"?><Workbook/>', 'xml', 'unsupported-format'],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10]), 'csv', 'unsupported-format'],
    ['UTF-8 that is broken', Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff]), 'csv', 'unreadable'],
    ['UTF-16 that is cut', Buffer.from([0xff, 0xfe, 0x61]), 'csv', 'unreadable'],
    ['513 columns', `operation,${'x,'.repeat(511)}y\nlyrics,a`, 'csv', 'too-large'],
  ])('%s', async (_name, content, ending, code) => {
    const error = await refusal(content, ending);
    expect(error.code).toBe(code);
    expect(error.remedy).not.toBe('');
  });

  test('512 columns are read', async () => {
    expect((await read(`operation,${'x,'.repeat(510)}y\nlyrics,a`)).headers).toHaveLength(512);
  });

  test('a workbook of the old format says what to do', async () => {
    const sheet = await readSheet(fixture('old-format.xls'));
    expect(sheet).toMatchObject({ ok: false, error: { code: 'unsupported-format' } });
  });

  test('a workbook with a password says so', async () => {
    const compound = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(504),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    expect(await refusal(compound, 'xlsx')).toMatchObject({ code: 'encrypted' });
  });

  test('a missing file and a folder are named with their path', async () => {
    const file = sheetFile('operation,prompt\nlyrics,a\n');
    const missing = await refusalOf(`${file}.missing`);
    expect(missing.code).toBe('unreadable');
    expect(missing.message).toContain(`${file}.missing`);
    expect(await refusalOf(`${file}/below.csv`)).toMatchObject({ code: 'unreadable' });
    mkdirSync(`${dirname(file)}/folder.csv`, { recursive: true });
    const folder = await refusalOf(`${dirname(file)}/folder.csv`);
    expect(folder.code).toBe('unreadable');
    expect(folder.message).toContain('is a folder');
  });

  test('a file that cannot be read is a sheet without rows, refused by an error without a line', async () => {
    const sheet = await loadHere(sheetFile(''));
    expect(sheet).toMatchObject({ headers: [], rows: [], source: undefined });
    expect(places(sheet.problems)).toEqual(['error empty']);
  });
});
