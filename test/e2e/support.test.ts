/** What a helper gets: read whole in the window before it is saved. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { newFolder, test } from './launch.ts';

test('the menu shows the diagnostics whole, and saves what was read, without the key', async ({ open }) => {
  const { app, page, ask, dataFolder } = await open();
  const key = 'sk-canary-0123456789';
  await ask('key.set', { key, origin: 'https://client-x.example' });
  const file = join(newFolder('diagnostics'), 'diagnostics.txt');
  await app.evaluate(({ dialog }, path) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path });
  }, file);
  const chooseInMenu = (): Promise<void> =>
    app.evaluate(({ Menu }) => {
      const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? [];
      items.find(({ label }) => label === 'Diagnostics…')?.click();
    });
  const shown = page.getByTestId('diagnostics');
  await chooseInMenu();
  await expect(shown).toContainText('engine: ready');
  await page.keyboard.press('Escape');
  await expect(shown).toBeHidden();
  await chooseInMenu();
  const text = (await shown.locator('pre').textContent()) ?? '';
  expect(text).toContain('keys kept: 1');
  expect(text).toMatch(/schema: \d+ \(this version knows \d+\)/u);
  for (const secret of [key, 'client-x', dataFolder]) expect(text).not.toContain(secret);
  await shown.getByRole('button', { name: 'Save…' }).click();
  await expect(page.getByText('The diagnostics are saved.', { exact: true })).toBeVisible();
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(statSync(file).mode & 0o077).toBe(0);
});
