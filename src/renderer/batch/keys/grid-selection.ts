/** What a grid selection means for the sheet: rows, cells, and where the cursor may be. */
import { CompactSelection, type GridSelection, type Item, type Rectangle } from '@glideapps/glide-data-grid';
import type { RowSpan } from '../../state/batch/sheet-editing.ts';
import { LINE_COLUMN_ID, type RowColumn } from '../columns/grid-columns.ts';

export const NOTHING_SELECTED: GridSelection = { columns: CompactSelection.empty(), rows: CompactSelection.empty() };

/** A selection with its cursor in one corner of a range. */
export function selectionOf(cell: Item, range: Rectangle = oneCell(cell)): GridSelection {
  return { ...NOTHING_SELECTED, current: { cell, range, rangeStack: [] } };
}

function oneCell([x, y]: Item): Rectangle {
  return { x, y, width: 1, height: 1 };
}

/**
 * The intended selection: a range that includes the line numbers means whole rows. The keyboard does not enter that
 * column; it is for the pointer.
 */
export function meantSelection(
  selection: GridSelection,
  columns: readonly RowColumn[],
  by: 'keyboard' | 'pointer',
): GridSelection {
  const { current } = selection;
  if (current === undefined || columns[current.cell[0]]?.id !== LINE_COLUMN_ID) {
    if (current === undefined || current.range.x > 0 || isWholeRows(current.range, columns)) return selection;
    return { ...selection, current: { ...current, range: withoutLines(current.range) } };
  }
  if (by === 'keyboard') {
    if (isWholeRows(current.range, columns)) return selection;
    const range = withoutLines(current.range);
    return { ...selection, current: { ...current, cell: [1, current.cell[1]], range } };
  }
  return { ...selection, current: { ...current, range: { ...current.range, x: 0, width: columns.length } } };
}

function withoutLines(range: Rectangle): Rectangle {
  const right = Math.max(2, range.x + range.width);
  const x = Math.max(1, range.x);
  return { ...range, x, width: right - x };
}

/** True if whole rows are selected, by their line numbers. */
export function isWholeRows(range: Rectangle, columns: readonly RowColumn[]): boolean {
  return range.x === 0 && range.width >= columns.length;
}

/** The rows of a selection, each once, from top to bottom, without anything below the last row of the sheet. */
export function rowSpans(selection: GridSelection, total: number): readonly RowSpan[] {
  const ranges = rangesOf(selection)
    .map(({ y, height }) => ({ y, height: Math.min(height, total - y) }))
    .filter(({ height }) => height > 0)
    .sort((a, b) => a.y - b.y);
  const spans: RowSpan[] = [];
  for (const range of ranges) {
    const last = spans.at(-1);
    if (last === undefined || range.y > last.y + last.height) spans.push(range);
    else {
      const end = Math.max(last.y + last.height, range.y + range.height);
      spans[spans.length - 1] = { y: last.y, height: end - last.y };
    }
  }
  return spans;
}

/** Ranges with the same columns, for example several blocks that were selected one by one. */
export interface CellBlock {
  readonly spans: readonly RowSpan[];
  readonly headers: readonly string[];
}

/** The sheet's cells in a selection, block by block, without columns that are not part of the sheet. */
export function cellBlocks(selection: GridSelection, columns: readonly RowColumn[], total: number): CellBlock[] {
  const blocks = new Map<string, { readonly headers: readonly string[]; readonly ranges: Rectangle[] }>();
  for (const range of rangesOf(selection)) {
    const headers = headersIn(range, columns);
    const name = JSON.stringify(headers);
    const block = blocks.get(name) ?? { headers, ranges: [] };
    block.ranges.push(range);
    blocks.set(name, block);
  }
  return [...blocks.values()].flatMap(({ headers, ranges }) => {
    const spans = ranges.flatMap((range) => rowSpans(selectionOf([range.x, range.y], range), total));
    return headers.length === 0 || spans.length === 0 ? [] : { headers, spans };
  });
}

function rangesOf({ current }: GridSelection): readonly Rectangle[] {
  return current === undefined ? [] : [...current.rangeStack, current.range];
}

/** The same ranges with the cursor at a cell in one of them, for its menu; for a cell elsewhere, that cell alone. */
export function withCursorAt(cell: Item, selection: GridSelection): GridSelection {
  const ranges = rangesOf(selection);
  const range = ranges.findLast(
    ({ x, y, width, height }) => cell[0] >= x && cell[0] < x + width && cell[1] >= y && cell[1] < y + height,
  );
  if (range === undefined) return selectionOf(cell);
  return { ...selection, current: { cell, range, rangeStack: ranges.filter((other) => other !== range) } };
}

/** The sheet's headers in a range, from left to right. */
export function headersIn(range: Pick<Rectangle, 'x' | 'width'>, columns: readonly RowColumn[]): readonly string[] {
  return columns.slice(range.x, range.x + range.width).flatMap(({ sheet }) => sheet?.header ?? []);
}

/** The sheet's headers from a column to the right end. */
export function headersFrom(column: number, columns: readonly RowColumn[]): readonly string[] {
  return headersIn({ x: column, width: columns.length - column }, columns);
}

/**
 * The headers that a paste into a range may fill, from its first to the last: none if the range begins in a column that
 * Nocturne fills in, so that nothing lands in the column beside it; all if it holds all of the sheet's columns.
 */
export function pasteHeaders(range: Rectangle, columns: readonly RowColumn[]): readonly string[] {
  const all = headersFrom(0, columns);
  const isWhole = headersIn(range, columns).length === all.length;
  return isWhole || columns[range.x]?.sheet !== undefined ? headersFrom(range.x, columns) : [];
}

/** The grid column that shows a header; undefined if it is hidden or does not exist. */
export function columnOfHeader(header: string, columns: readonly RowColumn[]): number | undefined {
  const index = columns.findIndex(({ sheet }) => sheet?.header === header);
  return index === -1 ? undefined : index;
}

/** The last column that can be edited. */
export function lastSheetColumn(columns: readonly RowColumn[]): number {
  return Math.max(
    1,
    columns.findLastIndex(({ sheet }) => sheet !== undefined),
  );
}
