/** Dialogs over dialogs, and dialogs while their command is under way: where the keyboard is, and what Escape closes. */
import { expect, type ElectronApplication, type Locator } from '@playwright/test';
import { batchLink, openGateway, test } from './launch.ts';

test('Escape closes the search of the large editor alone, and a question gives the keyboard back to the text', async ({
  open,
}) => {
  const launched = await open();
  const { page } = launched;
  await page.getByRole('button', { name: 'New sheet from a template' }).click();
  await page.getByRole('button', { name: 'Empty sheet', exact: true }).click();
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await page.getByTestId('row-grid').click({ position: { x: 450, y: 50 } });
  await page.keyboard.press('F4');
  const editor = page.getByTestId('large-editor');
  const text = editor.locator('textarea');
  await expect(text).toBeFocused();
  const search = page.getByRole('textbox', { name: 'Find in the text' });
  const question = page.getByRole('alertdialog');

  // Without a change, nothing would ask: the whole editor would be gone.
  await page.keyboard.press('Control+f');
  await expect(search).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(search).toBeHidden();
  await expect(editor).toBeVisible();
  await expect(text).toBeFocused();

  await page.keyboard.type('A lullaby');
  await page.keyboard.press('Control+f');
  await expect(search).toBeFocused();
  await page.keyboard.type('lull');
  await page.keyboard.press('Enter');
  await expect(text).toBeFocused();
  await expect(text).toHaveValue('A lullaby');
  await search.focus();
  await page.keyboard.press('Escape');
  await expect(search).toBeHidden();
  await expect(question).toBeHidden();
  await page.keyboard.press('Escape');
  await untilItHasTheKeyboard(question);
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(text).toBeFocused();

  // What had the keyboard is gone: the dialog below has it, not the window under both.
  await page.keyboard.press('Escape');
  await untilItHasTheKeyboard(question);
  await text.evaluate((element) => element.replaceWith(element.cloneNode()));
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(editor).toBeFocused();
});

/** Before that, a key that is pressed is nobody's. */
async function untilItHasTheKeyboard(dialog: Locator): Promise<void> {
  await expect(dialog).toBeVisible();
  await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
}

/** Makes every answer of the application late by so much. */
async function delayAnswers(app: ElectronApplication, ms: number): Promise<void> {
  await app.evaluate(({ ipcMain }, late) => {
    type Handler = (...args: readonly unknown[]) => unknown;
    const { _invokeHandlers: handlers } = ipcMain as unknown as { readonly _invokeHandlers: Map<string, Handler> };
    for (const [name, handler] of handlers) {
      handlers.set(name, async (...args) => {
        await new Promise((resolve) => setTimeout(resolve, late));
        return handler(...args);
      });
    }
  }, ms);
}

