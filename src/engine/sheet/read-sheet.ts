import { createHash } from 'node:crypto';
import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import type { RawRecord, RawSheet } from '../../shared/domain/sheet-raw.ts';
import { detectKind } from './detect-format.ts';
import { readCsv } from './read-csv.ts';
import type { ReadCsvOptions } from './read-csv.ts';
import { isOpenDocument, readOds } from './read-ods.ts';
import { readXlsx } from './read-xlsx.ts';
import { readSheetFile } from './read-file.ts';
import { emptySheet, SheetIntake } from './sheet-intake.ts';
import type { TableText, TakeLine } from './table-text.ts';
import { openZip } from './zip-archive.ts';

/** What is not said is recognised. What does not concern a file's format is passed over. */
export interface ReadSheetOptions extends ReadCsvOptions {
  /** Which sheet of a workbook; the first one that is visible where nothing is said. */
  readonly sheet?: string | undefined;
}

/** Of all parts of a workbook together, once they are unpacked. */
export const MOST_INFLATED_BYTES = 200 * 1024 * 1024;

/** All of a sheet but its records. */
export type SheetHead = Omit<RawSheet, 'records'>;

/**
 * Reads a sheet's file as text: CSV, TSV, XLSX or ODS, told apart by its bytes. Nothing in it is run, followed or fetched.
 * @returns The sheet, or the one problem that refuses the whole file.
 */
export async function readSheet(path: string, options: ReadSheetOptions = {}): Promise<Result<RawSheet, SheetProblem>> {
  const records: RawRecord[] = [];
  const head = await streamSheet(path, options, (record) => records.push(record));
  return head.ok ? ok({ ...head.value, records }) : head;
}

/** The same, with the records handed over while they are read. They count for nothing where the file is refused. */
export async function streamSheet(
  path: string,
  options: ReadSheetOptions,
  take: (record: RawRecord) => void,
): Promise<Result<SheetHead, SheetProblem>> {
  const file = await readSheetFile(path);
  if (!file.ok) return file;
  const bytes = file.value;
  const first = await readLines(bytes, options, take);
  const read = first.isEmpty ? await readNextSheet(bytes, first, take) : first;
  if (!read.head.ok) return read.head;
  const { headers, table } = read.head.value;
  const { problems, ...origin } = table;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return ok({ headers, problems, source: { ...origin, bytes: bytes.length, sha256 } });
}

interface ReadLines {
  readonly head: Result<{ readonly headers: readonly string[]; readonly table: TableText }, SheetProblem>;
  /** Nothing stands in the sheet that was read, and its author named none. */
  readonly isEmpty: boolean;
  /** The visible sheets of a workbook that come after it. */
  readonly others: readonly string[];
}

async function readLines(
  bytes: Buffer,
  options: ReadSheetOptions,
  take: (record: RawRecord) => void,
): Promise<ReadLines> {
  const intake = new SheetIntake(take);
  const table = await readTable(bytes, options, intake.add);
  if (!table.ok) return { head: table, isEmpty: false, others: [] };
  const ended = intake.end();
  const { sheet, sheets = [] } = table.value;
  const others = sheets.slice(sheets.indexOf(sheet ?? '') + 1);
  if (!('problem' in ended)) {
    return { head: ok({ headers: ended.headers, table: table.value }), isEmpty: false, others };
  }
  return { head: err(ended.problem), isEmpty: options.sheet === undefined, others };
}

/** People leave an empty sheet in front of the one that they mean: the first one with rows in it is read. */
async function readNextSheet(bytes: Buffer, empty: ReadLines, take: (record: RawRecord) => void): Promise<ReadLines> {
  for (const sheet of empty.others) {
    const next = await readLines(bytes, { sheet }, take);
    if (next.head.ok || next.head.error.code !== 'empty') return next;
  }
  return empty;
}

async function readTable(
  bytes: Buffer,
  options: ReadSheetOptions,
  take: TakeLine,
): Promise<Result<TableText, SheetProblem>> {
  if (bytes.length === 0) return err(emptySheet('The file is empty.'));
  const kind = detectKind(bytes);
  if (!kind.ok) return kind;
  return kind.value === 'zip' ? readWorkbook(bytes, options.sheet, take) : readCsv(bytes, options, take);
}

async function readWorkbook(
  bytes: Buffer,
  sheet: string | undefined,
  take: TakeLine,
): Promise<Result<TableText, SheetProblem>> {
  const zip = openZip(bytes, MOST_INFLATED_BYTES);
  if (!zip.ok) return zip;
  return isOpenDocument(zip.value) ? readOds(zip.value, sheet, take) : readXlsx(zip.value, sheet, take);
}
