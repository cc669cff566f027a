/** Listening and looking without hands: one file after the other, the whole screen, a song's waveform. */
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { batchLink, newFolder, rowDetail, test, waitForState } from './launch.ts';
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
  await expect.poll(() => media.evaluate((one) => Number.isFinite((one as HTMLMediaElement).duration))).toBe(true);
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
  await batchLink(page, /^Wall/).click();
  await page.getByRole('button', { name: 'Gallery' }).click();
  await expect(page.getByTestId('gallery-screen').locator('[role="gridcell"]:focus')).toContainText('picture');
  await page.keyboard.press('t');
  await expectPlayed(page, `1 of ${4 + songs.length - 1}`, 'picture');
  // It goes on by itself, past what is only words.
  const film = await expectPlayed(page, '3 of', 'film');
  await expect(page.getByTestId('review').getByText(/has nothing to play: passed over/u)).toBeVisible();
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

test('files are dragged out to other programs as they lie in the folder, several at once, and none that was changed', async ({
  open,
}) => {
  const launched = await open(20);
  const { app, page, tryToAsk } = launched;
  const folder = newFolder('media');
  const rows = ['one', 'two', 'three'].map((row) => `${row},image,A lighthouse,1,1:1,2K`);
  const text = ['row,operation,prompt,num_images,aspect_ratio,resolution', ...rows].join('\n');
  const batchId = await startNight(launched, folder, { name: 'Wall', text });
  await waitForState(launched, batchId, 'finished');
  // The system's part cannot be played here: what it is asked for can be seen.
  await app.evaluate(({ BrowserWindow }) => {
    const noted = globalThis as typeof globalThis & { dragged?: { files: readonly string[]; isSeen: boolean }[] };
    noted.dragged = [];
    for (const { webContents } of BrowserWindow.getAllWindows())
      webContents.startDrag = ({ files = [], icon }) =>
        void noted.dragged?.push({ files, isSeen: typeof icon !== 'string' && !icon.isEmpty() });
  });
  const dragged = () =>
    app.evaluate(() => (globalThis as typeof globalThis & { dragged?: unknown[] }).dragged?.splice(0) ?? []);
  const namesIn = readdirSync(join(folder, 'image'));
  const pathOf = (row: string): string => join(folder, 'image', namesIn.find((name) => name.startsWith(row)) ?? '');
  const drag = async (from: Locator): Promise<void> => {
    const box = await from.boundingBox();
    if (box === null) throw new Error('It is not to be seen.');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (const way of [10, 40, 200]) await page.mouse.move(x + way, y + way);
    await page.mouse.up();
  };

  await batchLink(page, /^Wall/).click();
  await page.getByRole('button', { name: 'Gallery' }).click();
  const tile = (row: string): Locator => page.getByRole('gridcell', { name: row });
  await expect(tile('three').getByRole('presentation')).toBeVisible();
  await drag(tile('two'));
  await expect.poll(dragged).toEqual([{ files: [pathOf('two')], isSeen: true }]);
  // Those that are selected go together; another one still goes alone.
  await tile('one').click();
  await tile('three').click({ modifiers: ['Control'] });
  await expect(page.getByText('2 selected')).toBeVisible();
  await drag(tile('three'));
  await expect.poll(dragged).toEqual([{ files: [pathOf('one'), pathOf('three')], isSeen: true }]);
  // The same is said of both.
  await page.keyboard.press('k');
  await expect(tile('one')).toContainText('Kept');
  await expect(tile('three')).toContainText('Kept');
  await expect(tile('two')).not.toContainText('Kept');

  // In its folder: the first of several, and by the menu another one alone.
  await app.evaluate(({ shell }) => {
    const noted = globalThis as typeof globalThis & { dragged?: unknown[] };
    shell.showItemInFolder = (path) => void noted.dragged?.push(path);
  });
  // A key that is held does it once.
  for (let time = 0; time < 9; time += 1) await page.keyboard.down('o');
  await page.keyboard.up('o');
  await expect.poll(dragged).toEqual([pathOf('one')]);
  await tile('two').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Show in folder' }).click();
  await expect.poll(dragged).toEqual([pathOf('two')]);
  await expect(page.getByText('2 selected')).toBeHidden();
  await expect(tile('two')).toBeFocused();
  await tile('three').click();

  // In the review, by its name or by the picture itself.
  await page.keyboard.press('Enter');
  const shown = page.getByTestId('review').getByRole('listitem');
  await drag(shown.getByText('three', { exact: false }));
  await expect.poll(dragged).toEqual([{ files: [pathOf('three')], isSeen: true }]);
  await page.keyboard.press('f');
  await drag(shown.getByRole('img'));
  await expect.poll(dragged).toEqual([{ files: [pathOf('three')], isSeen: true }]);
  // Zoomed into, it is moved instead.
  await page.keyboard.press('z');
  await drag(shown.getByRole('img'));

  // What was changed on the disk is not handed on, nor what is no file of the batch, and nothing beside it.
  appendFileSync(pathOf('two'), 'more');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await drag(tile('two'));
  await expect(page.getByText(/has been changed on the disk since it was verified/).first()).toBeVisible();
  const known = (await rowDetail(launched, batchId, 'one')).tasks.flatMap(({ files }) => files.map(({ id }) => id));
  for (const fileIds of [[...known, '99-1'], ['../../etc/passwd'], []])
    expect(await tryToAsk('files.drag', { batchId, fileIds })).toMatchObject({ ok: false });
  expect(await dragged()).toEqual([]);
});

