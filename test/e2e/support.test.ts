/** What a helper gets: read whole in the window before it is saved. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { launch, newFolder, test } from './launch.ts';

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

test('a backup is put in place by the next start, with its settings, and what it replaces is kept', async () => {
  const dataFolder = newFolder('restored');
  const first = await launch({ dataFolder });
  const backup = join(newFolder('backups'), 'all.db');
  await first.app.evaluate(({ app, dialog }, path) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path });
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] });
    dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false });
    // The test starts it anew.
    app.relaunch = () => undefined;
  }, backup);
  await first.ask('settings.update', { theme: 'dark' });
  await first.ask('store.backup');
  await first.ask('settings.update', { theme: 'light' });
  const ended = first.app.waitForEvent('close');
  await first.page.getByRole('button', { name: 'Settings' }).first().click();
  await first.page.getByRole('button', { name: 'Restore a backup…' }).click();
  await ended;
  const second = await launch({ dataFolder });
  await expect(second.page.getByText('The backup is restored.', { exact: true })).toBeVisible();
  expect((await second.ask('settings.get')).theme).toBe('dark');
  await second.close();
  expect(readdirSync(join(dataFolder, 'store')).filter((name) => name.startsWith('nocturne-replaced'))).toHaveLength(1);
  expect(readdirSync(dataFolder)).not.toContain('restore.json');
});
