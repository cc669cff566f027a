/** A table as it is written over a selection of cells. */
export interface PastedBlock {
  /** Line by line; all lines are as wide as `width`. */
  readonly values: string[][];
  readonly width: number;
  /** So many lines are written, with the values over and over again. */
  readonly rows: number;
}

/** The cells of the widest line; at least one. */
export function tableWidth(table: readonly (readonly string[])[]): number {
  return table.reduce((most, line) => Math.max(most, line.length), 1);
}

/** How many lines are written where a table of `lines` is pasted into a selection of `rows`. */
export function pastedRows(lines: number, rows: number): number {
  return lines > 0 && rows % lines === 0 ? rows : lines;
}

/**
 * Repeats a table over a selection, as spreadsheets do: in each direction in which the selection is a multiple of it.
 * Else it is written once, from the selection's first cell on.
 */
export function pasteBlock(
  table: readonly (readonly string[])[],
  selection: { readonly rows?: number | undefined; readonly columns?: number | undefined },
): PastedBlock {
  const ownWidth = tableWidth(table);
  const { rows = 1, columns = 1 } = selection;
  const width = columns % ownWidth === 0 ? columns : ownWidth;
  return {
    values: table.map((line) => Array.from({ length: width }, (_cell, column) => line[column % ownWidth] ?? '')),
    width,
    rows: pastedRows(table.length, rows),
  };
}
