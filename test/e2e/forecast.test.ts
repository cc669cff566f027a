/** What a night will cost and when it ends, in the window before it starts; and in its ledger, beside what came of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { answerDialogs, answerQuestions, newFolder, test, waitForState } from './launch.ts';

const KEY = 'sk-forecast-night-22bb33';
const ROWS = 12;

test('the forecast names rows, requests, cost, end and what does not fit; the ledger has it beside what came', async ({
  open,
}) => {
  const started = await startObservedGateway({ seed: 5, behaviour: { timeScale: 0.001, auth: { keys: [KEY] } } });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  const launched = await open(20);
  const { app, page, ask } = launched;
  try {
    const profile = JSON.parse((await ask('profile.get')).text) as object;
    const prices = { 'videogen-b/image/generate': { amount: 0.1, currency: 'USD' } };
    await answerQuestions(app, 'Apply changes');
    await ask('profile.set', { text: JSON.stringify({ ...profile, baseUrl: gateway.baseUrl, prices }) });
    await ask('key.set', { key: KEY });
    const path = join(newFolder('sheet'), 'Posters.csv');
    const lines = Array.from({ length: ROWS }, (_, i) => `p${i},image,A lighthouse ${i}`);
    writeFileSync(path, ['row,operation,prompt', ...lines, 'twice,image,A lighthouse 0'].join('\n'));
    await answerDialogs(app, [path]);
    await page.getByRole('button', { name: 'Import a sheet' }).click();

    const card = page.getByTestId('forecast');
    await expect(card).toContainText('13 paid requests, 13 rows');
    await expect(card).toContainText('Costs 1.30 USD');
    await expect(card).toContainText(/ends about .*, judging by what is usual/iu);
    await expect(card).toContainText('1 row repeats another row: 0.10 USD');
    await page.getByRole('textbox', { name: 'Spending limit' }).fill('1');
    await expect(card).toContainText('10 of 13 paid requests, 13 rows');
    await expect(card).toContainText('Costs 1.00 USD');
    await expect(card).toContainText('3 more paid requests do not fit within the limit of 1.00 USD for this batch');
    await card.scrollIntoViewIfNeeded();
    await page.screenshot({ path: test.info().outputPath('card.png') });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.screenshot({ path: test.info().outputPath('card-dark.png') });
    await page
      .getByRole('button', { name: /^Start/u })
      .last()
      .click();
    await expect(page.getByTestId('batch-state')).toBeVisible();
    const [batch] = await ask('batch.list');
    await waitForState(launched, batch?.id ?? '', 'paused');
    expect(gateway.chargeLog()).toHaveLength(10);
    await page.getByRole('button', { name: 'Ledger' }).first().click();
    const table = page.getByTestId('ledger-foretold');
    await expect(table.getByRole('row', { name: /^forecast/u })).toContainText(/10\s*1\.00 USD\s*about/u);
    await expect(table.getByRole('row', { name: /^actual/u })).toContainText(/10\s*1\.00 USD\s*not ended/u);
    await page.screenshot({ path: test.info().outputPath('ledger-dark.png') });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.screenshot({ path: test.info().outputPath('ledger.png') });
    await launched.close();
  } finally {
    await gateway.close();
  }
});
