/** A batch whose file is edited in another program, in the real application. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { answerDialogs, newFolder, test, waitForState, type Launched } from './launch.ts';
import { rehearsalCharges } from './proof.ts';

const SONGS = ['row,operation,prompt', 'owl,music,an owl at night', 'fox,music,a fox in the snow', 'lake,image,a lake'];

/** Brings a file in and renders it on the built-in gateway; gives the batch's id. */
async function renderFile(launched: Launched, file: string): Promise<string> {
  const { app, ask } = launched;
  await answerDialogs(app, [file, newFolder('media')]);
  const sheet = await ask('sheet.choose');
  const folder = await ask('folder.choose');
  if (sheet === undefined || folder === undefined) throw new Error('Nothing was chosen');
  const { sheetId, name } = sheet;
  const batch = await ask('batch.create', { sheetId, name, rehearsal: true, start: true, folderId: folder.folderId });
  await waitForState(launched, batch.id, 'finished');
  return batch.id;
}

/** Carries out a command that is found by what is typed. */
async function find(page: Page, typed: string, command: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type(typed);
  await expect(page.getByRole('option').first()).toContainText(command);
  await page.keyboard.press('Enter');
}

function charges(dataFolder: string): number {
  return [...rehearsalCharges(dataFolder).values()].reduce((sum, count) => sum + count, 0);
}

test('a file that is edited is re-imported: only what changed is rendered, and results go beside it', async ({
  open,
}) => {
  const file = join(newFolder('sheets'), 'songs.csv');
  writeFileSync(file, `${SONGS.join('\n')}\n`);
  const launched = await open(5);
  const { app, page, ask, dataFolder } = launched;
  const batchId = await renderFile(launched, file);
  expect(charges(dataFolder)).toBe(3);
  await page.getByRole('navigation').getByText('songs').click();

  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await find(page, 'watch the file', 'Watch the file of the sheet for changes');
  await expect.poll(async () => (await ask('sheet.get', { batchId })).isWatched).toBe(true);
  writeFileSync(file, `${SONGS.join('\n').replace('the snow', 'the deep snow')}\nbat,image,a bat\n`);
  // The banner stands where the chips below it do, and on none of them.
  const seeing = page.getByRole('button', { name: 'See what changed' });
  const banner = page.getByRole('status').filter({ has: seeing });
  await expect(banner).toBeVisible();
  const [said, chip] = [await banner.boundingBox(), await page.getByTestId('chip-done').boundingBox()];
  const screen = await page.getByTestId('batch-screen').boundingBox();
  expect(said?.x).toBe(chip?.x);
  expect((said?.x ?? 0) + (said?.width ?? 0)).toBeLessThan((screen?.x ?? 0) + (screen?.width ?? 0));
  const isAbove = (said?.y ?? 0) + (said?.height ?? 0) <= (chip?.y ?? 0);
  expect(isAbove || (said?.y ?? 0) >= (chip?.y ?? 0) + (chip?.height ?? 0)).toBe(true);
  await seeing.click();

  const dialog = page.getByTestId('difference');
  await expect(dialog).toContainText('1 new');
  await expect(dialog).toContainText('1 changed');
  await expect(dialog).toContainText('This cannot be undone, nor can edits from before it.');
  await expect(dialog.getByRole('region', { name: 'Row fox' })).toContainText('a fox in the deep snow');
  await page.screenshot({ path: test.info().outputPath('difference.png') });
  await dialog.getByRole('button', { name: 'Apply and run 2 requests' }).click();
  await expect(dialog).toBeHidden();
  const finished = await waitForState(launched, batchId, 'finished');
  expect(finished).toMatchObject({ rowCount: 4, rows: { draft: 0 } });
  expect(charges(dataFolder)).toBe(5);

  await page.getByRole('button', { name: 'Sheet', exact: true }).click();
  await page.getByRole('menuitem', { name: 'To a copy next to the file' }).click();
  await expect(page.getByText('The results are written.', { exact: true })).toBeVisible();
  const results = file.replace('.csv', '.results.csv');
  await app.evaluate(({ shell }) => {
    shell.showItemInFolder = (path) => Object.assign(globalThis, { shownInFolder: path });
  });
  await page.getByRole('button', { name: 'Show in folder' }).click();
  await expect.poll(() => app.evaluate(() => Reflect.get(globalThis, 'shownInFolder') as unknown)).toBe(results);
  const copy = readFileSync(results, 'utf8');
  expect(copy.split('\n')[0]).toBe('row,operation,prompt,status,files,taskCode,failure');
  // What was rendered for the new text is told from the first version by its name, and both are kept.
  const [first, second] = ['music/fox-a-fox-in-the-snow-1.mp3', 'music/fox-a-fox-in-the-deep-snow-v2-1.mp3'];
  expect(copy).toMatch(new RegExp(`^fox,music,a fox in the deep snow,done,${second.replaceAll('.', '\\.')}`, 'mu'));
  for (const name of [first, second]) expect(existsSync(join(finished.folder, name)), name).toBe(true);

  // Without the mouse, too: what the menu Sheet says now is found by its name.
  await find(page, 're-import', 'Re-import the file of the sheet…');
  await expect(dialog).toContainText('Nothing has changed');
  await expect(dialog).not.toContainText('This cannot be undone');
  await page.keyboard.press('Escape');
  await find(page, 'watch', 'Stop watching the file of the sheet');
  await expect.poll(async () => (await ask('sheet.get', { batchId })).isWatched).toBe(false);
  await find(page, 'file itself', 'Write the results to the file itself…');
  await page
    .getByRole('alertdialog', { name: 'Write the results to the file itself?' })
    .getByRole('button', { name: 'Write to the file' })
    .click();
  await expect
    .poll(() => readFileSync(file, 'utf8').split('\n')[0])
    .toBe('row,operation,prompt,status,files,taskCode,failure');
});

test('the results of a sample go to a file of the user’s own, and never into the program', async ({ open }) => {
  const { page, ask } = await open();
  const { sheetId } = await ask('sheet.sample', { sample: 'all-operations' });
  await ask('batch.create', { sheetId, name: 'Sample', rehearsal: true, start: false });
  await page.getByRole('navigation').getByText('Sample').click();
  await page.getByRole('button', { name: 'Sheet', exact: true }).click();
  const menu = page.getByRole('menu');
  await expect(menu.getByRole('menuitem', { name: 'Duplicate' })).toBeVisible();
  const items = await menu.getByRole('menuitem').or(menu.getByRole('menuitemcheckbox')).allInnerTexts();
  expect(items).toEqual(['Compare with another file…', 'To a file of your choice…', 'Duplicate the batch']);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('file');
  await expect(page.getByRole('option', { name: 'Compare with another file…' })).toBeVisible();
  for (const absent of [
    /^Re-import/u,
    /^Watch the file/u,
    /^Stop watching/u,
    /^Write the results to (?:a copy|the file)/u,
  ]) {
    await expect(page.getByRole('option', { name: absent })).toHaveCount(0);
  }
});
