import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { streamSheet, type ReadSheetOptions } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import { peekLines } from '../../../../src/engine/sheet-files/read/xlsx/xlsx-first-lines.ts';
import type { ZipArchive } from '../../../../src/engine/sheet-files/read/zip/zip-archive.ts';
import type { RawBeginning, RawRecord } from '../../../../src/shared/domain/sheet/sheet-raw.ts';
import { sheetFile } from '../../../support/sheet-files.ts';
import { sheetXml, workbookParts, zipParts } from '../../../support/workbook-parts.ts';

const ROWS = 8_000;
/** Long enough, and of texts that no compression makes small. */
const LINES = [
  ['row', 'operation', 'prompt'],
  ...Array.from({ length: ROWS }, (_, i) => [`row-${i}`, 'image', `A fox ${randomBytes(40).toString('hex')}`]),
];
const csv = (lines: readonly (readonly string[])[], delimiter = ','): string =>
  lines.map((cells) => cells.join(delimiter)).join('\n');

async function read(path: string, options: ReadSheetOptions = {}) {
  const records: RawRecord[] = [];
  const begun: { readonly beginning: RawBeginning; readonly taken: number }[] = [];
  const head = await streamSheet(path, options, {
    take: (record) => records.push(record),
    begin: (beginning) => void begun.push({ beginning, taken: records.length }),
  });
  return { head, records, begun, first: begun[0]?.beginning };
}

describe('the beginning of a large text file', () => {
  test('is its first records, told once and long before the last one is read', async () => {
    const { head, records, begun, first } = await read(sheetFile(csv(LINES)));
    expect(head.ok).toBe(true);
    expect(records).toHaveLength(ROWS);
    expect(begun).toHaveLength(1);
    expect(first).toEqual({
      headers: LINES[0],
      records: records.slice(0, 100),
      source: { format: 'csv', encoding: 'utf-8', delimiter: ',' },
      firstLines: head.ok ? head.value.firstLines : undefined,
    });
    expect(first?.firstLines).toHaveLength(20);
    expect(begun[0]?.taken).toBeLessThan(ROWS / 2);
  });

  test('is read as the whole is: encoding, delimiter, line of the header', async () => {
    const titled = [['Foxes of the forest, für später'], [], ...LINES];
    const { records, first } = await read(sheetFile(Buffer.from(csv(titled, '\t'), 'latin1')), { headerLine: 3 });
    expect(first?.source).toEqual({ format: 'tsv', encoding: 'windows-1252', delimiter: '\t', headerLine: 3 });
    expect(first?.headers).toEqual(LINES[0]);
    expect(first?.records).toEqual(records.slice(0, 100));
  });

  test('is not told of a small file, nor of one without a row so far', async () => {
    expect((await read(sheetFile(csv(LINES.slice(0, 500))))).begun).toEqual([]);
    const long = `row,operation,prompt\none,image,${'a fox '.repeat(100_000)}\n`;
    expect((await read(sheetFile(long))).begun).toEqual([]);
  });

  test('was nothing if the file is refused further down', async () => {
    const { head, begun } = await read(sheetFile(`${csv(LINES)}\nlast,image,"never closed`));
    expect(begun).toHaveLength(1);
    expect(head).toMatchObject({ ok: false, error: { code: 'quotes-broken' } });
  });
});

