import { expect, test } from 'vitest';
import { CellColumns, type StoredCells } from '../../../../../src/engine/store/sheets/cell-columns.ts';

test('a column that gets another name every night makes neither the rows longer nor the list of names', () => {
  const nights = Array.from({ length: 365 }, (_, night) => ['row', 'prompt', `rendered on day ${night}`]);
  const rows: { readonly cells: Readonly<Record<string, string>>; readonly text: string }[] = [];
  let columns = new CellColumns([], ['row', 'prompt', 'note']);
  for (const headers of nights) {
    const cells = Object.fromEntries(headers.map((header) => [header, `of ${header}`]));
    // As an edit does it: with the columns as they were before it, and what is kept of them is read again.
    rows.push({ cells, text: JSON.stringify(columns.stored(cells)) });
    columns = new CellColumns(JSON.parse(JSON.stringify(columns.names)) as readonly string[], headers);
  }
  expect(Math.max(...rows.map(({ text }) => text.length))).toBeLessThan(150);
  expect(columns.names.length).toBeLessThan(9);
  for (const { cells, text } of rows) expect(columns.cells(JSON.parse(text) as StoredCells)).toEqual(cells);
  const wide = [...columns.names, 'wide', 'wider'];
  const again = new CellColumns(columns.names, wide);
  expect(again.stored({ wider: 'x' })).toEqual([...wide.slice(0, -1).map(() => null), 'x']);
  for (const { cells, text } of rows) expect(again.cells(JSON.parse(text) as StoredCells)).toEqual(cells);
});
