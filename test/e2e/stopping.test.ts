/** A batch that its user stops: paused, cancelled, and told as what it is. */
import { expect } from '@playwright/test';
import { batchLink, chooseMore, countOf, newFolder, test, waitForState } from './launch.ts';
import { startNight } from './whole-night.ts';

test('a pause says what still comes, and what was cancelled is neither finished nor to be retried', async ({
  open,
}) => {
  const launched = await open();
  const { page, ask, hurry } = launched;
  const batchId = await startNight(launched, newFolder('stopped'));
  await batchLink(page, /^Night/u).click();
  const done = async (): Promise<number> => countOf(await ask('batch.get', { batchId }), 'done');
  await expect.poll(done).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Pause' }).click();
  await waitForState(launched, batchId, 'paused');
  await expect(page.getByText('What the gateway has already accepted is still fetched.')).toBeVisible();
  const before = await done();
  await hurry('engine', 10);
  await expect.poll(done).toBeGreaterThan(before);
  await page.screenshot({ path: test.info().outputPath('paused.png') });

  // Without its details the head leaves more room to the rows; so it stays, also of the window that opens next.
  const top = async (): Promise<number> => (await page.getByTestId('row-grid').boundingBox())?.y ?? 0;
  const whole = await top();
  await page.getByRole('button', { name: 'Hide details' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Show details' })).toBeFocused();
  await expect.poll(top).toBeLessThan(whole - 60);
  await expect(page.getByTestId('batch-end')).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('folded.png') });
  await page.reload();
  await batchLink(page, /^Night/u).click();
  await page.getByRole('button', { name: 'Show details' }).click();
  await expect.poll(top).toBe(whole);

  await chooseMore(page, 'Cancel the remaining takes…');
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Cancel the remaining takes?');
  await question.getByRole('button', { name: /^Cancel/u }).click();
  const cancelled = await waitForState(launched, batchId, 'finished');
  expect(countOf(cancelled, 'cancelled')).toBeGreaterThan(0);
  const state = page.getByTestId('batch-state');
  await expect(state).toHaveText(/^Finished, \d+ cancelled$/u);
  await expect(state).toHaveAttribute('data-tone', 'cancelled');
  await expect(page.getByText(/^100\s?%$/u)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Retry failed' })).toBeHidden();
  await expect(batchLink(page, /^Night/u)).toContainText(/\d+ cancelled/u);
  await page.screenshot({ path: test.info().outputPath('cancelled.png') });
  // What the chips count is what the line below the rows counts.
  const chips = page.getByTestId(/^chip-/u);
  const counts = await chips.evaluateAll((all) => all.map((chip) => Number(/\d+/u.exec(chip.textContent)?.[0])));
  const rows = counts.reduce((sum, count) => sum + count, 0);
  await expect(page.getByTestId('status-line')).toContainText(`${rows} rows`);
});

test('what is left of a batch is cancelled also while the system takes its time with the folder', async ({ open }) => {
  const launched = await open();
  const { app, page } = launched;
  const batchId = await startNight(launched, newFolder('stopped'));
  await batchLink(page, /^Night/u).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await waitForState(launched, batchId, 'paused');
  await app.evaluate(({ shell }) => {
    shell.openPath = () => new Promise(() => undefined);
  });
  await page.getByRole('button', { name: 'Open folder' }).click();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Cancel the remaining');
  await page.keyboard.press('Enter');
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Cancel/u })
    .click();
  await waitForState(launched, batchId, 'finished');
});
