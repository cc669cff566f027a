/** Small windows and large letters: what is shown can be read and used there, and not only is not cut off. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { answerDialogs, newFolder, test, type Launched } from './launch.ts';

interface WindowSize {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly zoom: number;
}

/** The smallest window there is, and the usual one for weak eyes. */
const SIZES: readonly WindowSize[] = [
  { name: '900', width: 900, height: 600, zoom: 1 },
  { name: '1280-zoomed', width: 1280, height: 800, zoom: 2 },
];
const PICTURES = 12_345;
/** A narrower text of a problem would be a column of words. */
const NARROWEST = 220;
/** A match in two lines, with its borders; one in more is a column of words. */
const LINES_OF_MATCH = 56;

async function resize({ app, page }: Launched, { width, height, zoom }: WindowSize): Promise<void> {
  await app.evaluate(
    ({ BrowserWindow }, size) => {
      const [window] = BrowserWindow.getAllWindows();
      window?.setContentSize(size.width, size.height);
      window?.webContents.setZoomFactor(size.zoom);
    },
    { width, height, zoom },
  );
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(width / zoom);
}

/** Whether a hand would meet it: it comes into view, and nothing lies over it. */
async function isUsable(target: Locator): Promise<boolean> {
  return target.evaluate((element) => {
    // As far as the focus of the keyboard has it scrolled.
    element.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = element.getBoundingClientRect();
    const met = document.elementFromPoint(left + width / 2, top + height / 2);
    return met !== null && (element.contains(met) || met.contains(element));
  });
}

async function expectUsable(...targets: readonly Locator[]): Promise<void> {
  for (const target of targets) await expect.poll(() => isUsable(target), { message: String(target) }).toBe(true);
}

/** Pairs of these that lie over one another. */
function overlaps(parts: Locator): Promise<readonly string[]> {
  return parts.evaluateAll((elements) => {
    const boxes = elements.map((element) => ({
      text: element.textContent,
      box: element.getBoundingClientRect(),
    }));
    return boxes.flatMap((one, index) =>
      boxes.slice(index + 1).flatMap((other) => {
        const isApart =
          one.box.right <= other.box.left + 1 ||
          other.box.right <= one.box.left + 1 ||
          one.box.bottom <= other.box.top + 1 ||
          other.box.bottom <= one.box.top + 1;
        return isApart ? [] : [`${one.text} | ${other.text}`];
      }),
    );
  });
}