test('a song has its waveform, in which it is sought, and says how loud it is', async ({ open }) => {
  const launched = await open(20);
  const { page } = launched;
  const text = ['row,operation,prompt', 'song,music,A song of a lighthouse'].join('\n');
  const batchId = await startNight(launched, newFolder('media'), { name: 'Songs', text });
  await waitForState(launched, batchId, 'finished');
  await batchLink(page, /^Songs/).click();
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await page.keyboard.press('F8');
  const song = page.getByTestId('review').getByRole('listitem').first();
  await expect(song.getByText(/^\u2212\d+\.\d LUFS · peak \u2212?\d+\.\d dBFS$/u)).toBeVisible();
  const wave = song.locator('svg[preserveAspectRatio="none"]');
  await expect(wave.locator('path')).toHaveCount(2);
  const audio = song.locator('audio');
  const share = (): Promise<number> =>
    audio.evaluate((one) => (one as HTMLAudioElement).currentTime / (one as HTMLAudioElement).duration);
  const box = await wave.boundingBox();
  if (box === null) throw new Error('It is not to be seen.');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(share).toBeCloseTo(0.5, 1);
  await expect(song.getByRole('slider').first()).toHaveAttribute('aria-valuetext', /^\d+:\d\d of \d+:\d\d$/u);
  // Dragged, it is sought, too; the file stays.
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 4, box.y + 10, { steps: 4 });
  await page.mouse.up();
  await expect.poll(share).toBeCloseTo(0.25, 1);
  await page.getByTestId('review').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(share).toBeGreaterThan(0.9);
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(share).toBeLessThan(0.1);
  await page.keyboard.press('f');
  await page.keyboard.press(' ');
  await expect.poll(share).toBeGreaterThan(0.2);
});

