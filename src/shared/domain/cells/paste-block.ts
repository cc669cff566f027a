/** A table that is written over a selection of cells. */
export interface PastedBlock {
  /** Line by line; all lines are as wide as `width`. */
  readonly values: string[][];
  readonly width: number;
  /** How many lines are written, repeating the values. */
  readonly rows: number;
}

/** The cells of the widest line; at least one. */
export function tableWidth(table: readonly (readonly string[])[]): number {
  return table.reduce((most, line) => Math.max(most, line.length), 1);
}

/** How many lines are written when a table of `lines` is pasted into a selection of `rows`. */
export function pastedRows(lines: number, rows: number): number {
  return lines > 0 && rows % lines === 0 ? rows : lines;
}

/**
 * Repeats a table over a selection, as spreadsheets do: in each direction in which the selection is a multiple of it.
 * Otherwise writes it once, from the selection's first cell on.
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

/** How far a block is repeated, relative to itself. */
export type FillDirection = 'down' | 'up' | 'left' | 'right';

/**
 * The cells of a block, repeated beside it: as many columns as there is room for, and as many lines as it takes before
 * they repeat. Towards the beginning, its last line or column ends up next to its first one.
 */
export function repeatedBlock(
  block: readonly (readonly string[])[],
  room: { readonly height: number; readonly width: number },
  direction: FillDirection,
): readonly (readonly string[])[] {
  const width = block[0]?.length ?? 0;
  if (width === 0) return [];
  const firstLine = direction === 'up' ? wrapped(-room.height, block.length) : 0;
  const firstColumn = direction === 'left' ? wrapped(-room.width, width) : 0;
  return Array.from({ length: Math.min(room.height, block.length) }, (_line, line) =>
    Array.from({ length: room.width }, (_cell, column) => {
      const texts = block[(firstLine + line) % block.length];
      return texts?.[(firstColumn + column) % width] ?? '';
    }),
  );
}

/** The remainder of a division, never negative. */
function wrapped(value: number, length: number): number {
  return ((value % length) + length) % length;
}
