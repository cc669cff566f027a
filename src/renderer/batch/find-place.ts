interface FindPlace {
  readonly offset: number;
  readonly column: number;
}

/**
 * Where the next search begins: the cell after the cursor's, or the one before it, round the ends of the sheet. A search
 * looks at the cell that it begins with, too.
 */
export function nextFindPlace(
  cursor: { readonly index: number | undefined; readonly cell: number | undefined },
  size: { readonly rows: number; readonly columns: number },
  direction: 'forward' | 'backward',
): FindPlace {
  const rows = Math.max(1, size.rows);
  const columns = Math.max(1, size.columns);
  if (cursor.index === undefined) {
    return direction === 'forward' ? { offset: 0, column: 0 } : { offset: rows - 1, column: columns - 1 };
  }
  // Beside the sheet's columns, a row is looked at as a whole.
  const cell = cursor.cell ?? (direction === 'forward' ? -1 : columns);
  const cells = rows * columns;
  const at = Math.min(cursor.index, rows - 1) * columns + cell + (direction === 'forward' ? 1 : -1);
  const place = ((at % cells) + cells) % cells;
  return { offset: Math.floor(place / columns), column: place % columns };
}
