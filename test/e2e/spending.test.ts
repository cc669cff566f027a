/** What may be spent, in the window: a batch that its limit holds up goes on from its own screen. */
import { expect } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { answerQuestions, test, waitForState } from './launch.ts';

const KEY = 'sk-own-gateway-77aa88bb';

test('a limit in money that cannot be held leads to the prices, and can be removed where it holds a batch up', async ({
  open,
}) => {
  const started = await startObservedGateway({ seed: 5, behaviour: { ...PRESETS.default, auth: { keys: [KEY] } } });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  const launched = await open(5);
  const { app, ask, page } = launched;
  await answerQuestions(app, 'Apply changes');
  const prices = { 'musicgen/music/lyrics': { amount: 0.1, currency: 'USD' } };
  await ask('profile.set', { text: JSON.stringify({ name: 'Own', baseUrl: gateway.baseUrl, prices }) });
  await ask('key.set', { key: KEY });

  const { sheetId, name } = await ask('sheet.sample', { sample: 'all-operations' });
  const maxCost = { amount: 5, currency: 'USD' };
  const { id } = await ask('batch.create', { sheetId, name, rehearsal: false, start: true, maxCost });
  await waitForState(launched, id, 'paused');
  await page.getByRole('navigation').getByText(name).click();
  await expect(page.getByTestId('batch-spent')).toHaveText('0.00 of 5.00 USD');
  const banner = page.getByRole('alert').filter({ hasText: 'A limit in money cannot be held without a price' });
  await expect(banner).toContainText('You allow 5.00 USD for this batch');
  await banner.getByRole('button', { name: 'Prices', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Prices', exact: true })).toBeInViewport();
  // The page is scrolled there, and not the window.
  expect(await page.evaluate(() => document.scrollingElement?.scrollTop)).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(0);

  await ask('spending.set', { night: { requests: 1 }, month: {} });
  await page.getByRole('navigation').getByText(name).click();
  await banner.getByRole('button', { name: 'Remove limit…' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('whatever the cost');
  await dialog.getByRole('button', { name: 'Remove and resume' }).click();
  await expect.poll(() => gateway.chargeLog().length, { timeout: 60_000 }).toBeGreaterThan(0);
  await expect(banner).toBeHidden();
  expect((await ask('batch.get', { batchId: id })).maxCost).toBeUndefined();

  // The limit of the night holds it up next: the main button leads to that one, and resumes once there is room.
  const resume = page.getByRole('button', { name: 'Resume', exact: true });
  await page.getByRole('button', { name: 'Raise limit…' }).click();
  await expect(resume).toBeHidden();
  await page.getByLabel('A night: paid requests').fill('2');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await expect.poll(async () => (await ask('spending.get')).night.limit).toEqual({ requests: 2 });
  await expect(page.getByText('The limits are saved.')).toBeVisible();
  await page.getByRole('navigation').getByText(name).click();
  await expect(page.getByRole('status').filter({ hasText: 'There is room within the limit again' })).toBeVisible();
  await expect(page.getByText('none of them is left')).toHaveCount(0);
  await resume.click();
  await expect.poll(() => gateway.chargeLog().length, { timeout: 60_000 }).toBe(2);
  await expect(page.getByRole('button', { name: 'Raise limit…' })).toBeVisible();
  await launched.close();
  await gateway.close();
});
