/** Places for files of this computer: named in the window, before the start and for a batch that stands. */
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { startWebdavServer, WEBDAV_SERVER_IS_HERE } from '../support/webdav-server.ts';
import { chooseMore, answerDialogs, newFolder, test, waitForState, type Launched } from './launch.ts';

const FIXTURES = new URL('../fixtures/media/', import.meta.url);

test('a place is named where cells ask for it, its files are looked at, and deleted there after the batch', async ({
  open,
}) => {
  test.skip(!WEBDAV_SERVER_IS_HERE, 'needs Apache');
  const webdav = await startWebdavServer();
  try {
    const launched = await open(5);
    const { app, page, ask } = launched;
    const dir = newFolder('sheet');
    const file = (name: string, content: string): string => {
      writeFileSync(join(dir, name), content);
      return join(dir, name);
    };
    copyFileSync(new URL('picture.png', FIXTURES), join(dir, 'kite.png'));
    const sheet = file(
      'Kites.csv',
      'row,operation,prompt,images\none,video-a,A kite,kite.png\ntwo,video-a,The same,kite.png\nthree,video-a,Gone,gone.png\n',
    );
    const broken = file('broken.json', '{ "webdav": { "url": "http://dav.example.com/in" } }');
    const password = file('password', `${webdav.password}\n`);
    chmodSync(password, 0o600);
    const described = { webdav: { url: webdav.url, user: webdav.user, passwordFile: 'password' } };
    const place = file('place.json', JSON.stringify({ ...described, deleteAfterBatch: true }));

    await answerDialogs(app, [sheet, broken, join(dir, 'kite.png'), place, sheet, place]);
    await page.getByRole('button', { name: 'Import a sheet' }).click();
    await page.getByRole('radio', { name: 'Rehearsal' }).click();
    await expect(page.getByText('No row can run: see the errors.')).toBeVisible();
    await page.screenshot({ path: test.info().outputPath('without.png') });
    // What is wrong with the file is said, and nothing is changed.
    const choose = page.getByRole('button', { name: 'Choose a files place…' });
    await choose.click();
    const words = 'The file broken.json cannot be used: webdav.url: must start with https://';
    await expect(page.getByRole('alert').getByText(words)).toBeVisible();
    await expect(choose).toHaveAccessibleDescription(new RegExp(words, 'u'));
    await page.screenshot({ path: test.info().outputPath('refused.png') });
    await choose.click();
    await expect(page.getByRole('alert').getByText('kite.png is not a text file.')).toBeVisible();
    await choose.click();
    await expect(page.getByTestId('files-place')).toHaveText(webdav.url);
    // Nothing is said any more of those that were no place.
    await expect(page.getByText('kite.png is not a text file.')).toBeHidden();
    await expect(page.getByText('1 local file,')).toBeVisible();
    await expect(page.getByText('There is no such file.')).toBeVisible();
    await page.screenshot({ path: test.info().outputPath('looked-at.png') });
    expect(webdav.names()).toEqual([]);
    await page.getByRole('button', { name: 'Start rehearsal' }).click();

    await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
    const [batch] = await ask('batch.list');
    const batchId = batch?.id ?? '';
    await waitForState(launched, batchId, 'finished');
    expect(await ask('batch.get', { batchId })).toMatchObject({
      rows: { done: 2, invalid: 1 },
      filesPlace: webdav.url,
    });
    await expect.poll(() => webdav.names()).toEqual([]);
    await expect
      .poll(async () => (await ask('batch.localFiles', { batchId })).put)
      .toBe(`Files put at ${webdav.url}: 1 deleted.`);

    // The batch says what it is, and what the files are by now.
    rmSync(join(dir, 'kite.png'));
    await chooseMore(page, 'Files place…');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText('3 cells name files that cannot be put')).toBeVisible();
    await expect(dialog.getByText('1 deleted.')).toBeVisible();
    await page.screenshot({ path: test.info().outputPath('dialog.png') });
    await dialog.getByRole('button', { name: 'one “images” names' }).click();
    await expect(dialog).toBeHidden();
    await page.getByTestId('row-grid').click({ position: { x: 100, y: 34 + 51 } });
    await page.keyboard.press('Control+i');
    await expect(page.getByTestId('files-of-row')).toContainText('There is no such file.');
    copyFileSync(new URL('picture.png', FIXTURES), join(dir, 'kite.png'));
    await page.getByRole('button', { name: 'Row above' }).click();
    await expect(page.getByTestId('files-of-row')).toContainText('kite.png · image/png');
    await page.screenshot({ path: test.info().outputPath('row.png') });
    await launched.close();
  } finally {
    await webdav.close();
  }
});

