/** A view of a sheet: sorted by one of its columns, with the rows that have a text in it, and edited while it is. */
import { expect, type Page } from '@playwright/test';
import { batchLink, newFolder, rowDetail, test, type Launched } from './launch.ts';
import { startNight } from './whole-night.ts';

/** With blanks in its headers, as other programs leave them. */
const SHEET = [
  'row,operation,prompt, tags,bpm ',
  'a,music,A song of owls,"pop, slow",120',
  'b,music,A song of foxes,jazz,9',
  'c,music,A song of gulls,jazz,',
  'd,music,A song of crows,velvet,60',
].join('\n');

/** The rows on screen, from the top, without the empty one for a new row. */
async function shownRows(page: Page): Promise<readonly string[]> {
  const ids = page.locator('[data-testid="row-grid"] [role="gridcell"][aria-colindex="2"]');
  return (await ids.allTextContents()).filter((id) => id !== '');
}

/** Shows the sheet, with the cursor on a cell of its first row: `right` of the row’s id. */
async function openSheet(launched: Launched, right: number): Promise<string> {
  const { page } = launched;
  const batchId = await startNight(launched, newFolder('media'), { name: 'View', text: SHEET }, { start: false });
  await batchLink(page, /^View/).click();
  await expect(page.locator('[data-testid="row-grid"][data-ready="true"]')).toBeVisible();
  await page.getByTestId('row-grid').click({ position: { x: 90, y: 34 + 17 } });
  for (let step = 0; step < right; step += 1) await page.keyboard.press('ArrowRight');
  await expect.poll(() => shownRows(page)).toEqual(['a', 'b', 'c', 'd']);
  return batchId;
}

/** Chooses from the menu of the cursor's column, with the keyboard alone. */
async function chooseOfColumn(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Column', exact: true }).press('Enter');
  await page.getByTestId('header-menu').getByRole('menuitem', { name: item }).press('Enter');
}

test('rows are sorted by a column of the sheet, keep their places while they are edited, and edits go to what is shown', async ({
  open,
}) => {
  const launched = await open();
  const { app, ask, page } = launched;
  const batchId = await openSheet(launched, 5);
  const header = (name: string) => page.locator('[data-testid="row-grid"] [role="columnheader"]', { hasText: name });
  await chooseOfColumn(page, 'Sort ascending');
  // As numbers, with the empty cell last.
  await expect.poll(() => shownRows(page)).toEqual(['b', 'd', 'a', 'c']);
  await expect(header('bpm')).toHaveText('bpm · ↑');

  // The cursor has followed its row, a, to the third place: what is typed goes there, and the row stays.
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await app.evaluate(({ clipboard }) => clipboard.writeText('7'));
  await page.keyboard.press('Control+v');
  const bpm = async (): Promise<readonly string[]> => {
    const sort = { column: 'line', direction: 'ascending' } as const;
    const { rows } = await ask('rows.page', { batchId, filter: {}, sort, offset: 0, limit: 9, withCells: true });
    return rows.map(({ row, cells }) => `${row} ${cells?.[4]}`);
  };
  await expect.poll(bpm).toEqual(['a 1', 'b 9', 'c 7', 'd 60']);
  expect(await shownRows(page)).toEqual(['b', 'd', 'a', 'c']);

  await chooseOfColumn(page, 'Sort descending');
  await expect.poll(() => shownRows(page)).toEqual(['d', 'b', 'c', 'a']);
  await chooseOfColumn(page, 'Order as in the sheet');
  await expect.poll(() => shownRows(page)).toEqual(['a', 'b', 'c', 'd']);
  await expect(header('bpm')).toHaveText('bpm ·');
});

