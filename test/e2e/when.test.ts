/** When a batch runs: chosen before the start, waited for in every view, and changed while it waits. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { chooseMore, answerDialogs, newFolder, test, waitForState } from './launch.ts';

test('by keyboard: hours are chosen, the batch waits for them and says so, and goes on once they are lifted', async ({
  open,
}) => {
  const launched = await open(5);
  const { app, page, ask } = launched;
  const path = join(newFolder('sheet'), 'Later.csv');
  writeFileSync(path, 'row,operation,prompt\none,image,A lighthouse\ntwo,image,A harbour\n');
  await answerDialogs(app, [path]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();

  await page.getByRole('radio', { name: 'At once' }).focus();
  // As long as a finger holds it: the choice follows the focus, which moves after the key goes down.
  await page.keyboard.press('ArrowRight', { delay: 100 });
  await page.keyboard.press('ArrowRight', { delay: 100 });
  await expect(page.getByRole('radio', { name: 'Within certain hours' })).toBeChecked();
  // Only on the day after tomorrow, whatever day it is.
  const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const wanted = days[(new Date().getDay() + 2) % 7] ?? '';
  for (const day of days) {
    await page.getByRole('checkbox', { name: day }).focus();
    if (day !== wanted) await page.keyboard.press('Space');
  }
  await page.getByLabel('From', { exact: true }).fill('21:30');
  await expect(page.getByText(`Begins at ${wanted.slice(0, 3)} `)).toBeVisible();
  await page.getByLabel('Finish by').fill('soon');
  await expect(page.getByText('“soon” is not a time.')).toBeVisible();
  await page.getByLabel('Finish by').fill('');
  await page.screenshot({ path: test.info().outputPath('form.png') });
  await page.getByRole('button', { name: 'Start rehearsal' }).click();

  const state = page.getByTestId('batch-state');
  await expect(state).toHaveText(new RegExp(`^Waits until ${wanted.slice(0, 3)},? .*21:30$`));
  await expect(page.getByTestId('batch-end')).toContainText('waits until');
  const [batch] = await ask('batch.list');
  expect(batch).toMatchObject({ state: 'running', submitsUsed: 0 });
  await page.screenshot({ path: test.info().outputPath('waits.png') });
  const titles = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((one) => one.getTitle()));
  await expect.poll(titles).toContainEqual(expect.stringMatching(/^Waits until .*21:30 – Later – Nocturne$/u));

  await chooseMore(page, 'When it runs…');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('From', { exact: true })).toHaveValue('21:30');
  await page.screenshot({ path: test.info().outputPath('dialog.png') });
  await dialog.getByRole('radio', { name: 'At once' }).click();
  await dialog.getByRole('button', { name: 'Save' }).press('Enter');
  await waitForState(launched, batch?.id ?? '', 'finished');
  await expect.poll(titles).toContain('Nocturne');
  await launched.close();
});