/** A workbook whose texts are stored apart, in this order. */
function withStrings(lines: readonly (readonly string[])[], order: (texts: string[]) => string[]): Uint8Array {
  const texts = order([...new Set(lines.flat())]);
  const numbers = new Map(texts.map((text, index) => [text, index]));
  const cells = (line: readonly string[]): string =>
    line.map((text) => `<c t="s"><v>${numbers.get(text)}</v></c>`).join('');
  const rows = lines.map((line, index) => `<row r="${index + 1}">${cells(line)}</row>`).join('');
  const parts = workbookParts(`<worksheet><sheetData>${rows}</sheetData></worksheet>`);
  const relationships = 'xl/_rels/workbook.xml.rels';
  const strings = '<Relationship Id="t" Type="http://x/sharedStrings" Target="strings.xml"/></Relationships>';
  return zipParts({
    ...parts,
    [relationships]: (parts[relationships] ?? '').replace('</Relationships>', strings),
    'xl/strings.xml': `<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
  });
}

describe('the beginning of a large workbook', () => {
  test.each([
    ['with its texts in the cells', () => zipParts(workbookParts(sheetXml(LINES)))],
    ['with its texts apart', () => withStrings(LINES, (texts) => texts)],
    ['with the first texts last', () => withStrings(LINES, (texts) => texts.toReversed())],
  ])('%s is its first records', async (_what, bytes) => {
    const { head, records, begun, first } = await read(sheetFile(bytes(), 'xlsx'));
    expect(head.ok).toBe(true);
    expect(records).toHaveLength(ROWS);
    expect(begun).toMatchObject([{ taken: 0 }]);
    expect(first?.headers).toEqual(LINES[0]);
    expect(first?.records).toEqual(records.slice(0, 100));
    expect(first?.source).toEqual({ format: 'xlsx', sheet: 'One', sheets: ['One'] });
  });

  test('with rows in another order comes with the rest', async () => {
    const [header = '', ...rows] = sheetXml(LINES).match(/<row>.*?<\/row>/gu) ?? [];
    const numbered = rows.map((row, index) => row.replace('<row>', `<row r="${ROWS + 1 - index}">`));
    const xml = `<worksheet><sheetData>${header.replace('<row>', '<row r="1">')}${numbered.join('')}</sheetData></worksheet>`;
    const { head, records, begun } = await read(sheetFile(zipParts(workbookParts(xml)), 'xlsx'));
    expect(head.ok).toBe(true);
    expect(records[0]?.cells[0]).toBe(`row-${ROWS - 1}`);
    expect(begun).toEqual([]);
  });

  test('that refers to texts that are not in it is refused as a whole', async () => {
    const bytes = withStrings(LINES, (texts) => texts.slice(0, 20));
    const { head, begun } = await read(sheetFile(bytes, 'xlsx'));
    expect(begun).toEqual([]);
    expect(head).toMatchObject({ ok: false, error: { code: 'unreadable' } });
  });
});

describe('the first lines of a sheet', () => {
  const KNOWN = { sheets: [], epoch1904: false, formats: [] };
  const row = (line: number, text: number): string => `<row r="${line}"><c t="s"><v>${text}</v></c></row>`;

  function archiveOf(xml: string): ZipArchive {
    return {
      names: new Set(),
      written: [],
      read: () => ({ ok: true, value: undefined }),
      pour: async (_name, take) => ({ ok: true, value: take(Buffer.from(xml)) ? 'whole' : 'stopped' }),
    };
  }

  test('wait for as many texts as they need, and no longer', async () => {
    const told: (readonly RawRecord[])[] = [];
    const zip = archiveOf(`<worksheet><sheetData>${row(1, 2)}${row(2, 0)}<row r="3"><c`);
    const onStrings = await peekLines(zip, 'part', KNOWN, (lines) => void told.push(lines));
    const texts = ['a fox'];
    onStrings?.(texts);
    texts.push('a heron');
    onStrings?.(texts);
    expect(told).toEqual([]);
    texts.push('prompt');
    onStrings?.(texts);
    onStrings?.([...texts, 'a moth']);
    const lines = [
      { line: 1, cells: ['prompt'] },
      { line: 2, cells: ['a fox'] },
    ];
    expect(told).toEqual([lines]);
  });

  test('are not looked for in a sheet that ends there, or is not there', async () => {
    const fail = (): void => expect.unreachable();
    const short = archiveOf(`<worksheet><sheetData>${row(1, 0)}</sheetData></worksheet>`);
    expect(await peekLines(short, 'part', KNOWN, fail)).toBeUndefined();
    const missing: ZipArchive = { ...short, pour: async () => ({ ok: true, value: 'missing' }) };
    expect(await peekLines(missing, 'part', KNOWN, fail)).toBeUndefined();
  });
});