test('rows are found by a text in any cell, and by what they have in one column', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  await openSheet(launched, 4);
  await chooseOfColumn(page, 'Show only rows with…');
  const list = page.getByTestId('value-picker');
  await expect(list.getByRole('option')).toHaveText([/jazz.*2 rows/u, /pop, slow.*1 row/u, /velvet.*1 row/u]);
  // Nothing of what is typed is cut off without a word.
  const typed = list.getByRole('combobox');
  await typed.fill('x'.repeat(501));
  await expect(list.getByText('Only texts of at most 500 characters can be chosen')).toBeVisible();
  await expect(list.getByRole('option')).toHaveCount(0);
  await typed.fill('x'.repeat(500));
  await expect(list.getByRole('option')).toHaveText([/exactly this text/u]);
  await typed.fill('');
  await page.keyboard.type('ja');
  await expect(list.getByRole('option')).toHaveCount(2);
  await page.keyboard.press('Enter');
  await expect.poll(() => shownRows(page)).toEqual(['b', 'c']);
  await expect(page.getByTestId('row-grid').locator(':focus')).toHaveCount(1);

  const find = page.getByRole('textbox', { name: 'Find rows' });
  await find.fill('GULLS');
  await expect.poll(() => shownRows(page)).toEqual(['c']);
  await page.getByRole('button', { name: 'tags: jazz' }).press('Enter');
  await find.fill('velvet');
  await expect.poll(() => shownRows(page)).toEqual(['d']);
  await find.fill('');
  await expect.poll(() => shownRows(page)).toEqual(['a', 'b', 'c', 'd']);
});

test('a text typed after the cursor’s row was filtered out goes nowhere, and an arrow brings the cursor back to its column', async ({
  open,
}) => {
  const launched = await open();
  const { ask, page } = launched;
  const batchId = await openSheet(launched, 4);
  await chooseOfColumn(page, 'Show only rows with…');
  await page.keyboard.type('ja');
  await expect(page.getByTestId('value-picker').getByRole('option')).toHaveCount(2);
  await page.keyboard.press('Enter');
  await expect.poll(() => shownRows(page)).toEqual(['b', 'c']);
  const grid = page.getByTestId('row-grid');
  await expect(grid.locator(':focus')).toHaveCount(1);
  await page.keyboard.type('x');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await expect(grid.locator('[role="gridcell"][aria-selected="true"]')).toHaveText('jazz');
  await page.keyboard.type('soul');
  await page.keyboard.press('Enter');
  const cells = async (): Promise<readonly string[]> => {
    const sort = { column: 'line', direction: 'ascending' } as const;
    const { rows } = await ask('rows.page', { batchId, filter: {}, sort, offset: 0, limit: 9, withCells: true });
    return rows.map(({ row, cells: of }) => `${row} ${of?.[3]}`);
  };
  await expect.poll(cells).toEqual(['a pop, slow', 'b soul', 'c jazz', 'd velvet']);
});

test('a right-click offers the text of the cell under the pointer, also as the first click and in a row chosen as a whole', async ({
  open,
}) => {
  const launched = await open();
  const { ask, page } = launched;
  const night = { name: 'View', text: SHEET };
  const batchId = await startNight(launched, newFolder('media'), night, { start: false });
  await batchLink(page, /^View/).click();
  const grid = page.getByTestId('row-grid');
  await expect(page.locator('[data-testid="row-grid"][data-ready="true"]')).toBeVisible();
  const offer = (text: string) => page.getByRole('menuitem', { name: `Show only rows with “${text}”` });
  await grid.click({ position: { x: 90, y: 34 + 17 }, button: 'right' });
  await expect(offer('a')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(offer('a')).toBeHidden();
  // A long text cannot be chosen, and that is said.
  const { row } = await rowDetail(launched, batchId, 'c');
  const values = [['foxes '.repeat(100)]];
  const edit = { rows: [row.key], added: 0, headers: ['prompt'], values };
  await ask('sheet.edit', { batchId, edit: { kind: 'set-cells', ...edit } });
  await grid.click({ position: { x: 450, y: 34 + 34 * 2 + 17 }, button: 'right' });
  const tooLong = page.getByRole('menuitem', { name: 'Show only rows with “foxes' });
  await expect(tooLong).toBeDisabled();
  await expect(tooLong).toHaveAccessibleDescription('Only texts of at most 500 characters can be chosen');
  await page.keyboard.press('Escape');
  await expect(tooLong).toBeHidden();
  // The number of the second line.
  await grid.click({ position: { x: 20, y: 34 + 34 + 17 } });
  await grid.click({ position: { x: 450, y: 34 + 34 + 17 }, button: 'right' });
  await offer('A song of foxes').click();
  await expect.poll(() => shownRows(page)).toEqual(['b']);
});
