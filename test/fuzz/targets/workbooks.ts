import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { readSheet } from '../../../src/engine/sheet-files/read/read-sheet.ts';
import { openZip } from '../../../src/engine/sheet-files/read/zip/zip-archive.ts';
import type { SeededRandom } from '../../../src/gateway-sim/random.ts';
import { checkSheet } from '../../../src/shared/domain/sheet/check-sheet.ts';
import { SHEET_PROBLEM_CODES, type SheetProblem } from '../../../src/shared/domain/sheet/problems.ts';
import type { RawSheet } from '../../../src/shared/domain/sheet/sheet-raw.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { mutateText, textBytes } from '../mutate-text.ts';
import type { FuzzTarget } from '../target.ts';

/** A ZIP holds the hour: a fixed one, so that the same numbers give the same bytes. */
const MADE_AT = new Date(2026, 0, 15);

const FOLDER = new URL('../../fixtures/sheets/', import.meta.url);
const XLSX = [
  'libreoffice.xlsx',
  'openpyxl.xlsx',
  'xlsxwriter.xlsx',
  'xlsxwriter-inline-1904.xlsx',
  'zip64.xlsx',
  'corpus/exceljs.xlsx',
  'corpus/google-sheets.xlsx',
  'corpus/xlsxwriter-inline.xlsx',
];
const ODS = ['opendocument.ods', 'corpus/libreoffice.ods'];
const MOST_INFLATED_BYTES = 16 << 20;

interface Workbook {
  readonly bytes: Buffer;
  readonly parts: Readonly<Record<string, Uint8Array>>;
}

/** Workbooks of the fixtures, each with its parts. */
export function workbooks(kind: 'xlsx' | 'ods'): readonly Workbook[] {
  return (kind === 'xlsx' ? XLSX : ODS).map((name) => {
    const bytes = readFileSync(new URL(name, FOLDER));
    return { bytes, parts: unzipSync(bytes) };
  });
}

/** A workbook that is damaged: as an archive, in the text of one or two of its parts, or in which parts it has. */
export function mutateWorkbook(all: readonly Workbook[], random: SeededRandom): Uint8Array {
  const { bytes, parts } = random.pick(all);
  if (random.below(6) === 0) return mutateBytes(bytes, random, [random.pick(all).bytes]);
  const changed: Record<string, Uint8Array> = { ...parts };
  const isRead = (name: string): boolean =>
    /\.(?:xml|rels)$/u.test(name) && !/docProps|theme|meta|setting/iu.test(name);
  for (let left = 1 + random.below(2); left > 0; left -= 1) {
    const name = random.pick(Object.keys(changed).filter(isRead));
    const part = changed[name] ?? new Uint8Array();
    switch (random.below(12)) {
      case 0:
        delete changed[name];
        break;
      case 1:
        changed[random.pick(Object.keys(parts).filter(isRead))] = part;
        break;
      case 2:
        changed[random.pick([name.toUpperCase(), `/${name}`, `../${name}`, name.replaceAll('/', '\\')])] = part;
        break;
      case 3:
        changed[name] = mutateBytes(Buffer.from(part), random);
        break;
      default:
        changed[name] = textBytes(mutateText(strFromU8(part), random), random);
    }
    if (!Object.keys(changed).some(isRead)) break;
  }
  return zipSync(changed, { level: 1, mtime: MADE_AT });
}

/** What holds for everything that a reader of sheets gives. */
export function assertSheet(sheet: RawSheet): void {
  let last = 0;
  for (const { line, cells } of sheet.records) {
    assert.ok(Number.isInteger(line) && line > last, `line ${line} comes after line ${last}`);
    assert.ok(cells.every((cell) => typeof cell === 'string'));
    assert.ok(cells.length <= 513, `line ${line} has ${cells.length} cells`);
    last = line;
  }
  assert.ok(sheet.headers.length > 0 && sheet.headers.length <= 512);
  // Only a sheet with nothing but its header has no rows, and says so.
  assert.ok(sheet.records.length > 0 || sheet.problems.some(({ code }) => code === 'empty'));
  for (const problem of sheet.problems) assertProblem(problem);
}

/** A problem that people can be told. */
export function assertProblem({ code, message, remedy }: SheetProblem): void {
  assert.ok(SHEET_PROBLEM_CODES.includes(code), `there is no code ${code}`);
  for (const words of [message, remedy]) {
    assert.ok(words !== '' && !/undefined|NaN|\[object/u.test(words.replaceAll(/“[^”]*”|"[^"]*"/gu, '')), words);
  }
}

function workbookTarget(kind: 'xlsx' | 'ods'): FuzzTarget {
  const all = workbooks(kind);
  return {
    name: kind,
    extension: kind,
    seededCases: 100,
    makeInput: (random) => mutateWorkbook(all, random),
    async check(input, scratch) {
      const path = join(scratch, `sheet.${kind}`);
      writeFileSync(path, input);
      const read = await readSheet(path);
      if (!read.ok) {
        assertProblem(read.error);
        return;
      }
      assertSheet(read.value);
      for (const problem of checkSheet(read.value).problems) assertProblem(problem);
    },
  };
}

const ARCHIVES = [...workbooks('xlsx'), ...workbooks('ods')].map(({ bytes }) => bytes);

/** Archives: an entry that is read at once is what is poured, and no more is unpacked than is allowed. */
const ZIP_TARGET: FuzzTarget = {
  name: 'zip',
  extension: 'zip',
  seededCases: 100,
  makeInput(random) {
    if (random.below(8) > 0) return mutateBytes(random.pick(ARCHIVES), random, ARCHIVES);
    const text = 'x'.repeat(random.pick([0, 1, 100_000, 20_000_000]));
    const many = Array.from(
      { length: random.pick([1, 30, 3000]) },
      (_, at) => [`part-${at}`, strToU8(`${at}`)] as const,
    );
    return zipSync({ ...Object.fromEntries(many), 'large.xml': strToU8(text) }, { mtime: MADE_AT });
  },
  async check(input) {
    const bytes = Buffer.from(input);
    const [first, second] = [openZip(bytes, MOST_INFLATED_BYTES), openZip(bytes, MOST_INFLATED_BYTES)];
    assert.equal(first.ok, second.ok);
    if (!first.ok || !second.ok) return;
    let inflated = 0;
    for (const name of [...first.value.names].slice(0, 50)) {
      const read = first.value.read(name);
      const pieces: Buffer[] = [];
      const poured: { readonly ok: boolean } = await second.value.pour(
        name,
        (piece) => pieces.push(Buffer.from(piece)) > 0,
      );
      assert.equal(poured.ok, read.ok, `${name} can be read in one way only`);
      if (!read.ok) continue;
      assert.ok(read.value?.equals(Buffer.concat(pieces)), `${name} is not what is poured`);
      inflated += read.value?.length ?? 0;
    }
    assert.ok(inflated <= MOST_INFLATED_BYTES, `${inflated} bytes were unpacked`);
  },
};

/** XLSX, ODS and the archives that they are: a sheet, or one problem that says why there is none. */
export const WORKBOOK_TARGETS: readonly FuzzTarget[] = [workbookTarget('xlsx'), workbookTarget('ods'), ZIP_TARGET];
