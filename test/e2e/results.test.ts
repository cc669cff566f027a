/** What a row gave, where the user looks for it: words to read, pictures in the grid, and what can be done with them. */
import { expect, type Page } from '@playwright/test';
import { newFolder, rowDetail, test, waitForState } from './launch.ts';
import { startNight } from './whole-night.ts';

test.describe.configure({ timeout: 180_000 });

const SHEET = [
  'row,operation,prompt,num_images,aspect_ratio,resolution',
  'words,lyrics,Words of a lighthouse,,,',
  'picture,image,A lighthouse,1,1:1,2K',
].join('\n');

/** Puts the cursor on the first row of the batch that is open. */
async function toFirstRow(page: Page): Promise<void> {
  await expect(page.locator('[data-testid="row-grid"][data-ready="true"]')).toBeVisible();
  await page.getByTestId('row-grid').click({ position: { x: 90, y: 34 + 17 } });
}

test('lyrics are read in place: large, in the inspector, and in the review', async ({ open }) => {
  const launched = await open(20);
  const { app, page } = launched;
  const batchId = await startNight(launched, newFolder('media'), { name: 'Words', text: SHEET });
  await waitForState(launched, batchId, 'finished');
  const file = (await rowDetail(launched, batchId, 'words')).tasks[0]?.files[0];
  await page.getByRole('button', { name: /^Words/ }).click();
  await toFirstRow(page);
  await page.keyboard.press(' ');
  const look = page.getByRole('dialog');
  const text = look.getByRole('region', { name: file?.name ?? '' });
  await expect(text.getByRole('heading')).toHaveText('Words Lighthouse');
  await expect(text).toContainText('[Verse 1]');

  // The keys of a page scroll it, from wherever the focus is, and rows are stepped through as before.
  const top = (): Promise<number> => text.evaluate((one) => one.scrollTop);
  expect(await top()).toBe(0);
  await page.keyboard.press('End');
  await expect.poll(top).toBeGreaterThan(0);
  await page.keyboard.press('Home');
  await expect.poll(top).toBe(0);
  await text.focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(top).toBeGreaterThan(0);
  await look.getByRole('button', { name: 'Copy the text' }).click();
  await expect(look.getByRole('button', { name: 'The text is copied' })).toBeVisible();
  const copied = await app.evaluate(({ clipboard }) => clipboard.readText());
  expect(copied).toMatch(/^Words Lighthouse\n\n\[Verse 1\]\n/u);
  // What is selected can be copied, too.
  await text.getByRole('heading').dblclick({ position: { x: 20, y: 10 } });
  expect(await page.evaluate(() => getSelection()?.toString().trim())).toBe('Words');
  await page.keyboard.press('Escape');
  await expect(look).toBeHidden();

  await page.keyboard.press('Control+i');
  const inspected = page.getByTestId('inspector').getByRole('region', { name: file?.name ?? '' });
  await expect(inspected).toContainText('[Chorus]');

  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  const reviewed = page.getByTestId('review').getByRole('region', { name: file?.name ?? '' });
  await expect(reviewed).toContainText('[Outro]');
  await page.keyboard.press('PageDown');
  await expect.poll(() => reviewed.evaluate((one) => one.scrollTop)).toBeGreaterThan(0);
});
