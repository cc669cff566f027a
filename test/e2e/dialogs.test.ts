/** Dialogs over dialogs, and dialogs while their command is under way: where the keyboard is, and what Escape closes. */
import { expect, test, type ElectronApplication } from '@playwright/test';
import { launch, newFolder } from './launch.ts';

test('Escape closes the search of the large editor alone, and a question gives the keyboard back to the text', async () => {
  const launched = await launch({ dataFolder: newFolder('large') });
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
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(text).toBeFocused();

  // What had the keyboard is gone: the dialog below has it, not the window under both.
  await page.keyboard.press('Escape');
  await expect(question).toBeVisible();
  await text.evaluate((element) => element.replaceWith(element.cloneNode()));
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(editor).toBeFocused();
  await launched.close();
});

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

test('a start that is under way cannot be answered “Not yet”', async () => {
  const launched = await launch({ dataFolder: newFolder('under-way') });
  const { app, page, ask } = launched;
  const sheet = await ask('sheet.sample', { sample: 'chain' });
  const { id } = await ask('batch.create', { sheetId: sheet.sheetId, name: 'Slow', rehearsal: true, start: false });
  await page.getByRole('button', { name: /^Slow/ }).click();
  await page.getByRole('button', { name: 'Start…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start' });
  await expect(dialog).toBeVisible();
  await delayAnswers(app, 1_000);
  await dialog.getByRole('button', { name: 'Start rehearsal' }).dblclick();
  await expect(dialog.getByRole('button', { name: 'Not yet' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect(dialog).toBeVisible();
  await expect(dialog).toBeHidden({ timeout: 20_000 });
  await expect.poll(async () => (await ask('batch.get', { batchId: id })).state, { timeout: 20_000 }).toBe('running');
  await launched.close();
});
