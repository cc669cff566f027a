/** Contenders with a window. Run them on a desktop of their own: with-desktop.ts. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';
import { electronLaunchOptions, findElectron } from '../../scripts/electron-runtime.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { median } from '../support/measure.ts';
import { storeOfTasks } from '../support/task-fixture.ts';

const TREE = fileURLToPath(new URL('../..', import.meta.url));
const EMPTY_APP = fileURLToPath(new URL('empty-window', import.meta.url));
const WARM_STARTS = 3;

interface Opened {
  readonly app: ElectronApplication;
  readonly page: Page;
}

/** Until the button that every night begins with can be clicked. */
async function openWindow(appFolder: string, dataFolder: string): Promise<Opened> {
  const app = await _electron.launch({
    ...electronLaunchOptions(appFolder, [`--user-data-dir=${dataFolder}`]),
    env: Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  });
  const page = await app.firstWindow();
  await page.getByRole('button', { name: 'Import a sheet' }).click({ trial: true });
  return { app, page };
}

/** The first start with a new profile and cold files, and later ones. Input: `folder`. */
export function startOurs(input: ContenderInput): Promise<Figures> {
  return measureStarts(input, TREE, path.join(TREE, 'out'));
}

/** The same for a window with nothing in it. */
export function startEmpty(input: ContenderInput): Promise<Figures> {
  return measureStarts(input, EMPTY_APP, EMPTY_APP);
}

async function measureStarts(input: ContenderInput, appFolder: string, code: string): Promise<Figures> {
  const dataFolder = newFolder(input, 'profile');
  const startMs = async (): Promise<number> => {
    const started = performance.now();
    const { app } = await openWindow(appFolder, dataFolder);
    const ms = performance.now() - started;
    await app.close();
    return ms;
  };
  const electron = findElectron();
  if (electron === undefined) throw new Error('There is no Electron yet: run `npm run setup`.');
  const areForgotten = [electron.distPath, code].every(forgetFiles);
  const coldMs = await startMs();
  const warm: number[] = [];
  for (let i = 0; i < WARM_STARTS; i += 1) warm.push(await startMs());
  return { coldMs, warmMs: median(warm), areForgotten: areForgotten ? 1 : 0 };
}

/** Asks the system to drop files that nobody else has mapped from its cache; false where that cannot be asked. */
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

/** A batch of so many rows: from the click on it to its first row; then frames while it is scrolled. Input: `folder`, `rows`. */
export async function showBatch(input: ContenderInput): Promise<Figures> {
  const dataFolder = newFolder(input, 'profile');
  await (await storeOfTasks(path.join(dataFolder, 'store'), numberIn(input, 'rows'))).opened.close();
  const { app, page } = await openWindow(TREE, dataFolder);
  const grid = page.getByTestId('row-grid');
  const started = performance.now();
  await page.getByRole('navigation').getByText('Bench').click();
  // What the grid paints is in its hidden table, too.
  await grid.getByText('r0', { exact: true }).first().waitFor({ state: 'attached', timeout: 60_000 });
  const firstRowsMs = performance.now() - started;
  const frames = (await page.evaluate(SCROLL)) as readonly number[];
  await app.close();
  return { firstRowsMs, frameP95Ms: frames[Math.floor(frames.length * 0.95)] ?? 0, longestFrameMs: frames.at(-1) ?? 0 };
}

/** Scrolls the grid down and up again, ten rows a frame, for 3 s; gives the times between frames, sorted. */
const SCROLL = `new Promise((resolve) => {
  const box = document.querySelector('[data-testid="row-grid"] .dvn-scroller');
  const gaps = [];
  const begun = performance.now();
  let last = begun;
  let step = 340;
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
