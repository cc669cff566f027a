/** Choosing what is good by keyboard alone: what is stored is what was chosen, also by a process that was killed. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { z } from 'zod';
import { batchLink, launch, newFolder, rowDetail, test, waitForState, type Launched } from './launch.ts';
import { startNight } from './whole-night.ts';

test.describe.configure({ timeout: 300_000 });

const ROWS = ['one', 'two', 'three', 'four', 'five', 'six'];
const SHEET = [
  'row,operation,prompt,takes,num_images,aspect_ratio,resolution',
  ...ROWS.map((row) => `${row},image,A lighthouse of ${row},3,1,1:1,2K`),
].join('\n');

const manifestSchema = z.object({
  files: z.array(
    z.object({
      row: z.string(),
      kept: z.boolean().optional(),
      rating: z.int().optional(),
      note: z.string().optional(),
    }),
  ),
});

/** What is said of the files of a row, by take. */
async function saidOf(launched: Launched, batchId: string, row: string): Promise<readonly unknown[]> {
  const { tasks } = await rowDetail(launched, batchId, row);
  return tasks.flatMap(({ files }) => files.map(({ verdict }) => verdict));
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** The row that is looked at, once its files are there. */
async function expectRow(page: Page, place: number, row: string): Promise<void> {
  const review = page.getByTestId('review');
  await expect(page.getByTestId('review-place')).toHaveText(`${place} of 6`);
  await expect(review.getByText(`Row ${row} ·`)).toBeVisible();
  await expect(review.getByRole('listitem')).toHaveCount(3);
}

async function openReview(page: Page): Promise<void> {
  await batchLink(page, /^Choice/).click();
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await press(page, 'F8');
  await expect(page.getByTestId('review')).toBeVisible();
}

test('a batch is reviewed by keyboard alone, across a kill in its middle', async () => {
  const dataFolder = newFolder('review');
  const folder = newFolder('media');
  const first = await launch({ dataFolder, speed: 20 });
  const batchId = await startNight(first, folder, { name: 'Choice', text: SHEET });
  await waitForState(first, batchId, 'finished');
  const { page } = first;
  await openReview(page);
  await expectRow(page, 1, 'one');
  const counts = page.getByTestId('review-counts');

  // The first row: the second take is kept with four stars and a note, the first is rejected.
  await press(page, 'ArrowRight', 'k', '4', 'n');
  await page.keyboard.type('the k and the x of it');
  await press(page, 'Enter', 'n');
  // Escape leaves the note as it was, and the review open.
  await page.keyboard.type(', and more');
  await press(page, 'Escape', 'ArrowLeft', 'x');
  await expect(counts).toContainText('2 of 18 files decided · 1 kept · 1 rejected');

  // The second: all is taken back, several deep.
  await press(page, 'ArrowDown');
  await expectRow(page, 2, 'two');
  await press(page, 'k', 'ArrowRight', 'x', '0');
  await expect(counts).toContainText('4 of 18 files decided');
  await press(page, 'u', 'Control+z', 'u');
  await expect(counts).toContainText('2 of 18 files decided · 1 kept · 1 rejected');
  await expect.poll(() => saidOf(first, batchId, 'two')).toEqual([undefined, undefined, undefined]);

  await press(page, 'Enter');
  await expectRow(page, 3, 'three');
  await press(page, 'ArrowRight', 'ArrowRight', 'k');
  await expect.poll(() => saidOf(first, batchId, 'three')).toEqual([undefined, undefined, { kept: true }]);
  await first.kill();

  const second = await launch({ dataFolder, speed: 20 });
  const { page: again } = second;
  const one = [{ kept: false }, { kept: true, rating: 4, note: 'the k and the x of it' }, undefined];
  expect(await saidOf(second, batchId, 'one')).toEqual(one);
  expect(await saidOf(second, batchId, 'two')).toEqual([undefined, undefined, undefined]);
  expect(await saidOf(second, batchId, 'three')).toEqual([undefined, undefined, { kept: true }]);
  await openReview(again);
  await expect(again.getByTestId('review-counts')).toContainText('3 of 18 files decided · 2 kept · 1 rejected');
  for (let row = 2; row <= 6; row += 1) {
    await press(again, 'ArrowDown');
    await expectRow(again, row, ROWS[row - 1] ?? '');
  }
  // At its end it stays.
  await press(again, 'ArrowDown', 'x');
  await expect(again.getByTestId('review-counts')).toContainText('4 of 18');
  // The list lies over the files, which keep their place and size.
  const large = again.getByTestId('review').getByRole('listitem').first();
  const before = await large.boundingBox();
  const keys = again.getByRole('dialog').getByText('Choose a file;');
  await press(again, '?');
  await expect(keys).toBeVisible();
  expect(await large.boundingBox()).toEqual(before);
  await press(again, 'Escape');
  await expect(keys).toBeHidden();
  await press(again, 'Escape');
  await expect(again.getByTestId('review')).toBeHidden();
  await expect(again.locator('[data-region="grid"] :focus')).toHaveCount(1);
  await second.close();

  // Closing writes what is said into the folder.
  const { files } = manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  const said = (row: string) =>
    files.filter((file) => file.row === row).map(({ kept, rating, note }) => ({ kept, rating, note }));
  expect(said('one')).toEqual(
    one.map((verdict) => ({ kept: verdict?.kept, rating: verdict?.rating, note: verdict?.note })),
  );
  expect(files.filter(({ kept }) => kept === true)).toHaveLength(2);
  expect(files.filter(({ kept }) => kept === false)).toHaveLength(2);
});

test('a pick in the review has the rows rendered that waited for it; the ledger leads to the row to pick from', async ({
  open,
}) => {
  const launched = await open(20);
  const { page, ask } = launched;
  const text = [
    'row,operation,prompt,takes,num_images,aspect_ratio,resolution,pick,image_urls',
    'cover,image,A lighthouse,2,1,1:1,2K,yes,',
    'second,image,The same at night,1,1,1:1,2K,,{{cover.output.1.url}}',
  ].join('\n');
  const batchId = await startNight(launched, newFolder('media'), { name: 'Choice', text });
  await waitForState(launched, batchId, 'finished');
  expect((await rowDetail(launched, batchId, 'second')).row).toMatchObject({
    status: 'queued',
    waitsForPickOf: 'cover',
  });
  await batchLink(page, /^Choice/).click();
  await page.getByTestId('batch-screen').getByRole('button', { name: 'Ledger' }).click();
  await page.getByRole('button', { name: 'Pick a file' }).click();
  await expect(page.getByTestId('inspector').getByRole('button', { name: /^Pick cover/ })).toHaveCount(2);
  await press(page, 'F8');
  await expect(page.getByTestId('review').getByRole('listitem')).toHaveCount(2);
  // One picture over the other, as far as the line is moved; nothing is said of either by it.
  await press(page, 'ArrowRight', 'w');
  const wipe = page.getByTestId('wipe');
  const clip = (): Promise<string> =>
    wipe
      .getByRole('img')
      .last()
      .evaluate((image) => (image as HTMLImageElement).style.clipPath);
  await expect(wipe.getByRole('slider')).toBeFocused();
  expect(await clip()).toContain('50%');
  await press(page, 'ArrowLeft', 'ArrowLeft');
  expect(await clip()).toContain('48%');
  const smallest = (): Promise<number> =>
    wipe
      .getByRole('img')
      .evaluateAll((images) => Math.min(...images.map((one) => (one as HTMLImageElement).naturalWidth)));
  await expect.poll(smallest).toBeGreaterThan(0);
  await press(page, 'Escape');
  await expect(wipe).toBeHidden();
  // One of the two alone, the other one small below; the arrows still choose, and Escape goes back one step.
  await press(page, 'f');
  const shown = page.getByTestId('review').getByRole('listitem');
  await expect(shown).toHaveCount(1);
  const strip = page.getByRole('navigation', { name: 'All files of the row' });
  await expect(strip.getByRole('button')).toHaveCount(2);
  await expect(strip.getByRole('button', { pressed: true })).toHaveAccessibleName(/take2/);
  await press(page, 'ArrowLeft');
  await expect(strip.getByRole('button').first()).toHaveAttribute('aria-pressed', 'true');
  const picture = shown.getByRole('img');
  await expect(picture).toBeVisible();
  const scale = (): Promise<number> =>
    picture.evaluate((one) => (one.clientWidth * devicePixelRatio) / (one as HTMLImageElement).naturalWidth);
  // Each pixel on one of the screen's; nearer with the wheel; and whole again.
  expect(await scale()).not.toBe(1);
  await press(page, 'z');
  await expect.poll(scale).toBe(1);
  await expect(shown.getByText('100%')).toBeVisible();
  await picture.hover();
  await page.mouse.wheel(0, -200);
  await expect.poll(scale).toBeGreaterThan(1);
  await press(page, 'z');
  await expect(shown.getByText(/^\d+%$/u)).toBeHidden();
  await press(page, 'ArrowRight', 'Escape');
  await expect(strip).toBeHidden();
  await expect(shown).toHaveCount(2);
  await press(page, 'p');
  await expect(page.getByTestId('review').getByRole('button', { name: /^Pick cover/, pressed: true })).toBeVisible();
  await expect
    .poll(async () => (await rowDetail(launched, batchId, 'second')).row.status, { timeout: 60_000 })
    .toBe('done');
  expect((await ask('batch.get', { batchId })).submitsUsed).toBe(3);
  await launched.close();
});

test('one more take is asked for in the review, its cost agreed to, and its file looked at', async ({ open }) => {
  const launched = await open(20);
  const { page } = launched;
  const text = ['row,operation,prompt', 'one,image,A lighthouse', 'two,image,A harbour'].join('\n');
  const folder = newFolder('media');
  const batchId = await startNight(launched, folder, { name: 'Choice', text });
  await waitForState(launched, batchId, 'finished');
  await openReview(page);
  const review = page.getByTestId('review');
  await expect(review.getByRole('listitem').first()).toBeVisible();
  const before = await review.getByRole('listitem').count();
  // Twice asked for, once taken back: nothing has been sent by it.
  await press(page, 'a', 'a', 'u');
  await expect(review.getByText('one: taken back.')).toBeVisible();
  const run = review.getByRole('button', { name: /^Run 1 / });
  await expect(run).toBeVisible();
  expect((await rowDetail(launched, batchId, 'one')).tasks).toHaveLength(1);
  await run.click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Run 1 / })
    .press('Enter');
  // The button is gone: the next key is for the review, and not for whatever button is next.
  await expect(run).toBeHidden();
  await expect(review).toBeFocused();
  await review.getByRole('button', { name: /more file/ }).click();
  await expect.poll(() => review.getByRole('listitem').count()).toBeGreaterThan(before);
  // It was agreed to: it stays.
  await press(page, 'u');
  await expect(review.getByText('You have agreed to that take, so it stays.')).toBeVisible();
  expect((await rowDetail(launched, batchId, 'one')).tasks).toHaveLength(2);

  // What is rejected has a folder of its own, comes back, and goes for good once that is said.
  const rejected = (): readonly string[] => namesIn(join(folder, 'rejected'));
  const rest = namesIn(join(folder, 'image'));
  await press(page, 'x');
  await expect.poll(() => rejected().length).toBe(1);
  await press(page, 'u');
  await expect.poll(() => namesIn(join(folder, 'image'))).toEqual(rest);
  await press(page, 'x');
  await review.getByRole('button', { name: 'Delete rejected…' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('nothing brings the file back');
  // A rehearsal has paid for nothing.
  await expect(question).not.toContainText('paid');
  // Who leaves it at that is where it was: the next key is for the review, not for the same question.
  await question.getByRole('button', { name: 'Keep it' }).press('Enter');
  await expect(question).toBeHidden();
  await expect(review).toBeFocused();
  await review.getByRole('button', { name: 'Delete rejected…' }).click();
  await question.getByRole('button', { name: 'Delete 1 file' }).click();
  await expect(page.getByText(/^1 rejected file deleted for good/)).toBeVisible();
  expect(rejected()).toEqual([]);
  expect(namesIn(join(folder, 'image'))).toHaveLength(rest.length - 1);
  await expect(review.getByRole('button', { name: 'Delete rejected…' })).toBeHidden();
  expect((await rowDetail(launched, batchId, 'one')).row.status).toBe('done');
  await launched.close();
});

test('the songs of a row are played equally loud, as loud as the quietest by EBU R128', async ({ open }) => {
  const launched = await open(20);
  const { page, ask } = launched;
  const folder = newFolder('media');
  const text = ['row,operation,prompt,takes', 'song,music,A song of the sea,2'].join('\n');
  const batchId = await startNight(launched, folder, { name: 'Choice', text });
  await waitForState(launched, batchId, 'finished');
  const { tasks } = await rowDetail(launched, batchId, 'song');
  const files = tasks.flatMap((task) => task.files);
  const lufs = new Map(files.map(({ id, name }) => [id, loudnessOf(join(folder, 'music', name))]));
  for (const [fileId, loudness] of lufs)
    expect(Math.abs(((await ask('file.sound', { fileId }))?.lufs ?? 0) - loudness)).toBeLessThan(0.5);
  // Their waveforms come later, and move nothing.
  const heights = await page.evaluateHandle(() => {
    const seen = new Set<number>();
    const look = (): void => {
      const songs = document.querySelectorAll<HTMLElement>('[data-testid="review"] li[data-file]');
      for (const { offsetHeight } of songs) seen.add(offsetHeight);
      requestAnimationFrame(look);
    };
    look();
    return seen;
  });
  await openReview(page);
  await expect(page.getByTestId('review').getByText('LUFS')).toHaveCount(files.length);
  expect(await heights.evaluate((seen) => [...seen])).toHaveLength(1);
  await press(page, 'l');
  await expect(page.getByTestId('review-counts')).toContainText('equally loud');
  const quietest = Math.min(...lufs.values());
  for (const [id, loudness] of lufs) {
    const sound = page.getByTestId('review').locator(`[data-file="${id}"] audio`);
    const volume = await sound.evaluate((element) => (element as HTMLAudioElement).volume);
    expect(Math.abs(volume - 10 ** ((quietest - loudness) / 20))).toBeLessThan(0.08);
  }
  await press(page, 'l');
  const volumes = page.getByTestId('review').locator('audio');
  expect(await volumes.evaluateAll((all) => all.map((one) => (one as HTMLAudioElement).volume))).toEqual(
    files.map(() => 1),
  );
  await launched.close();
});

/** In LUFS, as ffmpeg measures it. */
function loudnessOf(file: string): number {
  const { stderr } = spawnSync('ffmpeg', ['-hide_banner', '-i', file, '-af', 'ebur128', '-f', 'null', '-'], {
    encoding: 'utf8',
  });
  return Number(/Integrated loudness:\s+I:\s+(-?[\d.]+) LUFS/u.exec(stderr)?.[1]);
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}
