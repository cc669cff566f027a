/** A night teaches the profile: what was seen is shown, taken with one click, and kept apart from other profiles. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { answerDialogs, answerQuestions, newFolder, openGateway, questionsOf, test, waitForState } from './launch.ts';

const KEY = 'sk-own-gateway-77aa88bb';
const SHEET = ['row,operation,prompt', 'one,image,A lighthouse', 'two,image,A harbour', 'three,image,A ferry'].join(
  '\n',
);

test('what a night has seen is proposed, taken with a click, and belongs to one of several profiles', async ({
  open,
}) => {
  const started = await startObservedGateway({ seed: 5, behaviour: { ...PRESETS.default, auth: { keys: [KEY] } } });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  const folder = newFolder('learned');
  const sheetFile = join(folder, 'Three.csv');
  writeFileSync(sheetFile, SHEET);
  const launched = await open(5);
  const { app, page, ask } = launched;
  await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
  await ask('key.set', { key: KEY });
  await answerDialogs(app, [sheetFile, join(folder)]);
  const sheet = await ask('sheet.choose');
  const chosen = await ask('folder.choose');
  const batch = await ask('batch.create', {
    sheetId: sheet?.sheetId ?? '',
    name: 'Three',
    rehearsal: false,
    start: true,
    ...(chosen === undefined ? {} : { folderId: chosen.folderId }),
  });
  await waitForState(launched, batch.id, 'finished');

  await openGateway(page);
  const parts = page.getByRole('navigation', { name: 'Parts of the gateway' });
  await parts.getByRole('button', { name: 'Seen at this gateway' }).click();
  const take = page.getByRole('button', { name: 'Take status.videogen-b.2 into the profile' });
  await expect(page.getByText('3 tasks (')).toBeVisible();
  await page.getByRole('button', { name: /^Statuses/u }).click();
  await expect(page.getByRole('cell', { name: 'a result' })).toBeVisible();
  await answerQuestions(app, 'Cancel');
  await take.click();
  await expect.poll(() => questionsOf(app)).toEqual(['Change this setting of the gateway?']);
  await expect(take).toBeVisible();
  await answerQuestions(app, 'Apply changes');
  await take.click();
  await expect(take).toBeHidden();
  expect((await ask('profile.get')).text).toContain('"2": "succeeded"');

  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.getByText('The connection works')).toBeVisible();
  // Of another path at the same host, nothing is known.
  const baseUrl = await page.getByLabel('Base URL').inputValue();
  await page.getByLabel('Base URL').fill(`${baseUrl}/v2`);
  await expect(page.getByText('The connection works')).toBeHidden();
  await page.getByLabel('Base URL').fill(baseUrl);

  // A copy is a gateway of its own, and what was typed into each stays with it.
  const heading = page.getByRole('heading', { level: 1 });
  const choose = async (item: string): Promise<void> => {
    await page.getByRole('button', { name: /^More/u }).last().press('Enter');
    await page.getByRole('menuitem', { name: item }).press('Enter');
  };
  await choose('Duplicate');
  await expect(heading).toHaveText('My gateway copy');
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByLabel('Profile, as JSON');
  await expect(editor).toHaveValue(/"name": "My gateway copy"/u);
  const draft = (await editor.inputValue()).replace('"downloads": 4', '"downloads": 7');
  await editor.fill(draft);
  await openGateway(page);
  await page.getByRole('tab', { name: 'JSON' }).click();
  await expect(editor).toHaveValue(/"name": "My gateway"/u);
  await openGateway(page, 'My gateway copy');
  await page.getByRole('tab', { name: 'JSON' }).click();
  await expect(editor).toHaveValue(draft);

  const exported = join(folder, 'exported.json');
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
  }, exported);
  await choose('Export…');
  await expect.poll(() => existsSync(exported)).toBe(true);
  const text = readFileSync(exported, 'utf8');
  expect(JSON.parse(text)).toMatchObject({ name: 'My gateway copy', status: { 'videogen-b': { '2': 'succeeded' } } });
  expect(text).not.toContain(KEY);
  writeFileSync(exported, text.replace('My gateway copy', 'From a friend'));
  await answerDialogs(app, [exported]);
  await answerQuestions(app, 'Add it');
  await page.getByRole('button', { name: 'All gateways' }).click();
  await page.getByRole('button', { name: 'Import…' }).click();
  await expect(heading).toHaveText('From a friend');
  expect((await ask('settings.get')).profiles).toEqual(['From a friend', 'My gateway', 'My gateway copy']);
  expect((await ask('settings.get')).profileName).toBe('My gateway');
  await answerQuestions(app, 'Delete the gateway');
  await choose('Delete…');
  await expect.poll(async () => (await ask('settings.get')).profiles).toEqual(['My gateway', 'My gateway copy']);
  await gateway.close();
});
