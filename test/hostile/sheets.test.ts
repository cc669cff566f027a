import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, createWriteStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  forkedSheetReader,
  loadSheet,
  type LoadedSheet,
} from '../../src/engine/sheet-files/reader-process/load-sheet.ts';
import { readSheetFile } from '../../src/engine/sheet-files/read/read-file.ts';
import { READER_LIMITS } from '../../src/engine/sheet-files/reader-process/sheet-reader.ts';
import { places, sheetFile } from '../support/sheet-files.ts';
import { sheetXml, workbookParts, zipParts } from '../support/workbook-parts.ts';

vi.setConfig({ testTimeout: 180_000 });

const HEADER = ['row', 'operation', 'prompt'];
const MIB = 1024 * 1024;

function load(content: string | Uint8Array, ending?: string): Promise<LoadedSheet> {
  return loadSheet(sheetFile(content, ending));
}

function workbook(xml: string, parts: Readonly<Record<string, string | Uint8Array>> = {}): Uint8Array {
  return zipParts({ ...workbookParts(xml), ...parts });
}

function bodies(sheet: LoadedSheet): readonly unknown[] {
  return sheet.rows.map((row) => row.body);
}

describe('a workbook that wants more than a table', () => {
  test('a zip bomb is refused: 250 MiB in 250 kB', async () => {
    const bomb = workbook(sheetXml([HEADER, ['a', 'lyrics', 'x']]), {
      'xl/media/image1.png': new Uint8Array(250 * MIB),
    });
    expect(bomb.length).toBeLessThan(MIB);
    expect(places((await load(bomb, 'xlsx')).problems)).toEqual(['error too-large']);
  });

  test('entries that lead out of the folder are not written anywhere', async () => {
    const sheet = workbook(sheetXml([HEADER, ['a', 'lyrics', 'x']]), {
      '../../nocturne-slip.txt': 'slipped',
      '/tmp/nocturne-slip.txt': 'slipped',
      'xl/../../../nocturne-slip.txt': 'slipped',
    });
    const file = sheetFile(sheet, 'xlsx');
    const folders = [path.dirname(file), path.dirname(path.dirname(file)), '/tmp', process.cwd()];
    const before = folders.map((folder) => readdirSync(folder).filter((name) => name.includes('slip')));
    expect(bodies(await loadSheet(file))).toEqual([{ prompt: 'x' }]);
    expect(folders.map((folder) => readdirSync(folder).filter((name) => name.includes('slip')))).toEqual(before);
  });

  test('external entities and links fetch nothing', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end('fetched');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const good = sheetXml([HEADER, ['a', 'lyrics', 'x']]);
    const entity = `<!DOCTYPE x [<!ENTITY e SYSTEM "${url}/e">]>${good.replace('>x<', '>&e;<')}`;
    expect(places((await load(workbook(entity), 'xlsx')).problems)).toEqual(['error unreadable']);
    const linked = workbook(good, {
      'xl/externalLinks/externalLink1.xml': '<externalLink/>',
      'xl/externalLinks/_rels/externalLink1.xml.rels': `<Relationships><Relationship Id="r1" Type="x/externalLinkPath" Target="${url}/book.xlsx" TargetMode="External"/></Relationships>`,
    });
    const sheet = await load(linked, 'xlsx');
    expect(places(sheet.problems)).toEqual(['warning external-link']);
    expect(bodies(sheet)).toEqual([{ prompt: 'x' }]);
    expect(requests).toBe(0);
  });

  test('macros are left where they are', async () => {
    const sheet = await load(
      workbook(sheetXml([HEADER, ['a', 'lyrics', 'x']]), { 'xl/vbaProject.bin': new Uint8Array(5000) }),
      'xlsm',
    );
    expect(sheet.problems).toEqual([]);
    expect(bodies(sheet)).toEqual([{ prompt: 'x' }]);
  });

  test('rows that are hidden are named before anything is paid', async () => {
    const xml = sheetXml([HEADER, ['a', 'lyrics', 'seen'], ['b', 'lyrics', 'unseen']]);
    const hidden = xml.replace(/<row>(?!.*<row>)/s, '<row hidden="1">');
    const sheet = await load(workbook(hidden), 'xlsx');
    expect(places(sheet.problems)).toEqual(['warning hidden-rows']);
    expect(sheet.problems[0]?.message).toContain('Row 3');
    expect(sheet.rows).toHaveLength(2);
  });

  test.each([
    ['twice the same', ['2', '2']],
    ['no number', ['2', 'x']],
    ['less than nothing', ['2', '-7']],
    ['a fraction', ['2', '2.5']],
    ['without end', ['2', '1e999']],
  ])('row numbers that are wrong (%s) are refused: ids are made of them', async (_name, [first, second]) => {
    const row = (n: string | undefined) =>
      `<row r="${n}"><c r="B1" t="inlineStr"><is><t>lyrics</t></is></c><c r="C1" t="inlineStr"><is><t>x</t></is></c></row>`;
    const xml = sheetXml([HEADER]).replace('</sheetData>', `${row(first)}${row(second)}</sheetData>`);
    expect(places((await load(workbook(xml), 'xlsx')).problems)).toEqual(['error unreadable']);
  });
});

