/** Contenders with a window. Run them on a desktop of their own: with-desktop.ts. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';
import { canUseSandbox, electronLaunchOptions, findElectron } from '../../scripts/electron-runtime.ts';
import { pageOf } from '../../test/package/debugger.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { median } from '../support/measure.ts';
import { storeOfTasks } from '../support/task-fixture.ts';

const TREE = fileURLToPath(new URL('../..', import.meta.url));
const EMPTY_APP = fileURLToPath(new URL('empty-window', import.meta.url));
/** The program as `npm run package` leaves it. */
const PACKAGED = path.join(TREE, 'dist', 'linux-unpacked');
const WARM_STARTS = 3;

export interface Opened {
  readonly app: ElectronApplication;
  readonly page: Page;
}

async function openWindow(appFolder: string, dataFolder: string): Promise<Opened> {
  const app = await _electron.launch({
    ...electronLaunchOptions(appFolder, [`--user-data-dir=${dataFolder}`]),
    env: Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  });
  const page = await app.firstWindow();
  await canImport(page);
  return { app, page };
}

/** Resolves when the button with which every night begins can be clicked. */
function canImport(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Import a sheet' }).click({ trial: true });
}

/** The first start with a new profile and cold files, and later ones. Input: `folder`. */
export function startOurs(input: ContenderInput): Promise<Figures> {
  return startFrom(input, TREE, path.join(TREE, 'out'));
}

/** The same for a window with nothing in it. */
export function startEmpty(input: ContenderInput): Promise<Figures> {
  return startFrom(input, EMPTY_APP, EMPTY_APP);
}

/** Our window on a data folder. */
export function openOwnWindow(dataFolder: string): Promise<Opened> {
  return openWindow(TREE, dataFolder);
}

function startFrom(input: ContenderInput, appFolder: string, code: string): Promise<Figures> {
  return measureStarts(input, [electronFolder(), code], async (dataFolder) => {
    const { app } = await openWindow(appFolder, dataFolder);
    return () => app.close();
  });
}

/**
 * The same for the program as shipped. Its fuses keep Playwright out, so Chromium's debugger drives it. Input:
 * `folder`.
 */
export function startPackaged(input: ContenderInput): Promise<Figures> {
  return measureStarts(input, [PACKAGED], openProgram(path.join(PACKAGED, 'nocturne-window')));
}

/**
 * An empty window in a copy of the same Electron, driven in the same way; its application is in that copy, so that
 * nothing has to find it.
 */
export async function startPackagedEmpty(input: ContenderInput): Promise<Figures> {
  const program = path.join(textIn(input, 'folder'), 'empty');
  cpSync(electronFolder(), program, { recursive: true });
  cpSync(EMPTY_APP, path.join(program, 'resources', 'app'), { recursive: true });
  const figures = await measureStarts(input, [program], openProgram(path.join(program, 'electron')));
  rmSync(program, { recursive: true });
  return figures;
}

