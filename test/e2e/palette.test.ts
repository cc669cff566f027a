/** The palette: every command of the screen at hand, every batch and every part of the settings, by keyboard. */
import { expect, type Page } from '@playwright/test';
import { batchLink, test } from './launch.ts';

const regionOfFocus = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset['region']);

test('commands, batches and settings are found by typing, and what opens gives the keyboard back', async ({ open }) => {
  const { page, ask } = await open();
  await ask('sheet.new', { template: 'empty', name: 'Owls' });
  const { id } = await ask('sheet.new', { template: 'empty-music', name: 'Harbour songs' });
  await expect(batchLink(page, /^Harbour songs/u)).toBeVisible();
  const field = page.getByRole('combobox', { name: 'Find a command' });
  const options = page.getByRole('option');

  await page.keyboard.press('ControlOrMeta+k');
  await expect(field).toBeFocused();
  await page.keyboard.type('harb');
  await expect(options).toHaveCount(1);
  await page.screenshot({ path: test.info().outputPath('batch.png') });
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Harbour songs' })).toBeVisible();
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();

  // From the grid, where a letter would be typed.
  await page.keyboard.press('ControlOrMeta+k');
  await expect(field).toBeFocused();
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('option', { name: 'Start…' })).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('screen.png') });
  await page.keyboard.press('ArrowDown');
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
  const active = await field.getAttribute('aria-activedescendant');
  expect(await options.nth(1).getAttribute('id')).toBe(active);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(options.last()).toHaveAttribute('aria-selected', 'true');
  await expect(options.last()).toBeInViewport();
  await page.keyboard.press('Escape');
  await expect(field).toBeHidden();
  await expect.poll(() => regionOfFocus(page)).toBe('grid');

  // A button of the screen is pressed, a question about the batch opens.
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('start');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Start' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('rename');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Rename the batch' }).getByRole('textbox')).toBeFocused();
  await page.keyboard.type('Sea songs');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await ask('batch.get', { batchId: id })).name).toBe('Sea songs');
  await expect(page.getByRole('dialog')).toBeHidden();

  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('spend');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Spending' })).toBeInViewport();
  // Each time, also a short part near the end.
  for (const part of ['Appearance', 'Spending', 'Appearance']) {
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type(part);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: part })).toBeInViewport();
    await expect(page.getByRole('button', { name: part, exact: true })).toHaveAttribute('aria-current', 'true');
  }

  // The list of shortcuts, but not where a question mark is typed.
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('Shift+?');
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(shortcuts.getByText('Find a command, a batch, a setting or a row')).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('shortcuts.png') });
  await page.keyboard.press('Escape');
  await expect(shortcuts).toBeHidden();
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('gateway my');
  await page.keyboard.press('Enter');
  const address = page.getByLabel('Base URL').first();
  await address.focus();
  await page.keyboard.type('?');
  await expect(address).toHaveValue(/\?$/u);
  await expect(shortcuts).toBeHidden();

  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('ControlOrMeta+n');
  await expect(page.getByRole('button', { name: 'Empty sheet', exact: true })).toBeVisible();
});

test('a row of any batch is found by its text, and opened with the cursor on it', async ({ open }) => {
  const { page, ask } = await open();
  const { id } = await ask('sheet.new', { template: 'empty-music', name: 'Harbour songs' });
  const values = [['Gulls at dawn'], ['Ein Leuchtturm im ÖRESUND, der über das Wasser streicht'], ['Low tide']];
  await ask('sheet.edit', {
    batchId: id,
    edit: { kind: 'set-cells', rows: [], added: values.length, headers: ['prompt'], values },
  });
  await ask('batch.shelve', { batchId: id, to: 'archived' });
  await ask('sheet.new', { template: 'empty', name: 'Owls' });

  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('nobody wrote this');
  await expect(page.getByText('no row contains it')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('öresund');
  const row = page.getByRole('option', { name: /ÖRESUND/u });
  await expect(row).toHaveText(/Harbour songs \(archived\) · Draft|Queued/u);
  await page.screenshot({ path: test.info().outputPath('row.png') });
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Harbour songs' })).toBeVisible();
  // The keyboard is in the grid, and the cursor in the row.
  await expect.poll(() => regionOfFocus(page)).toBe('grid');
  await page.keyboard.press('ControlOrMeta+i');
  await expect(page.getByTestId('inspector')).toContainText('Ein Leuchtturm im ÖRESUND');
});
