/** The order of rows by their cells in one column, from the lowest to the highest. */

/** Digits in a text count as a number: “clip 9” comes before “clip 10”. The same on every machine, whatever its language. */
const COLLATOR = new Intl.Collator('und', { numeric: true });

/** The keys of rows whose cell is filled in, in order, and those of the others, which come last in either direction. */
export interface CellOrder {
  readonly filled: readonly number[];
  readonly blank: readonly number[];
}

/**
 * Orders rows by their value where all cells are numbers, else as words. Rows with equal cells stay in their order.
 * @param cells In the order of `keys`.
 */
export function orderOfCells(keys: readonly number[], cells: readonly string[]): CellOrder {
  const rows = keys.map((key, at) => ({ key, text: cells[at] ?? '', value: Number(cells[at]) }));
  const filled = rows.filter(({ text }) => text.trim() !== '');
  const ordered = filled.every(({ value }) => Number.isFinite(value))
    ? filled.toSorted((a, b) => a.value - b.value)
    : filled.toSorted((a, b) => COLLATOR.compare(a.text, b.text));
  const blank = rows.filter(({ text }) => text.trim() === '');
  return { filled: ordered.map(({ key }) => key), blank: blank.map(({ key }) => key) };
}