test('a sheet is understood, corrected and started, and its batch edited, in a small window and with large letters', async ({
  open,
}) => {
  const launched = await open();
  const { app, page, ask } = launched;
  const lines = Array.from({ length: PICTURES }, (_, i) => `p${i},image,A lighthouse ${i},16:9`);
  const wrong = ['v1,Vidoe-A,Waves,16:9', 'v2,video-a,Waves,9 by 16', 'm1,music,A song,', 'l1,lyrics,Words,'];
  const text = ['ID,Type,Prompt text,Aspect', ...wrong, ...lines].join('\n');
  const path = join(newFolder('small'), 'Many pictures of lighthouses.csv');
  writeFileSync(path, text);
  await answerDialogs(app, [path]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  const start = screen.getByRole('button', { name: 'Start rehearsal' });
  await expect(start).toBeEnabled();

  for (const size of SIZES) {
    await test.step(`the sheet, ${size.name}`, async () => {
      await resize(launched, size);
      // Five digits stay on their line, each beside the other.
      const work = screen.getByRole('region', { name: 'What will be rendered' }).getByRole('listitem');
      await expect(work.filter({ hasText: 'Image' })).toContainText('12,345 rows · 12,345 requests');
      for (const item of await work.all()) {
        expect((await item.boundingBox())?.height).toBeLessThan(34);
        expect(await overlaps(item.locator(':scope > span, :scope > svg'))).toEqual([]);
      }
      expect(await overlaps(screen.locator('header > *'))).toEqual([]);
      // What is wrong is read in words, and its match beside what it maps to.
      const messages = screen.getByText('There is no operation “Vidoe-A”');
      expect((await messages.boundingBox())?.width).toBeGreaterThan(NARROWEST);
      for (const row of await screen.locator('tr[data-how]').all())
        expect(await overlaps(row.locator('th > span, td > *'))).toEqual([]);
      const mapped = screen.locator('tr[data-how="synonym"]').last();
      expect((await mapped.boundingBox())?.height).toBeLessThan(LINES_OF_MATCH);
      const beyond = await mapped.evaluate((row) => {
        const box = row.closest('.scroll');
        return box === null ? undefined : box.scrollWidth - box.clientWidth;
      });
      expect(beyond).toBe(0);
      await expectUsable(
        screen.getByRole('button', { name: 'Use video-a' }),
        screen.getByRole('button', { name: 'Mapping of “Aspect”' }),
        screen.getByRole('button', { name: 'Fix it here' }).first(),
        screen.getByRole('button', { name: 'What is sent for row 1', exact: true }),
        screen.getByRole('textbox', { name: 'Name' }),
        screen.getByRole('textbox', { name: 'Request limit' }),
        screen.getByRole('button', { name: 'Discard' }),
        start,
      );
    });
  }

  // By keyboard: Playwright's mouse does not know of the zoom.
  await screen.getByRole('button', { name: 'Import without starting' }).press('Enter');
  const grid = page.getByTestId('row-grid');
  await expect(grid).toHaveAttribute('data-ready', 'true');
  const [batch] = await ask('batch.list');
  for (const size of SIZES) {
    await test.step(`the batch, ${size.name}`, async () => {
      await resize(launched, size);
      await expectUsable(
        page.getByRole('button', { name: 'Start…' }),
        page.getByRole('button', { name: 'Sheet', exact: true }),
        page.getByRole('button', { name: 'Column', exact: true }),
        page.getByRole('button', { name: 'Find and replace' }),
        page.getByRole('button', { name: /\d+ errors?/u }),
        page.getByPlaceholder('Find rows'),
      );
      // The way that is taken most keeps its word where there is room, and nothing lies over it.
      const gallery = await page.getByRole('button', { name: 'Gallery' }).boundingBox();
      expect((gallery?.width ?? 0) > 60).toBe(size.zoom === 1);
      expect(await overlaps(page.getByTestId('batch-screen').locator('header h1, header button'))).toEqual([]);
      if (size.zoom === 1) {
        // A name that is cut off is read in whole.
        const title = page.getByTestId('batch-screen').getByRole('heading', { level: 1 });
        expect(await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toBe(true);
        await title.hover();
        await expect(title).toHaveAttribute('title', 'Many pictures of lighthouses');
      }
      // Rows enough to work in, once they are scrolled to.
      await grid.scrollIntoViewIfNeeded();
      const box = await grid.boundingBox();
      const bottom = await page.evaluate(() => window.innerHeight);
      expect(Math.min(bottom, (box?.y ?? 0) + (box?.height ?? 0)) - (box?.y ?? 0)).toBeGreaterThan(34 * 4);
      await page.keyboard.press('Control+i');
      const inspector = page.getByTestId('inspector');
      await expect(inspector).toBeVisible();
      const line = await page.getByTestId('status-line').boundingBox();
      const inside = await inspector.boundingBox();
      expect((inside?.y ?? 0) + (inside?.height ?? 0)).toBeLessThanOrEqual((line?.y ?? 0) + 1);
      await page.keyboard.press('Escape');
      await expect(inspector).toBeHidden();
    });
  }
  await test.step('the inspector beside the grid', async () => {
    await resize(launched, { name: '1000', width: 1000, height: 600, zoom: 1 });
    await grid.scrollIntoViewIfNeeded();
    await page.keyboard.press('Control+i');
    const inspector = page.getByTestId('inspector');
    await expect(inspector).toBeVisible();
    await expect
      .poll(async () => {
        const [left, right] = [await grid.boundingBox(), await inspector.boundingBox()];
        return (right?.x ?? 0) - ((left?.x ?? 0) + (left?.width ?? 0));
      })
      .toBeGreaterThanOrEqual(-1);
    expect((await grid.boundingBox())?.width).toBeGreaterThan(360);
    await page.keyboard.press('Escape');
  });
  expect(batch).toMatchObject({ rowCount: PICTURES + 4, state: 'ready' });
});
