/** Where the tiles of a gallery are: in rows of the same height, as many side by side as fit. */

/** In pixels; a tile is at least this wide, and its picture and its words together are this tall. */
const LEAST_WIDTH = 184;
const GAP = 10;
const HEIGHT = 196;
/** Rows that are drawn above and below what is in sight. */
const BEYOND = 2;

export interface WallLayout {
  readonly columns: number;
  readonly rows: number;
  /** From the top of one row to that of the next. */
  readonly rowHeight: number;
  /** The height of all rows, with the room below them. */
  readonly height: number;
}

/** Rows from `first` to before `end`. */
export interface RowsShown {
  readonly first: number;
  readonly end: number;
}

export function layWall(width: number, count: number): WallLayout {
  const columns = Math.max(1, Math.floor((width + GAP) / (LEAST_WIDTH + GAP)));
  const rows = Math.ceil(count / columns);
  const rowHeight = HEIGHT + GAP;
  return { columns, rows, rowHeight, height: rows * rowHeight + GAP };
}

/** The rows to draw, with a few beyond the edges. */
export function rowsShown({ rows, rowHeight }: WallLayout, top: number, viewHeight: number): RowsShown {
  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const end = Math.min(rows, Math.ceil((top + viewHeight) / rowHeight) + BEYOND);
  return { first: Math.min(first, end), end };
}

/** Where the wall must be scrolled to so that a tile is in sight; the same place if it is already. */
export function scrolledTo({ columns, rowHeight }: WallLayout, index: number, top: number, viewHeight: number): number {
  const above = Math.floor(index / columns) * rowHeight;
  if (above < top) return above;
  return Math.max(top, above + rowHeight + GAP - viewHeight);
}

/** The tile that a key leads to; undefined for a key that leads nowhere. */
export function tileAfter(
  key: string,
  index: number,
  count: number,
  { columns, rowHeight }: Pick<WallLayout, 'columns' | 'rowHeight'>,
  viewHeight: number,
): number | undefined {
  const page = Math.max(1, Math.floor(viewHeight / rowHeight)) * columns;
  const last = count - 1;
  if (last < 0) return undefined;
  const rowOf = (tile: number): number => Math.floor(tile / columns) * columns;
  // It stays in its column, so that the way back leads to the tile before; the last row may be shorter.
  const downBy = (tiles: number): number => Math.min(index + Math.min(tiles, rowOf(last) - rowOf(index)), last);
  const upBy = (tiles: number): number => index - Math.min(tiles, rowOf(index));
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, index - 1);
    case 'ArrowRight':
      return Math.min(last, index + 1);
    case 'ArrowUp':
      return upBy(columns);
    case 'ArrowDown':
      return downBy(columns);
    case 'PageUp':
      return upBy(page);
    case 'PageDown':
      return downBy(page);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
