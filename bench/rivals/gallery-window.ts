/**
 * The gallery of a large batch in the real window, beside ffmpeg on the same pictures. Run it on a desktop of its own.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import type { TaskChange } from '../../src/engine/ports/task-change.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { commitAll, storeOfTasks } from '../support/task-fixture.ts';
import { openPages, writePages } from './gallery-page.ts';
import { framesOf, openBench, openOwnWindow, scroll, type Opened } from './windows.ts';

/** How many different pictures, as large as a gateway's often are; each file is one of them under a name of its own. */
const PICTURES = 12;
const SIDE = 2_048;
const AT_ONCE = 500;
const BY_FFMPEG = 24;

/** Pictures of about 3 MB, with much detail that is hard to decode. */
function makePictures(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const source = `mandelbrot=s=${SIDE}x${SIDE}:rate=1`;
  const args = ['-loglevel', 'error', '-f', 'lavfi', '-i', source, '-frames:v', String(PICTURES)];
  const made = spawnSync('ffmpeg', [...args, path.join(folder, '%d.png')]);
  if (made.status !== 0) throw new Error('The bench of the gallery needs ffmpeg.');
}

/** A batch in which every row has a picture. Each counts as different content, so that no small picture serves two. */
async function storeOfPictures(store: string, folder: string, count: number, hasPages: boolean): Promise<void> {
  const { opened, batchId } = await storeOfTasks(store, count, folder);
  mkdirSync(path.join(folder, 'image'), { recursive: true });
  const files: { name: string; made: string }[] = [];
  for (let first = 0; first < count; first += AT_ONCE) {
    const tasks = await opened.store.nextQueued(batchId, 'musicgen', AT_ONCE, Date.now());
    const changes = tasks.map((task): TaskChange => {
      const name = `image/${task.id}.png`;
      const made = path.join(folder, 'made', `${1 + (task.id % PICTURES)}.png`);
      linkSync(made, path.join(folder, name));
      files.push({ name, made });
      const sha256 = createHash('sha256').update(name).digest('hex');
      const file = { index: 1, state: 'verified', generation: 1, tries: 0, path: name, sha256 } as const;
      const outputs = [{ ...file, bytes: 3_000_000, mediaType: 'image/png' }];
      const next = { ...task, status: 'done', outputs, revision: task.revision + 1 } as const;
      return { expectedRevision: task.revision, next, event: { kind: 'cancel-requested' }, at: Date.now() };
    });
    await commitAll(opened.store, changes);
  }
  if (hasPages) await writePages(opened, batchId, folder, files);
  await opened.close();
}

/**
 * The time from the click on the gallery to its first tile and to the pictures of the first screen, first made and then
 * stored; frames while it is scrolled; ffmpeg beside it; and the page for others. Input: `folder`, `rows`.
 */
export async function showGallery(input: ContenderInput): Promise<Figures> {
  const folder = textIn(input, 'folder');
  const media = path.join(folder, 'media');
  makePictures(path.join(media, 'made'));
  await storeOfPictures(path.join(folder, 'profile', 'store'), media, numberIn(input, 'rows'), true);
  const { app, page } = await openOwnWindow(path.join(folder, 'profile'));
  await page.getByRole('navigation').getByText('Bench').click();
  await page.getByRole('button', { name: 'Gallery' }).waitFor();
  const cold = await openGallery(page);
  const frames = (await page.evaluate(SCROLL)) as readonly number[];
  await page.keyboard.press('Escape');
  const warm = await openGallery(page);
  const pages = await openPages(app, media);
  await app.close();
  const ffmpegMs = drawByFfmpeg(path.join(media, 'made'), path.join(folder, 'small'));
  return {
    ...pages,
    firstTileMs: cold.firstTileMs,
    firstScreenMs: cold.firstScreenMs,
    keptScreenMs: warm.firstScreenMs,
    oursEachMs: (cold.firstScreenMs - cold.firstTileMs) / cold.tiles,
    ffmpegEachMs: ffmpegMs / BY_FFMPEG,
    frameP95Ms: frames[Math.floor(frames.length * 0.95)] ?? 0,
    longFrames: frames.filter((ms) => ms > 50).length,
    longestFrameMs: frames.at(-1) ?? 0,
  };
}

