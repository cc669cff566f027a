/** The window by the keyboard alone: where it is after each step, and how it gets from one part to the next. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { answerDialogs, batchLink, newFolder, rowDetail, test, waitForState } from './launch.ts';

/** The part of the window that has the keyboard. */
function regionOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset['region']);
}

test('an empty sheet takes what is typed, and every part of the window is reached and left', async ({ open }) => {
  const launched = await open();
  const { ask, page } = launched;
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.getByRole('button', { name: 'New sheet from a template' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.getByRole('button', { name: 'Empty sheet', exact: true }).press('Enter');
  await expect.poll(() => regionOf(page)).toBe('grid');
  const [batch] = await ask('batch.list');
  const cells = async () => {
    const input = { batchId: batch?.id ?? '', filter: {}, sort: { column: 'line', direction: 'ascending' } } as const;
    return (await ask('rows.page', { ...input, offset: 0, limit: 2, withCells: true })).rows.map((row) => row.cells);
  };
  await page.keyboard.type('owl');
  await press('Enter');
  await expect.poll(async () => (await cells())[0]?.[0]).toBe('owl');
  await press('ArrowUp');

  // The menu opens at the cursor's cell, and gives the keyboard back.
  await press('Shift+F10');
  const menu = page.getByRole('menu');
  await expect(menu).toBeVisible();
  const grid = await page.getByTestId('row-grid').boundingBox();
  const box = await menu.boundingBox();
  expect(box?.x ?? 0).toBeGreaterThan(grid?.x ?? 0);
  // As far as its length allows: none of it is outside of the window.
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(grid?.y ?? 0);
  expect(box?.y ?? 0).toBeGreaterThan(0);
  await press('Escape');
  await expect(menu).toBeHidden();
  await expect.poll(() => regionOf(page)).toBe('grid');

  // Into the inspector and back, with it open.
  await press('Control+i');
  await expect(page.getByTestId('inspector')).toBeFocused();
  await press('Control+i');
  await expect.poll(() => regionOf(page)).toBe('grid');
  await press('F6');
  await expect(page.getByTestId('inspector')).toBeFocused();
  await press('Escape');
  await expect(page.getByTestId('inspector')).toBeHidden();
  await expect.poll(() => regionOf(page)).toBe('grid');
  // With nothing left to close, Escape leaves the grid for what stands above it.
  await press('Escape');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  // A click on the cell where the cursor is brings the keyboard back, although nothing else is chosen.
  await page.getByTestId('row-grid').click({ position: { x: 100, y: 34 + 17 } });
  await expect.poll(() => regionOf(page)).toBe('grid');
  await press('Escape');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await press('Shift+F6');
  expect(await regionOf(page)).toBe('side');

  await press('Control+Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await press('Control+,');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeFocused();
  await launched.close();
});

test('Space in any cell types nothing: it turns true to false, and tells about a row without files', async ({
  open,
}) => {
  const launched = await open();
  const { page } = launched;
  await page.getByRole('button', { name: 'New sheet from a template' }).click();
  await page.getByRole('button', { name: 'Empty sheet', exact: true }).click();
  await expect.poll(() => regionOf(page)).toBe('grid');
  await page.keyboard.type('owl');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('status-line')).toContainText('1 row');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  await expect(page.getByTestId('inspector')).toBeVisible();
  await expect(page.getByTestId('cell-editor')).toBeHidden();
  await launched.close();
});

/** Goes on with Tab until something of this name has the keyboard, as somebody does who reads what is focused. */
async function tabTo(page: Page, name: string | RegExp, most: number): Promise<void> {
  const target = page.getByRole('button', { name }).first();
  for (let presses = 0; presses < most; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

test('a sheet is imported, started, looked into and retried without a mouse', async ({ open }) => {
  const key = 'sk-keyboard-55cc';
  const behaviour = {
    ...PRESETS.default,
    auth: { keys: [key] },
    moderation: { words: ['forbidden'], at: 'submit' as const },
  };
  const started = await startObservedGateway({ seed: 3, behaviour });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const launched = await open(5);
  const { app, page, ask } = launched;
  const sheet = join(newFolder('keyboard-sheet'), 'Keys.csv');
  writeFileSync(
    sheet,
    'row,operation,prompt,lyrics_model\none,lyrics,A lullaby,v1\ntwo,lyrics,A forbidden lullaby,v1\n',
  );
  await answerDialogs(app, [sheet]);
  await ask('gateway.setBaseUrl', { baseUrl: started.value.baseUrl });
  await ask('key.set', { key });

  await expect.poll(() => regionOf(page)).toBe('screen');
  await page.keyboard.press('Shift+F6');
  await tabTo(page, 'Import a sheet', 5);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('sheet-screen')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Start 2 paid requests' })).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => regionOf(page)).toBe('grid');
  const [batch] = await ask('batch.list');
  const batchId = batch?.id ?? '';
  const status = async (row: string) => (await rowDetail(launched, batchId, row)).row.status;
  await expect.poll(() => status('two'), { timeout: 60_000 }).toBe('failed');
  await expect.poll(() => status('one'), { timeout: 60_000 }).toBe('done');

  // Space looks at what came of a row from any of its cells.
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('End');
  await page.keyboard.press('Space');
  const look = page.getByRole('dialog');
  await expect(look).toContainText('one');
  await page.keyboard.press('Escape');
  await expect(look).toBeHidden();
  await expect(page.getByTestId('cell-editor')).toBeHidden();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+i');
  const inspector = page.getByTestId('inspector');
  await expect(inspector).toBeFocused();
  await expect(inspector).toContainText('prompt contains sensitive words');
  await tabTo(page, 'Retry row', 12);
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog');
  await expect(question).toBeVisible();
  await tabTo(page, 'Retry 1 take', 4);
  await page.keyboard.press('Enter');
  const attempts = async () => (await rowDetail(launched, batchId, 'two')).tasks[0]?.attempts;
  await expect.poll(attempts, { timeout: 60_000 }).toBe(2);
  await expect.poll(() => status('two'), { timeout: 60_000 }).toBe('failed');

  // The keyboard is where it was, and leads out of every part.
  await page.keyboard.press('Escape');
  await expect.poll(() => regionOf(page)).toBe('grid');
  expect(started.value.chargeLog()).toHaveLength(1);
  const roles = await app.evaluate(({ Menu }) =>
    (Menu.getApplicationMenu()?.items ?? []).flatMap((item) => item.submenu?.items ?? []).map((item) => item.role),
  );
  expect(roles).toContain('quit');
  await launched.close();
  await started.value.close();
});

const MOST_TABS = 12;

/** How many Tabs lead to something, at the least, from the beginning of a part of the window; none if too many do. */
async function tabsTo(page: Page, name: string): Promise<number | undefined> {
  const counts: number[] = [];
  for (let part = 0; part < 4; part += 1) {
    await page.locator('[data-region="side"] button').first().focus();
    for (let times = 0; times < part; times += 1) await page.keyboard.press('F6');
    for (let tabs = 0; tabs <= MOST_TABS; tabs += 1) {
      const said = await page.evaluate(() => {
        const { activeElement: element } = document;
        return (element?.getAttribute('aria-label') ?? element?.textContent ?? '').trim();
      });
      if (said.startsWith(name)) {
        counts.push(tabs);
        break;
      }
      await page.keyboard.press('Tab');
    }
  }
  return counts.toSorted((a, b) => a - b)[0];
}
test('every main action is at most 12 Tabs from the beginning of a part of the window', async ({ open }) => {
  const launched = await open(60);
  const { page, ask } = launched;
  const far: string[] = [];
  const expectNear = async (screen: string, ...names: readonly string[]): Promise<void> => {
    for (const name of names) if ((await tabsTo(page, name)) === undefined) far.push(`${screen}: ${name}`);
  };
  await expect(page.getByRole('button', { name: 'Rehearse with the built-in gateway' })).toBeVisible();
  await expectNear('welcome', 'Import a sheet', 'Rehearse with', 'Connect your gateway', 'Settings', 'Help');
  const { sheetId } = await ask('sheet.sample', { sample: 'all-operations' });
  const { id } = await ask('batch.create', { sheetId, name: 'Near', rehearsal: true, start: true });
  await waitForState(launched, id, 'finished');
  await batchLink(page, /^Near/u).click();
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await expectNear(
    'batch',
    'Gallery',
    'Review',
    'Deliver',
    'Ledger',
    'Sheet',
    'More',
    'Find and replace',
    'No problems',
  );
  await page.keyboard.press('F7');
  await expect(page.getByTestId('gallery-screen')).toBeVisible();
  await expectNear('gallery', 'Play through', 'Deliver', 'Back to the batch');
  for (const screen of ['Ledger', 'Settings', 'Help']) {
    const link = page.getByRole('navigation', { name: 'Nocturne' }).getByRole('button', { name: screen, exact: true });
    await link.click();
    await expectNear(screen, screen === 'Settings' ? 'Spending' : screen === 'Help' ? 'Keyboard' : 'Money');
  }
  expect(far).toEqual([]);
});
