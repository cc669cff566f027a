/** The way that is paid for: a gateway outside of the application, with its own idea of how to answer, and a key. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import {
  answerDialogs,
  answerQuestions,
  batchLink,
  countOf,
  newFolder,
  openGateway,
  questionsOf,
  test,
  waitForState,
} from './launch.ts';
import { readVerifiedManifest } from './proof.ts';

const KEY = 'sk-own-gateway-77aa88bb';

const SHEET = [
  'row,operation,prompt,title,lyrics_model,tags',
  'one,lyrics,A lullaby about a lighthouse,,v1,',
  'two,image,A lighthouse at night,,,',
  'three,music,A slow lullaby,Lighthouse,,calm|piano',
  'four,video-a,Waves at night,,,',
].join('\n');

let gateway: ObservedGateway;

test.beforeEach(async () => {
  const behaviour = { ...PRESETS.default, auth: { keys: [KEY] } };
  const started = await startObservedGateway({ seed: 5, behaviour });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  gateway = started.value;
});

test.afterEach(async () => {
  await gateway.close();
});

function sheetPath(): string {
  const path = join(newFolder('own-sheet'), 'Own.csv');
  writeFileSync(path, SHEET);
  return path;
}

test('base URL and key lead to files that are the gateway’s own, byte for byte, and each is charged once', async ({
  open,
}) => {
  const folder = newFolder('own-media');
  const launched = await open(5);
  const { app, ask } = launched;
  await answerDialogs(app, [sheetPath(), folder]);
  await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
  await ask('key.set', { key: KEY });
  const sheet = await ask('sheet.choose');
  const chosen = await ask('folder.choose');
  const batch = await ask('batch.create', {
    sheetId: sheet?.sheetId ?? '',
    name: 'Own',
    rehearsal: false,
    start: true,
    ...(chosen === undefined ? {} : { folderId: chosen.folderId }),
  });
  const finished = await waitForState(launched, batch.id, 'finished');
  expect(countOf(finished, 'done')).toBe(4);
  expect(finished).toMatchObject({ rehearsal: false, gateway: new URL(gateway.baseUrl).origin });
  await launched.close();

  const manifest = readVerifiedManifest(folder);
  const charges = gateway.chargeLog();
  expect(charges.map((charge) => charge.operation).sort()).toEqual([
    'musicgen/music/generate',
    'musicgen/music/lyrics',
    'videogen-a/video/generate',
    'videogen-b/image/generate',
  ]);
  const served = charges.flatMap((charge) => gateway.outputs(charge.taskCode).map((output) => output.sha256));
  const kept = manifest.files.filter((file) => !file.path.endsWith('.json')).map((file) => file.sha256);
  expect(kept.sort()).toEqual(served.sort());
  expect(gateway.stats().keyLeaks).toBe(0);
});

test('a wrong key pauses the batch and says so; the right one lets it go on, without a row that is held', async ({
  open,
}) => {
  const launched = await open(5);
  const { app, page, ask } = launched;
  await answerDialogs(app, [sheetPath()]);
  await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
  await ask('key.set', { key: 'sk-wrong-key-000000' });
  const sheet = await ask('sheet.choose');
  const batch = await ask('batch.create', {
    sheetId: sheet?.sheetId ?? '',
    name: 'Own',
    rehearsal: false,
    start: true,
  });
  const paused = await waitForState(launched, batch.id, 'paused');
  expect(paused.pause).toMatchObject({ by: 'failure', failure: { code: 'AUTH_REJECTED' } });
  expect(gateway.chargeLog()).toEqual([]);
  await ask('key.set', { key: KEY });

  // A row that is held meanwhile is left out, and the batch then needs its user.
  await page.reload();
  await batchLink(page, /^Own Paused/).click();
  const grid = page.getByTestId('row-grid');
  await expect(grid).toHaveAttribute('data-ready', 'true');
  await grid.click({ position: { x: 100, y: 34 + 17 } });
  await page.keyboard.press('Control+i');
  const inspector = page.getByTestId('inspector');
  await inspector.getByRole('button', { name: 'Hold row' }).click();
  await expect(inspector).toContainText('You hold it');
  await expect(inspector.getByRole('button', { name: 'Hold row' })).toBeHidden();
  await ask('batch.resume', { batchId: batch.id });
  const without = await waitForState(launched, batch.id, 'finished');
  expect([countOf(without, 'done'), countOf(without, 'queued')]).toEqual([3, 1]);
  await expect(page.getByText('Finished – needs you').first()).toBeVisible();
  await inspector.getByRole('button', { name: 'Release row' }).click();
  await expect.poll(async () => countOf(await ask('batch.get', { batchId: batch.id }), 'done')).toBe(4);
  expect(gateway.chargeLog()).toHaveLength(4);
  await launched.close();
});

test('another gateway with its own key stops no batch', async ({ open }) => {
  const launched = await open(5);
  const { app, ask } = launched;
  await answerDialogs(app, [sheetPath()]);
  await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
  await ask('key.set', { key: KEY });
  const sheet = await ask('sheet.choose');
  const sheetId = sheet?.sheetId ?? '';
  const batch = await ask('batch.create', { sheetId, name: 'Own', rehearsal: false, start: true });
  await answerQuestions(app, 'Apply changes');
  await ask('gateway.setBaseUrl', { baseUrl: 'https://other.example/api' });
  await ask('key.set', { key: 'sk-other-gateway-000000' });
  const finished = await waitForState(launched, batch.id, 'finished');
  expect(countOf(finished, 'done')).toBe(4);
  const origins = [new URL(gateway.baseUrl).origin, 'https://other.example'];
  expect((await ask('key.status')).kept.map(({ origin }) => origin)).toEqual(origins);
  await launched.close();
});

test('a batch whose gateway has no key says which, and leads to where it is entered', async ({ open }) => {
  const launched = await open(5);
  const { app, page, ask } = launched;
  const { origin } = new URL(gateway.baseUrl);
  await answerDialogs(app, [sheetPath()]);
  await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
  await ask('key.set', { key: KEY });
  const sheet = await ask('sheet.choose');
  const sheetId = sheet?.sheetId ?? '';
  const batch = await ask('batch.create', { sheetId, name: 'Own', rehearsal: false, start: false });
  await answerQuestions(app, 'Apply changes');
  await ask('gateway.setBaseUrl', { baseUrl: 'https://other.example/api' });
  await ask('key.clear', { origin });
  await ask('batch.start', { batchId: batch.id });
  const paused = await waitForState(launched, batch.id, 'paused');
  expect(paused.pause).toMatchObject({ by: 'failure', failure: { code: 'KEY_MISSING' } });
  await page
    .getByRole('link', { name: 'Own' })
    .or(page.getByRole('button', { name: 'Own' }))
    .first()
    .click();
  await expect(page.getByText(`No key is stored for ${origin}.`)).toBeVisible();
  await expect(page.getByText('was rejected')).toHaveCount(0);
  await page.getByRole('button', { name: 'Enter the key' }).click();
  await page.getByLabel(`Key for ${origin}`).last().fill(KEY);
  await page.getByRole('button', { name: 'Save key' }).click();
  await expect(page.getByText('Resume the batch that waits for it.')).toBeVisible();
  await ask('batch.resume', { batchId: batch.id });
  const finished = await waitForState(launched, batch.id, 'finished');
  expect(countOf(finished, 'done')).toBe(4);
  expect((await ask('settings.get')).baseUrl).toBe('https://other.example/api');
  await launched.close();
});

test('a gateway is filled in, renamed, chosen and deleted beside another one, by keyboard, while a batch runs', async ({
  open,
}) => {
  await gateway.close();
  const behaviour = {
    ...PRESETS.default,
    auth: { keys: [KEY] },
    timeScale: 1,
    durations: { 'videogen-b': { law: 'fixed' as const, seconds: 3_600 } },
  };
  const started = await startObservedGateway({ seed: 5, behaviour });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  gateway = started.value;
  const launched = await open();
  const { app, page, ask } = launched;
  const path = join(newFolder('beside-sheet'), 'Own.csv');
  writeFileSync(path, 'row,operation,prompt\none,image,A lighthouse');
  await answerDialogs(app, [path]);
  await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
  await ask('key.set', { key: KEY });
  const sheetId = (await ask('sheet.choose'))?.sheetId ?? '';
  const { id: batchId } = await ask('batch.create', { sheetId, name: 'Own', rehearsal: false, start: true });
  await expect.poll(async () => countOf(await ask('batch.get', { batchId }), 'rendering')).toBe(1);
  const heading = page.getByRole('heading', { level: 1 });
  const press = (name: string | RegExp) => page.getByRole('button', { name }).press('Enter');
  const choose = async (gatewayName: string, item: string): Promise<void> => {
    await press(`More for ${gatewayName}`);
    await page.getByRole('menuitem', { name: item }).press('Enter');
  };

  await page.getByRole('navigation', { name: 'Nocturne' }).getByRole('button', { name: 'Settings' }).press('Enter');
  await press('New gateway');
  await expect(heading).toHaveText('New gateway');
  await answerQuestions(app, 'Apply changes');
  await page.getByLabel('Base URL').fill('https://other.example/api');
  await page.getByLabel('Key', { exact: true }).fill('sk-other-gateway-000000');
  await press('Save connection');
  await expect(page.getByTestId('key-place')).toContainText('ending in 0000 for https://other.example');
  expect(await ask('settings.get')).toMatchObject({ profileName: 'My gateway', baseUrl: gateway.baseUrl });

  // What is typed and not saved goes with it to its new name, and does not bring the former one back.
  await page.getByLabel('Lyrics', { exact: true }).fill('0.05 EUR');
  await page.getByLabel('Base URL').fill('https://third.example/api');
  await expect(page.getByTestId('key-place')).not.toContainText('Stored');
  await page.getByLabel('Base URL').fill('https://other.example/v2');
  await page.getByLabel('Requests a second').fill('0.5');
  await choose('New gateway', 'Rename…');
  await page.getByRole('dialog').getByRole('textbox').fill('Second');
  await page.keyboard.press('Enter');
  await expect(heading).toHaveText('Second');
  await expect(page.getByLabel('Base URL')).toHaveValue('https://other.example/v2');
  await expect(page.getByLabel('Lyrics', { exact: true })).toHaveValue('0.05 EUR');
  await expect(page.getByText('Saving this draft would change back')).toBeHidden();
  await press('Save profile');
  await press('Save prices');
  await expect.poll(async () => (await ask('settings.get')).gateways.at(-1)?.priced).toBe(1);
  await press('All gateways');
  const line = page.getByRole('button', { name: /^Second https:/u });
  await expect(line).toContainText('ends in 0000');
  await expect(line).toContainText('3 of each kind at a time, 0.5 requests a second');
  await expect(line).toContainText('1 of 13 operations have a price');
  await expect(line).toContainText('Statuses inferred');

  await press('Use for new batches: Second');
  await expect.poll(async () => (await ask('settings.get')).profileName).toBe('Second');
  await answerQuestions(app, 'Keep it');
  await choose('My gateway', 'Delete…');
  await expect.poll(() => questionsOf(app)).toContain('Delete the gateway My gateway?');
  expect((await ask('settings.get')).profiles).toEqual(['My gateway', 'Second']);
  await answerQuestions(app, 'Delete the gateway');
  await choose('My gateway', 'Delete…');
  await expect.poll(async () => (await ask('settings.get')).profiles).toEqual(['Second']);
  // Its key is still there for the batch.
  await expect(page.getByRole('heading', { name: 'Other keys' })).toBeVisible();

  // Deleted while something is typed into it: that is not lost.
  await ask('profile.create', {});
  await press(/^New gateway No address yet/u);
  await expect(heading).toHaveText('New gateway');
  await page.getByLabel('Requests a second').fill('0.25');
  await ask('profile.remove', { profile: 'New gateway' });
  await expect(page.getByText('This gateway is no longer there')).toBeVisible();
  await expect(page.getByLabel('Requests a second')).toHaveValue('0.25');
  await answerQuestions(app, 'Add it');
  await press('Add as a new gateway');
  await expect(page.getByText('This gateway is no longer there')).toBeHidden();
  expect((await ask('profile.get', { profile: 'New gateway' })).text).toContain('"requestsPerSecond": 0.25');

  const batch = await ask('batch.get', { batchId });
  expect([batch.state, countOf(batch, 'rendering')]).toEqual(['running', 1]);
  await launched.close();
});

test('what is paid for is not cancelled, retried or left without its key before a question that says so', async ({
  open,
}) => {
  await gateway.close();
  const behaviour = {
    ...PRESETS.default,
    auth: { keys: [KEY] },
    timeScale: 1,
    durations: { 'videogen-b': { law: 'fixed' as const, seconds: 3_600 } },
  };
  const started = await startObservedGateway({ seed: 5, behaviour });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  gateway = started.value;
  const launched = await open();
  const { app, page, ask } = launched;
  const path = join(newFolder('cancel-sheet'), 'Own.csv');
  writeFileSync(path, 'row,operation,prompt\none,image,A lighthouse');
  await answerDialogs(app, [path]);
  await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
  await ask('key.set', { key: KEY });
  const sheetId = (await ask('sheet.choose'))?.sheetId ?? '';
  const batch = await ask('batch.create', { sheetId, name: 'Own', rehearsal: false, start: true });
  const count = async (status: 'rendering' | 'cancelled') =>
    countOf(await ask('batch.get', { batchId: batch.id }), status);
  await expect.poll(() => count('rendering')).toBe(1);
  await page.reload();
  const grid = page.getByTestId('row-grid');
  await expect(grid).toHaveAttribute('data-ready', 'true');
  await grid.click({ position: { x: 100, y: 34 + 17 } });
  await page.keyboard.press('Control+i');

  const question = page.getByRole('alertdialog');
  await page.getByRole('button', { name: 'Cancel row' }).click();
  await expect(question).toContainText('may still be charged');
  await question.getByRole('button', { name: 'Keep' }).click();
  expect(await count('rendering')).toBe(1);
  await page.getByRole('button', { name: 'Cancel row' }).click();
  await question.getByRole('button', { name: 'Cancel row' }).click();
  await expect.poll(() => count('cancelled')).toBe(1);

  await page.getByRole('button', { name: 'Retry row' }).click();
  await expect(question).toContainText('Nothing is paid for. If the gateway still has a result');
  await question.getByRole('button', { name: 'Not now' }).click();

  await openGateway(page);
  await page.getByRole('button', { name: 'Forget the key…' }).click();
  await expect(question).toContainText(`Forget the key for ${new URL(gateway.baseUrl).origin}?`);
  await question.getByRole('button', { name: 'Keep' }).click();
  expect(await ask('key.status')).toMatchObject({ present: true });
  await page.getByRole('button', { name: 'Forget the key…' }).click();
  await question.getByRole('button', { name: 'Forget the key' }).click();
  await expect.poll(async () => (await ask('key.status')).present).toBe(false);
  await launched.close();
});
