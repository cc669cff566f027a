/** All files of a batch at a glance: small pictures that are made once, by keyboard, with the filter of the store. */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';
import { batchLink, launch, newFolder, rowDetail, test, waitForState, type Launched } from './launch.ts';
import { startNight } from './whole-night.ts';

test.describe.configure({ timeout: 300_000 });

const SHEET = [
  'row,operation,prompt,takes,num_images,aspect_ratio,resolution',
  ...Array.from({ length: 20 }, (_, i) => `picture-${i + 1},image,A lighthouse of ${i + 1},2,1,1:1,2K`),
  'film,video-a,A lighthouse at night,1,,,',
  'song,music,A song of a lighthouse,1,,,',
  'lyrics,lyrics,Words of a lighthouse,1,,,',
].join('\n');

/** The pictures in sight that are drawn, by their widths. */
function drawnWidths(page: Page): Promise<readonly number[]> {
  return page
    .getByTestId('gallery-screen')
    .locator('[role="gridcell"] img')
    .evaluateAll((pictures) => pictures.map((one) => (one instanceof HTMLImageElement ? one.naturalWidth : 0)));
}

function madeIn(dataFolder: string): ReadonlyMap<string, number> {
  const folder = join(dataFolder, 'thumbnails');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.webp'));
  return new Map(names.map((name) => [name, statSync(join(folder, name)).ino]));
}

/** The rating of the second take of the first row, as it is stored. */
async function ratingOf(launched: Launched, batchId: string): Promise<number | undefined> {
  const { tasks } = await rowDetail(launched, batchId, 'picture-1');
  return tasks[1]?.files[0]?.verdict?.rating;
}

test('a batch is looked at by keyboard, its pictures are made once, and the focus comes back', async ({
  open,
  sharedProcess,
}) => {
  const first = await open(20);
  const { page, dataFolder } = first;
  const batchId = await startNight(first, newFolder('media'), { name: 'Wall', text: SHEET });
  await waitForState(first, batchId, 'finished');
  await batchLink(page, /^Wall/).click();
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();

  await page.keyboard.press('F7');
  const gallery = page.getByTestId('gallery-screen');
  const focused = gallery.locator('[role="gridcell"]:focus');
  await expect(focused).toContainText('picture-1');
  await expect(page.getByTestId('gallery-count')).toHaveText(/^\d+ files$/);
  await expect.poll(async () => Math.min(...(await drawnWidths(page)))).toBeGreaterThan(0);
  expect((await drawnWidths(page)).length).toBeGreaterThan(10);

  // The keys can be read to their end, in a small window, too.
  const keys = gallery.getByText(/^Enter reviews · .* O folder$/u);
  for (const size of [
    { width: 900, height: 600 },
    { width: 1280, height: 800 },
  ]) {
    await first.app.evaluate(
      ({ BrowserWindow }, { width, height }) => BrowserWindow.getAllWindows()[0]?.setContentSize(width, height),
      size,
    );
    await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(size.width);
    expect(await keys.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
  }

  // To the end, where the film, the song and the lyrics are.
  await page.keyboard.press('End');
  await expect(focused).toContainText('lyrics');
  await expect(gallery.locator('[role="gridcell"]', { hasText: 'song' }).locator('img').first()).toBeVisible();
  await expect.poll(async () => Math.min(...(await drawnWidths(page)))).toBeGreaterThan(0);
  await expect(focused.locator('p')).not.toBeEmpty();

  // The film, frame by frame: there and back again.
  await gallery.getByRole('gridcell', { name: 'film' }).first().dblclick();
  const film = page.getByTestId('review').locator('video').first();
  const moment = (): Promise<number> => film.evaluate((one) => (one as HTMLVideoElement).currentTime);
  await expect.poll(() => film.evaluate((one) => (one as HTMLVideoElement).readyState)).toBeGreaterThan(1);
  for (const key of ['.', '.', '.', ',', ',']) await page.keyboard.press(key);
  const one = await moment();
  expect(one).toBeGreaterThan(0);
  expect(one).toBeLessThan(0.1);
  await page.keyboard.press('.');
  expect((await moment()) - one).toBeCloseTo(0.04);
  await page.keyboard.press('Escape');
  await expect(focused).toContainText('film');

  // The second picture, large, and kept there; back on the wall it has the focus and says so.
  await page.keyboard.press('Home');
  await expect(focused).toContainText('picture-1');
  await page.keyboard.press('ArrowRight');
  await expect(focused).toContainText('take 2');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('review').getByText('Row picture-1 ·')).toBeVisible();
  await expect(page.getByTestId('review').getByRole('listitem')).toHaveCount(2);
  await page.keyboard.press('k');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('review')).toBeHidden();
  await expect(focused).toContainText('take 2');
  await expect(focused).toContainText('Kept');
  // It is rated from here.
  await page.keyboard.press('4');
  await expect.poll(() => ratingOf(first, batchId)).toBe(4);
  await page.keyboard.press('u');
  await expect.poll(() => ratingOf(first, batchId)).toBeUndefined();
  // What was said in the review is next.
  await page.keyboard.press('Control+z');
  await expect(focused).not.toContainText('Kept');
  await page.keyboard.press('k');
  await page.keyboard.press('4');
  await expect.poll(() => ratingOf(first, batchId)).toBe(4);

  // Several are selected; who comes back from another file in the review speaks of that one alone.
  await page.keyboard.press('Shift+ArrowRight');
  await expect(gallery.getByText('2 selected')).toBeVisible();
  // Rejected by one key, and taken back by one.
  await page.keyboard.press('x');
  await expect(gallery.getByRole('gridcell', { name: 'Rejected' })).toHaveCount(2);
  await page.keyboard.press('u');
  await expect(gallery.getByText('2 files: taken back')).toBeVisible();
  await expect(gallery.getByRole('gridcell', { name: 'Rejected' })).toHaveCount(0);
  await expect(gallery.getByRole('gridcell', { name: 'Kept' })).toHaveCount(1);
  await expect.poll(() => ratingOf(first, batchId)).toBe(4);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('review-place')).toContainText('2 of');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('review').getByText('Row picture-3 ·')).toBeVisible();
  await expect(page.getByTestId('review').getByRole('listitem')).toHaveCount(2);
  await page.keyboard.press('Escape');
  await expect(focused).toContainText('picture-3');
  await expect(gallery.getByText('2 selected')).toBeHidden();

  // Only what was kept; the store answers.
  await gallery.getByRole('combobox', { name: 'Verdict' }).click();
  await page.getByRole('option', { name: 'Kept' }).click();
  await expect(page.getByTestId('gallery-count')).toHaveText('1 of its files');
  await expect(gallery.getByRole('gridcell')).toHaveCount(1);
  const made = madeIn(dataFolder);
  expect(made.size).toBeGreaterThan(10);
  // It holds the folder if it was started on it.
  await sharedProcess.end();

  // In a process of its own, which has none of them in its memory.
  const second = await launch({ dataFolder, speed: 20 });
  await batchLink(second.page, /^Wall/).click();
  await second.page.getByRole('button', { name: 'Gallery' }).click();
  await expect
    .poll(async () => (await drawnWidths(second.page)).filter((width) => width > 0).length)
    .toBeGreaterThan(10);
  // The same files, not written again.
  const again = madeIn(dataFolder);
  for (const [name, inode] of made) expect(again.get(name), name).toBe(inode);
  await second.close();
});