function openProgram(executable: string) {
  return async (dataFolder: string): Promise<() => Promise<unknown>> => {
    const sandbox = canUseSandbox() ? [] : ['--no-sandbox'];
    const child = spawn(executable, [...sandbox, '--remote-debugging-port=0', `--user-data-dir=${dataFolder}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const page = await pageOf(child);
    await canImport(page);
    return async () => {
      const ended = once(child, 'exit');
      await page.evaluate('window.close()').catch(() => undefined);
      return ended;
    };
  };
}

function electronFolder(): string {
  const electron = findElectron();
  if (electron === undefined) throw new Error('There is no Electron yet: run `npm run setup`.');
  return electron.distPath;
}

async function measureStarts(
  input: ContenderInput,
  files: readonly string[],
  open: (dataFolder: string) => Promise<() => Promise<unknown>>,
): Promise<Figures> {
  const dataFolder = newFolder(input, 'profile');
  const startMs = async (): Promise<number> => {
    const started = performance.now();
    const close = await open(dataFolder);
    const ms = performance.now() - started;
    await close();
    return ms;
  };
  const areForgotten = files.every(forgetFiles);
  const coldMs = await startMs();
  const warm: number[] = [];
  for (let i = 0; i < WARM_STARTS; i += 1) warm.push(await startMs());
  return { coldMs, warmMs: median(warm), areForgotten: areForgotten ? 1 : 0 };
}

/** Asks the system to drop from its cache the files that nobody else has mapped; false if that cannot be asked. */
function forgetFiles(folder: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .every((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return (
        spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'], { stdio: 'ignore' }).status === 0
      );
    });
}

/** From the click that chooses a file to its first row on the screen. Input: `folder`, `path`. */
export async function showFirstRows(input: ContenderInput): Promise<Figures> {
  const { app, page } = await openWindow(TREE, newFolder(input, 'profile'));
  await app.evaluate(
    ({ dialog }, file) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [file] });
    },
    textIn(input, 'path'),
  );
  const started = performance.now();
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  await page.getByText('row-0', { exact: true }).first().waitFor({ timeout: 120_000 });
  const firstRowsMs = performance.now() - started;
  await app.close();
  return { firstRowsMs };
}

/** How often the window is told about changed rows: ten times a second, as in a night. */
const NEWS_A_SECOND = 10;
const CHANGED_ROWS = 2_000 / NEWS_A_SECOND;
const PAGES = 4;
const PAGE_ROWS = 500;

/**
 * A batch of this many rows: the time from the click on it to its first row; then frames while it is scrolled, and
 * while it is scrolled and a cell is typed into as 2,000 rows a second change. Input: `folder`, `rows`.
 */
export async function showBatch(input: ContenderInput): Promise<Figures> {
  const dataFolder = newFolder(input, 'profile');
  await (await storeOfTasks(path.join(dataFolder, 'store'), numberIn(input, 'rows'))).opened.close();
  const opened = await openWindow(TREE, dataFolder);
  const firstRowsMs = await openBench(opened);
  const frames = await framesOf(opened);
  await opened.app.close();
  return { firstRowsMs, ...frames };
}

/** Clicks on the only batch; returns how long it takes until its first row is there, in milliseconds. */
export async function openBench({ page }: Opened): Promise<number> {
  const grid = page.getByTestId('row-grid');
  const started = performance.now();
  await page.getByRole('navigation').getByText('Bench').click();
  // What the grid paints is also in its hidden table.
  await grid.getByText('r0', { exact: true }).first().waitFor({ state: 'attached', timeout: 60_000 });
  return performance.now() - started;
}

/** The frames of the grid on screen, while it is scrolled, changes, and is typed into; in milliseconds. */
export async function framesOf({ app, page }: Opened): Promise<Figures> {
  const calm = await scroll(page);
  await tellOfChanges({ app, page });
  const scrolled = await scroll(page);
  await page.evaluate(WATCH_FRAMES);
  // The first prompt: behind the columns of the row ids, the statuses and the operations.
  await page.getByTestId('row-grid').click({ position: { x: 420, y: 34 + 17 } });
  await page.keyboard.type('a quiet night over the harbour', { delay: 50 });
  await page.locator('textarea').first().waitFor();
  const typed = (await page.evaluate('watchedFrames()')) as readonly number[];
  await page.keyboard.press('Escape');
  return {
    frameP95Ms: p95(calm),
    longestFrameMs: calm.at(-1) ?? 0,
    changingP95Ms: p95(scrolled),
    changingLongestMs: scrolled.at(-1) ?? 0,
    typingP95Ms: p95(typed),
    typingLongestMs: typed.at(-1) ?? 0,
  };
}

/** Scrolls the grid down and up again for 3 s, this many rows per frame; returns the times between frames, sorted. */
export async function scroll(page: Page, rows = 10): Promise<readonly number[]> {
  return (await page.evaluate(scrollBy(rows * 34))) as readonly number[];
}

function p95(frames: readonly number[]): number {
  return frames[Math.floor(frames.length * 0.95)] ?? 0;
}

/** From now on, the window is told about 2,000 changed rows a second, as by the engine; the store stays as it is. */
async function tellOfChanges({ app, page }: Opened): Promise<void> {
  const told = await page.evaluate(READ_ROWS);
  await app.evaluate(
    ({ BrowserWindow }, { batch, rows, at, everyMs }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      let sequence = 1e9;
      setInterval(() => {
        sequence += 1;
        const first = (sequence * at) % rows.length;
        const status = sequence % 2 === 0 ? 'rendering' : 'queued';
        const changed = rows.slice(first, first + at).map((row) => ({ ...row, status }));
        if (contents?.isDestroyed() === false)
          contents.send('nocturne:event', 'batch.changed', { sequence, batch, rows: changed, rowsStale: false });
      }, everyMs);
    },
    {
      ...(told as { readonly batch: object; readonly rows: readonly object[] }),
      at: CHANGED_ROWS,
      everyMs: 1000 / NEWS_A_SECOND,
    },
  );
}

/** The batch on screen and its first rows. */
const READ_ROWS = `(async () => {
  const ask = async (route, input) => {
    const reply = await window.nocturne.request(route, input);
    if (!reply.ok) throw new Error(route + ': ' + reply.error.message);
    return reply.value;
  };
  const [batch] = await ask('batch.list');
  const sort = { column: 'line', direction: 'ascending' };
  const rows = [];
  for (let page = 0; page < ${PAGES}; page += 1) {
    const view = await ask('rows.page', { batchId: batch.id, filter: {}, sort, offset: page * ${PAGE_ROWS}, limit: ${PAGE_ROWS} });
    rows.push(...view.rows);
  }
  return { batch, rows };
})()`;

/** Notes the times between frames until “watchedFrames” returns them, sorted. */
const WATCH_FRAMES = `{
  const gaps = [];
  let last = performance.now();
  let isOver = false;
  const frame = (now) => {
    gaps.push(now - last);
    last = now;
    if (!isOver) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  globalThis.watchedFrames = () => {
    isOver = true;
    return gaps.sort((a, b) => a - b);
  };
}`;

/** By this many pixels per frame. */
const scrollBy = (step: number): string => `new Promise((resolve) => {
  const box = document.querySelector('[data-testid="row-grid"] .dvn-scroller');
  const gaps = [];
  const begun = performance.now();
  let last = begun;
  let step = ${step};
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

function newFolder(input: ContenderInput, name: string): string {
  const folder = path.join(textIn(input, 'folder'), name);
  mkdirSync(folder, { recursive: true });
  return folder;
}
