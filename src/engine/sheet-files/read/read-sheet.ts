import { createHash } from 'node:crypto';
import { quoteCell } from '../../../shared/domain/cells/cell-value.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { RawRecord, RawSheet } from '../../../shared/domain/sheet/sheet-raw.ts';
import { detectKind } from './detect-format.ts';
import { readCsv, type ReadCsvOptions } from './text/read-csv.ts';
import { isOpenDocument, readOds } from './ods/read-ods.ts';
import { readXlsx } from './xlsx/read-xlsx.ts';
import { readSheetFile } from './read-file.ts';
import { emptySheet, SheetIntake, type TableText, type TakeLine } from '../sheet-intake.ts';
import { openZip } from './zip/zip-archive.ts';

/** Nocturne detects whatever is not given. Options that do not apply to a file's format are ignored. */
export interface ReadSheetOptions extends ReadCsvOptions {
  /** Which sheet of a workbook; by default the first one that is visible and not empty. */
  readonly sheet?: string | undefined;
}

/** The limit for all parts of a workbook together, once they are unpacked. */
export const MOST_INFLATED_BYTES = 200 * 1024 * 1024;

/** Everything in a sheet except its records. */
export type SheetHead = Omit<RawSheet, 'records'>;

/**
 * Reads a sheet's file as text: CSV, TSV, XLSX or ODS, by its bytes. Runs, follows and fetches nothing in it.
 * @returns The sheet, or the one problem that refuses the whole file.
 */
export async function readSheet(path: string, options: ReadSheetOptions = {}): Promise<Result<RawSheet, SheetProblem>> {
  const records: RawRecord[] = [];
  const head = await streamSheet(path, options, (record) => records.push(record));
  return head.ok ? ok({ ...head.value, records }) : head;
}

/** The same, but hands over the records as they are read. They do not count if the file is refused. */
export async function streamSheet(
  path: string,
  options: ReadSheetOptions,
  take: (record: RawRecord) => void,
): Promise<Result<SheetHead, SheetProblem>> {
  const file = await readSheetFile(path);
  if (!file.ok) return file;
  return streamBytes(file.value, options, take);
}

/** The same for a file's bytes. */
async function streamBytes(
  bytes: Buffer,
  options: ReadSheetOptions,
  take: (record: RawRecord) => void,
): Promise<Result<SheetHead, SheetProblem>> {
  const intake = new SheetIntake(take, options.headerLine);
  const read = await readTable(bytes, options, intake.add);
  if (!read.ok) return read;
  const { problems, part: _, ...origin } = read.value;
  const { headers, headerLine, problem } = intake.end();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const source = { ...origin, ...(headerLine === 1 ? {} : { headerLine }), bytes: bytes.length, sha256 };
  if (problem === undefined) return ok({ headers, problems, source });
  // Does not skip a sheet with only a header line for another one: only its author knows which one to use.
  const others = (origin.sheets ?? []).filter((name) => name !== origin.sheet);
  if (headers.length === 0 || others.length === 0) return err(problem);
  return ok({ headers, problems: [{ ...problem, remedy: chooseAnother(others) }, ...problems], source });
}

function chooseAnother(others: readonly string[]): string {
  return `Write its rows, or choose another sheet of the workbook: ${others.map((name) => quoteCell(name)).join(', ')}.`;
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

/** A sheet of a workbook with all its lines, the header among them. */
export interface WorkbookLines {
  /** Name of its part in an XLSX archive; undefined for an ODS, whose sheets share one part. */
  readonly part: string | undefined;
  readonly lines: readonly RawRecord[];
}

/** Reads every line of a workbook's sheet; `sheet` as in {@link readXlsx}. */
export async function readWorkbookLines(
  bytes: Buffer,
  sheet: string | undefined,
): Promise<Result<WorkbookLines, SheetProblem>> {
  const lines: RawRecord[] = [];
  const read = await readWorkbook(bytes, sheet, (line) => void lines.push(line));
  return read.ok ? ok({ part: read.value.part, lines }) : read;
}
