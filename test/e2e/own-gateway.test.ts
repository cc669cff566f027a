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
  await expect(question).toContainText('This makes up to 1 paid request.');
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
