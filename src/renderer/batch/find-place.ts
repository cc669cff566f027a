interface FindPlace {
  readonly offset: number;
  readonly column: number;
}

/**
 * The cell that a search goes on from: the cursor's, which is not looked at again. A search goes round the ends of the
 * sheet, so that without a cursor it begins behind the last cell, or before the first one.
 */
export function nextFindPlace(
  cursor: { readonly index: number | undefined; readonly cell: number | undefined },
  size: { readonly rows: number; readonly columns: number },
  direction: 'forward' | 'backward',
): FindPlace {
  const rows = Math.max(1, size.rows);
  const columns = Math.max(1, size.columns);
  const cells = rows * columns;
  const index = cursor.index === undefined ? undefined : Math.min(cursor.index, rows - 1);
  // Beside the sheet's columns, a row is looked at as a whole.
  const before = (index ?? 0) * columns - 1;
  const after = ((index ?? rows - 1) + 1) * columns;
  const beside = direction === 'forward' ? before : after;
  const at = index === undefined || cursor.cell === undefined ? beside : index * columns + cursor.cell;
  const place = ((at % cells) + cells) % cells;
  return { offset: Math.floor(place / columns), column: place % columns };
}
