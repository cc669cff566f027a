/** What a row gave, where the user looks for it: words to read, pictures in the grid, and what can be done with them. */
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { batchLink, newFolder, rowDetail, test, waitForState } from './launch.ts';
import { startNight } from './whole-night.ts';

test.describe.configure({ timeout: 180_000 });

const SHEET = [
  'row,operation,prompt,num_images,aspect_ratio,resolution',
  'words,lyrics,Words of a lighthouse,,,',
  'picture,image,A lighthouse,1,1:1,2K',
].join('\n');

/** Puts the cursor on the first row of the batch that is open. */
async function toFirstRow(page: Page): Promise<void> {
  await expect(page.locator('[data-testid="row-grid"][data-ready="true"]')).toBeVisible();
  await page.getByTestId('row-grid').click({ position: { x: 90, y: 34 + 17 } });
}

test('lyrics are read in place: large, in the inspector, and in the review', async ({ open }) => {
  const launched = await open(20);
  const { app, page } = launched;
  const batchId = await startNight(launched, newFolder('media'), { name: 'Words', text: SHEET });
  await waitForState(launched, batchId, 'finished');
  const file = (await rowDetail(launched, batchId, 'words')).tasks[0]?.files[0];
  await batchLink(page, /^Words/).click();
  await toFirstRow(page);
  await page.keyboard.press(' ');
  const look = page.getByRole('dialog');
  const text = look.getByRole('region', { name: file?.name ?? '' });
  await expect(text.getByRole('heading')).toHaveText('Words Lighthouse');
  await expect(text).toContainText('[Verse 1]');

  // The keys of a page scroll it, from wherever the focus is, and rows are stepped through as before.
  const top = (): Promise<number> => text.evaluate((one) => one.scrollTop);
  expect(await top()).toBe(0);
  await page.keyboard.press('End');
  await expect.poll(top).toBeGreaterThan(0);
  await page.keyboard.press('Home');
  await expect.poll(top).toBe(0);
  await text.focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(top).toBeGreaterThan(0);
  await look.getByRole('button', { name: 'Copy the text' }).click();
  await expect(look.getByRole('button', { name: 'The text is copied' })).toBeVisible();
  const copied = await app.evaluate(({ clipboard }) => clipboard.readText());
  expect(copied).toMatch(/^Words Lighthouse\n\n\[Verse 1\]\n/u);
  // What is selected can be copied, too.
  await text.getByRole('heading').dblclick({ position: { x: 20, y: 10 } });
  expect(await page.evaluate(() => getSelection()?.toString().trim())).toBe('Words');
  await page.keyboard.press('Escape');
  await expect(look).toBeHidden();

  await page.keyboard.press('Control+i');
  const inspected = page.getByTestId('inspector').getByRole('region', { name: file?.name ?? '' });
  await expect(inspected).toContainText('[Chorus]');

  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  const reviewed = page.getByTestId('review').getByRole('region', { name: file?.name ?? '' });
  await expect(reviewed).toContainText('[Outro]');
  await page.keyboard.press('PageDown');
  await expect.poll(() => reviewed.evaluate((one) => one.scrollTop)).toBeGreaterThan(0);
});

