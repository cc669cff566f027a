import { countText, isBlank } from '../../../../shared/domain/base/text.ts';
import { quoteCell } from '../../../../shared/domain/cells/cell-value.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { letterOf } from '../../../../shared/domain/sheet/sheet-columns.ts';
import type { RawRecord } from '../../../../shared/domain/sheet/sheet-raw.ts';
import type { TakeLine } from '../../sheet-intake.ts';
import { LAST_KEPT_COLUMN, type CellNotice, type SheetCells } from './workbook-cells.ts';
import { damagedArchive } from '../zip/zip-archive.ts';

const NAMED_PLACES = 10;

/** A workbook with cells from other files, which are not opened. */
export function externalLink(): SheetProblem {
  return {
    severity: 'warning',
    code: 'external-link',
    message:
      'The workbook takes cells from other files. Nocturne does not open these; it uses the text from when the workbook was saved.',
    remedy: 'If those files have changed, open the workbook with a spreadsheet program, update its links and save it.',
  };
}

/** Names the rows and columns that are read although the workbook hides them. */
export function hiddenParts(cells: SheetCells): SheetProblem[] {
  return [...hiddenRows(cells.hiddenLines), ...hiddenColumns(cells)];
}

function hiddenRows(lines: readonly number[]): SheetProblem[] {
  if (lines.length === 0) return [];
  const what = lines.length === 1 ? `Row ${lines[0]} is` : `${countText(lines.length)} rows are`;
  const which = lines.length === 1 ? '' : ` (${firstOf(lines)})`;
  return [
    {
      severity: 'warning',
      code: 'hidden-rows',
      message: `${what} hidden in the workbook${which}; hidden rows are rendered and paid for like all others.`,
      remedy: 'Show and check them. If you do not want them, delete them or write “yes” in their column “skip”.',
    },
  ];
}

function hiddenColumns(cells: SheetCells): SheetProblem[] {
  const columns = new Set<number>();
  for (const { first, last } of cells.hiddenColumns) {
    for (let column = Math.max(0, first); column <= Math.min(last, LAST_KEPT_COLUMN); column++) columns.add(column);
  }
  const filled = [...columns].filter((column) => cells.lines.some((line) => !isBlank(line.cells[column])));
  if (filled.length === 0) return [];
  const names = filled.map((column) => quoteCell(columnName(cells, column)));
  return [
    {
      severity: 'warning',
      code: 'hidden-columns',
      message: `${names.length === 1 ? `The column ${names[0]} is` : `${names.length} columns are`} hidden in the workbook${names.length === 1 ? '' : ` (${firstOf(names)})`}; hidden columns are sent like all others.`,
      remedy: 'Show and check them, and delete them if you do not want them.',
    },
  ];
}

/** The notices about single cells; many in one column are reported together. */
export function noticesOf(cells: SheetCells): SheetProblem[] {
  const [header] = cells.lines;
  const imprecise = new Map<number, CellNotice[]>();
  const problems: SheetProblem[] = [];
  for (const notice of cells.notices) {
    if (notice.kind === 'imprecise-number') {
      const known = imprecise.get(notice.column);
      if (known) known.push(notice);
      else imprecise.set(notice.column, [notice]);
    } else {
      // Without a header nothing in the sheet makes sense: such an error has no line and refuses the sheet.
      const place = notice.line === header?.line ? {} : { line: notice.line };
      problems.push({ ...formulaProblem(notice), ...place, column: columnName(cells, notice.column) });
    }
  }
  return [...problems, ...[...imprecise].map(([column, of]) => impreciseNumbers(columnName(cells, column), of))];
}

/** The name of a column: its header, else its letter. */
function columnName({ lines: [header] }: SheetCells, column: number): string {
  return header?.cells[column] || letterOf(column + 1);
}

function firstOf(places: readonly (string | number)[]): string {
  const more = places.length - NAMED_PLACES;
  return `${places.slice(0, NAMED_PLACES).join(', ')}${more > 0 ? ` and ${countText(more)} more` : ''}`;
}

function formulaProblem(notice: CellNotice): SheetProblem {
  const cell = `${letterOf(notice.column + 1)}${notice.line}`;
  return {
    severity: 'error',
    code: 'value-formula',
    message:
      notice.kind === 'formula-error'
        ? `The cell ${cell} shows the error ${quoteCell(notice.text)}.`
        : `The cell ${cell} is a formula, but its result is not in the file.`,
    remedy:
      notice.kind === 'formula-error'
        ? 'Correct its formula, or type the text itself.'
        : 'Open the workbook with a spreadsheet program and save it, so that the result is stored; or type the text itself.',
  };
}

function impreciseNumbers(column: string, notices: readonly CellNotice[]): SheetProblem {
  const lines = notices.map((notice) => notice.line);
  return {
    severity: 'warning',
    code: 'number-imprecise',
    column,
    message: `The column ${quoteCell(column)} has numbers of more than 15 digits, and a spreadsheet loses the last ones: ${lines.length === 1 ? 'line' : 'lines'} ${firstOf(lines)}.`,
    remedy: 'If these are ids, format the column as text and paste them again.',
  };
}

/**
 * Rows are stored in their order, each once; otherwise they are put in order, as a spreadsheet would show them. Some
 * programs write a row element for each cell, all with the same line number.
 */
export function takeInOrder({ lines }: SheetCells, take: TakeLine): SheetProblem | undefined {
  const isOrdered = lines.every((line, index) => index === 0 || (lines[index - 1]?.line ?? 0) < line.line);
  let last = 0;
  for (const line of isOrdered ? lines : joined(lines.toSorted((a, b) => a.line - b.line))) {
    // Problems and ids use the line: rows with the same number, or none, would be mistaken for each other.
    if (!Number.isInteger(line.line) || line.line <= last) return damagedArchive('the numbers of its rows are wrong');
    last = line.line;
    const problem = take(line);
    if (problem) return problem;
  }
  return undefined;
}

/** Merges rows with one number if no two of them fill the same cell. */
function* joined(lines: readonly RawRecord[]): Generator<RawRecord> {
  let open: { readonly line: number; readonly cells: string[] } | undefined;
  for (const { line, cells } of lines) {
    const own = open?.line === line ? open.cells : undefined;
    if (own === undefined || cells.some((text, column) => !isBlank(text) && !isBlank(own[column]))) {
      if (open !== undefined) yield open;
      open = { line, cells: [...cells] };
      continue;
    }
    while (own.length < cells.length) own.push('');
    for (const [column, text] of cells.entries()) if (!isBlank(text)) own[column] = text;
  }
  if (open !== undefined) yield open;
}
