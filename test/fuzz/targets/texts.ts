import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { readClipboardTable } from '../../../src/engine/sheet-files/clipboard/read-clipboard.ts';
import { readCsv } from '../../../src/engine/sheet-files/read/text/read-csv.ts';
import { writeClipboardTable } from '../../../src/engine/sheet-files/clipboard/write-clipboard.ts';
import type { SeededRandom } from '../../../src/gateway-sim/random.ts';
import { csvLine } from '../../../src/shared/domain/base/csv-text.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { mutateText, oddText, textBytes } from '../mutate-text.ts';
import type { FuzzTarget } from '../target.ts';
import { assertProblem } from './workbooks.ts';
import { CHARACTER } from '../../support/any-text.ts';

const FOLDER = new URL('../../fixtures/sheets/', import.meta.url);
const CSV = [
  'corpus/google-sheets.csv',
  'corpus/libreoffice-gbk.csv',
  'corpus/libreoffice-shiftjis.csv',
  'corpus/libreoffice-utf16.tsv',
  'corpus/libreoffice-utf8.csv',
  'corpus/libreoffice-windows1252.csv',
  'libreoffice-utf16.csv',
].map((name) => readFileSync(new URL(name, FOLDER)));

/** Whatever the bytes are, they are lines of cells, or a problem says why not. */
const CSV_TARGET: FuzzTarget = {
  name: 'csv',
  extension: 'csv',
  seededCases: 150,
  makeInput(random) {
    const bytes = random.pick(CSV);
    if (random.below(3) === 0) return mutateBytes(bytes, random, CSV);
    const text = mutateText(bytes.toString(bytes[0] === 0xff ? 'utf16le' : 'utf8'), random);
    return random.below(5) === 0 ? Buffer.from(text, 'utf16le') : textBytes(text, random);
  },
  check(input) {
    const lines: (readonly string[])[] = [];
    const read = readCsv(Buffer.from(input), {}, ({ line, cells }) => {
      assert.equal(line, lines.push(cells));
      return undefined;
    });
    if (!read.ok) assertProblem(read.error);
    else for (const problem of read.value.problems) assertProblem(problem);
  },
};

/** Text of cells as people and programs write it, with everything that has a meaning in a table. */
const cellArbitrary = fc.oneof(
  fc.string({ unit: CHARACTER, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('"', ',', ';', '\t', '\n', '\r', ' ', 'a', 'é', '=', "'", '|', '\u00a0'),
    maxLength: 8,
  }),
  fc.constantFrom('', ' ', '"', '""', '=1+1', '-5', '+x', '@a', "'", 'true', '1e5', '007', '\u{feff}', '\u{1f3b5}'),
);
const tableArbitrary = fc
  .integer({ min: 1, max: 6 })
  .chain((columns) =>
    fc.array(fc.array(cellArbitrary, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 8 }),
  );

/** Halves of characters, which no text in UTF-8 can hold, become U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function drawTable(random: SeededRandom): readonly (readonly string[])[] {
  return fc.sample(tableArbitrary, { seed: random.below(0x7fffffff), numRuns: 1 })[0] ?? [];
}

interface WrittenTable {
  readonly table: readonly (readonly string[])[];
  readonly delimiter: string;
  readonly text: string;
}

/** A sound table, with quotes where they must be and where they may be, and line ends of every kind. */
function writeTable(random: SeededRandom): WrittenTable {
  const table = drawTable(random).map((cells) => cells.map((cell) => wellFormed(cell).replaceAll('\0', ' ')));
  const delimiter = random.pick([',', ';', '\t', '|']);
  const lineEnd = random.pick(['\n', '\r\n', '\r']);
  const written = table.map((cells) =>
    cells
      .map((cell) => {
        const mustQuote = cell.includes('"') || cell.includes(delimiter) || /[\r\n]/u.test(cell);
        return mustQuote || random.below(3) === 0 ? `"${cell.replaceAll('"', '""')}"` : cell;
      })
      .join(delimiter),
  );
  // A line without anything would be none; a mark at the beginning and a first line like “sep=;” mean something else.
  return { table: [['a', 'b'], ...table], delimiter, text: [`a${delimiter}b`, ...written].join(lineEnd) + lineEnd };
}

/** Sound tables: read as they were written, and as another parser reads them. */
const CSV_TABLE_TARGET: FuzzTarget = {
  name: 'csv-table',
  extension: 'json',
  seededCases: 200,
  makeInput: (random) => Buffer.from(JSON.stringify(writeTable(random))),
  check(input) {
    const { table, delimiter, text } = JSON.parse(Buffer.from(input).toString()) as WrittenTable;
    const expected = table.filter((cells) => cells.some((cell) => cell.trim() !== ''));
    const lines: (readonly string[])[] = [];
    const read = readCsv(Buffer.from(text), { delimiter, encoding: 'utf-8' }, ({ cells }) => {
      lines.push(cells);
      return undefined;
    });
    assert.ok(read.ok, read.ok ? '' : read.error.message);
    const filled = lines.filter((cells) => cells.some((cell) => cell.trim() !== ''));
    assert.deepEqual(filled, expected);
    const lineEnds = ['\r\n', '\n', '\r'];
    const other = parse(text, { delimiter, relax_column_count: true, record_delimiter: lineEnds });
    assert.deepEqual(
      filled,
      other.filter((cells) => cells.some((cell) => cell.trim() !== '')),
    );
  },
};

