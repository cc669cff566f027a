/** What the window tells in passing: shown for a while, then listed. */
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { batchLink, test } from './launch.ts';

const bell = (page: Page) => page.getByRole('button', { name: /^Notices/u });
const panel = (page: Page) => page.getByRole('dialog', { name: 'Notices' });
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

async function carryOut(page: Page, command: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(command);
  await page.keyboard.press('Enter');
}

test('by keyboard: what failed is unread until it is seen, and a deletion is undone long after it was shown', async ({
  open,
}) => {
  const { app, page, ask, dataFolder } = await open();
  const { id } = await ask('sheet.new', { template: 'empty', name: 'Owls' });
  await expect(batchLink(page, /^Owls/u)).toBeVisible();
  await carryOut(page, 'Owls');
  await expect(page.getByRole('heading', { level: 1, name: 'Owls' })).toBeVisible();
  await carryOut(page, 'delete the batch');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the batch' }).press('Enter');
  const shown = page.getByRole('region', { name: 'New notices' }).getByText('“Owls” is deleted.');
  await expect(shown).toBeVisible();
  // Where the store itself is, no backup of it may go.
  await app.evaluate(
    ({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
    },
    join(dataFolder, 'store', 'backup.db'),
  );
  await carryOut(page, 'back up the store');
  await expect(bell(page)).toHaveAccessibleName(/unread/u);

  await page.getByRole('button', { name: 'Settings' }).press('Enter');
  await expect(heading(page)).toBeFocused();
  await page.keyboard.press('F9');
  await expect(panel(page)).toBeFocused();
  const entries = panel(page).getByRole('listitem');
  await expect(entries.first()).toContainText('The store was not backed up.');
  await expect(entries.first()).toContainText('choose another folder');
  await expect(entries.nth(1)).toContainText('“Owls” is deleted.');
  await expect(shown).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(panel(page)).toBeHidden();
  await expect(heading(page)).toBeFocused();
  await expect(bell(page)).toHaveAccessibleName('Notices');

  await carryOut(page, 'notices');
  await expect(panel(page)).toBeFocused();
  await entries.nth(1).getByRole('button', { name: 'Undo' }).press('Enter');
  await expect(entries.nth(1).getByRole('button', { name: 'Undo' })).toBeHidden();
  await expect(entries.nth(1)).toContainText('Undone');
  await expect.poll(async () => (await ask('batch.get', { batchId: id })).shelf).toBeUndefined();
  await panel(page).getByRole('button', { name: 'Clear all' }).press('Enter');
  await expect(panel(page)).toContainText('Nothing to tell you yet.');
  await page.keyboard.press('F9');
  await expect(panel(page)).toBeHidden();
});
