/** The window by the keyboard alone: where it is after each step, and how it gets from one part to the next. */
import { expect, test, type Page } from '@playwright/test';
import { launch, newFolder } from './launch.ts';

/** The part of the window that has the keyboard. */
function regionOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset['region']);
}

test('an empty sheet takes what is typed, and every part of the window is reached and left', async () => {
  const launched = await launch({ dataFolder: newFolder('keyboard') });
  const { ask, page } = launched;
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.getByRole('button', { name: 'New sheet from a template' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.getByRole('button', { name: 'Empty sheet', exact: true }).press('Enter');
  await expect.poll(() => regionOf(page)).toBe('grid');
  const [batch] = await ask('batch.list');
  const cells = async () => {
    const input = { batchId: batch?.id ?? '', filter: {}, sort: { column: 'line', direction: 'ascending' } } as const;
    return (await ask('rows.page', { ...input, offset: 0, limit: 2, withCells: true })).rows.map((row) => row.cells);
  };
  await page.keyboard.type('owl');
  await press('Enter');
  await expect.poll(async () => (await cells())[0]?.[0]).toBe('owl');
  await press('ArrowUp');

  // The menu opens at the cursor's cell, and gives the keyboard back.
  await press('Shift+F10');
  const menu = page.getByRole('menu');
  await expect(menu).toBeVisible();
  const grid = await page.getByTestId('row-grid').boundingBox();
  const box = await menu.boundingBox();
  expect(box?.x ?? 0).toBeGreaterThan(grid?.x ?? 0);
  expect(box?.y ?? 0).toBeGreaterThan(grid?.y ?? 0);
  await press('Escape');
  await expect(menu).toBeHidden();
  await expect.poll(() => regionOf(page)).toBe('grid');

  // Into the inspector and back, with it open.
  await press('Control+i');
  await expect(page.getByTestId('inspector')).toBeFocused();
  await press('Control+i');
  await expect.poll(() => regionOf(page)).toBe('grid');
  await press('F6');
  await expect(page.getByTestId('inspector')).toBeFocused();
  await press('Escape');
  await expect(page.getByTestId('inspector')).toBeHidden();
  await expect.poll(() => regionOf(page)).toBe('grid');
  // With nothing left to close, Escape leaves the grid for what stands above it.
  await press('Escape');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  // A click on the cell where the cursor is brings the keyboard back, although nothing else is chosen.
  await page.getByTestId('row-grid').click({ position: { x: 100, y: 34 + 17 } });
  await expect.poll(() => regionOf(page)).toBe('grid');
  await press('Escape');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await press('Shift+F6');
  expect(await regionOf(page)).toBe('side');

  await press('Control+Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await press('Control+,');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeFocused();
  await launched.close();
});

test('Space in any cell types nothing: it turns true to false, and tells about a row without files', async () => {
  const launched = await launch({ dataFolder: newFolder('space') });
  const { page } = launched;
  await page.getByRole('button', { name: 'New sheet from a template' }).click();
  await page.getByRole('button', { name: 'Empty sheet', exact: true }).click();
  await expect.poll(() => regionOf(page)).toBe('grid');
  await page.keyboard.type('owl');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('status-line')).toContainText('1 row');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  await expect(page.getByTestId('inspector')).toBeVisible();
  await expect(page.getByTestId('cell-editor')).toBeHidden();
  await launched.close();
});