test('what came of a row stands beside its status: a picture, how long it plays and took, why it failed; and can be hidden', async ({
  open,
}) => {
  const launched = await open(20);
  const { page } = launched;
  const text = [
    'row,operation,prompt,num_images,aspect_ratio,resolution',
    'picture,image,A lighthouse,2,1:1,2K',
    'film,video-a,A lighthouse at night,,,',
    'song,music,A song of a lighthouse,,,',
    'words,lyrics,Words of a lighthouse,,,',
  ].join('\n');
  const batchId = await startNight(launched, newFolder('media'), { name: 'Grid', text });
  await waitForState(launched, batchId, 'finished');
  await batchLink(page, /^Grid/).click();
  await toFirstRow(page);
  // Drawn on a canvas: a picture has more to it than the icon that stands there until then.
  const grid = page.getByTestId('row-grid');
  const place = await grid.boundingBox();
  const cellOf = (column: number): Promise<Buffer> =>
    page.screenshot({ clip: { x: (place?.x ?? 0) + column, y: (place?.y ?? 0) + 34 + 34, width: 60, height: 33 } });
  await expect.poll(async () => (await cellOf(294)).length, { timeout: 30_000 }).toBeGreaterThan(1_200);

  // What plays has its length everywhere; a picture and words have none.
  const fileOf = (row: number): Locator =>
    grid.locator(`[role="row"][aria-rowindex="${row + 1}"] [role="gridcell"]`).nth(3);
  const [film, song] = await Promise.all(
    ['film', 'song'].map(async (row) => {
      const seconds = (await rowDetail(launched, batchId, row)).tasks[0]?.files[0]?.seconds ?? 0;
      return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
    }),
  );
  await expect(fileOf(2)).toHaveText(`film-a-lighthouse-at-night.mp4 ${film}`);
  await expect(fileOf(3)).toHaveText(new RegExp(`^song-a-song-of-a-lighthouse-1\\.mp3 ${song} \\+\\d$`, 'u'));
  await expect(fileOf(1)).toHaveText(/^picture-a-lighthouse-1\.\w+ \+1$/u);
  await page.keyboard.press('F7');
  const tiles = page.getByTestId('gallery-screen').getByRole('gridcell');
  await expect(tiles.filter({ hasText: 'film' })).toContainText(film ?? '');
  await expect(tiles.filter({ hasText: 'song' }).first()).toContainText(song ?? '');
  await expect(tiles.filter({ hasText: 'picture' }).first()).not.toContainText(/\d:\d\d/u);
  await page.keyboard.press('Escape');

  // Space shows it, a click on the picture does, too.
  await grid.click({ position: { x: 310, y: 34 + 17 } });
  await expect(page.getByRole('dialog').getByText('1 of 2')).toBeVisible();
  await page.keyboard.press('Escape');

  // Hidden like a column of the sheet, and remembered.
  const columns = (): Promise<(string | null)[]> =>
    page.locator('[data-testid="row-grid"] [role="columnheader"]').allTextContents();
  await expect
    .poll(async () => (await columns()).slice(2, 7))
    .toEqual(['Status', 'File', 'Reason', 'Took', 'Finished']);
  await grid.click({ position: { x: 58 + 112 + 122 + 112 + 20, y: 34 + 17 } });
  await page.getByRole('button', { name: 'Column', exact: true }).click();
  await page.getByTestId('header-menu').getByRole('menuitem', { name: 'Hide' }).click();
  await expect.poll(columns).not.toContain('Reason');
  await page.getByRole('button', { name: 'Welcome' }).click();
  await page.getByRole('button', { name: 'Grid Finished' }).click();
  await expect(page.locator('[data-testid="row-grid"][data-ready="true"]')).toBeVisible();
  await toFirstRow(page);
  await expect.poll(async () => (await columns()).length).toBeGreaterThan(3);
  expect(await columns()).not.toContain('Reason');
  // The cursor is on the ids of the rows, which stay what they are.
  await page.getByRole('button', { name: 'Column', exact: true }).click();
  const menu = page.getByTestId('header-menu');
  await expect(menu.getByRole('menuitem', { name: 'Maps to…' })).toBeDisabled();
  await expect(menu.getByRole('menuitem', { name: 'Remove the column' })).toBeDisabled();
  await menu.getByRole('menuitem', { name: 'Show Reason' }).click();
  await expect.poll(columns).toContain('Reason');
});

