import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { readSheet } from '../../../src/engine/sheet-files/read/read-sheet.ts';
import { resultsDocument } from '../../../src/engine/sheet-files/results/results-document.ts';
import type { SheetReader } from '../../../src/engine/sheet-files/reader-process/sheet-reader.ts';
import { writeResults } from '../../../src/engine/sheet-files/results/write-results.ts';
import type { SeededRandom } from '../../../src/gateway-sim/random.ts';
import { escapeText } from '../../../src/shared/domain/cells/cell-tokens.ts';
import { checkSheet } from '../../../src/shared/domain/sheet/check-sheet.ts';
import { renderStem } from '../../../src/shared/domain/files/naming.ts';
import { RESULT_COLUMNS, isResultColumn } from '../../../src/shared/domain/base/result-columns.ts';
import type { RawSheet } from '../../../src/shared/domain/sheet/sheet-raw.ts';
import { mutateText, oddText } from '../mutate-text.ts';
import type { FuzzTarget } from '../target.ts';
import { assertProblem, mutateWorkbook, workbooks } from './workbooks.ts';

const WORDS = [
  '{',
  '}',
  '{{',
  '}}',
  '|',
  '__',
  '\\',
  'a',
  'row',
  'mood',
  '.',
  'taskId',
  'result',
  'output',
  '1',
  ' ',
  ',',
];
const HEADERS = [
  'row operation prompt title tags takes filename seed skip mood images duration controls.style_weight'.split(' '),
  'ID TYPE Prompt__text prompt constructor __proto__ toString range.start_s range.end_s'.split(' '),
  ['', 'prompt', 'prompt', '\u{feff}row', 'operation ', 'Operation', 'status', 'files'],
];

function cellOf(random: SeededRandom): string {
  switch (random.below(5)) {
    case 0:
      return oddText(random);
    case 1:
      return mutateText(
        random.pick(['{{a.result.musicUrl}} {mood} {x|y|{z}} __animals__ \\{', '["a","b|c"]', '{red|green}']),
        random,
      );
    case 2:
      return random.pick(['music', 'lyrics', 'video-a', 'image', 'a', 'b', '2', '-1', '1e9', 'yes', '']);
    default:
      return Array.from({ length: random.below(20) }, () => random.pick(WORDS)).join('');
  }
}

interface SheetInput {
  readonly lines: readonly (readonly string[])[];
  readonly choices: 'draw' | 'expand';
}

function rawSheet([headers = [], ...lines]: SheetInput['lines']): RawSheet {
  return {
    headers,
    records: lines.map((cells, index) => ({ line: index + 2, cells })),
    problems: [],
    source: { format: 'csv', encoding: 'utf-8', delimiter: ',', bytes: 0, sha256: '' },
  };
}

/** Sheets as people could write them: rows and problems that can be told, whatever is in their cells. */
const CELLS_TARGET: FuzzTarget = {
  name: 'cells',
  extension: 'json',
  seededCases: 200,
  makeInput(random) {
    const headers = random.below(4) === 0 ? [...random.pick(HEADERS), cellOf(random)] : random.pick(HEADERS);
    const rows = Array.from({ length: 1 + random.below(6) }, () => headers.map(() => cellOf(random)));
    return Buffer.from(JSON.stringify({ lines: [headers, ...rows], choices: random.pick(['draw', 'expand']) }));
  },
  check(input) {
    const { lines, choices } = JSON.parse(Buffer.from(input).toString()) as SheetInput;
    const lists = { animals: ['cat', 'dog', '{a|b}', ''] };
    const sheet = checkSheet(rawSheet(lines), {
      choices,
      lists,
      variables: { mood: '{mood}' },
      defaultOperation: 'musicgen/music/lyrics',
    });
    for (const problem of sheet.problems) assertProblem(problem);
    const ids = new Set(sheet.rows.map(({ id }) => id.toLowerCase()));
    assert.equal(ids.size, new Set(sheet.rows.map(({ id }) => id)).size);
    for (const { body } of sheet.rows) assert.deepEqual(JSON.parse(JSON.stringify(body)), body);
  },
};

/** A text that is escaped is sent as it is. */
const ESCAPE_TARGET: FuzzTarget = {
  name: 'cell-escape',
  extension: 'txt',
  seededCases: 200,
  makeInput(random) {
    const unit = fc.constantFrom('{', '}', '|', '_', '__', '\\', 'a', ' ', '\n', '"', 'é', '{{', '}}', '{a}', '__x__');
    const drawn = fc.sample(fc.string({ unit, minLength: 1, maxLength: 30 }), {
      seed: random.below(0x7fffffff),
      numRuns: 1,
    });
    return Buffer.from(drawn[0] ?? '');
  },
  check(input) {
    const text = Buffer.from(input).toString();
    if (text.trim() === '' || text === '""') return;
    const options = { lists: { x: ['item'] }, variables: { a: 'b' } };
    const sheet = checkSheet(
      rawSheet([
        ['operation', 'prompt'],
        ['lyrics', escapeText(text)],
      ]),
      options,
    );
    assert.equal(sheet.rows[0]?.body['prompt'], text);
  },
};

