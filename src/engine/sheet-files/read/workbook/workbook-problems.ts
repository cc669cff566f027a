import { isBlank } from '../../../../shared/domain/base/text.ts';
import { quoteCell } from '../../../../shared/domain/cells/cell-value.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { letterOf } from '../../../../shared/domain/sheet/sheet-columns.ts';
import type { RawRecord } from '../../../../shared/domain/sheet/sheet-raw.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';
import type { TakeLine } from '../../sheet-intake.ts';
import { LAST_KEPT_COLUMN, type CellNotice, type SheetCells } from './workbook-cells.ts';
import { damagedArchive } from '../zip/zip-archive.ts';

const NAMED_PLACES = 10;

/** A workbook with cells from other files, which are not opened. */
export function externalLink(): SheetProblem {
  return {
    severity: 'warning',
    code: 'external-link',
    ...domainWords.problems.file.externalLink,
  };
}

/** Names the rows and columns that are read although the workbook hides them. */
export function hiddenParts(cells: SheetCells): SheetProblem[] {
  return [...hiddenRows(cells.hiddenLines), ...hiddenColumns(cells)];
}

function hiddenRows(lines: readonly number[]): SheetProblem[] {
  if (lines.length === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'hidden-rows',
      ...domainWords.problems.file.hiddenRows(lines.length, ...firstOf(lines)),
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
      ...domainWords.problems.file.hiddenColumns(names.length, ...firstOf(names)),
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

/** The name of a column: its header, or else its letter. */
function columnName({ lines: [header] }: SheetCells, column: number): string {
  return header?.cells[column] || letterOf(column + 1);
}

/** The first places, and how many more there are. */
function firstOf(places: readonly (string | number)[]): [string, number] {
  return [places.slice(0, NAMED_PLACES).join(', '), places.length - NAMED_PLACES];
}

function formulaProblem(notice: CellNotice): SheetProblem {
  const cell = `${letterOf(notice.column + 1)}${notice.line}`;
  const { formulaError, formulaWithoutResult } = domainWords.problems.file;
  return {
    severity: 'error',
    code: 'value-formula',
    ...(notice.kind === 'formula-error' ? formulaError(cell, quoteCell(notice.text)) : formulaWithoutResult(cell)),
  };
}

function impreciseNumbers(column: string, notices: readonly CellNotice[]): SheetProblem {
  const lines = notices.map((notice) => notice.line);
  return {
    severity: 'warning',
    code: 'number-imprecise',
    column,
    ...domainWords.problems.file.impreciseNumbers(quoteCell(column), lines.length, ...firstOf(lines)),
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
    if (!Number.isInteger(line.line) || line.line <= last)
      return damagedArchive(domainWords.problems.file.damage.rowNumbers);
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
