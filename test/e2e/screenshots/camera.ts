/** Photographs the window in both themes, small enough to be kept with the pages that show it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { PNG } from 'pngjs';
import { REPOSITORY, type Launched } from '../launch.ts';

const FOLDER = join(REPOSITORY, 'docs', 'images');
const THEMES = ['light', 'dark'] as const;
const SIZE = { width: 1280, height: 800 };

/** Gives the window the size of all pictures. */
export async function setSize({ app, page }: Launched): Promise<void> {
  await app.evaluate(({ BrowserWindow }, { width, height }) => {
    BrowserWindow.getAllWindows()[0]?.setContentSize(width, height);
  }, SIZE);
  await expect.poll(() => page.evaluate(() => [window.innerWidth, window.innerHeight])).toEqual([1280, 800]);
}

/** Writes `NAME-light.png` and `NAME-dark.png`. */
export async function photograph({ page }: Launched, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for (const theme of THEMES) {
    await page.evaluate((scheme) => {
      document.documentElement.style.colorScheme = scheme;
    }, theme);
    // Readers have a current Electron: the note about the one for tests does not concern them.
    const note = page.getByText('Outdated Electron: for tests only');
    if (await note.isVisible()) await note.evaluate((element) => element.style.setProperty('display', 'none'));
    // The grid redraws itself one frame after the page.
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        }),
    );
    const taken = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    writeFileSync(join(FOLDER, `${name}-${theme}.png`), withoutTransparency(taken));
  }
}

/** Three bytes per point instead of four, unfiltered: for flat areas and letters, a third smaller than the original. */
function withoutTransparency(taken: Buffer): Buffer {
  return PNG.sync.write(PNG.sync.read(taken), { colorType: 2, filterType: 0, deflateLevel: 9, deflateStrategy: 0 });
}
