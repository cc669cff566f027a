/** A night teaches the profile: what was seen is shown, taken with one click, and kept apart from other profiles. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { answerDialogs, answerQuestions, newFolder, questionsOf, test, waitForState } from './launch.ts';

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

  await page.getByRole('button', { name: 'Settings' }).click();
  const parts = page.getByRole('navigation', { name: 'Parts of the settings' });
  await parts.getByRole('button', { name: 'Seen at your gateway' }).click();
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

  await parts.getByRole('button', { name: 'Gateway', exact: true }).click();
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.getByText('The connection works')).toBeVisible();

  // A copy is the present one; the other is a choice away, and what was typed into each stays with it.
  const menu = page.getByRole('button', { name: 'This profile' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  const present = page.getByRole('combobox', { name: 'Profile for new batches' });
  await expect(present).toHaveText(/My gateway copy/u);
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByLabel('Profile, as JSON');
  await expect(editor).toHaveValue(/"name": "My gateway copy"/u);
  const draft = (await editor.inputValue()).replace('"downloads": 4', '"downloads": 7');
  await editor.fill(draft);
  await present.click();
  await page.getByRole('option', { name: 'My gateway', exact: true }).click();
  await expect(editor).toHaveValue(/"name": "My gateway"/u);
  await present.click();
  await page.getByRole('option', { name: 'My gateway copy' }).click();
  await expect(editor).toHaveValue(draft);

  const exported = join(folder, 'exported.json');
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
  }, exported);
  await menu.click();
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  await expect(page.getByText('The profile is exported.', { exact: true })).toBeVisible();
  const text = readFileSync(exported, 'utf8');
  expect(JSON.parse(text)).toMatchObject({ name: 'My gateway copy', status: { 'videogen-b': { '2': 'succeeded' } } });
  expect(text).not.toContain(KEY);
  writeFileSync(exported, text.replace('My gateway copy', 'From a friend'));
  await answerDialogs(app, [exported]);
  await page.getByRole('button', { name: 'Import…' }).click();
  await expect(present).toHaveText(/From a friend/u);
  expect((await ask('settings.get')).profiles).toEqual(['From a friend', 'My gateway', 'My gateway copy']);
  await answerQuestions(app, 'Delete the profile');
  await menu.click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await expect(present).toHaveText(/My gateway copy/u);
  await gateway.close();
});