test('the lyrics of a song stand beside it, and the line that is sung is lit where a row found out when', async ({
  open,
}) => {
  const launched = await open(20);
  const { page } = launched;
  const folder = newFolder('media');
  const text = [
    'row,operation,prompt,clip_id',
    'song,music,"[Verse]\nThe lamp is lit\nThe oil is low\n[Chorus]\nTurn my light",',
    'words,timing,,{{song.taskId}}',
    'beats,downbeats,,{{song.taskId}}',
  ].join('\n');
  const batchId = await startNight(launched, folder, { name: 'Songs', text });
  await waitForState(launched, batchId, 'finished');
  // Nobody has written down what such a document looks like: this one has milliseconds, in no order.
  const replace = async (row: string, said: unknown): Promise<void> => {
    const [file] = (await rowDetail(launched, batchId, row)).tasks.flatMap(({ files }) => files);
    writeFileSync(join(folder, 'data', file?.name ?? ''), JSON.stringify({ result: said }));
  };
  const words = 'Turn my light the lamp is lit the oil is low'.split(' ');
  const starts = [2_000, 2_100, 2_200, 500, 600, 700, 800, 1_200, 1_300, 1_400, 1_500];
  const said = words.map((word, at) => ({ word, start: starts[at] }));
  await replace('words', { said });
  await replace('beats', { downbeats: [0.5, 1.5, 2.5, 3.5] });
  await batchLink(page, /^Songs/).click();
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await page.keyboard.press('F8');
  await page.keyboard.press('f');
  const lyrics = page.getByRole('list', { name: 'Lyrics' });
  await expect(lyrics.getByRole('listitem')).toHaveText([
    '[Verse]',
    'The lamp is lit',
    'The oil is low',
    '[Chorus]',
    'Turn my light',
  ]);
  const lit = lyrics.locator('[aria-current="true"]');
  await expect(lit).toHaveCount(0);
  const audio = page.getByTestId('review').getByRole('listitem').first().locator('audio');
  const goTo = (seconds: number): Promise<void> =>
    audio.evaluate((one, at) => void ((one as HTMLAudioElement).currentTime = at), seconds);
  await goTo(0.9);
  await expect(lit).toHaveText('The lamp is lit');
  await goTo(1.35);
  await expect(lit).toHaveText('The oil is low');
  // Four bars begin in the waveform.
  const bars = page.locator('svg[preserveAspectRatio="none"]:visible > path').last();
  await expect(bars).toHaveAttribute('d', /^(?:M[\d.]+ 1\.9V2){4}$/u);
  await page.keyboard.press(' ');
  await expect(lit).toHaveText('Turn my light');
  await expect(page.getByTestId('review')).toBeFocused();
  // The second song of the take has the same words, and is sung otherwise.
  await page.keyboard.press('ArrowRight');
  await expect(lyrics.getByRole('listitem')).toHaveCount(5);
  await expect(lyrics.locator('[aria-current="true"]')).toHaveCount(0);
});