/** What is written as CSV is read again, but for the apostrophe that keeps a spreadsheet from running a cell. */
const CSV_WRITE_TARGET: FuzzTarget = {
  name: 'csv-write',
  extension: 'json',
  seededCases: 150,
  makeInput: (random) => Buffer.from(JSON.stringify([['a', 'b'], ...drawTable(random)])),
  check(input) {
    const table = (JSON.parse(Buffer.from(input).toString()) as string[][]).map((cells) =>
      cells.map((cell) => wellFormed(cell)),
    );
    const lines: (readonly string[])[] = [];
    const read = readCsv(Buffer.from(table.map(csvLine).join('')), { delimiter: ',' }, ({ cells }) => {
      lines.push(cells);
      return undefined;
    });
    assert.ok(read.ok, read.ok ? '' : read.error.message);
    const bare = (cells: readonly string[]): readonly string[] => cells.map((cell) => cell.replaceAll("'", ''));
    assert.deepEqual(lines.map(bare), table.map(bare));
    for (const cell of lines.flat()) assert.ok(!/^[=+\-@\t\r]/u.test(cell) || Number.isFinite(Number(cell)), cell);
  },
};

const HTML = [
  writeClipboardTable([
    ['row', 'prompt', 'n'],
    ['a', 'a  b\nc', '5'],
    ['b', '=1 & <b>"x"', ''],
  ]).html,
  '<html><body><!--StartFragment--><table border=0 style="mso-x:y"><colgroup><col width=64></colgroup><tr height=20><td rowspan=2>a</td><td colspan=3>b<br>c</td></tr><tr><td>d</td></tr><tr style="display:none"><td></td></tr></table><!--EndFragment--></body></html>',
  '<google-sheets-html-origin><table><tbody><tr><td data-sheets-value=\'{"1":2,"2":"x  y"}\'>x y</td><td><span style="mso-spacerun:yes">&nbsp;&nbsp;</span>z<p>q</p><pre>1\n2</pre></td></tr></tbody></table>',
];

/** HTML and text in the clipboard: lines of one length, whatever they are. */
const CLIPBOARD_TARGET: FuzzTarget = {
  name: 'clipboard',
  extension: 'txt',
  seededCases: 150,
  makeInput(random) {
    const html = mutateText(random.pick(HTML), random);
    const text = random.below(2) === 0 ? oddText(random) : mutateText('a\t"b ""c""\nd"\te\nf\t\tg\n', random);
    return Buffer.from(`${html}\u0001${text}`);
  },
  check(input) {
    const [html = '', text = ''] = Buffer.from(input).toString().split('\u0001');
    for (const clipboard of [
      { html, text },
      { html: '', text },
      { html, text: '' },
    ]) {
      const table = readClipboardTable(clipboard);
      assert.ok(table.every((cells) => cells.length === table[0]?.length));
      assert.ok(table.every((cells) => cells.every((cell) => typeof cell === 'string')));
    }
  },
};

/** Cells that are copied are the same when they are pasted, by either way. */
const CLIPBOARD_TABLE_TARGET: FuzzTarget = {
  name: 'clipboard-table',
  extension: 'json',
  seededCases: 150,
  makeInput: (random) => Buffer.from(JSON.stringify([...drawTable(random), ...drawTable(random)].slice(0, 9))),
  check(input) {
    const drawn = JSON.parse(Buffer.from(input).toString()) as string[][];
    const width = Math.max(2, ...drawn.map((cells) => cells.length));
    const table = drawn.map((cells) =>
      Array.from({ length: width }, (_, at) =>
        wellFormed(cells[at] ?? '')
          .replaceAll(/\r\n?/gu, '\n')
          .replaceAll('\0', ''),
      ),
    );
    const { html, text } = writeClipboardTable(table);
    assert.deepEqual(readClipboardTable({ html, text }), table, 'by HTML');
    assert.deepEqual(readClipboardTable({ html: '', text }), table, 'by text');
  },
};

/** Texts that are tables. */
export const TEXT_TARGETS: readonly FuzzTarget[] = [
  CSV_TARGET,
  CSV_TABLE_TARGET,
  CSV_WRITE_TARGET,
  CLIPBOARD_TARGET,
  CLIPBOARD_TABLE_TARGET,
];
