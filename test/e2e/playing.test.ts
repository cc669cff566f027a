/** Listening and looking without hands: one file after the other, the whole screen, a song's waveform. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { newFolder, rowDetail, test, waitForState } from './launch.ts';
import { startNight } from './whole-night.ts';

test.describe.configure({ timeout: 300_000 });

const SHEET = [
  'row,operation,prompt,num_images,aspect_ratio,resolution',
  'picture,image,A lighthouse,1,1:1,2K',
  'lyrics,lyrics,Words of a lighthouse,,,',
  'film,video-a,A lighthouse at night,,,',
  'song,music,A song of a lighthouse,,,',
].join('\n');

/** Where the file that is looked at stands in the list, and its row. */
async function expectPlayed(page: Page, place: string, row: string): Promise<Locator> {
  const review = page.getByTestId('review');
  await expect(review.getByText(`Row ${row} ·`)).toBeAttached({ timeout: 15_000 });
  const shown = review.getByRole('listitem');
  await expect(shown).toHaveCount(1);
  await expect(shown.getByText(place)).toBeVisible();
  return shown.locator('audio, video, img').first();
}

function isPlaying(media: Locator): Promise<boolean> {
  return media.evaluate((one) => !(one as HTMLMediaElement).paused);
}

/** Brings a song or a film to where its end is near. */
async function skipToEnd(media: Locator): Promise<void> {
  await media.evaluate((one) => {
    const player = one as HTMLMediaElement;
    player.currentTime = player.duration - 0.3;
  });
}

test('a batch is played through from the gallery, file after file, and judged meanwhile', async ({ open }) => {
  const launched = await open(20);
  const { page } = launched;
  const folder = newFolder('media');
  const batchId = await startNight(launched, folder, { name: 'Wall', text: SHEET });
  await waitForState(launched, batchId, 'finished');
  const files = async (row: string) => (await rowDetail(launched, batchId, row)).tasks.flatMap((task) => task.files);
  const songs = await files('song');
  const last = songs.at(-1);
  if (last === undefined || songs.length < 2) throw new Error('There is no second song.');
  // The last song is broken on the disk.
  writeFileSync(join(folder, 'music', last.name), 'no song at all');
  await page.getByRole('button', { name: /^Wall/ }).click();
  await page.getByRole('button', { name: 'Gallery' }).click();
  await expect(page.getByTestId('gallery-screen').locator('[role="gridcell"]:focus')).toContainText('picture');
  await page.keyboard.press('t');
  await expectPlayed(page, `1 of ${4 + songs.length - 1}`, 'picture');
  // It goes on by itself, past what is only words.
  const film = await expectPlayed(page, '3 of', 'film');
  await expect(page.getByTestId('review').getByText(/is nothing to play: passed over/u)).toBeVisible();
  await expect.poll(() => isPlaying(film)).toBe(true);
  await page.keyboard.press('k');
  await expect.poll(async () => (await files('film'))[0]?.verdict?.kept).toBe(true);
  // Space waits, and goes on.
  await page.keyboard.press(' ');
  await expect(page.getByTestId('review').getByText('· paused')).toBeVisible();
  expect(await isPlaying(film)).toBe(false);
  await page.keyboard.press(' ');
  await expect.poll(() => isPlaying(film)).toBe(true);
  await skipToEnd(film);
  const song = await expectPlayed(page, '4 of', 'song');
  await expect.poll(() => isPlaying(song)).toBe(true);

  // The whole screen: what is said of a file stays in sight, and Escape leaves that first.
  await page.keyboard.press('s');
  const isFull = (): Promise<boolean> => page.evaluate(() => document.fullscreenElement !== null);
  await expect.poll(isFull).toBe(true);
  await page.keyboard.press('4');
  await expect(page.getByTestId('review').getByRole('listitem').getByText('4', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect.poll(isFull).toBe(false);
  await expect(page.getByTestId('review').getByRole('button', { name: 'Stop' })).toBeVisible();

  await page.keyboard.press('ArrowLeft');
  await expectPlayed(page, '3 of', 'film');
  await page.keyboard.press('ArrowRight');
  await expectPlayed(page, '4 of', 'song');
  for (let i = 1; i < songs.length - 1; i += 1) await page.keyboard.press('ArrowRight');
  await skipToEnd(await expectPlayed(page, `${4 + songs.length - 2} of`, 'song'));
  await expect(page.getByTestId('review').getByText(/^The end: \d+ files, 2 files passed over/u)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('review').getByRole('button', { name: 'Play through' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('gallery-screen').locator('[role="gridcell"]:focus')).toContainText('song');
});
