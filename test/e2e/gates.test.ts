/** Gates: chosen before the start, acted on by the night, tried on the files that are there, and changed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { chooseMore, answerDialogs, newFolder, test, waitForState } from './launch.ts';

test('by keyboard: what a chosen gate flags is rendered again as often as agreed, and gates are tried on the files', async ({
  open,
}) => {
  const launched = await open(5);
  const { app, page, ask } = launched;
  const path = join(newFolder('sheet'), 'Gated.csv');
  writeFileSync(path, 'row,operation,prompt\none,image,A lighthouse\ntwo,image,A harbour\n');
  await answerDialogs(app, [path]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();

  await page.getByText('Gates: off').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: 'Off', exact: true }).focus();
  await page.keyboard.press('ArrowRight', { delay: 100 });
  await page.keyboard.press('ArrowRight', { delay: 100 });
  await expect(page.getByRole('radio', { name: 'Chosen' })).toBeChecked();
  const tiny = page.getByLabel('Hardly any bytes: its value');
  await tiny.fill('none');
  await expect(page.getByText('Correct the gate “Hardly any bytes”.')).toBeVisible();
  await tiny.fill('1000000');
  const often = page.getByLabel('Render a flagged file again');
  await often.fill('11');
  await expect(page.getByText('Enter a whole number up to 10')).toBeVisible();
  await often.fill('1');
  const most = 'p to 2 more requests, if every file is flagged; the limits apply to them, too';
  await expect(page.getByTestId('forecast')).toContainText(most);
  await page.screenshot({ path: test.info().outputPath('form.png') });
  await page.getByRole('button', { name: 'Start rehearsal' }).press('Enter');

  await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
  const [batch] = await ask('batch.list');
  const batchId = batch?.id ?? '';
  await waitForState(launched, batchId, 'finished');
  expect(await ask('batch.get', { batchId })).toMatchObject({ submitsUsed: 4, rows: { done: 2 }, gates: { again: 1 } });
  // The row says so where somebody looks at it; the flagged file is among its earlier versions.
  const grid = page.getByTestId('row-grid');
  await expect(grid).toHaveAttribute('data-ready', 'true');
  await grid.click({ position: { x: 100, y: 34 + 17 } });
  await page.keyboard.press('Control+i');
  const inspector = page.getByTestId('inspector');
  await expect(inspector).toContainText('Rendered again 1 time, and still: Hardly any bytes');
  await page.screenshot({ path: test.info().outputPath('finished.png') });

  // Nor is a flagged file kept unawares: the review says so of it, with what the gate found.
  await page.keyboard.press('F8');
  const review = page.getByTestId('review');
  await expect(review.getByRole('listitem')).toContainText('Hardly any bytes');
  await expect(review.getByText('Hardly any bytes: It has only')).toBeVisible();
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+i');
  await chooseMore(page, 'Gates…');
  const dialog = page.getByRole('dialog');
  const value = dialog.getByLabel('Hardly any bytes: its value');
  await expect(value).toHaveValue('1000000');
  const look = dialog.getByRole('button', { name: 'Try on the files of “Gated”' });
  await look.press('Enter');
  await expect(dialog.getByTestId('gates-would')).toContainText('2 files of 2 would be flagged.');
  await expect(dialog.getByText('Hardly any bytes: It has only')).toHaveCount(2);
  await page.screenshot({ path: test.info().outputPath('dialog.png') });
  // What was said is of other values, and goes.
  await value.fill('10');
  await expect(dialog.getByTestId('gates-would')).toBeHidden();
  await look.press('Enter');
  await expect(dialog.getByTestId('gates-would')).toContainText('0 files of 2 would be flagged.');
  await dialog.getByLabel('Render a flagged file again').fill('');
  await dialog.getByRole('button', { name: 'Save', exact: true }).press('Enter');
  await expect(dialog).toBeHidden();
  const { gates } = await ask('batch.get', { batchId });
  expect([gates?.on.tiny, gates?.again]).toEqual([10, undefined]);

  // It has ended: its flagged files are rendered again by a run that is asked for here, and said what it costs.
  await chooseMore(page, 'Gates…');
  await dialog.getByLabel('Render a flagged file again').fill('2');
  await expect(dialog.getByText('p to 2 more requests')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save and run' }).press('Enter');
  await expect(dialog).toBeHidden();
  await expect.poll(async () => (await ask('batch.get', { batchId })).submitsUsed).toBe(6);
  await waitForState(launched, batchId, 'finished');
  await launched.close();
});
