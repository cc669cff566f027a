/** Every screen and dialog, one after another: in both themes, at three sizes, with nothing in the console. */
import { expect, type Page } from '@playwright/test';
import { Examiner } from './examine.ts';
import { batchLink, chooseMore, newFolder, test, waitForState, type Launched } from './launch.ts';
import { startNight } from './whole-night.ts';

const SPEED = 60;

function go(page: Page, name: string): Promise<void> {
  return page.getByRole('navigation', { name: 'Nocturne' }).getByRole('button', { name, exact: true }).click();
}

async function gridIsReady(page: Page): Promise<void> {
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
}

/** Opens something with a button, examines it, and closes it. */
async function through(examiner: Examiner, page: Page, button: string | RegExp, name: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).first().click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await examiner.look(name);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
}

/** Shows a batch in its grid. */
async function openBatch({ page }: Launched, name: RegExp): Promise<void> {
  await batchLink(page, name).click();
  await gridIsReady(page);
}

test('the way to a first batch', async ({ open }) => {
  const launched = await open(SPEED);
  const { page } = launched;
  const examiner = new Examiner(launched);
  await expect(page.getByRole('button', { name: 'Rehearse with the built-in gateway' })).toBeVisible();
  await examiner.look('welcome');
  await page.getByRole('button', { name: 'New sheet from a template' }).click();
  await examiner.look('templates');
  await go(page, 'Welcome');
  await page.getByRole('button', { name: 'Connect your gateway' }).click();
  await examiner.look('connect');
  await go(page, 'Welcome');
  await page.getByRole('button', { name: 'Rehearse with the built-in gateway' }).click();
  await examiner.look('rehearse');
  await page
    .getByRole('button', { name: /mistake/iu })
    .first()
    .click();
  await expect(page.getByTestId('sheet-screen')).toBeVisible();
  await examiner.look('sheet');
  await page.getByRole('button', { name: 'Fix it here' }).first().click();
  await gridIsReady(page);
  await examiner.look('grid');
  await page.keyboard.press('F4');
  await expect(page.getByTestId('large-editor')).toBeVisible();
  await examiner.look('large-editor');
  await page.keyboard.press('Escape');
  await through(examiner, page, 'Start…', 'start');
  await page.getByRole('button', { name: 'Find and replace' }).click();
  await page.getByRole('textbox', { name: 'Find', exact: true }).fill('no');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('find-panel')).toContainText(/\d+ of \d+ cells/u);
  await examiner.look('find');
  await page.getByRole('button', { name: /errors?, \d+ warnings?/u }).click();
  await examiner.look('problems');
  await page.getByRole('button', { name: 'Column', exact: true }).click();
  await examiner.look('column-menu');
  expect(examiner.found).toEqual([]);
});

test('what can be changed while a batch runs', async ({ open }) => {
  const launched = await open(1);
  const { page } = launched;
  const examiner = new Examiner(launched);
  const batchId = await startNight(launched, newFolder('media'));
  await openBatch(launched, /^Night/u);
  await examiner.look('running');
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await waitForState(launched, batchId, 'paused');
  await examiner.look('paused');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await examiner.look('more');
  await page.keyboard.press('Escape');
  for (const [item, name] of [
    ['When it runs…', 'when'],
    ['Limits…', 'limits'],
    ['Gates…', 'gates'],
  ] as const) {
    await chooseMore(page, item);
    await expect(page.getByRole('dialog')).toBeVisible();
    await examiner.look(name);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  }
  await chooseMore(page, 'Cancel the remaining takes…');
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await examiner.look('cancel');
  await page.keyboard.press('Escape');
  await go(page, 'Ledger');
  await expect(page.getByTestId('ledger-screen')).toBeVisible();
  await examiner.look('ledger-running');
  expect(examiner.found).toEqual([]);
});

test('what is looked at in the morning', async ({ open }) => {
  const launched = await open(SPEED);
  const { page, ask } = launched;
  const examiner = new Examiner(launched);
  const { sheetId } = await ask('sheet.sample', { sample: 'all-operations' });
  const { id } = await ask('batch.create', { sheetId, name: 'Everything', rehearsal: true, start: true });
  await waitForState(launched, id, 'finished');
  await openBatch(launched, /^Everything/u);
  await examiner.look('finished');
  await page.getByTestId('row-grid').click({ position: { x: 100, y: 34 + 17 } });
  await page.keyboard.press('Control+i');
  await expect(page.getByTestId('inspector')).toBeVisible();
  await examiner.look('inspector');
  await page.keyboard.press('Space');
  await examiner.look('look');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menu')).toBeVisible();
  await examiner.look('row-menu');
  await page.keyboard.press('Escape');
  await through(examiner, page, 'Deliver', 'deliver');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: /command/iu })).toBeVisible();
  await examiner.look('palette');
  await page.keyboard.press('Escape');
  await page.keyboard.press('F8');
  await expect(page.getByTestId('review')).toBeVisible();
  await examiner.look('review');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Gallery', exact: true }).click();
  await expect(page.getByTestId('gallery-screen')).toBeVisible();
  await examiner.look('gallery');
  await go(page, 'Ledger');
  await expect(page.getByTestId('ledger-screen')).toBeVisible();
  await examiner.look('ledger');
  await go(page, 'Welcome');
  await examiner.look('home');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await examiner.look('shortcuts');
  await page.keyboard.press('Escape');
  const menuOf = async (item: RegExp): Promise<void> => {
    await batchLink(page, /^Everything/u).click({ button: 'right' });
    await page.getByRole('menuitem', { name: item }).click();
  };
  await menuOf(/^Rename/u);
  await expect(page.getByRole('dialog')).toBeVisible();
  await examiner.look('rename');
  await page.keyboard.press('Escape');
  await menuOf(/^Delete/u);
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await examiner.look('delete');
  await page.keyboard.press('Escape');
  expect(examiner.found).toEqual([]);
});

test('settings and help', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  const examiner = new Examiner(launched);
  await go(page, 'Settings');
  await examiner.look('settings');
  const parts = page.getByRole('navigation', { name: 'Parts of the settings' });
  await parts.getByRole('button', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Preset for Music' }).click();
  await page.getByRole('menuitem').first().click();
  await examiner.look('profile');
  await page.getByRole('tab', { name: 'JSON' }).click();
  await examiner.look('profile-json');
  await page.getByRole('button', { name: 'New list' }).click();
  await examiner.look('new-list');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Licences…' }).click();
  await examiner.look('licences');
  await page.keyboard.press('Escape');
  await go(page, 'Help');
  await examiner.look('help');
  await page
    .getByRole('button', { name: /diagnostics/iu })
    .first()
    .click();
  await examiner.look('diagnostics');
  expect(examiner.found).toEqual([]);
});
