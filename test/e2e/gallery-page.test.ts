/** For others: copies of what was kept, and the page in the media folder, with what was said of the files. */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { answerDialogs, newFolder, rowDetail, test, waitForState, type Launched } from './launch.ts';
import { startNight } from './whole-night.ts';

const SHEET = [
  'row,operation,prompt,takes',
  'song,music,A song of a lighthouse,1',
  'picture,image,A lighthouse,2',
  'film,video-a,A lighthouse at night,1',
].join('\n');

/** The page as a browser shows it that knows nothing of Nocturne. */
async function openPage({ app }: Launched, file: string): Promise<Page> {
  const shown = app.waitForEvent('window');
  await app.evaluate(async ({ BrowserWindow }, path) => {
    const window = new BrowserWindow({ width: 500, height: 620, webPreferences: { partition: 'a browser' } });
    await window.loadFile(path);
  }, file);
  return shown;
}

test('what was kept is delivered; the page of a media folder shows what was said, filters by it, and plays all files', async ({
  open,
}) => {
  const launched = await open(20);
  const { app, ask } = launched;
  const folder = newFolder('media');
  const batchId = await startNight(launched, folder, { name: 'Page', text: SHEET });
  await waitForState(launched, batchId, 'finished');
  const fileOf = async (row: string, take: number): Promise<string> => {
    const { tasks } = await rowDetail(launched, batchId, row);
    return tasks[take - 1]?.files[0]?.id ?? '';
  };
  await ask('file.review', { fileId: await fileOf('picture', 2), kept: true, rating: 4, note: 'the calm one' });
  await ask('file.review', { fileId: await fileOf('film', 1), kept: false });
  await app.evaluate(({ shell }) => {
    shell.openPath = () => Promise.resolve('');
  });
  await ask('batch.openGallery', { batchId });

  // From the window: what was kept, in a folder of one's own, told what it is; and once more, with nothing new.
  const { page: window } = launched;
  await window.getByRole('button', { name: /^Page/ }).click();
  const out = newFolder('delivery');
  await answerDialogs(app, [out]);
  const dialog = window.getByRole('dialog');
  for (const words of ['1 new file', '0 new files']) {
    await window.getByRole('button', { name: 'Deliver', exact: true }).click();
    await expect(dialog.getByRole('radio', { name: 'What you kept' })).toBeChecked();
    if (words.startsWith('1')) {
      await expect(dialog.getByRole('button', { name: 'Deliver', exact: true })).toBeDisabled();
      await dialog.getByLabel('Folders and names').fill('{operation}/{row}');
      await dialog.getByRole('button', { name: 'Choose folder…' }).click();
    }
    await expect(dialog.getByText(out)).toBeVisible();
    await dialog.screenshot({ path: test.info().outputPath('deliver.png') });
    await dialog.getByRole('button', { name: 'Deliver', exact: true }).click();
    await expect(window.getByTestId('delivered')).toContainText(words);
    await expect(dialog).toHaveAccessibleName(words.startsWith('1') ? 'Delivered' : 'Nothing new to deliver');
    await window.screenshot({ path: test.info().outputPath('delivered.png') });
    await dialog.getByRole('button', { name: 'Close' }).click();
  }
  expect(globSync('**/*.*', { cwd: out }).toSorted()).toEqual([
    'datapackage.json',
    expect.stringMatching(/^image\/picture-take2\.\w+$/u),
  ]);

  // Twice as a ZIP: the second has a name of its own.
  for (const name of ['Page.zip', 'Page 2.zip']) {
    await window.getByRole('button', { name: 'Deliver', exact: true }).click();
    await dialog.getByRole('checkbox', { name: 'As a ZIP' }).check();
    await dialog.getByRole('button', { name: 'Deliver', exact: true }).click();
    await expect(window.getByTestId('delivered')).toContainText(join(out, name));
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(existsSync(join(out, name))).toBe(true);
  }

  // Where no delivery goes: what to do is about a delivery.
  await answerDialogs(app, [folder]);
  await window.getByRole('button', { name: 'Deliver', exact: true }).click();
  await dialog.getByRole('checkbox', { name: 'As a ZIP' }).uncheck();
  await dialog.getByRole('button', { name: 'Choose folder…' }).click();
  await expect(dialog.getByText(folder)).toBeVisible();
  await dialog.getByRole('button', { name: 'Deliver', exact: true }).click();
  await expect(window.getByText(/choose another folder, then deliver again/u).first()).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  const page = await openPage(launched, join(folder, 'index.html'));
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  const tiles = page.getByRole('article');
  const count = await tiles.count();
  expect(count).toBeGreaterThan(3);
  await page.getByRole('button', { name: 'Kept 1' }).click();
  await expect(tiles).toHaveCount(1);
  await expect(tiles).toContainText('take 2');
  await expect(tiles).toContainText('★★★★');
  await page.getByRole('combobox', { name: 'Rating' }).selectOption({ label: '★★★★★' });
  await expect(tiles).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Rating' }).selectOption({ label: 'Any rating' });
  await page.getByRole('button', { name: 'Kept 1' }).click();
  await expect(tiles).toHaveCount(count);

  // One file large: its own pixels, and the whole screen, which stays when the next one comes.
  const viewer = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Open A lighthouse', exact: true }).last().click();
  await expect(viewer).toContainText('the calm one');
  await expect(viewer).toContainText('Kept · ★★★★');
  const width = (): Promise<number> => viewer.locator('.big img').evaluate((one) => one.getBoundingClientRect().width);
  const fitted = await width();
  await page.keyboard.press('z');
  expect(await width()).toBeGreaterThan(fitted);
  await page.keyboard.press('z');
  expect(await width()).toBe(fitted);
  const screen = (): Promise<string | undefined> => page.evaluate(() => document.fullscreenElement?.className);
  await page.keyboard.press('f');
  await expect.poll(screen).toContain('big');
  await page.keyboard.press('ArrowLeft');
  await expect(viewer.getByRole('status')).not.toHaveText(`1 of ${count}`);
  expect(await screen()).toContain('big');
  await page.keyboard.press('f');
  await expect.poll(screen).toBeUndefined();
  await page.keyboard.press('Escape');
  await expect(viewer).toBeHidden();

  // The film, frame by frame; and from there all to the end, once.
  await page.getByRole('button', { name: 'Open A lighthouse at night' }).click();
  const film = viewer.locator('video');
  await expect.poll(() => film.evaluate((one: HTMLVideoElement) => one.readyState)).toBeGreaterThan(1);
  await page.keyboard.press('.');
  expect(await film.evaluate((one: HTMLVideoElement) => one.paused)).toBe(true);
  await page.keyboard.press('Escape');
  // It is emptied, and the focus goes back, a moment after it is closed.
  await expect(viewer.locator('.big > *')).toHaveCount(0);
  await page
    .getByRole('button', { name: /^Open A song/ })
    .first()
    .focus();
  // Whoever looks from outside may look late.
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const place = document.querySelector('#viewer [role="status"]')?.textContent ?? '';
      if (place !== '' && place !== seen.at(-1)) seen.push(place);
    }).observe(document.body, { subtree: true, childList: true });
  });
  await page.keyboard.press('p');
  await expect(viewer.getByRole('status')).toHaveText(`${count} of ${count}`);
  await expect(viewer.getByRole('button', { name: 'Play all' })).toBeVisible();
  await expect(viewer.getByRole('status')).toHaveText(`${count} of ${count}`);
  const seen = await page.evaluate(() => (window as unknown as { readonly seen: readonly string[] }).seen);
  expect(seen).toEqual(Array.from({ length: count }, (_, i) => `${i + 1} of ${count}`));
  // What has the focus keeps it while one file follows another: who began it with a key ends it with the same.
  await viewer.getByRole('button', { name: 'Play all' }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowLeft');
  await expect(viewer.getByRole('button', { name: 'Stop' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(viewer.getByRole('button', { name: 'Play all' })).toBeVisible();
  // Opened again in the same moment, it shows what was asked for.
  await page.evaluate(() => {
    document.querySelector('dialog')?.close();
    document.querySelector<HTMLButtonElement>('article .open')?.click();
  });
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  await expect(viewer.getByRole('status')).toHaveText(`1 of ${count}`);
  expect(errors).toEqual([]);
  await page.screenshot({ path: test.info().outputPath('page.png') });
  await launched.close();
});
