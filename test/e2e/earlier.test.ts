/** Rows that are rendered anew: asked for in the window, with what they had before in sight, and both beside each other. */
import { expect, type Page } from '@playwright/test';
import { batchLink, newFolder, rowDetail, test, waitForState } from './launch.ts';
import { startNight } from './whole-night.ts';

test.describe.configure({ timeout: 180_000 });

const TEXT = [
  'row,operation,prompt,num_images,aspect_ratio,resolution',
  'picture,image,A lighthouse,1,1:1,2K',
  'words,lyrics,Words of a lighthouse,,,',
].join('\n');

const FILE_CELL = { x: 310, y: 34 + 17 };

async function runChanged(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Run \d changed row/u }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: /^Run/u }).click();
}

test('a row is rendered again as it is, and then changed: what it had stays in sight, and is compared with what follows', async ({
  open,
}) => {
  const launched = await open(20);
  const { page } = launched;
  const batchId = await startNight(launched, newFolder('media'), {
    name: 'Anew: winter products',
    text: TEXT,
  });
  await waitForState(launched, batchId, 'finished');
  await batchLink(page, /^Anew/).click();
  const grid = page.getByTestId('row-grid');
  await expect(page.locator('[data-testid="row-grid"][data-ready="true"]')).toBeVisible();
  await grid.click({ position: { x: 90, y: FILE_CELL.y } });
  const picture = () => rowDetail(launched, batchId, 'picture');
  const fileAfter = async (before: string | undefined) => {
    await expect.poll(async () => (await picture()).row.files[0]?.id ?? before).not.toBe(before);
    return (await picture()).row.files[0];
  };
  const first = await fileAfter(undefined);

  // Nothing moves when the state beside a long name is called something longer.
  const firstLine = page.getByTestId('batch-screen').locator('header > div').first();
  const heightOfLine = async () => (await firstLine.boundingBox())?.height;
  await expect(page.getByTestId('batch-state')).toHaveText('Finished');
  const before = await heightOfLine();

  // By key: a draft, with nothing sent, and its file still there to look at.
  await page.keyboard.press('Control+Shift+R');
  await expect(page.getByText('1 row to render again, once you agree to the cost.', { exact: true })).toBeVisible();
  await expect
    .poll(async () => (await picture()).row)
    .toMatchObject({
      status: 'draft',
      files: [],
      earlier: { files: [{ id: first?.id }], fileCount: 1 },
    });
  await expect(page.getByTestId('batch-state')).toHaveText('Finished, 1 changed row to run');
  expect(await heightOfLine()).toBe(before);
  await page.keyboard.press(' ');
  const look = page.getByRole('dialog');
  await expect(look.getByRole('img')).toHaveAttribute('src', new RegExp(`${first?.id}$`, 'u'));
  await expect(look).toContainText(/Earlier version · from /u);
  await expect(look.getByRole('button', { name: 'Compare' })).toBeHidden();
  await page.keyboard.press('Escape');

  // A second time there is nothing to render again, and that is said; undo brings the file back.
  await page.keyboard.press('Control+Shift+R');
  await expect(
    page.getByText('picture (line 2): It has no finished take that it still asks for.', { exact: true }),
  ).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect.poll(async () => (await picture()).row.files[0]?.id).toBe(first?.id);
  await page.keyboard.press('F9');
  const notices = page.getByRole('dialog', { name: 'Notices' });
  await expect(notices.getByRole('listitem').filter({ hasText: '1 row to render again' })).toContainText('Undone');
  await page.keyboard.press('F9');
  await expect(notices).toBeHidden();

  // In the inspector, and run at last.
  await page.keyboard.press('Control+i');
  const inspector = page.getByTestId('inspector');
  await inspector.getByRole('button', { name: 'Render again' }).click();
  await runChanged(page);
  const second = await fileAfter(first?.id);
  await expect(inspector.getByText(/^from [^·]+ [\d:]+$/u)).toBeVisible();

  // Changed, and rendered a third time.
  const key = (await picture()).row.key;
  await launched.ask('sheet.edit', {
    batchId,
    edit: { kind: 'set-cells', rows: [key], added: 0, headers: ['prompt'], values: [['A harbour']] },
  });
  await runChanged(page);
  const third = await fileAfter(second?.id);
  await expect(inspector.getByText(/made for another request$/u)).toHaveCount(2);

  // From the inspector by a button: the two beside each other, and one over the other.
  const buttons = inspector.getByRole('button', { name: /^Compare .* with the file that took its place/u });
  await expect(buttons).toHaveCount(2);
  const button = buttons.first();
  await button.click();
  const compare = page.getByTestId('compare');
  const tiles = compare.getByRole('list', { name: 'Files of the row' }).getByRole('listitem');
  await expect(tiles).toHaveCount(2);
  const shown = () => tiles.evaluateAll((all) => all.map((one) => one.getAttribute('data-file')));
  expect(await shown()).toEqual([second?.id, third?.id]);
  await expect(tiles.nth(0)).toContainText('Earlier');
  await expect(tiles.nth(1)).toContainText('Now');
  await page.keyboard.press('w');
  await expect(compare.getByTestId('wipe').getByRole('img')).toHaveCount(2);
  await page.keyboard.press('w');
  await page.keyboard.press('ArrowLeft');
  await expect(compare.getByRole('status')).toContainText('made for another request');
  await page.keyboard.press('f');
  await expect(tiles.filter({ visible: true })).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(tiles.filter({ visible: true })).toHaveCount(2);
  await page.keyboard.press('Escape');
  await expect(compare).toBeHidden();
  await expect(button).toBeFocused();

  // By key, too, and row by row: the next one has no two versions.
  await page.keyboard.press('c');
  await page.keyboard.press('ArrowDown');
  await expect(compare).toContainText('No file of this row has two versions.');
  await page.keyboard.press('ArrowUp');
  await expect(tiles).toHaveCount(2);
  await page.keyboard.press('Escape');
  await expect(compare).toBeHidden();

  // An earlier picture opens large, and from there by key: of the first, with the one after it.
  await inspector.getByRole('button', { name: `Look at ${first?.name ?? ''}`, exact: true }).press('Enter');
  await expect(look.getByRole('img')).toHaveAttribute('src', new RegExp(`${first?.id}$`, 'u'));
  await expect(look).toContainText('3 of 3');
  await page.keyboard.press('c');
  await expect(tiles).toHaveCount(2);
  expect(await shown()).toEqual([first?.id, second?.id]);
  await page.keyboard.press('c');
  await expect(compare).toBeHidden();
  await page.keyboard.press('ArrowLeft');
  await expect(look).toContainText('2 of 3');
  await page.keyboard.press(' ');
  await expect(look).toBeHidden();

  // The gallery has them all, behind the present one, and what is said of one of them is stored.
  await page.keyboard.press('F7');
  const gallery = page.getByTestId('gallery-screen');
  const all = gallery.getByRole('gridcell');
  await expect(page.getByTestId('gallery-count')).toHaveText('4 files');
  await expect
    .poll(() => all.evaluateAll((tiles) => tiles.map((one) => one.getAttribute('data-file'))))
    .toEqual([third?.id, first?.id, second?.id, expect.any(String)]);
  await expect(gallery.getByRole('gridcell', { name: 'Earlier version' })).toHaveCount(2);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('x');
  await expect(all.nth(1)).toContainText('Rejected');
  const verdictOf = async (id: string | undefined) =>
    (await picture()).earlierFiles.find((one) => one.id === id)?.verdict?.kept;
  await expect.poll(() => verdictOf(first?.id)).toBe(false);
  await page.keyboard.press('Enter');
  const review = page.getByTestId('review');
  await expect(review.getByRole('listitem')).toHaveCount(3);
  await expect(review.locator('[aria-current="true"]')).toContainText('Earlier version');
  await expect(review.locator('[aria-current="true"]')).toHaveAttribute('data-file', first?.id ?? '');
  const remove = review.getByRole('button', { name: 'Delete rejected…' });
  await expect(remove).toBeVisible();
  await page.keyboard.press('u');
  await expect.poll(() => verdictOf(first?.id)).toBeUndefined();
  await expect(remove).toBeHidden();

  // Rejected once more, it can be deleted, and the question says what it is.
  await page.keyboard.press('x');
  await remove.click();
  const question = page.getByRole('alertdialog', { name: 'Delete 1 rejected file for good?' });
  await expect(question).toContainText('Earlier versions among them: 1.');
  await question.getByRole('button', { name: 'Delete 1 file' }).click();
  await expect(review.getByRole('listitem')).toHaveCount(2);
  await expect(remove).toBeHidden();
  await review.getByRole('button', { name: 'Close' }).click();
  await gallery.getByRole('combobox', { name: 'Versions' }).click();
  await page.getByRole('option', { name: 'Without earlier versions' }).click();
  await expect(page.getByTestId('gallery-count')).toHaveText('2 of its files');
});

