/** A table as it is written over a selection of cells. */
export interface PastedBlock {
  /** Line by line; all lines are as wide as `width`. */
  readonly values: string[][];
  readonly width: number;
  /** So many lines are written, with the values over and over again. */
  readonly rows: number;
}

/**
 * Repeats a table over a selection, as spreadsheets do: in each direction in which the selection is a multiple of it.
 * Else it is written once, from the selection's first cell on.
 */
export function pasteBlock(
  table: readonly (readonly string[])[],
  selection: { readonly rows?: number | undefined; readonly columns?: number | undefined },
): PastedBlock {
  const ownWidth = table.reduce((most, line) => Math.max(most, line.length), 1);
  const { rows = 1, columns = 1 } = selection;
  const width = columns % ownWidth === 0 ? columns : ownWidth;
  return {
    values: table.map((line) => Array.from({ length: width }, (_cell, column) => line[column % ownWidth] ?? '')),
    width,
    rows: table.length > 0 && rows % table.length === 0 ? rows : table.length,
  };
}