test('a start that is under way cannot be answered “Not yet”', async ({ open }) => {
  const launched = await open();
  const { app, page, ask } = launched;
  const sheet = await ask('sheet.sample', { sample: 'chain' });
  const { id } = await ask('batch.create', { sheetId: sheet.sheetId, name: 'Slow', rehearsal: true, start: false });
  await batchLink(page, /^Slow/).click();
  await page.getByRole('button', { name: 'Start…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start' });
  await expect(dialog).toBeVisible();
  await delayAnswers(app, 1_000);
  await dialog.getByRole('button', { name: 'Start rehearsal' }).dblclick();
  await expect(dialog.getByRole('button', { name: 'Not yet' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect(dialog).toBeVisible();
  await expect(dialog).toBeHidden({ timeout: 60_000 });
  await expect.poll(async () => (await ask('batch.get', { batchId: id })).state, { timeout: 60_000 }).toBe('running');
});

test('the keyboard stays where it worked when what had it goes away or is disabled', async ({ open }) => {
  const launched = await open();
  const { page, ask } = launched;
  for (const name of ['animals', 'birds', 'colours']) await ask('lists.set', { name, text: `${name}\n` });
  await page.getByRole('button', { name: 'Settings' }).click();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const remove = async (name: string): Promise<void> => {
    await button(`Remove ${name}`).press('Enter');
    await button('Remove it').press('Enter');
    await expect(button(`Remove ${name}`)).toBeHidden();
  };
  await remove('birds');
  await expect(button('Edit colours')).toBeFocused();
  await remove('colours');
  await expect(button('Remove animals')).toBeFocused();
  await remove('animals');
  await expect(button('New list')).toBeFocused();

  // The button that opened the dialog is gone by the time it closes.
  await button('Start with an example').press('Enter');
  await button('Save the list').press('Enter');
  await expect(button('Start with an example')).toBeHidden();
  await expect(button('New list')).toBeFocused();

  // A button that is disabled by its own press.
  await openGateway(page);
  await page.getByRole('textbox', { name: 'Base URL' }).fill('http://localhost:9/api');
  await button('Save connection').press('Enter');
  await expect(button('Save connection')).toBeDisabled();
  await expect(button('Save connection')).toBeFocused();

  // A button that is disabled when its dialog closes.
  await button('New sheet from a template').click();
  await button('Empty sheet').press('Enter');
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await page.keyboard.type('owl');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('status-line')).toContainText('1 row');
  await page.getByRole('button', { name: /^Undo/ }).press('Enter');
  await expect(button('Nothing to undo')).toBeFocused();

  // A panel that is closed by a button of its own.
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: /problems|error/ })
    .press('Enter');
  await button('Close the problems').press('Enter');
  await expect(page.getByTestId('problems-panel')).toBeHidden();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('[data-region="grid"]') !== null))
    .toBe(true);

  // What shows only while there is a text.
  await page.getByRole('textbox', { name: 'Find rows' }).fill('o');
  await button('Clear the text').press('Enter');
  await expect(page.getByRole('textbox', { name: 'Find rows' })).toBeFocused();
});

test('a list being written is not lost by Escape, by a click beside it, or by “Cancel”', async ({ open }) => {
  const launched = await open();
  const { page, ask } = launched;
  await ask('lists.set', { name: 'animals', text: 'owl\nfox\n' });
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Edit animals' }).click();
  const editor = page.getByRole('dialog', { name: 'Edit the list' });
  const items = editor.getByRole('textbox', { name: 'Items, one per line' });
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });

  // Without a change there is nothing to ask.
  await page.keyboard.press('Escape');
  await expect(editor).toBeHidden();

  await page.getByRole('button', { name: 'Edit animals' }).click();
  await items.fill('owl\nfox\nhare\n');
  const leave = [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(5, 5),
    () => editor.getByRole('button', { name: 'Cancel' }).click(),
  ];
  for (const tryToLeave of leave) {
    await tryToLeave();
    await expect(question).toBeVisible();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await expect(question).toBeHidden();
    await expect(items).toHaveValue('owl\nfox\nhare\n');
  }
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard the change' }).click();
  await expect(editor).toBeHidden();
  expect((await ask('lists.get')).map(({ text }) => text)).toEqual(['owl\nfox\n']);
});

test('a list of many options is gone through by its keys, and says where it is', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  await page.getByRole('button', { name: 'New sheet from a template' }).click();
  await page.getByRole('button', { name: /^An empty sheet with the columns of/ }).click();
  const search = page.getByRole('combobox');
  const options = page.getByRole('option');
  await expect(search).toBeFocused();
  const last = (await options.count()) - 1;
  const active = () =>
    search.evaluate((field) => document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent);
  for (const [key, option] of [
    ['End', last],
    ['ArrowDown', last],
    ['PageUp', last - 8],
    ['Home', 0],
    ['PageDown', 8],
    ['ArrowUp', 7],
  ] as const) {
    await page.keyboard.press(key);
    expect(await active(), key).toBe(await options.nth(option).textContent());
    await expect(options.nth(option), key).toBeInViewport();
  }
  // With Shift, they select in the search.
  await page.keyboard.type('song');
  await page.keyboard.press('Shift+Home');
  await page.keyboard.type('nothing like it');
  await expect(search).toHaveValue('nothing like it');
  await expect(page.getByRole('dialog').getByRole('status')).toHaveText('No match.');
  await expect(options).toHaveCount(0);
});
