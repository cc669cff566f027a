/** What takes long: how far it is, in the side bar and among the notices, and its end by the user's word. */
import { expect } from '@playwright/test';
import { batchLink, newFolder, test } from './launch.ts';
import { startNight } from './whole-night.ts';

/** So many that a fast machine, too, is at it for seconds. */
const ROWS = 30_000;
const SHEET = {
  name: 'Owls',
  text: ['row,operation,prompt', ...Array.from({ length: ROWS }, (_, i) => `owl-${i},image,An owl ${i}`)].join('\n'),
};

test('an edit of many rows says how far it is, is cancelled with nothing changed, and is done the next time', async ({
  open,
}) => {
  const launched = await open();
  const { page, ask } = launched;
  const batchId = await startNight(launched, newFolder('media'), SHEET, { start: false });
  const found = async (text: string) =>
    (
      await ask('sheet.find', {
        batchId,
        view: { filter: {}, sort: { column: 'line', direction: 'ascending' } },
        text,
        isCaseSensitive: true,
        isWholeCell: false,
        isPattern: false,
        from: { column: -1 },
        direction: 'forward',
      })
    )?.matches;
  await batchLink(page, /^Owls Ready/u).click();
  const grid = page.getByTestId('row-grid');
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await grid.click({ position: { x: 436, y: 51 } });
  await expect(page.getByRole('button', { name: /^Insert rows above/u })).toBeEnabled();
  await expect(page.getByText('The lyrics or the prompt.')).toBeVisible();
  await page.keyboard.press('Control+Shift+ArrowDown');
  await expect(page.getByText(`${ROWS.toLocaleString('en')} cells selected`)).toBeVisible();
  await page.keyboard.press('Delete');

  const beside = page.getByRole('list', { name: 'Under way' });
  const work = beside.getByRole('listitem');
  await expect(work).toContainText('Editing the sheet');
  await expect(work).toContainText('Owls');
  await expect(work.getByRole('progressbar', { name: 'Editing the sheet' })).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('under-way.png') });
  await page.keyboard.press('F9');
  const panel = page.getByRole('dialog', { name: 'Notices' });
  await expect(panel).toBeFocused();
  await expect(panel.getByRole('list', { name: 'Under way' })).toContainText(/\d+%/u);
  await page.screenshot({ path: test.info().outputPath('among-notices.png') });
  await panel.getByRole('button', { name: 'Cancel: Editing the sheet' }).press('Enter');
  await expect(panel).toContainText('Nothing was changed.');
  await expect(panel).not.toContainText('Under way');
  await page.screenshot({ path: test.info().outputPath('cancelled.png') });
  expect(await found('An owl')).toBe(ROWS);

  await page.keyboard.press('F9');
  await expect(panel).toBeHidden();
  await page.keyboard.press('Delete');
  await expect(page.getByTestId('last-done')).toContainText(`Cleared ${ROWS.toLocaleString('en')} cells`, {
    timeout: 60_000,
  });
  await expect(beside).toBeHidden();
  expect(await found('An owl')).toBeUndefined();
});
