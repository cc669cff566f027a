/** Batches as things that one keeps: their names, the archive, deletion and the way back. */
import { expect, type Locator, type Page } from '@playwright/test';
import { launch, newFolder, test, type Launched } from './launch.ts';

const side = (page: Page) => page.getByRole('navigation', { name: 'Nocturne' });
const link = (page: Page, name: string) => side(page).getByRole('button', { name: new RegExp(`^${name}`, 'u') });

async function choose(page: Page, name: string, item: string): Promise<void> {
  await link(page, name).click({ button: 'right' });
  await page.getByRole('menuitem', { name: item }).click();
}

async function newBatch({ page, ask }: Launched, name: string): Promise<string> {
  const { id } = await ask('sheet.new', { template: 'empty', name });
  await expect(link(page, name)).toBeVisible();
  return id;
}

/** Whether a click there would meet it: it can be scrolled to, and nothing lies over it. */
function isUsable(target: Locator): Promise<boolean> {
  return target.evaluate((element) => {
    element.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
}

test('a batch is renamed by key, archived, and brought back', async ({ open }) => {
  const launched = await open();
  const { app, page, ask } = launched;
  const id = await newBatch(launched, 'Owls');
  await link(page, 'Owls').focus();
  await page.keyboard.press('F2');
  const dialog = page.getByRole('dialog', { name: 'Rename the batch' });
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await page.keyboard.type('Night owls');
  await page.screenshot({ path: test.info().outputPath('rename.png') });
  await page.keyboard.press('Enter');
  await expect(link(page, 'Night owls')).toBeVisible();
  await expect(link(page, 'Night owls')).toBeFocused();

  await choose(page, 'Night owls', 'Archive');
  await expect(link(page, 'Night owls')).toBeHidden();
  const fold = side(page).getByRole('button', { name: 'Archived' });
  await expect(fold).toHaveAttribute('aria-expanded', 'false');
  await fold.click();
  await expect(link(page, 'Night owls')).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('archived.png') });
  await choose(page, 'Night owls', 'Bring back');
  await expect(fold).toBeHidden();
  expect(await ask('batch.get', { batchId: id })).toMatchObject({ name: 'Night owls', state: 'ready' });

  // A new notice lies over nothing that can be pressed, also in a small window with many batches.
  for (const name of ['Bats', 'Foxes', 'Hares', 'Moths', 'Mice']) await newBatch(launched, name);
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(900, 600));
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(900);
  const told = page.getByRole('region', { name: 'New notices' });
  for (const name of ['Bats', 'Foxes', 'Hares']) {
    await choose(page, name, 'Archive');
    await expect(told.getByText(`“${name}” is archived.`)).toBeInViewport();
  }
  await page.screenshot({ path: test.info().outputPath('told.png') });
  const buttons = side(page).getByRole('button');
  for (const button of await buttons.all()) expect(await isUsable(button), String(button)).toBe(true);
});

test('a dialog that was opened from a menu gives the keyboard back to where the menu was', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  await newBatch(launched, 'Owls');
  await newBatch(launched, 'Foxes');
  const walkMenu = async (letters: string): Promise<void> => {
    await expect(page.getByRole('menu')).toBeVisible();
    await page.keyboard.type(letters);
    await page.keyboard.press('Enter');
  };
  await link(page, 'Owls').press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Owls' })).toBeVisible();
  for (const name of ['Owls', 'Foxes']) {
    await link(page, name).focus();
    await page.keyboard.press('Shift+F10');
    await walkMenu('Rename');
    await expect(page.getByRole('dialog', { name: 'Rename the batch' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(link(page, name)).toBeFocused();
  }
  // What it was about is gone: its neighbour has the keyboard.
  await link(page, 'Foxes').focus();
  await page.keyboard.press('Shift+F10');
  await walkMenu('Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the batch' }).press('Enter');
  await expect(link(page, 'Foxes')).toBeHidden();
  await expect(page.locator(':focus')).toHaveCount(1);
  expect(await page.evaluate(() => document.activeElement?.closest('[data-region="side"]') !== null)).toBe(true);
});

test('a batch is tagged, listed and found by its tags, which its copy has, too', async ({ open }) => {
  const launched = await open();
  const { page, ask } = launched;
  const id = await newBatch(launched, 'Owls');
  await newBatch(launched, 'Harbour');
  await choose(page, 'Owls', 'Tags…');
  const dialog = page.getByRole('dialog', { name: 'Tags of the batch' });
  await expect(dialog.getByRole('textbox', { name: 'Tags' })).toBeFocused();
  await page.keyboard.type('Anna, winter');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(link(page, 'Owls')).toContainText('Anna · winter');
  await choose(page, 'Harbour', 'Tags…');
  await dialog.getByRole('button', { name: 'winter' }).click();
  await page.screenshot({ path: test.info().outputPath('tags.png') });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(link(page, 'Harbour')).toContainText('winter');
  await choose(page, 'Owls', 'Duplicate');
  await expect(link(page, 'Owls copy')).toContainText('Anna · winter');

  const filter = side(page).getByRole('combobox', { name: 'Batches with a tag' });
  await filter.click();
  await page.getByRole('option', { name: 'Anna' }).click();
  await expect(link(page, 'Harbour')).toBeHidden();
  await expect(link(page, 'Owls')).toHaveCount(2);
  await page.screenshot({ path: test.info().outputPath('listed.png') });
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('winter har');
  await expect(page.getByRole('option')).toHaveText(/Harbour.*winter/u);
  await page.keyboard.press('Escape');

  // What nothing has any more is not listed by: all are.
  const copy = (await ask('batch.list')).find(({ name }) => name !== 'Owls' && name !== 'Harbour');
  for (const batchId of [id, copy?.id ?? '']) await ask('batch.tag', { batchId, tags: ['winter'] });
  await expect(link(page, 'Harbour')).toBeVisible();
  await expect(filter).toHaveText('All tags');
});

test('a deleted batch is undone at once, and after a kill it is under Archived until it is brought back', async ({
  open,
}) => {
  const dataFolder = newFolder('data');
  const first = await launch({ dataFolder });
  const { page } = first;
  const id = await newBatch(first, 'Owls');
  const { folder } = await first.ask('batch.get', { batchId: id });
  const question = page.getByRole('alertdialog');
  const erase = async (): Promise<void> => {
    await choose(page, 'Owls', 'Delete…');
    await expect(question).toContainText(`its folder`);
    await expect(question).toContainText(folder);
    await expect(question.getByRole('button', { name: 'Keep it' })).toBeFocused();
    await page.screenshot({ path: test.info().outputPath('question.png') });
    await question.getByRole('button', { name: 'Delete the batch' }).click();
    await expect(side(page).getByRole('button', { name: 'Archived' })).toBeVisible();
  };
  await erase();
  await page.screenshot({ path: test.info().outputPath('undo.png') });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(link(page, 'Owls')).toBeVisible();
  await expect(side(page).getByRole('button', { name: 'Archived' })).toBeHidden();
  await erase();
  await first.kill();

  const second = await launch({ dataFolder });
  await side(second.page).getByRole('button', { name: 'Archived' }).click();
  await expect(link(second.page, 'Owls')).toContainText('Deleted');
  await choose(second.page, 'Owls', 'Bring back');
  await expect(side(second.page).getByRole('button', { name: 'Archived' })).toBeHidden();
  await second.kill();
  const third = await open(1, dataFolder);
  expect((await third.ask('batch.list')).map(({ id: one, shelf }) => [one, shelf])).toEqual([[id, undefined]]);
  await third.close();
});
