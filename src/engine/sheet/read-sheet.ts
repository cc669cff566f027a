import { createHash } from 'node:crypto';
import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import { isBlank } from '../../shared/domain/sheet-raw.ts';
import type { RawSheet } from '../../shared/domain/sheet-raw.ts';
import { detectKind } from './detect-format.ts';
import { readCsv } from './read-csv.ts';
import { readXlsx } from './read-xlsx.ts';
import { readSheetFile } from './read-file.ts';
import type { TableText } from './table-text.ts';

export interface ReadSheetOptions {
  /** Which sheet of a workbook; the first one that is visible where nothing is said. */
  readonly sheet?: string;
}

const MOST_COLUMNS = 512;

/**
 * Reads a sheet's file as text: CSV, TSV or XLSX, told apart by its bytes. Nothing in it is run, followed or fetched.
 * @returns The sheet, or the one problem that refuses the whole file.
 */
export async function readSheet(path: string, options: ReadSheetOptions = {}): Promise<Result<RawSheet, SheetProblem>> {
  const file = await readSheetFile(path);
  if (!file.ok) return file;
  const bytes = file.value;
  const table = readTable(bytes, options);
  if (!table.ok) return table;
  const { lines, problems, ...origin } = table.value;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return toRawSheet(lines, problems, { ...origin, bytes: bytes.length, sha256 });
}

function readTable(bytes: Buffer, options: ReadSheetOptions): Result<TableText, SheetProblem> {
  if (bytes.length === 0) return err(empty('The file is empty.'));
  const kind = detectKind(bytes);
  if (!kind.ok) return kind;
  return kind.value === 'zip' ? readXlsx(bytes, options.sheet) : readCsv(bytes);
}

/** The first line that is not blank is the header. */
function toRawSheet(
  lines: TableText['lines'],
  problems: TableText['problems'],
  source: RawSheet['source'],
): Result<RawSheet, SheetProblem> {
  const filled = lines.filter((line) => line.cells.some((cell) => !isBlank(cell)));
  const [header, ...records] = filled;
  if (!header) return err(empty('The sheet is empty.'));
  const headers = withoutBlankEnd(header.cells);
  if (headers.length > MOST_COLUMNS) {
    return err({
      severity: 'error',
      code: 'too-large',
      message: `The sheet has ${headers.length} columns; at most ${MOST_COLUMNS} are read.`,
      remedy: 'Delete the columns that are not meant to be sent.',
    });
  }
  if (records.length === 0) return err(empty('The sheet has a header line and no rows.'));
  return ok({ headers, records, problems, source });
}

function withoutBlankEnd(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => !isBlank(cell)) + 1);
}

function empty(message: string): SheetProblem {
  return {
    severity: 'error',
    code: 'empty',
    message,
    remedy:
      'Write a header line with the names of the columns, such as “row,operation,prompt”, and a line for each row.',
  };
}