/** A picture that is small on the disk and takes 6 GB in memory. */
function vastPicture(): Buffer {
  const side = 40_000;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  // One bit for each point, in grey.
  head.writeUInt8(1, 8);
  const chunk = (name: string, content: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(name), content]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const lines = deflateSync(Buffer.alloc(side * (1 + side / 8)), { level: 1 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', lines), chunk('IEND', Buffer.alloc(0))]);
}

test('a file that harms its decoder costs its own picture and no other', async ({ open }) => {
  const launched = await open(20);
  const { app, page } = launched;
  const folder = newFolder('media');
  const rows = ['vast', 'noise', 'good'].map((row) => `${row},image,A lighthouse,1,1:1,2K`);
  const text = ['row,operation,prompt,num_images,aspect_ratio,resolution', ...rows].join('\n');
  const batchId = await startNight(launched, folder, { name: 'Wall', text });
  await waitForState(launched, batchId, 'finished');
  const fileOf = (row: string): string =>
    join(folder, 'image', readdirSync(join(folder, 'image')).find((name) => name.startsWith(row)) ?? '');
  writeFileSync(fileOf('vast'), vastPicture());
  writeFileSync(fileOf('noise'), 'no picture at all');
  await batchLink(page, /^Wall/).click();
  await page.getByRole('button', { name: 'Gallery' }).click();
  const tile = (row: string) => page.getByRole('gridcell', { name: row });
  await expect.poll(() => drawnWidths(page)).toEqual([400]);
  for (const row of ['vast', 'noise']) await expect(tile(row).locator('svg')).toBeVisible();
  const kept = join(launched.dataFolder, 'thumbnails');
  const failed = readdirSync(kept, { recursive: true, encoding: 'utf8' });
  expect(failed.filter((name) => name.endsWith('.none'))).toHaveLength(2);
  // The process that draws stands still, and ends before it has read the next picture: another one draws it.
  const pid = await app.evaluate(({ webContents }) => {
    const drawing = webContents.getAllWebContents().find((one) => one.getURL().startsWith('app://thumbnails/'));
    if (drawing === undefined) throw new Error('Nothing draws.');
    return drawing.getOSProcessId();
  });
  process.kill(pid, 'SIGSTOP');
  rmSync(kept, { recursive: true });
  await page.keyboard.press('Escape');
  await page.keyboard.press('F7');
  await expect.poll(() => drawnWidths(page)).toEqual([0]);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => drawnWidths(page)).toEqual([400]);

  // What a row that is gone has rendered stays in the folder, and in the count of the batch's head: the gallery counts
  // what it shows, and leads to the rest.
  await page.keyboard.press('Escape');
  const { row } = await rowDetail(launched, batchId, 'noise');
  await launched.ask('sheet.edit', { batchId, edit: { kind: 'remove-rows', rows: [row.key] } });
  await page.keyboard.press('F7');
  await expect(page.getByTestId('gallery-count')).toHaveText('2 files');
  await expect(page.getByRole('button', { name: '1 more of removed rows in the folder' })).toBeVisible();
});
