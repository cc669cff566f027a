import { createHash } from 'node:crypto';
import { quoteCell } from '../../../shared/domain/cells/cell-value.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { RawBeginning, RawRecord, RawSheet, SheetOrigin } from '../../../shared/domain/sheet/sheet-raw.ts';
import { domainWords } from '../../../shared/words/domain-words.ts';
import { detectKind } from './detect-format.ts';
import { readCsv, type ReadCsvOptions } from './text/read-csv.ts';
import { readSheetFile } from './read-file.ts';
import { emptySheet, SheetIntake, type TableText, type TakeFirstLines, type TakeLine } from '../sheet-intake.ts';

/** Nocturne detects whatever is not given. Options that do not apply to a file's format are ignored. */
export interface ReadSheetOptions extends ReadCsvOptions {
  /** Which sheet of a workbook; by default the first one that is visible and not empty. */
  readonly sheet?: string | undefined;
}

/** A smaller file is read to its end before its beginning could be shown. */
const SMALLEST_WITH_BEGINNING_BYTES = 256 * 1024;
/** More than a preview shows, and enough to see what the columns contain. */
const FIRST_RECORDS = 100;

/** Everything in a sheet except its records. */
export type SheetHead = Omit<RawSheet, 'records'>;

/**
 * Reads a sheet's file as text: CSV, TSV, XLSX or ODS, judged by its bytes. Runs, follows and fetches nothing in it.
 * @returns The sheet, or the one problem that refuses the whole file.
 */
export async function readSheet(path: string, options: ReadSheetOptions = {}): Promise<Result<RawSheet, SheetProblem>> {
  const records: RawRecord[] = [];
  const head = await streamSheet(path, options, { take: (record) => records.push(record) });
  return head.ok ? ok({ ...head.value, records }) : head;
}

/** What is reported about a sheet while it is being read. None of it counts if the file is refused. */
export interface SheetListener {
  readonly take: (record: RawRecord) => void;
  /** Called at most once, with the first records, before most of a large file is read. `take` gets them as well. */
  readonly begin?: (beginning: RawBeginning) => void;
}

/** The same, but hands over the records as they are read. */
export async function streamSheet(
  path: string,
  options: ReadSheetOptions,
  listener: SheetListener,
): Promise<Result<SheetHead, SheetProblem>> {
  const file = await readSheetFile(path);
  if (!file.ok) return file;
  return streamBytes(file.value, options, listener);
}

/** The same for a file's bytes. */
async function streamBytes(
  bytes: Buffer,
  options: ReadSheetOptions,
  { take, begin }: SheetListener,
): Promise<Result<SheetHead, SheetProblem>> {
  const intake = new SheetIntake(take, options.headerLine);
  const takeFirst = bytes.length < SMALLEST_WITH_BEGINNING_BYTES ? undefined : begin && beginningIntake(begin, options);
  const read = await readTable(bytes, options, intake.add, takeFirst);
  if (!read.ok) return read;
  const { problems, part: _, ...origin } = read.value;
  const { headers, headerLine, above, problem } = intake.end();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const source = { ...origin, ...headerLineOf(headerLine), bytes: bytes.length, sha256 };
  const { firstLines } = intake;
  if (problem === undefined)
    return ok({ headers, problems: above === undefined ? problems : [above, ...problems], source, firstLines });
  // A sheet with only a header line is not skipped for another one: only the author knows which one to use.
  const others = (origin.sheets ?? []).filter((name) => name !== origin.sheet);
  if (headers.length === 0 || others.length === 0) return err(problem);
  return ok({ headers, problems: [{ ...problem, remedy: chooseAnother(others) }, ...problems], source, firstLines });
}

/** Makes a beginning of the first lines; none if they are refused or contain no record yet. */
function beginningIntake(begin: (beginning: RawBeginning) => void, { headerLine }: ReadSheetOptions): TakeFirstLines {
  return (origin, lines) => {
    const records: RawRecord[] = [];
    const intake = new SheetIntake((record) => records.push(record), headerLine);
    for (const line of lines) {
      if (intake.add(line) !== undefined) return;
      if (records.length === FIRST_RECORDS) break;
    }
    const { headers, headerLine: found, problem } = intake.end();
    const source = { ...origin, ...headerLineOf(found) };
    if (problem === undefined) begin({ headers, records, source, firstLines: intake.firstLines });
  };
}

function headerLineOf(headerLine: number): Pick<SheetOrigin, 'headerLine'> {
  return headerLine === 1 ? {} : { headerLine };
}

function chooseAnother(others: readonly string[]): string {
  return domainWords.problems.file.empty.chooseAnother(others.map((name) => quoteCell(name)));
}

async function readTable(
  bytes: Buffer,
  options: ReadSheetOptions,
  take: TakeLine,
  takeFirst: TakeFirstLines | undefined,
): Promise<Result<TableText, SheetProblem>> {
  if (bytes.length === 0) return err(emptySheet(domainWords.problems.file.empty.file));
  const kind = detectKind(bytes);
  if (!kind.ok) return kind;
  if (kind.value !== 'zip') return readCsv(bytes, options, take, takeFirst);
  // For a text, it would take longer to load than the text takes to read.
  const { readWorkbookSheet } = await import('./workbook/read-workbook.ts');
  return readWorkbookSheet(bytes, options.sheet, take, takeFirst);
}