/** Brings in a batch of two rows, one of which names a picture and has no place for it; that is offered in a file. */
async function withoutPlace(
  { app, page, ask }: Launched,
  name: string,
  button: 'Import without starting' | 'Start rehearsal',
): Promise<string> {
  const dir = newFolder('sheet');
  copyFileSync(new URL('picture.png', FIXTURES), join(dir, 'kite.png'));
  const sheet = join(dir, `${name}.csv`);
  writeFileSync(sheet, 'row,operation,prompt,images\none,video-a,A kite,kite.png\ntwo,image,A kite,\n');
  const place = join(dir, 'place.json');
  writeFileSync(place, JSON.stringify({ command: { argv: ['put-it'] } }));
  await answerDialogs(app, [sheet, place]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  await page.getByRole('radio', { name: 'Rehearsal' }).click();
  await page.getByRole('button', { name: button }).click();
  await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
  const [batch] = await ask('batch.list');
  return batch?.id ?? '';
}

test('a batch that stands gets its place from its problems', async ({ open }) => {
  const launched = await open(5);
  const { page, ask } = launched;
  const batchId = await withoutPlace(launched, 'Later', 'Import without starting');
  expect((await ask('batch.get', { batchId })).rows.invalid).toBe(1);
  await expect(page.getByTestId('row-grid')).toHaveAttribute('data-ready', 'true');
  await page.getByRole('button', { name: '1 error' }).click();
  await page.getByTestId('problems-panel').getByRole('button', { name: 'Choose a files place…' }).click();
  await expect.poll(async () => (await ask('batch.get', { batchId })).rows.queued).toBe(2);
  await expect(page.getByText('Nothing is wrong with this sheet.')).toBeVisible();
  await chooseMore(page, 'Files place…');
  await expect(page.getByRole('dialog').getByTestId('files-place')).toHaveText('the command put-it');
  await expect(page.getByRole('dialog').getByText('1 local file,')).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('stands.png') });
  await page.keyboard.press('Escape');
  // In the grid, the cell is what its file is.
  await page.getByTestId('row-grid').click({ position: { x: 220, y: 34 + 17 } });
  for (let moves = 0; moves < 3; moves += 1) await page.keyboard.press('ArrowRight');
  await expect(page.getByTestId('status-line')).toContainText('kite.png (image/png, 282 B)');
  await page.screenshot({ path: test.info().outputPath('cell.png') });
  // What may be written there is read whole.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{{two.');
  const names = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').locator('span:first-child');
  await expect(names.filter({ hasText: 'output.1.lastFrame' })).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('suggestions.png') });
  expect(await names.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)).toBe(0);
  await page.keyboard.press('Escape');
  await launched.close();
});

test('rows that lacked a place wait for the user’s word once it is named, in a batch that has run', async ({
  open,
}) => {
  const launched = await open(5);
  const { page, ask } = launched;
  const batchId = await withoutPlace(launched, 'Ran', 'Start rehearsal');
  await waitForState(launched, batchId, 'finished');
  await page.getByRole('button', { name: '1 error' }).click();
  await page.getByTestId('problems-panel').getByRole('button', { name: 'Choose a files place…' }).click();
  const run = page.getByRole('button', { name: 'Run 1 changed row' });
  await expect(run).toBeVisible();
  expect(await ask('batch.get', { batchId })).toMatchObject({ rows: { draft: 1, done: 1 }, submitsUsed: 1 });
  await run.click();
  await expect(page.getByRole('alertdialog')).toContainText('1 request');
  await page.screenshot({ path: test.info().outputPath('run.png') });
  await launched.close();
});