test('after a restart, a row that was to be rendered again keeps its earlier file, and the row that waits for it goes on', async ({
  open,
}) => {
  const sheet = {
    name: 'Kept',
    text: [
      'row,operation,prompt,num_images,aspect_ratio,resolution',
      'picture,image,A lighthouse,1,1:1,2K',
      'words,lyrics,After {{picture.taskId}},,,',
    ].join('\n'),
  };
  const before = await open(20);
  const batchId = await startNight(before, newFolder('media'), sheet, { start: false });
  const words = await rowDetail(before, batchId, 'words');
  await before.ask('batch.turn', { batchId, rows: [words.row.key], turn: 'hold' });
  await before.ask('batch.start', { batchId });
  await waitForState(before, batchId, 'finished');
  const { row } = await rowDetail(before, batchId, 'picture');
  await before.ask('sheet.edit', { batchId, edit: { kind: 'render-again', rows: [row.key] } });
  await before.ask('batch.turn', { batchId, rows: [words.row.key], turn: 'release' });
  await before.ask('batch.start', { batchId });
  await waitForState(before, batchId, 'finished');
  await before.close();

  const launched = await open(20, before.dataFolder);
  const { page } = launched;
  await batchLink(page, /^Kept/).click();
  await expect(page.locator('[data-testid="row-grid"][data-ready="true"]')).toBeVisible();
  await page.getByTestId('row-grid').click({ position: { x: 90, y: FILE_CELL.y + 34 } });
  await page.keyboard.press('Control+i');
  const inspector = page.getByTestId('inspector');
  await expect(inspector).toContainText('Waits for row picture, a draft until you run it.');
  await inspector.getByRole('button', { name: 'Row above' }).click();
  await expect(inspector).toContainText('This row is to be rendered again. Nothing is sent for it until you run it.');

  // In the inspector; undone, and done once more by the menu.
  const inInspector = inspector.getByRole('button', { name: 'Keep the earlier files' });
  await inInspector.press('Enter');
  const picture = async () => (await rowDetail(launched, batchId, 'picture')).row;
  await expect.poll(async () => (await picture()).files[0]?.id).toBe(row.files[0]?.id);
  await expect(inInspector).toBeHidden();
  await page.getByTestId('row-grid').click({ position: { x: 90, y: FILE_CELL.y } });
  await page.keyboard.press('Control+z');
  await expect(inInspector).toBeVisible();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Keep the earlier files' }).press('Enter');
  await expect(inInspector).toBeHidden();
  expect(await picture()).toMatchObject({ status: 'done', files: [{ id: row.files[0]?.id }] });
  await launched.ask('batch.resume', { batchId });
  await expect.poll(async () => (await rowDetail(launched, batchId, 'words')).row.status).toBe('done');
  expect((await launched.ask('batch.get', { batchId })).submitsUsed).toBe(2);
});
