/** The cells of a workbook's sheet: their text, their names, and merged cells. */
import type { RawRecord } from '../../../../shared/domain/sheet/sheet-raw.ts';
import { err, ok, type Result } from '../../../../shared/domain/base/result.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';

/** A notice about one cell for the sheet's author. */
export interface CellNotice {
  readonly kind: 'formula-without-value' | 'formula-error' | 'imprecise-number';
  readonly line: number;
  /** The index of its column, counted from 0. */
  readonly column: number;
  readonly text: string;
}

/** Adjacent columns, counted from 0, the last one included. */
export interface ColumnRange {
  readonly first: number;
  readonly last: number;
}

/** The cells of one sheet of a workbook as text, with notices about them. */
export interface SheetCells {
  readonly lines: readonly RawRecord[];
  /** Lines that are not blank and that the workbook hides. */
  readonly hiddenLines: readonly number[];
  /** Columns that the workbook hides, with or without content. */
  readonly hiddenColumns: readonly ColumnRange[];
  readonly notices: readonly CellNotice[];
}

/** More columns are refused later; until then, a cell in column XFD must not create 16,384 cells in every row. */
export const LAST_KEPT_COLUMN = 1024;

/** A rectangle of cells. Columns count from 0, lines from 1; the last ones are included. */
export interface CellRange {
  readonly firstColumn: number;
  readonly lastColumn: number;
  readonly firstLine: number;
  readonly lastLine: number;
}

const REFERENCE = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/;

/** The cells that a reference such as `B2:D4` names; undefined for any other text. */
export function rangeOf(reference: string): CellRange | undefined {
  const [, left, top, right = left, bottom = top] = REFERENCE.exec(reference) ?? [];
  if (left === undefined || right === undefined) return undefined;
  return {
    firstColumn: columnOf(left) ?? 0,
    lastColumn: columnOf(right) ?? 0,
    firstLine: Number(top),
    lastLine: Number(bottom),
  };
}

/** The column, counted from 0, of a cell name such as `AB12`; undefined for a name without letters. */
export function columnOf(reference: string): number | undefined {
  let column = 0;
  for (let index = 0; index < reference.length; index++) {
    const letter = reference.charCodeAt(index) & ~32;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  return column > 0 ? column - 1 : undefined;
}

/**
 * The lines without the cells below merged ones, of which only the first is shown (ECMA-376 part 1, 18.3.1.55); or what
 * is wrong with the merges.
 */
export function withoutCovered(
  lines: readonly RawRecord[],
  merges: readonly string[],
): Result<readonly RawRecord[], string> {
  if (merges.length === 0 || lines.length === 0) return ok(lines);
  const order = lines.map((_, index) => index).toSorted((a, b) => lineAt(lines, a) - lineAt(lines, b));
  const changed = new Map<number, string[]>();
  // No two merges share a cell, so what they cover is bounded, whatever a file says about them.
  let left = lines.length * (LAST_KEPT_COLUMN + 1);
  for (const reference of merges) {
    const range = rangeOf(reference);
    if (range === undefined || range.firstColumn > LAST_KEPT_COLUMN) continue;
    for (let place = firstFrom(lines, order, range.firstLine); place < order.length; place++) {
      const index = order[place] ?? 0;
      const line = lines[index];
      if (line === undefined || line.line > range.lastLine) break;
      const last = Math.min(range.lastColumn, line.cells.length - 1);
      left -= Math.max(1, last - range.firstColumn + 1);
      if (left < 0) return err(domainWords.problems.file.damage.merged);
      if (last < range.firstColumn) continue;
      const isFirst = line.line === range.firstLine;
      const cells = changed.get(index) ?? [...line.cells];
      cells.fill('', range.firstColumn + (isFirst ? 1 : 0), last + 1);
      changed.set(index, cells);
    }
  }
  return ok(lines.map((line, index) => ({ ...line, cells: changed.get(index) ?? line.cells })));
}

function lineAt(lines: readonly RawRecord[], index: number): number {
  return lines[index]?.line ?? 0;
}

/** The position in `order` of the first line at or after this one. */
function firstFrom(lines: readonly RawRecord[], order: readonly number[], line: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lineAt(lines, order[middle] ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