interface Opening {
  readonly firstTileMs: number;
  readonly firstScreenMs: number;
  readonly tiles: number;
}

async function openGallery(page: Page): Promise<Opening> {
  return page.evaluate<Opening>(`new Promise((resolve) => {
    const begun = performance.now();
    let firstTileMs;
    [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Gallery').click();
    const look = () => {
      const tiles = [...document.querySelectorAll('[role="gridcell"]')];
      if (tiles.some(({ textContent }) => textContent !== '')) firstTileMs ??= performance.now() - begun;
      const drawn = tiles.filter((tile) => (tile.querySelector('img')?.naturalWidth ?? 0) > 0).length;
      if (drawn > 0 && drawn === tiles.length)
        resolve({ firstTileMs, firstScreenMs: performance.now() - begun, tiles: drawn });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })`);
}

/** One picture after the other, as we do. */
function drawByFfmpeg(from: string, to: string): number {
  mkdirSync(to);
  const names = readdirSync(from).filter((name) => name.endsWith('.png'));
  const begun = performance.now();
  for (let at = 0; at < BY_FFMPEG; at += 1) {
    const name = names[at % names.length] ?? '';
    spawnSync('ffmpeg', [
      '-loglevel',
      'error',
      '-i',
      path.join(from, name),
      '-vf',
      'scale=400:-1',
      path.join(to, `${at}.jpg`),
    ]);
  }
  return performance.now() - begun;
}

/**
 * Scrolls the wall down and up again, a third of a row per frame, for 3 s; returns the times between frames, sorted.
 */
const SCROLL = `new Promise((resolve) => {
  const box = document.querySelector('[role="grid"]');
  const gaps = [];
  const begun = performance.now();
  let last = begun;
  let step = 70;
  const frame = (now) => {
    gaps.push(now - last);
    last = now;
    const before = box.scrollTop;
    box.scrollTop += step;
    if (box.scrollTop === before) step = -step;
    if (now - begun < 3000) requestAnimationFrame(frame);
    else resolve(gaps.sort((a, b) => a - b));
  };
  requestAnimationFrame(frame);
})`;

/** How often it is scrolled for 3 s before its memory is measured, and between the two measurements. */
const WARM_SCROLLS = 2;
const SCROLLS = 8;

/**
 * The grid of a batch in which every row has a picture: the frames with the small pictures in their column, and what
 * the window takes in memory once it is warm and after much scrolling, row by row. Input: `folder`, `rows`.
 */
export async function showResults(input: ContenderInput): Promise<Figures> {
  const folder = textIn(input, 'folder');
  const media = path.join(folder, 'media');
  makePictures(path.join(media, 'made'));
  await storeOfPictures(path.join(folder, 'profile', 'store'), media, numberIn(input, 'rows'), false);
  const opened = await openOwnWindow(path.join(folder, 'profile'));
  const firstRowsMs = await openBench(opened);
  const slow: number[] = [];
  const memoryAfter = async (scrolls: number): Promise<number> => {
    for (let i = 0; i < scrolls; i += 1) slow.push(...(await scroll(opened.page, 1)));
    return memoryOf(opened);
  };
  const warmMb = await memoryAfter(WARM_SCROLLS);
  const usedMb = await memoryAfter(SCROLLS);
  const frames = await framesOf(opened);
  await opened.app.close();
  return { firstRowsMs, warmMb, usedMb, slowLongestMs: Math.max(...slow), ...frames };
}

/** The memory of all its processes together, in MB. */
function memoryOf({ app }: Opened): Promise<number> {
  return app.evaluate((electron) =>
    electron.app.getAppMetrics().reduce((sum, { memory }) => sum + memory.workingSetSize / 1024, 0),
  );
}
