import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { answerDialogs, answerQuestions, launch, newFolder, test } from './launch.ts';

const KEY = 'sk-nocturne-e2e-4f9a7c1d';
const WITHOUT_KEYRING = ['--password-store=basic'];

/** Files below a folder that hold a text, in UTF-8 or UTF-16. */
function filesHolding(folder: string, text: string): string[] {
  const forms = [Buffer.from(text), Buffer.from(text, 'utf16le'), Buffer.from(Buffer.from(text).toString('base64'))];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return forms.some((form) => bytes.includes(form));
    });
}

test('with a keyring the key outlives the application, encrypted', async () => {
  test.skip(process.platform !== 'linux', 'The keyring of this desktop is not the user’s own only on Linux.');
  const dataFolder = newFolder('keyring');
  const first = await launch({ dataFolder });
  const backend = await first.app.evaluate(({ safeStorage }) => safeStorage.getSelectedStorageBackend());
  expect(backend).toBe('gnome_libsecret');
  await first.ask('gateway.setBaseUrl', { baseUrl: 'https://gateway.example/api' });
  expect(await first.ask('key.set', { key: KEY })).toEqual({
    present: true,
    last4: KEY.slice(-4),
    storage: 'keyring',
    origin: 'https://gateway.example',
    kept: [{ origin: 'https://gateway.example', last4: KEY.slice(-4) }],
  });
  await first.close();
  expect(filesHolding(dataFolder, KEY)).toEqual([]);

  const second = await launch({ dataFolder });
  expect(await second.ask('key.status')).toMatchObject({ present: true, last4: KEY.slice(-4), storage: 'keyring' });
  await second.ask('key.clear', {});
  await second.close();
  expect(readdirSync(dataFolder)).not.toContain('key.json');
});

test('without a keyring the key is in memory alone, and is said to be', async () => {
  const dataFolder = newFolder('no-keyring');
  const first = await launch({ dataFolder, args: WITHOUT_KEYRING });
  await first.ask('gateway.setBaseUrl', { baseUrl: 'https://gateway.example/api' });
  expect(await first.ask('key.set', { key: KEY })).toMatchObject({ present: true, storage: 'memory' });
  await first.close();
  expect(filesHolding(dataFolder, KEY)).toEqual([]);
  expect(readdirSync(dataFolder)).not.toContain('key.json');

  const second = await launch({ dataFolder, args: WITHOUT_KEYRING });
  expect(await second.ask('key.status')).toMatchObject({ present: false, storage: 'memory' });
  await second.close();
});

test('a key that was entered is nowhere in the window, the log or the process list', async () => {
  const dataFolder = newFolder('key');
  const launched = await launch({ dataFolder });
  const { page, app, ask } = launched;
  await ask('gateway.setBaseUrl', { baseUrl: 'https://gateway.example/api' });
  const heard = await page.evaluate(async (key) => {
    const events: string[] = [];
    const stop = window.nocturne.subscribe((event, payload) => events.push(JSON.stringify([event, payload])));
    await window.nocturne.request('key.set', { key });
    await window.nocturne.request('key.status', undefined);
    await window.nocturne.request('batch.list', undefined);
    stop();
    return events.join('\n');
  }, KEY);
  expect(heard).toContain('settings.changed');
  expect(heard).not.toContain(KEY);
  for (const route of ['settings.get', 'profile.get', 'key.status', 'app.info'] as const) {
    expect(JSON.stringify(await ask(route))).not.toContain(KEY);
  }
  const processes = await app.evaluate(({ app: running }) => running.getAppMetrics().map((metric) => metric.pid));
  for (const pid of process.platform === 'linux' ? processes : []) {
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(KEY);
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(KEY);
  }
  expect(readFileSync(join(dataFolder, 'logs', 'nocturne.log'), { encoding: 'utf8', flag: 'a+' })).not.toContain(KEY);
  await launched.close();
});

test('a key stays with its origin', async ({ open }) => {
  const launched = await open();
  const { app, ask, tryToAsk } = launched;
  expect(await tryToAsk('key.set', { key: KEY })).toMatchObject({ ok: false, error: { code: 'refused' } });
  await ask('gateway.setBaseUrl', { baseUrl: 'https://gateway.example/api' });
  await ask('key.set', { key: KEY });
  await answerQuestions(app, 'Apply changes');
  await ask('gateway.setBaseUrl', { baseUrl: 'https://other.example/api' });
  expect(await ask('key.status')).toMatchObject({ present: false, origin: '' });
  await ask('gateway.setBaseUrl', { baseUrl: 'https://gateway.example/v2' });
  expect(await ask('key.status')).toMatchObject({ present: true, origin: 'https://gateway.example' });
});

test('connecting from a sheet says no more than is known, and leads back to the sheet', async () => {
  const launched = await launch({ dataFolder: newFolder('connect'), args: WITHOUT_KEYRING });
  const { page, ask } = launched;
  const sheet = join(newFolder('connect-sheet'), 'Evening.csv');
  writeFileSync(sheet, 'row,operation,prompt\na,image,a fox\n');
  await answerDialogs(launched.app, [sheet]);
  await page.getByRole('button', { name: 'Import a file…' }).click();
  // The first screen has a button of the same name.
  await expect(page.getByRole('radio', { name: 'Rehearsal' })).toBeChecked();
  await page.getByRole('button', { name: 'Connect your gateway' }).click();
  await page.getByLabel('Base URL').fill('http://gateway.example/api');
  await expect(page.getByText('plain http would send your key unencrypted')).toBeVisible();
  await page.getByLabel('Base URL').fill('https://gateway.example/api');
  await page.getByLabel('Key', { exact: true }).fill(KEY);
  await page.getByRole('button', { name: 'Save connection' }).click();
  await expect(page.getByText('Nothing is sent until you start a batch.')).toBeVisible();
  await expect(page.getByText('is connected')).toHaveCount(0);
  await page.getByRole('button', { name: 'Back to Evening' }).click();
  await expect(page.getByRole('radio', { name: 'Your gateway' })).toBeChecked();
  expect(await ask('batch.list')).toEqual([]);
  await launched.close();
});