describe('a sheet that is meant to use up the memory', () => {
  const lineOf = (cell: string): string => `${HEADER.join()}\r\na,lyrics,${cell}\r\n`;

  test.each<[string, () => string | Uint8Array, string]>([
    ['a million columns', () => `operation,${'x,'.repeat(1_000_000)}y\nlyrics,a`, 'too-large'],
    ['150 million commas', () => `${HEADER.join()}\n${','.repeat(150_000_000)}`, 'too-large'],
    ['30 million lines', () => `${HEADER.join()}\n${'a\n'.repeat(30_000_000)}`, 'too-large'],
    ['a cell of 10 million quotation marks', () => lineOf(`"${'""'.repeat(5_000_000)}"`), 'quotes-broken'],
    ['a quotation mark before 20 million others', () => lineOf(`"${'""\r\n'.repeat(10_000_000)}`), 'quotes-broken'],
    ['a quotation mark before 100 MB', () => lineOf(`"${'x,y\n'.repeat(25_000_000)}`), 'quotes-broken'],
    ['220 MB of text', () => `${HEADER.join()}\n${`a,lyrics,${'x'.repeat(1000)}\n`.repeat(220_000)}`, 'too-large'],
  ])('%s: refused', async (_name, make, code) => {
    const sheet = await load(make());
    expect(sheet.problems.map((problem) => problem.code)).toEqual([code]);
    expect(sheet.rows).toEqual([]);
  });

  /** The same text, named once, in `count` cells. */
  function sharedText(text: string, count: number): Uint8Array {
    const cell = '<row><c t="inlineStr"><is><t>lyrics</t></is></c><c t="s"><v>0</v></c></row>';
    const header = sheetXml([['operation', 'prompt']]);
    const parts = workbookParts(header.replace('</sheetData>', `${cell.repeat(count)}</sheetData>`));
    const relationship = parts['xl/_rels/workbook.xml.rels'] ?? '';
    return zipParts({
      ...parts,
      'xl/_rels/workbook.xml.rels': relationship.replace(
        '</Relationships>',
        '<Relationship Id="r2" Type="x/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
      ),
      'xl/sharedStrings.xml': `<sst><si><t>${text}</t></si></sst>`,
    });
  }

  test('one text of 1 MB in 100,000 cells is refused, as 100 GB are', async () => {
    const sheet = await load(sharedText('x'.repeat(1_000_000), 100_000), 'xlsx');
    expect(sheet.problems.map((problem) => problem.code)).toEqual(['too-large']);
  });

  test('a text of 20 million character references is read or refused', async () => {
    const sheet = await load(sharedText('&amp;'.repeat(20_000_000), 1), 'xlsx');
    expect(bodies(sheet)).toEqual([{ prompt: '&'.repeat(20_000_000) }]);
    expect(places(sheet.problems)).toEqual(['warning value-long 2 r0002 prompt']);
  });

  test('a number format of a million zeros is no format', async () => {
    const styles = `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${'0'.repeat(1_000_000)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`;
    const xml = sheetXml([HEADER]).replace(
      '</sheetData>',
      `${'<row><c t="inlineStr"><is><t>a</t></is></c><c/><c s="0"><v>7</v></c></row>'.repeat(1000)}</sheetData>`,
    );
    const parts = workbookParts(xml);
    const relationship = parts['xl/_rels/workbook.xml.rels'] ?? '';
    const sheet = await load(
      zipParts({
        ...parts,
        'xl/styles.xml': styles,
        'xl/_rels/workbook.xml.rels': relationship.replace(
          '</Relationships>',
          '<Relationship Id="r2" Type="x/styles" Target="styles.xml"/></Relationships>',
        ),
      }),
      'xlsx',
    );
    expect(sheet.rows[0]?.cells['prompt']).toBe('7');
  });

  test('what makes the reader use more than its memory ends the reader, and nobody else', async () => {
    const cell = '<row><c r="XFD1" t="inlineStr"><is><t>x</t></is></c></row>';
    const xml = sheetXml([['operation', 'prompt']]).replace('</sheetData>', `${cell.repeat(50_000)}</sheetData>`);
    const reader = forkedSheetReader({ ...READER_LIMITS, memoryMb: 64 });
    const sheet = await loadSheet(sheetFile(workbook(xml), 'xlsx'), { reader });
    expect(places(sheet.problems)).toEqual(['error too-large']);
    expect(sheet.problems[0]?.message).toContain('64 MiB of memory');
    expect(bodies(await load('operation,prompt\nlyrics,after'))).toEqual([{ prompt: 'after' }]);
  });

  test('what takes longer than its time is ended', async () => {
    const file = sheetFile(`operation,prompt\n${'lyrics,x\n'.repeat(1_000_000)}`);
    expect(READER_LIMITS).toEqual({ memoryMb: 512, timeMs: 60_000 });
    const read = await forkedSheetReader({ ...READER_LIMITS, timeMs: 5 }).read(file, {});
    expect(read).toMatchObject({ ok: false, error: { code: 'too-large' } });
    expect(read.ok ? '' : read.error.message).toContain('0.005 seconds');
  });

  test('1,048,576 lines, as many as a spreadsheet holds, are read in less than 1 GB', async () => {
    const file = sheetFile('');
    const stream = createWriteStream(file);
    stream.write(`${HEADER.join()},title\n`);
    for (let start = 0; start < 1_048_575; start += 1000) {
      const count = Math.min(1000, 1_048_575 - start);
      const lines = Array.from(
        { length: count },
        (_, i) => `r${start + i},music,"a song about ${start + i}, slow and quiet",Title ${start + i}\n`,
      );
      stream.write(lines.join(''));
    }
    await new Promise<void>((resolve) => stream.end(resolve));
    const script = fileURLToPath(new URL('measure-sheet.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, file]);
    const measured = JSON.parse(stdout) as { rows: number; problems: unknown[]; maxMemoryMb: number };
    console.log(
      `1,048,576 lines, ${Math.round(statSync(file).size / MIB)} MiB: ${Math.round(measured.maxMemoryMb)} MB`,
    );
    expect(measured).toMatchObject({ rows: 1_048_575, problems: [] });
    expect(measured.maxMemoryMb).toBeLessThan(1024);
  });
});

test('750,000 lines get results beside them in the memory and the time that a file has', async () => {
  const count = 750_000;
  const lines = Array.from({ length: count }, (_, i) => `r${i},music,"a song about ${i}, slow and quiet",Title ${i}\n`);
  const file = sheetFile(`${HEADER.join()},title\n${lines.join('')}`);
  const byLine = new Map(lines.map((_, i) => [i + 2, ['done', `music/r${i}.mp3`, `T-${i}`, '']]));
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  const source = { format: 'csv', encoding: 'utf-8', delimiter: ',', bytes: statSync(file).size, sha256 } as const;
  const made = await forkedSheetReader().resultsDocument(file, {
    source,
    isForOriginal: false,
    results: { byLine, added: [] },
  });
  const end = made.ok ? Buffer.from(made.value.bytes.subarray(-80)).toString() : made.error;
  expect(end).toContain(`Title ${count - 1},done,music/r${count - 1}.mp3,T-${count - 1},`);
});

describe('texts of elsewhere', () => {
  const sheetOf = (prompt: Buffer): Buffer => Buffer.concat([Buffer.from('operation,prompt\nlyrics,'), prompt]);
  // The bytes as spreadsheet programs of those countries write them.
  const CHINESE = Buffer.from('b0b2beb2b5c4b8dbbfdaa3acc0e8c3f7d6aec7b0', 'hex');
  const JAPANESE = Buffer.from('90c382a98ac28d602c96e996be82af914f82cc89cc8145838983838f83758354', 'hex');

  test('GBK is recognised, and said to be', async () => {
    const sheet = await load(sheetOf(CHINESE));
    expect(sheet.source?.encoding).toBe('gbk');
    expect(bodies(sheet)).toEqual([{ prompt: '安静的港口，黎明之前' }]);
    expect(places(sheet.problems)).toEqual(['warning encoding-guessed']);
    expect(sheet.problems[0]?.message).toContain('GBK');
  });

  test('Shift-JIS is recognised, and said to be', async () => {
    const text = Buffer.from('82b382ad82e782cc89cc814196e982cc8d60', 'hex');
    const sheet = await load(sheetOf(text));
    expect(sheet.source?.encoding).toBe('shift_jis');
    expect(bodies(sheet)).toEqual([{ prompt: 'さくらの歌、夜の港' }]);
    expect(sheet.problems[0]?.message).toContain('Shift-JIS');
    expect((await load(sheetOf(JAPANESE))).source?.encoding).toBe('shift_jis');
  });

  test('Windows-1251 is recognised, and said to be', async () => {
    // Ночь над морем
    const sheet = await load(sheetOf(Buffer.from('cdeef7fc20ede0e420eceef0e5ec', 'hex')));
    expect(sheet.source?.encoding).toBe('windows-1251');
    expect(bodies(sheet)).toEqual([{ prompt: 'Ночь над морем' }]);
    expect(sheet.problems[0]?.message).toContain('Windows-1251');
  });

  test.each([
    'Müller fährt über die Brücke – “schön”',
    'Ça déjà vu à l’été, où est passée l’âme ?',
    'El niño mañana: ¿qué pasó? ¡Olé!',
    'São João não é coração',
    'Ærø, København, blåbærgrød',
  ])('Windows-1252 is not taken for Chinese or Japanese: %s', async (text) => {
    const special: Readonly<Record<string, number>> = { '–': 0x96, '“': 0x93, '”': 0x94, '’': 0x92 };
    const bytes = Buffer.from(Array.from(text, (character) => special[character] ?? character.charCodeAt(0)));
    const sheet = await load(sheetOf(Buffer.concat([Buffer.from('"'), bytes, Buffer.from('"')])));
    expect(sheet.source?.encoding).toBe('windows-1252');
    expect(bodies(sheet)).toEqual([{ prompt: text }]);
  });

  test('a wrong guess can be changed', async () => {
    const file = sheetFile(sheetOf(CHINESE));
    const asWestern = await loadSheet(file, { encoding: 'windows-1252' });
    expect(asWestern.source?.encoding).toBe('windows-1252');
    expect(places(asWestern.problems)).toEqual([]);
    expect(bodies(asWestern)).not.toEqual(bodies(await loadSheet(file)));
    expect(places((await loadSheet(file, { encoding: 'utf-8' })).problems)).toEqual(['error unreadable']);
  });

  test('NUL and half a character are errors of their row; the rest goes on', async () => {
    const sheet = await load('row,operation,prompt\na,lyrics,x\0y\nb,lyrics,fine\n');
    expect(places(sheet.problems)).toEqual(['error value-characters 2 a prompt']);
    const half = Buffer.from('\uFEFFrow,operation,prompt\na,lyrics,x\uD83Dy\nb,lyrics,fine\n', 'utf16le');
    expect(places((await load(half)).problems)).toEqual(['error value-characters 2 a prompt']);
  });
});

test('names of every object are names like any other, through the reader and back', async () => {
  const sheet = await load('row,operation,prompt,__proto__,constructor,toString\na,lyrics,x,one,two,three\n');
  const [row] = sheet.rows;
  expect(Object.entries(row?.cells ?? {})).toEqual([
    ['row', 'a'],
    ['operation', 'lyrics'],
    ['prompt', 'x'],
    ['__proto__', 'one'],
    ['constructor', 'two'],
    ['toString', 'three'],
  ]);
  expect('hasOwnProperty' in (row?.cells ?? {})).toBe(false);
});

test('a file that is written to while it is read is refused', async () => {
  const file = sheetFile(`operation,prompt\n${`lyrics,${'x'.repeat(1000)}\n`.repeat(100_000)}`);
  const state = { isRead: false };
  const read = readSheetFile(file).finally(() => {
    state.isRead = true;
  });
  while (!state.isRead) {
    appendFileSync(file, 'x');
    await pass(1);
  }
  const bytes = await read;
  expect(bytes).toMatchObject({ ok: false, error: { code: 'unreadable' } });
  expect(bytes.ok ? '' : bytes.error.message).toContain('changed while Nocturne was reading it');
});