test('a film has controls of ours: it is played, sought, muted and shown on the whole screen by keyboard and by mouse', async ({
  open,
}) => {
  const launched = await open(20);
  const { page } = launched;
  const text = ['row,operation,prompt', 'film,video-a,A lighthouse at night'].join('\n');
  const batchId = await startNight(launched, newFolder('media'), { name: 'Films', text });
  await waitForState(launched, batchId, 'finished');
  await batchLink(page, /^Films/).click();
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await page.keyboard.press('Control+i');
  const player = page.getByTestId('film-player');
  const film = player.locator('video');
  const now = () =>
    film.evaluate((one) => {
      const { paused, muted, currentTime, duration } = one as HTMLVideoElement;
      return { paused, muted, share: currentTime / duration };
    });
  await player.getByRole('button', { name: /^Play film/u }).press('Enter');
  await expect.poll(now).toMatchObject({ paused: false, muted: false });
  await player.getByRole('button', { name: /^Pause film/u }).press('Enter');
  await player.getByRole('slider').press('End');
  await expect.poll(async () => (await now()).share).toBeGreaterThan(0.9);
  await player.getByRole('slider').press('Home');
  await expect.poll(async () => (await now()).share).toBe(0);
  // A place that is asked for before the length is known is gone to then.
  await film.evaluate((one) => {
    Object.defineProperty(one, 'duration', { value: Number.NaN, configurable: true });
    one.dispatchEvent(new Event('durationchange'));
  });
  await expect(player).toContainText(/0:00\s*0:00/u);
  await player.getByRole('slider').press('End');
  await film.evaluate((one) => {
    Reflect.deleteProperty(one, 'duration');
    one.dispatchEvent(new Event('durationchange'));
  });
  await expect.poll(async () => (await now()).share).toBeGreaterThan(0.9);
  await player.getByRole('button', { name: 'Mute' }).press('Enter');
  await expect(player.getByRole('button', { name: 'Unmute' })).toBeVisible();
  expect(await now()).toMatchObject({ paused: true, muted: true });
  await film.click();
  await expect(player.getByRole('button', { name: /^Pause film/u })).toBeVisible();
  await player.getByRole('button', { name: 'Full screen' }).press('Enter');
  await expect(player.getByRole('button', { name: 'Leave full screen' })).toBeVisible();
  expect(await page.evaluate(() => document.fullscreenElement?.matches('[data-testid="film-player"]'))).toBe(true);
  await page.keyboard.press('Escape');
  await expect(player.getByRole('button', { name: 'Full screen' })).toBeFocused();
  await expect(page.getByTestId('inspector')).toBeVisible();

  // In the review, by a double click: its keys are the film's alone, and what is behind it hears none.
  await page.keyboard.press('Escape');
  await page.keyboard.press('F8');
  const reviewed = page.getByTestId('review').getByTestId('film-player');
  await reviewed.locator('video').dblclick();
  await expect(reviewed.getByRole('button', { name: 'Leave full screen' })).toBeVisible();
  await expect(reviewed.getByRole('button', { name: /^(?:Play|Pause) film/u })).toBeFocused();
  for (const key of ['x', 'Control+k']) await page.keyboard.press(key);
  await page.keyboard.press('Escape');
  await expect(reviewed.getByRole('button', { name: 'Full screen' })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await expect(page.getByTestId('review').getByText('0 rejected')).toBeVisible();
});

test('a file is looked at large as in the review: a waveform, frames, pixels and the whole screen', async ({
  open,
}) => {
  const launched = await open(20);
  const { page } = launched;
  const batchId = await startNight(launched, newFolder('media'), { name: 'Large', text: SHEET });
  await waitForState(launched, batchId, 'finished');
  await batchLink(page, /^Large/).click();
  await expect(page.locator('[data-testid="row-grid"][data-ready="true"]')).toBeVisible();
  await page.getByTestId('row-grid').click({ position: { x: 90, y: 34 + 17 } });
  await page.keyboard.press(' ');
  const look = page.getByTestId('look');
  await expect(look.getByRole('img')).toBeVisible();
  await page.keyboard.press('z');
  await expect(look.getByText('100%', { exact: true })).toBeVisible();
  await page.keyboard.press('s');
  const isFull = (): Promise<boolean> => page.evaluate(() => document.fullscreenElement !== null);
  await expect.poll(isFull).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(isFull).toBe(false);
  await expect(look).toBeVisible();

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const film = look.locator('video');
  await expect.poll(() => isPlaying(film)).toBe(true);
  await page.keyboard.press('.');
  const moment = (): Promise<number> => film.evaluate((one) => (one as HTMLVideoElement).currentTime);
  expect(await isPlaying(film)).toBe(false);
  const before = await moment();
  await page.keyboard.press(',');
  const earlier = await moment();
  expect(earlier).toBeLessThan(before);
  await page.keyboard.press('.');
  // How far a frame is, a player that is late may take for too long.
  expect(await moment()).toBeGreaterThan(earlier);

  await page.keyboard.press('ArrowDown');
  await expect.poll(() => isPlaying(look.locator('audio'))).toBe(true);
  await expect(look.locator('svg[preserveAspectRatio="none"]')).toBeVisible();
  await expect(look.getByText(/LUFS/u)).toBeVisible();
  // What is played faster stays so, also for the next one.
  const speedOf = (media: Locator) => media.evaluate((one) => (one as HTMLMediaElement).playbackRate);
  await page.keyboard.press('>');
  await expect.poll(() => speedOf(look.locator('audio'))).toBe(1.5);
  await look.getByRole('button', { name: 'Speed: 1.5×' }).click();
  await expect(look.getByRole('button', { name: 'Speed: 2×' })).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => speedOf(film)).toBe(2);
  await page.keyboard.press('<');
  await page.keyboard.press('<');
  await expect(look.getByRole('button', { name: 'Speed: 1×' })).toBeVisible();
  await page.keyboard.press(' ');
  await expect(look).toBeHidden();
});
