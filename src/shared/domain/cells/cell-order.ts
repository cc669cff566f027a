/** What the cells of a column say of its rows: their order, and which texts are frequent. */

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

/** A text that rows have in a column, but for blanks around it. */
export interface CommonText {
  readonly text: string;
  readonly rows: number;
}

/** So many texts of a column are named, none of which is longer. */
const MOST_COMMON_TEXTS = 100;
export const LONGEST_COMMON_TEXT = 500;

/** The texts that most cells have: the most frequent first, equally frequent ones as they come in the sheet. */
export function commonTexts(cells: readonly string[]): readonly CommonText[] {
  const counts = new Map<string, number>();
  for (const cell of cells) counts.set(cell.trim(), (counts.get(cell.trim()) ?? 0) + 1);
  return Array.from(counts, ([text, rows]) => ({ text, rows }))
    .filter(({ text }) => text.length <= LONGEST_COMMON_TEXT)
    .toSorted((a, b) => b.rows - a.rows)
    .slice(0, MOST_COMMON_TEXTS);
}