/** Names of files: valid on every system, whatever the sheet and the gateway say. */
const NAME_TARGET: FuzzTarget = {
  name: 'names',
  extension: 'json',
  seededCases: 250,
  makeInput(random) {
    const template =
      random.below(3) === 0 ? oddText(random) : mutateText('{row}-{slug}-{take}/{taskCode}.{model}', random);
    return Buffer.from(JSON.stringify([template, cellOf(random), oddText(random), oddText(random)]));
  },
  check(input) {
    const [template = '', row = '', prompt = '', taskCode = ''] = JSON.parse(Buffer.from(input).toString()) as string[];
    const stem = renderStem(template, {
      row,
      batch: prompt,
      operation: 'musicgen/music/generate',
      take: 1,
      takes: 2,
      index: 1,
      outputs: 2,
      version: 2,
      date: '2026-01-01',
      taskCode,
      model: taskCode,
      cells: { prompt, title: row },
    });
    assert.ok(stem !== '' && Buffer.byteLength(stem) <= 200 && stem.length <= 120, `${stem.length} characters`);
    assert.ok(!/[<>:"/\\|?*\p{Cc}\p{Cs}]|^[.\s-]|[.\s]$/u.test(stem), JSON.stringify(stem));
    assert.ok(!/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu.test(stem), stem);
  },
};

const XLSX = workbooks('xlsx');
const CSV = ['corpus/google-sheets.csv', 'corpus/libreoffice-utf8.csv', 'corpus/libreoffice-utf16.tsv'].map((name) =>
  readFileSync(new URL(`../../fixtures/sheets/${name}`, import.meta.url)),
);

/** Within the process that is watched: what runs wild in a thread of its own would not be seen. */
const HERE: SheetReader = { read: readSheet, resultsDocument };

/** Results as columns: the copy has every cell of the original, and the results beside them. */
async function checkResults(input: Uint8Array, extension: string, scratch: string): Promise<void> {
  const original = join(scratch, `sheet.${extension}`);
  writeFileSync(original, input);
  const read = await readSheet(original);
  if (!read.ok) return;
  const { headers, records, source } = read.value;
  assert.equal(source.sha256, createHash('sha256').update(input).digest('hex'));
  const byLine = new Map(records.map(({ line }) => [line, ['done', `a & <${line}>`, '=1', '']]));
  const file = join(scratch, `results.${source.format === 'clipboard' ? 'csv' : source.format}`);
  rmSync(file, { force: true });
  const written = await writeResults({ original, source, into: { kind: 'file', file } }, { byLine, added: [] }, HERE);
  if (!written.ok) {
    assert.ok(written.error !== '');
    return;
  }
  const again = await readSheet(file, source.sheet === undefined ? {} : { sheet: source.sheet });
  assert.ok(again.ok, again.ok ? '' : `the copy cannot be read: ${again.error.message}`);
  const kept = headers.map((header, column) => ({ header, column })).filter(({ header }) => !isResultColumn(header));
  for (const { header, column } of kept) assert.equal(again.value.headers[column], header);
  const places = RESULT_COLUMNS.map((name) => again.value.headers.findIndex((header) => header.trim() === name));
  assert.ok(
    places.every((place) => place >= 0),
    'a result has no column',
  );
  const lines = new Map(again.value.records.map(({ line, cells }) => [line, cells]));
  for (const { line, cells } of records) {
    const own = lines.get(line) ?? [];
    for (const { column } of kept)
      assert.equal(own[column] ?? '', cells[column] ?? '', `line ${line}, column ${column}`);
    assert.equal(own[places[1] ?? 0], `a & <${line}>`);
  }
}

const RESULTS_XLSX_TARGET: FuzzTarget = {
  name: 'results-xlsx',
  extension: 'xlsx',
  seededCases: 60,
  makeInput: (random) => mutateWorkbook(XLSX, random),
  check: (input, scratch) => checkResults(input, 'xlsx', scratch),
};

const RESULTS_CSV_TARGET: FuzzTarget = {
  name: 'results-csv',
  extension: 'csv',
  seededCases: 150,
  makeInput(random) {
    const bytes = random.pick(CSV);
    const isWide = bytes[0] === 0xff;
    const text = mutateText(bytes.toString(isWide ? 'utf16le' : 'utf8'), random);
    return Buffer.from(text, isWide ? 'utf16le' : 'utf8');
  },
  check: (input, scratch) => checkResults(input, 'csv', scratch),
};

/** What is made of sheets once they are read. */
export const SHEET_TARGETS: readonly FuzzTarget[] = [
  CELLS_TARGET,
  ESCAPE_TARGET,
  NAME_TARGET,
  RESULTS_XLSX_TARGET,
  RESULTS_CSV_TARGET,
];
