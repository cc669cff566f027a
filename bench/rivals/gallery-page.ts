/**
 * The page of a media folder with the small pictures beside it, and the same page without them, which loads the files
 * themselves.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ElectronApplication, Page } from '@playwright/test';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { exportBatch } from '../../src/engine/store-view.ts';
import type { Figures } from '../contender.ts';

const PREVIEWS = '.nocturne-previews';
const PAGES = { small: 'small.html', whole: 'whole.html' };

/** Stores a small picture of each file, the one in `made` with its content, and writes both pages. */
export async function writePages(
  opened: PromisedStore,
  batchId: string,
  media: string,
  files: readonly { readonly name: string; readonly made: string }[],
): Promise<void> {
  for (const { name, made } of files) {
    const small = `${made}.jpg`;
    if (statSync(small, { throwIfNoEntry: false }) === undefined) drawSmall(made, small);
    const sha256 = createHash('sha256').update(name).digest('hex');
    const folder = path.join(media, PREVIEWS, sha256.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    linkSync(small, path.join(folder, `${sha256}.jpg`));
  }
  await writePage(opened, batchId, media, PAGES.small);
  renameSync(path.join(media, PREVIEWS), path.join(media, 'away'));
  await writePage(opened, batchId, media, PAGES.whole);
  renameSync(path.join(media, 'away'), path.join(media, PREVIEWS));
}

async function writePage(opened: PromisedStore, batchId: string, media: string, name: string): Promise<void> {
  const problem = await exportBatch(opened, batchId, undefined, { withinMs: 0 });
  if (problem !== undefined) throw new Error(problem.message);
  renameSync(path.join(media, 'index.html'), path.join(media, name));
}

function drawSmall(from: string, to: string): void {
  const drawn = spawnSync('ffmpeg', ['-loglevel', 'error', '-i', from, '-vf', 'scale=480:-2', '-q:v', '4', to]);
  if (drawn.status !== 0) throw new Error('The bench of the gallery needs ffmpeg.');
}

/**
 * Opens both pages in turn, each in a window of its own, until all pictures of the first screen are there:
 * milliseconds, and bytes of pictures.
 */
export async function openPages(app: ElectronApplication, media: string): Promise<Figures> {
  const small = await openPage(app, path.join(media, PAGES.small));
  const whole = await openPage(app, path.join(media, PAGES.whole));
  return {
    smallPageMs: small.ms,
    wholePageMs: whole.ms,
    smallPageBytes: small.bytes,
    wholePageBytes: whole.bytes,
  };
}

async function openPage(
  app: ElectronApplication,
  file: string,
): Promise<{ readonly ms: number; readonly bytes: number }> {
  const shown = app.waitForEvent('window');
  await app.evaluate(({ BrowserWindow }) => {
    const options = { width: 1280, height: 800, webPreferences: { partition: 'a browser' } };
    void new BrowserWindow(options).loadURL('about:blank');
  });
  const page = await shown;
  const loaded = new Set<string>();
  page.on('request', (request) => {
    if (request.resourceType() === 'image') loaded.add(fileURLToPath(request.url()));
  });
  await app.evaluate(({ BrowserWindow }, to) => {
    const window = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.getURL() === 'about:blank');
    void window?.loadFile(to);
  }, file);
  await page.waitForURL(/\.html$/u);
  const ms = await picturesShown(page);
  const bytes = [...loaded].reduce((sum, one) => sum + statSync(one).size, 0);
  await page.close();
  return { ms, bytes };
}

/** The time from the start of the page until all pictures on its first screen can be drawn. */
function picturesShown(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const look = async () => {
      const seen = [...document.querySelectorAll('article img')].filter((one) => one.getBoundingClientRect().top < innerHeight);
      if (seen.length === 0 || !seen.every((one) => one.complete && one.naturalWidth > 0)) return requestAnimationFrame(look);
      await Promise.all(seen.map((one) => one.decode()));
      resolve(performance.now());
    };
    requestAnimationFrame(look);
  })`);
}