test('one more take of rows that are done is an edit until its cost is agreed to', async ({ open }) => {
  const launched = await open(20);
  const { page } = launched;
  const batchId = await startNight(launched, newFolder('media'), { name: 'Again', text: SHEET });
  await waitForState(launched, batchId, 'finished');
  await batchLink(page, /^Again/).click();
  await toFirstRow(page);
  // By key, for both rows at once.
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Control+Shift+A');
  const run = page.getByRole('button', { name: 'Run 2 changed rows' });
  await expect(run).toBeVisible();
  await expect(page.getByText('One more take of 2 rows, once you agree to its cost.', { exact: true })).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(run).toBeHidden();

  // In the inspector, for the row that is looked at.
  await page.keyboard.press('Control+i');
  const inspector = page.getByTestId('inspector');
  await inspector.getByRole('button', { name: 'One more take' }).click();
  await page.getByRole('button', { name: 'Run 1 changed row' }).click();
  const asked = page.getByRole('alertdialog');
  await expect(asked).toContainText('This makes 1 request. This is a rehearsal: nothing is paid.');
  expect((await rowDetail(launched, batchId, 'words')).tasks).toHaveLength(1);
  await asked.getByRole('button', { name: /^Run/ }).click();
  await expect.poll(async () => (await rowDetail(launched, batchId, 'words')).tasks.length).toBe(2);
  // It had finished before, and may not have begun again yet.
  await expect.poll(async () => (await rowDetail(launched, batchId, 'words')).row.takesDone).toBe(2);
  expect((await rowDetail(launched, batchId, 'picture')).tasks).toHaveLength(1);
});

test('rows that failed for one reason are shown and retried together', async ({ open }) => {
  const key = 'sk-reasons-77aa';
  const behaviour = {
    ...PRESETS.default,
    auth: { keys: [key] },
    moderation: { words: ['forbidden'], at: 'submit' as const },
  };
  const gateway = await startObservedGateway({ seed: 3, behaviour });
  if (!gateway.ok) throw new Error(JSON.stringify(gateway.error));
  const launched = await open(20);
  const { app, page, ask } = launched;
  await ask('gateway.setBaseUrl', { baseUrl: gateway.value.baseUrl });
  await ask('key.set', { key });
  const prompts = ['A lullaby', 'A forbidden lullaby of a harbour', 'A second lullaby', 'A forbidden song'];
  const text = ['row,operation,prompt', ...prompts.map((prompt, i) => `r${i + 1},lyrics,${prompt}`)].join('\n');
  const batchId = await startNight(launched, newFolder('media'), { name: 'Reasons', text }, { rehearsal: false });
  await waitForState(launched, batchId, 'finished');
  await batchLink(page, /^Reasons/).click();
  await expect(page.getByTestId('status-line')).toContainText('4 rows');
  await page.getByRole('combobox', { name: 'Why it failed' }).click();
  await page.getByRole('option', { name: /\(2\)$/u }).click();
  await expect(page.getByTestId('status-line')).toContainText('2 rows');
  // With a text that rows must have as well, all filters are in the smallest window.
  await page.getByTestId('row-grid').click({ position: { x: 90, y: 34 + 17 } });
  await page.keyboard.press('End');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Show only rows with “A forbidden lullaby' }).press('Enter');
  await expect(page.getByTestId('status-line')).toContainText('1 row');
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(900, 600));
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(900);
  const find = page.getByRole('textbox', { name: 'Find rows' });
  await expect.poll(() => find.evaluate((one) => one.getBoundingClientRect().right)).toBeLessThan(900);
  await page.screenshot({ path: test.info().outputPath('filters-900.png') });
  await page.getByTestId('chip-cell').click();
  await page.getByRole('button', { name: 'Retry 2 rows' }).click();
  const asked = page.getByRole('alertdialog');
  await expect(asked).toContainText('The gateway refused 2 takes because of what they ask for');
  await asked.getByRole('button', { name: 'Not now' }).click();
  await page.getByRole('combobox', { name: 'Why it failed' }).click();
  await page.getByRole('option', { name: 'All reasons' }).click();
  await expect(page.getByTestId('status-line')).toContainText('4 rows');
  await gateway.value.close();
});

test('a row that waits says why', async ({ open }) => {
  const launched = await open();
  const { page, ask } = launched;
  const rows = Array.from({ length: 40 }, (_, i) => `film-${i + 1},video-a,A lighthouse ${i + 1}`);
  const text = ['row,operation,prompt', ...rows].join('\n');
  const batchId = await startNight(launched, newFolder('media'), { name: 'Waiting', text });
  await batchLink(page, /^Waiting/).click();
  await expect(page.locator('[data-testid="row-grid"][data-ready="true"]')).toBeVisible();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Control+i');
  const inspector = page.getByTestId('inspector');
  await expect(inspector).toContainText('film-40');
  await expect(inspector).toContainText(/Waits for (?:its turn: at most|a free place: the gateway already has)/u);
  await ask('batch.pause', { batchId });
  await expect(inspector).toContainText('The batch is paused.');
  const { key } = (await rowDetail(launched, batchId, 'film-40')).row;
  await ask('batch.turn', { batchId, turn: 'hold', rows: [key] });
  await expect(inspector).toContainText('You hold it: it waits until you release it.');
});

