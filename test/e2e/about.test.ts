/** From the menu to what of other people is in the program. */
import { expect } from '@playwright/test';
import { test } from './launch.ts';

test('the menu leads to the licences of everything that is shipped, each with its text', async ({ open }) => {
  const { app, page } = await open();
  await app.evaluate(({ Menu }) => {
    const help = Menu.getApplicationMenu()?.items.find(({ role }) => role === 'help');
    help?.submenu?.items.find(({ label }) => label.startsWith('About'))?.click();
  });
  await page.getByRole('button', { name: 'Licences…' }).click();
  const licences = page.getByTestId('licences');
  await licences.getByRole('button', { name: /^react \d/u }).click();
  await expect(licences).toContainText('Copyright (c) Meta Platforms');
  await licences.getByRole('button', { name: /inter .*OFL/u }).click();
  await expect(licences).toContainText('SIL OPEN FONT LICENSE');
  await licences.getByRole('button', { name: 'Close' }).click();
  await expect(licences).toBeHidden();
});
