/** A delivery that takes its time: how far it is, also behind its dialog, and its end by the user's word. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { batchLink, newFolder, test, waitForState } from './launch.ts';
import { startNight } from './whole-night.ts';

const FILES = 60;
const SHEET = [
  'row,operation,prompt',
  ...Array.from({ length: FILES }, (_, i) => `row-${i + 1},image,A lighthouse number ${i + 1}`),
].join('\n');

test('a misspelt name is refused as it is typed; a delivery shows how far it is, is cancelled, and goes on later', async ({
  open,
}) => {
  const launched = await open(40);
  const { app, page } = launched;
  const batchId = await startNight(launched, newFolder('media'), { name: 'Many', text: SHEET });
  await waitForState(launched, batchId, 'finished');
  const engine = await app.evaluate(
    ({ app: running }) => running.getAppMetrics().find((metric) => metric.name === 'Nocturne engine')?.pid ?? 0,
  );
  const out = newFolder('delivery');
  await batchLink(page, /^Many/).click();
  const dialog = page.getByRole('dialog');
  const deliver = page.getByRole('button', { name: 'Deliver', exact: true });

  // What is typed while the system asks for the folder stays.
  await app.evaluate(({ dialog: boxes }, path) => {
    boxes.showOpenDialog = () =>
      new Promise((resolve) => {
        Object.assign(globalThis, { choose: () => resolve({ canceled: false, filePaths: [path] }) });
      });
  }, out);
  await deliver.click();
  await dialog.getByRole('button', { name: 'Choose folder…' }).click();
  const template = dialog.getByLabel('Folders and names');
  await template.fill('{row}');
  await expect.poll(() => app.evaluate(() => 'choose' in globalThis)).toBe(true);
  await app.evaluate(() => (globalThis as typeof globalThis & { choose: () => void }).choose());
  await expect(dialog.getByText(out)).toBeVisible();
  await expect(template).toHaveValue('{row}');
  await template.fill('');

  // Nothing is kept: that is said, with what to do, and nothing is written.
  await dialog.getByRole('button', { name: 'Deliver', exact: true }).click();
  await expect(dialog).toHaveAccessibleName('Nothing to deliver');
  await expect(dialog).toContainText(
    `none of the ${FILES} files of this batch is kept. Keep what you want in the review`,
  );
  await dialog.screenshot({ path: test.info().outputPath('nothing.png') });
  await dialog.getByRole('button', { name: 'Close' }).click();
  expect(globSync('**/*', { cwd: out })).toEqual([]);

  await deliver.click();
  await dialog.getByRole('radio', { name: 'Every file' }).click();
  await template.fill('{operation}/{promt}');
  await expect(template).toHaveAccessibleDescription(/no name \{promt\}, at character 13\. Did you mean \{prompt\}\?/u);
  await expect(dialog.getByRole('button', { name: 'Deliver', exact: true })).toBeDisabled();
  await dialog.screenshot({ path: test.info().outputPath('misspelt.png') });
  await template.fill('{operation}/{row}');
  await expect(template).toHaveAccessibleDescription(/^Such as/u);

  // The engine stands still in the middle of it.
  await dialog.getByRole('button', { name: 'Deliver', exact: true }).click();
  await page.waitForFunction(
    (words) => document.querySelector('[data-testid="delivering"]')?.textContent.includes(words),
    `of ${FILES} files`,
  );
  process.kill(engine, 'SIGSTOP');
  try {
    await expect(dialog.getByRole('progressbar')).toBeVisible();
    await dialog.screenshot({ path: test.info().outputPath('delivering.png') });
    await dialog.getByRole('button', { name: 'Close, and be told' }).click();
    const beside = page.getByRole('list', { name: 'Under way' });
    await expect(beside).toContainText(`of ${FILES} files`);
    await page.screenshot({ path: test.info().outputPath('behind-dialog.png') });
    await beside.getByRole('button', { name: 'Cancel: Delivering' }).click();
    await expect(beside).toContainText('Cancelling');
  } finally {
    process.kill(engine, 'SIGCONT');
  }
  await page.screenshot({ path: test.info().outputPath('cancelled.png') });
  await expect(page.getByText('Many: delivery cancelled.', { exact: true })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Under way' })).toBeHidden();
  const listed = (): readonly { readonly path: string; readonly bytes: number }[] =>
    (JSON.parse(readFileSync(join(out, 'datapackage.json'), 'utf8')) as { resources: [] }).resources;
  const first = listed();
  expect(first.length).toBeLessThan(FILES);
  expect(globSync('image/*', { cwd: out }).toSorted()).toEqual(first.map(({ path }) => path).toSorted());
  for (const { path, bytes } of first) expect(statSync(join(out, path)).size).toBe(bytes);
  expect(globSync('.*', { cwd: out })).toEqual([]);

  await deliver.click();
  await dialog.getByRole('button', { name: 'Deliver', exact: true }).click();
  await expect(dialog).toHaveAccessibleName('Delivered');
  await expect(dialog).toContainText(`${FILES - first.length} new file`);
  await expect(dialog).toContainText(`${first.length} delivered before`);
  expect(listed()).toHaveLength(FILES);
});