test('a row goes into the clipboard as its path, its prompt, its cells, or a request without the key', async ({
  open,
}) => {
  const launched = await open(20);
  const { app, page } = launched;
  const folder = newFolder('media');
  const batchId = await startNight(launched, folder, { name: 'Copied', text: SHEET });
  await waitForState(launched, batchId, 'finished');
  const [file] = (await rowDetail(launched, batchId, 'picture')).tasks.flatMap((task) => task.files);
  await batchLink(page, /^Copied/).click();
  await toFirstRow(page);
  await page.keyboard.press('ArrowDown');
  const copied = async (item: string): Promise<string> => {
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: item }).click();
    return app.evaluate(({ clipboard }) => clipboard.readText());
  };
  await expect.poll(() => copied('Copy path')).toBe(join(folder, 'image', file?.name ?? ''));
  await expect.poll(() => copied('Copy prompt')).toBe('A lighthouse');
  await expect.poll(() => copied('Copy row')).toBe('picture\timage\tA lighthouse\t1\t1:1\t2K\n');
  await expect
    .poll(() => copied('Copy as cURL'))
    .toMatch(/^curl --globoff -X POST [^]*aiKey: \$NOCTURNE_KEY[^]*A lighthouse/u);
  // Of several rows, the first file is shown in its folder.
  await app.evaluate(({ clipboard, shell }) => {
    shell.showItemInFolder = (path) => void clipboard.writeText(path);
  });
  const [words] = (await rowDetail(launched, batchId, 'words')).tasks.flatMap((task) => task.files);
  await page.keyboard.press('Shift+ArrowUp');
  await expect.poll(() => copied('Show first file in its folder')).toBe(join(folder, 'data', words?.name ?? ''));
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+i');
  await page.getByTestId('inspector').getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy prompt' }).click();
  await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe('A lighthouse');
});

test('problems of the sheet are listed by kind, equal ones once, and corrected in all rows by one edit', async ({
  open,
}) => {
  const launched = await open();
  const { page } = launched;
  const rows = Array.from({ length: 62 }, (_, i) => `film-${i + 1},vidio-a,A lighthouse ${i + 1},`);
  const text = ['row,operation,prompt,mood', ...rows, 'song,music,A song,'].join('\n');
  await startNight(launched, newFolder('media'), { name: 'Wrong', text }, { start: false });
  await page.reload();
  await page.getByRole('button', { name: '62 errors' }).click();
  const panel = page.getByTestId('problems-panel');
  await expect(panel.getByRole('button', { name: /^Error The operation is not known/u })).toContainText('62');
  // Each press leads to the next of them.
  const first = panel.getByRole('button', { name: /62 rows · lines 2, 3/u });
  await first.click();
  await expect(page.getByTestId('status-line')).toContainText('vidio-a');
  await panel.getByRole('button', { name: 'Use video-a for all 62' }).click();
  await expect(page.getByRole('button', { name: '62 errors' })).toBeHidden();
  await page.getByRole('button', { name: /^Undo/u }).click();
  await expect(page.getByRole('button', { name: '62 errors' })).toBeVisible();
});

test('the cursor stays in its column when the results come before the sheet', async ({ open }) => {
  const launched = await open(20);
  const { page, ask } = launched;
  const batchId = await startNight(launched, newFolder('media'), { name: 'Begun', text: SHEET }, { start: false });
  await batchLink(page, /^Begun/).click();
  await toFirstRow(page);
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowRight');
  const column = page.getByTestId('status-line').locator('.name').first();
  await expect(column).toHaveText('prompt');
  await ask('batch.start', { batchId });
  await waitForState(launched, batchId, 'finished');
  await expect(page.locator('[data-testid="row-grid"] [role="columnheader"]').nth(3)).toHaveText('File');
  await expect(column).toHaveText('prompt');
});
