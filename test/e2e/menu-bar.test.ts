/** The menu bar: what the window's commands are there, greyed where they can do nothing, and carried out by the window. */
import { expect, type ElectronApplication } from '@playwright/test';
import { test } from './launch.ts';

/** The lines of a menu of the menu bar: in parentheses what is greyed. */
function linesOf(app: ElectronApplication, menu: string): Promise<readonly string[]> {
  return app.evaluate(({ Menu }, name) => {
    const items = Menu.getApplicationMenu()?.items.find(({ label }) => label === name)?.submenu?.items ?? [];
    return items.flatMap(({ type, label, enabled }) => (type === 'separator' ? [] : [enabled ? label : `(${label})`]));
  }, menu);
}

function choose(app: ElectronApplication, menu: string, line: string): Promise<void> {
  return app.evaluate(
    ({ Menu }, [name, wanted]) => {
      const items = Menu.getApplicationMenu()?.items.find(({ label }) => label === name)?.submenu?.items ?? [];
      items.find(({ label }) => label === wanted)?.click();
    },
    [menu, line] as const,
  );
}

test('the menus Batch and Go do what the window offers, and show what it does not offer now', async ({ open }) => {
  const { app, page, ask } = await open();
  const nothing = ['(Start or resume)', '(Pause)', '(Retry)', '(Review)', '(Gallery)', '(Ledger of this batch)'];
  await expect
    .poll(() => linesOf(app, '&Batch'))
    .toEqual([
      ...nothing,
      '(Deliver…)',
      '(Open the folder)',
      '(Re-import the file of the sheet…)',
      '(Compare with another file…)',
      '(Watch the file of the sheet for changes)',
      '(Stop watching the file of the sheet)',
      '(Write results to a copy)',
      '(Write results to the file…)',
      '(Write results to a file of your choice…)',
      '(Rename…)',
      '(Duplicate)',
    ]);
  expect(await linesOf(app, '&Go')).toEqual(['Welcome', '(Ledger)', 'Settings', 'Help']);
  expect((await linesOf(app, '&File')).slice(0, 3)).toEqual([
    'Import a sheet…',
    'New sheet from a template',
    'Open the table on the clipboard',
  ]);

  await ask('sheet.new', { template: 'empty', name: 'Owls & moons' });
  await ask('sheet.new', { template: 'empty', name: 'Harbour' });
  const batches = ['Harbour', 'Owls && moons'];
  await expect.poll(async () => (await linesOf(app, '&Go')).toSorted()).toEqual(expect.arrayContaining(batches));
  await choose(app, '&Go', 'Owls && moons');
  await expect(page.getByRole('heading', { level: 1, name: 'Owls & moons' })).toBeVisible();
  await expect
    .poll(() => linesOf(app, '&Batch'))
    .toEqual(expect.arrayContaining(['Start…', '(Pause)', '(Review)', 'Gallery', 'Open the folder', 'Rename…']));
  // It came from no file.
  await expect
    .poll(() => linesOf(app, '&Batch'))
    .toEqual(expect.arrayContaining(['(Re-import the file of the sheet…)', 'Compare with another file…']));

  await choose(app, '&Batch', 'Rename…');
  const dialog = page.getByRole('dialog', { name: 'Rename the batch' });
  await expect(dialog).toBeVisible();
  // Behind a dialog nothing is carried out.
  await expect.poll(() => linesOf(app, '&Go')).toContain('(Settings)');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  await expect.poll(() => linesOf(app, '&File')).toContain('Settings');
  await choose(app, '&File', 'Settings');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await expect.poll(() => linesOf(app, '&Batch')).toContain('(Gallery)');

  // The first of the side bar, by the key that stands beside it in the menu.
  const first = (await linesOf(app, '&Go'))[4] ?? '';
  await page.keyboard.press('ControlOrMeta+1');
  await expect(page.getByRole('heading', { level: 1, name: first.replace('&&', '&') })).toBeVisible();
});
