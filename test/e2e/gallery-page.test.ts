/** For others: copies of what was kept, and the page in the media folder, with what was said of the files. */
import { existsSync, globSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { answerDialogs, batchLink, newFolder, rowDetail, test, waitForState, type Launched } from './launch.ts';
import { startNight } from './whole-night.ts';

const SHEET = [
  'row,operation,prompt,takes',
  'song,music,A song of a lighthouse,1',
  'picture,image,A lighthouse,2',
  'film,video-a,A lighthouse at night,1',
].join('\n');

/** The page as a browser shows it that knows nothing of Nocturne. */
async function openPage(
  { app }: Launched,
  file: string,
  { width, height } = { width: 500, height: 620 },
): Promise<Page> {
  const shown = app.waitForEvent('window');
  await app.evaluate(
    async ({ BrowserWindow }, [path, size]) => {
      const window = new BrowserWindow({ ...size, useContentSize: true, webPreferences: { partition: 'a browser' } });
      await window.loadFile(path);
    },
    [file, { width, height }] as const,
  );
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
  await batchLink(window, /^Page/).click();
  const out = newFolder('delivery');
  await answerDialogs(app, [out]);
  const dialog = window.getByRole('dialog');
  for (const words of ['1 new file', '0 new files']) {
    await window.getByRole('button', { name: 'Deliver', exact: true }).click();
    await expect(dialog.getByRole('radio', { name: 'What you kept' })).toBeChecked();
    await expect(dialog.getByRole('radio', { name: 'What you kept' })).toContainText('1 file, including');
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
  await expect(page.getByRole('button', { name: 'Open A lighthouse at night' })).toBeFocused();
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

test('the page shows small pictures and waveforms instead of whole files, filters by gate, and a song’s lyrics follow it', async ({
  open,
}) => {
  // Hurried more, ffmpeg would have no time.
  const launched = await open(4);
  const { app, ask } = launched;
  const folder = newFolder('media');
  const text = [
    'row,operation,prompt,clip_id,takes',
    'song,music,"[Verse]\nThe lamp is lit\nThe oil is low\n[Chorus]\nTurn my light",,1',
    'words,timing,,{{song.taskId}},1',
    'beats,downbeats,,{{song.taskId}},1',
    'picture,image,A lighthouse,,3',
    'film,video-a,A lighthouse at night,,1',
    'other,video-b,A harbour at dawn,,2',
    'bad,image,,,1',
  ].join('\n');
  const gates = { on: { tiny: 1_000_000, short: 3_600 } };
  const batchId = await startNight(launched, folder, { name: 'Small', text }, { gates });
  await waitForState(launched, batchId, 'finished');
  const replace = async (row: string, said: unknown): Promise<void> => {
    const [file] = (await rowDetail(launched, batchId, row)).tasks.flatMap(({ files }) => files);
    writeFileSync(join(folder, 'data', file?.name ?? ''), JSON.stringify(said));
  };
  const words = 'The lamp is lit the oil is low turn my light'.split(' ');
  const starts = [500, 600, 700, 800, 1_200, 1_300, 1_400, 1_500, 2_000, 2_100, 2_200];
  await replace('words', { said: words.map((word, at) => ({ word, start: starts[at] })) });
  await replace('beats', { downbeats: [0.5, 1.5, 2.5, 3.5] });
  await app.evaluate(({ shell }) => {
    shell.openPath = () => Promise.resolve('');
  });
  // What is missing on a busy machine is made the next time; a page that was begun before may not name it yet.
  await expect
    .poll(async () => {
      const made = globSync('.nocturne-previews/*/*.{jpg,json}', { cwd: folder }).length;
      await ask('batch.openGallery', { batchId });
      return made;
    })
    .toBe(8);

  const asked: string[] = [];
  const page = await openPage(launched, join(folder, 'index.html'), { width: 1_280, height: 800 });
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  page.on('request', (request) => asked.push(request.url()));
  const tiles = page.getByRole('article');
  const small = tiles.locator('img[src^=".nocturne-previews/"]');
  const drawn = (): Promise<number> =>
    small.evaluateAll((all) => all.filter((one) => (one as HTMLImageElement).naturalWidth > 0).length);
  const look = async (name: string): Promise<void> => {
    for (const theme of ['dark', 'light']) {
      await page.evaluate((one) => (document.documentElement.dataset['theme'] = one), theme);
      await page.screenshot({ path: test.info().outputPath(`${name}-${theme}.png`) });
    }
  };
  // Nothing but small pictures: no film and no image is loaded whole.
  await page.reload();
  await expect(small).toHaveCount(6);
  await expect.poll(drawn).toBe(6);
  expect(asked.filter((url) => /\/(?:image|video|music)\//u.test(url))).toEqual([]);
  await expect(tiles.locator('.swing svg')).toHaveCount(2);
  await look('tiles');

  // In a window of middle width, what filters leaves its name room.
  const narrow = await openPage(launched, join(folder, 'index.html'), { width: 900, height: 640 });
  const name = narrow.locator('.name');
  expect((await name.boundingBox())?.width).toBeGreaterThan(300);
  await narrow.close();

  // One that is gone costs its file being loaded instead, and nothing else.
  const [first = ''] = globSync('.nocturne-previews/*/*.jpg', { cwd: folder });
  renameSync(join(folder, first), `${join(folder, first)}.gone`);
  const before = await small.count();
  await page.reload();
  await expect(small).toHaveCount(before - 1);
  await expect(tiles.locator('img:not([src^="."]), video')).toHaveCount(1);

  const flagged = page.getByRole('combobox', { name: 'Flagged for' });
  await expect(flagged.getByRole('option')).toHaveText([
    'Flagged or not',
    /^Flagged by any gate \(\d+\)$/u,
    /^Hardly any bytes \(\d+\)$/u,
    /^Very short \(\d+\)$/u,
  ]);
  const all = await tiles.count();
  await flagged.selectOption({ index: 3 });
  await expect(tiles).not.toHaveCount(all);
  await expect(tiles.filter({ hasText: 'picture ·' })).toHaveCount(0);
  await flagged.selectOption('');
  await expect(tiles).toHaveCount(all);

  // What did not come is at the end, folded; who asks for it by its status has it open.
  const files = await page.locator('#files').boundingBox();
  const exceptions = await page.locator('#exceptions').boundingBox();
  expect(exceptions?.y ?? 0).toBeGreaterThan((files?.y ?? 0) + (files?.height ?? 0));
  await expect(page.locator('details')).not.toHaveAttribute('open');
  await page.getByRole('link', { name: '1 row without a verified file' }).click();
  await expect(page.locator('summary')).toBeInViewport();
  await page.getByRole('button', { name: 'Invalid 1' }).click();
  await expect(page.locator('details')).toHaveAttribute('open');
  await look('invalid');
  await page.getByRole('button', { name: 'Invalid 1' }).click();

  // The lyrics: the line that is sung is marked, and one that is clicked is sung.
  const viewer = page.getByRole('dialog');
  await page
    .getByRole('button', { name: /^Open \[Verse\]/u })
    .first()
    .press('Enter');
  await expect(viewer.getByText(/^[\u2212\d.]+ LUFS · peak [\u2212\d.]+ dBFS$/u)).toBeVisible();
  await expect(viewer.getByRole('listitem')).toHaveText([
    '[Verse]',
    'The lamp is lit',
    'The oil is low',
    '[Chorus]',
    'Turn my light',
  ]);
  const audio = viewer.locator('audio');
  await audio.evaluate((one: HTMLAudioElement) => {
    one.pause();
    one.currentTime = 0.9;
  });
  const lit = viewer.locator('[aria-current="true"]');
  await expect(lit).toHaveText('The lamp is lit');
  await viewer.getByRole('button', { name: 'Turn my light' }).click();
  await expect(lit).toHaveText('Turn my light');
  await viewer.getByRole('button', { name: 'Pause' }).click();
  await viewer.getByRole('slider', { name: 'Position' }).fill('0');
  await expect(lit).toHaveCount(0);
  await viewer.getByRole('slider', { name: 'Position' }).fill('500');
  await expect(viewer.locator('.seek .beats')).toHaveCount(1);
  await look('song');
  // The second song of the take is sung otherwise.
  await viewer.getByRole('button', { name: 'Next file' }).click();
  await expect(viewer.getByRole('listitem')).toHaveCount(5);
  await expect(viewer.getByRole('listitem').getByRole('button')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Play/u }).first().click();
  await expect(page.getByRole('region', { name: 'Player' }).locator('.seek.wave')).toBeVisible();
  await look('player');
  expect(errors).toEqual([]);

  // Those that the window has made are used, and not made again.
  await batchLink(launched.page, /^Small/).click();
  await launched.page.keyboard.press('F7');
  const inWindow = launched.page.getByTestId('gallery-screen').locator('[role="gridcell"] img');
  await expect(inWindow.first()).toBeVisible();
  const widths = (): Promise<readonly number[]> =>
    inWindow.evaluateAll((shown) => shown.map((one) => (one as HTMLImageElement).naturalWidth));
  await expect.poll(async () => Math.min(...(await widths()))).toBeGreaterThan(0);
  // A picture is shown as soon as it is made, and kept a moment later: until then the page makes, and keeps, its own.
  await expect(async () => {
    rmSync(join(folder, '.nocturne-previews'), { recursive: true, force: true });
    await ask('batch.openGallery', { batchId });
    await page.reload();
    await expect(tiles.locator('img[src$=".webp"]').first()).toBeVisible({ timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
  await expect.poll(drawn).toBe(await small.count());
  await launched.close();
});
