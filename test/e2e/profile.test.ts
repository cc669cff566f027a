/** A profile that is typed or imported: what leads elsewhere takes effect when the user has seen it and agreed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { answerDialogs, answerQuestions, newFolder, openGateway, questionsOf, test } from './launch.ts';

const GATEWAY = 'https://gateway.example/api';
const QUESTION = 'Change these settings of the gateway?';

test('what is declined changes nothing and stays as a draft; what is agreed to is saved', async ({ open }) => {
  const launched = await open();
  const { app, page, ask } = launched;
  await ask('gateway.setBaseUrl', { baseUrl: GATEWAY });
  const { text } = await ask('profile.get');
  await openGateway(page);
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByLabel('Profile, as JSON');
  const save = page.getByRole('button', { name: 'Save profile' });

  // A number needs no question: nobody would answer it here.
  await editor.fill(text.replace('"requestsPerSecond": 2', '"requestsPerSecond": 3'));
  await save.click();
  await expect.poll(async () => (await ask('profile.get')).text).toContain('"requestsPerSecond": 3');

  const draft = text
    .replace('"allowHosts": []', '"allowHosts": ["10.0.0.5"]')
    .replace(GATEWAY, 'https://other.example');
  await answerQuestions(app, 'Cancel');
  await editor.fill(draft);
  await save.click();
  await expect.poll(() => questionsOf(app)).toEqual([QUESTION]);
  await expect(save).toBeEnabled();
  // A price that is saved beside it leaves it as it is.
  await page.getByLabel('Lyrics', { exact: true }).fill('0.05 EUR');
  await page.getByLabel('Image', { exact: true }).fill('0.5 of them');
  await expect(page.getByText('Enter an amount, such as 12.50 EUR.')).toBeVisible();
  await page.getByLabel('Image', { exact: true }).fill('0,5');
  await page.getByRole('button', { name: 'Save prices' }).click();
  await expect(page.getByLabel('Image', { exact: true })).toHaveValue('0.50 EUR');
  expect(JSON.parse((await ask('profile.get')).text)).toMatchObject({
    prices: {
      'musicgen/music/lyrics': { amount: 0.05, currency: 'EUR' },
      'videogen-b/image/generate': { amount: 0.5, currency: 'EUR' },
    },
  });
  // It outlives the screen, and the list of parts leads back to it.
  await page.getByRole('button', { name: 'Help' }).click();
  await openGateway(page);
  await page
    .getByRole('navigation', { name: 'Parts of the gateway' })
    .getByRole('button', { name: 'Limits, statuses and files' })
    .click();
  await expect(page.getByRole('heading', { name: 'Limits, statuses and files' })).toBeFocused();
  await page.getByRole('tab', { name: 'JSON' }).click();
  await expect(editor).toBeInViewport();
  await expect(editor).toHaveValue(draft);
  expect((await ask('profile.get')).text).not.toContain('other.example');

  // Saved as it is, the draft would take back the prices.
  await expect(page.getByText('The profile has changed in the meantime')).toBeVisible();
  await answerQuestions(app, 'Apply changes');
  await save.press('Enter');
  await expect.poll(async () => (await ask('settings.get')).baseUrl).toBe('https://other.example');
  await expect(page.getByLabel('Base URL')).toHaveValue('https://other.example');
});

test('a file shows what it changes before it does; an address in the form, too', async ({ open }) => {
  const launched = await open();
  const { app, page, ask } = launched;
  await ask('gateway.setBaseUrl', { baseUrl: GATEWAY });
  const file = join(newFolder('shared-profile'), 'shared.json');
  writeFileSync(file, JSON.stringify({ name: 'Shared', baseUrl: 'https://other.example' }));
  await page.getByRole('button', { name: 'Settings' }).click();

  await answerQuestions(app, 'Cancel');
  await answerDialogs(app, [file, file]);
  const choose = page.getByRole('button', { name: 'Import…' });
  await choose.click();
  await expect.poll(() => questionsOf(app)).toEqual(['Add the gateway Shared?']);
  await openGateway(page);
  await page.getByLabel('Base URL').fill('https://third.example');
  await page.getByRole('button', { name: 'Save connection' }).click();
  await expect.poll(() => questionsOf(app)).toHaveLength(2);
  // What was typed is still there to be saved.
  await expect(page.getByLabel('Base URL')).toHaveValue('https://third.example');
  expect((await ask('settings.get')).baseUrl).toBe(GATEWAY);

  await answerQuestions(app, 'Apply changes');
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByLabel('Profile, as JSON');
  await page.getByRole('button', { name: 'Save connection' }).click();
  await expect(editor).toHaveValue(/"baseUrl": "https:\/\/third\.example"/u);
  // What is typed is kept beside a connection that is saved, and is said to put the address back.
  await editor.fill((await editor.inputValue()).replace('My gateway', 'Mine'));
  await page.getByLabel('Base URL').fill('https://fourth.example');
  await page.getByRole('button', { name: 'Save connection' }).click();
  await expect(page.getByText('from “https://fourth.example” to “https://third.example”')).toBeVisible();
  await expect(editor).toHaveValue(/"name": "Mine"/u);
  // What is added is shown, and new batches go where they went.
  await page.getByRole('button', { name: 'All gateways' }).click();
  await answerQuestions(app, 'Add it');
  await choose.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Shared' })).toBeVisible();
  await expect(page.getByLabel('Base URL')).toHaveValue('https://other.example');
  expect(await ask('settings.get')).toMatchObject({
    profileName: 'My gateway',
    baseUrl: 'https://fourth.example',
    profiles: ['My gateway', 'Shared'],
  });
});

test('a page that asks for another gateway by itself gets none', async ({ open }) => {
  const launched = await open();
  const { app, ask, tryToAsk } = launched;
  await ask('gateway.setBaseUrl', { baseUrl: GATEWAY });
  await answerQuestions(app, 'Cancel');
  const { text } = await ask('profile.get');
  const wanted = text.replace(GATEWAY, 'https://thief.example');
  expect(await tryToAsk('profile.set', { text: wanted })).toEqual({ ok: true });
  expect(await tryToAsk('gateway.setBaseUrl', { baseUrl: '' })).toEqual({ ok: true });
  expect((await ask('settings.get')).baseUrl).toBe(GATEWAY);
});

test('a profile is filled in as fields, and says beside each what is wrong with it', async ({ open }) => {
  const launched = await open();
  const { app, page, ask } = launched;
  await openGateway(page);
  const save = page.getByRole('button', { name: 'Save profile' });
  const requests = page.getByLabel('Requests a second');
  await requests.fill('many');
  await expect(page.getByText(/must be a number/iu).first()).toBeVisible();
  await expect(save).toBeDisabled();
  await requests.fill('0.5');
  await page.getByLabel('Private hosts that files may come from').fill('10.0.0.5\nmedia.example:8443');

  const music = page.getByRole('region', { name: 'Statuses of Music' });
  for (const status of ['2', 'gone']) {
    await music.getByLabel('New status of Music').fill(status);
    await page.keyboard.press('Enter');
  }
  await music.getByRole('combobox', { name: 'Meaning of 2 for Music' }).press('Enter');
  await page.getByRole('option', { name: 'Succeeded' }).press('Enter');
  await music.getByRole('button', { name: 'Remove gone of Music' }).click();
  // A private host is a matter of trust.
  await answerQuestions(app, 'Apply changes');
  await save.click();
  await expect
    .poll(async () => JSON.parse((await ask('profile.get')).text) as unknown)
    .toMatchObject({
      limits: { requestsPerSecond: 0.5, downloads: 4 },
      media: { allowHosts: ['10.0.0.5', 'media.example:8443'] },
      status: { musicgen: { 2: 'succeeded' } },
    });
});

test('a key that is refused is told of at its field, and the address is not saved without it', async ({ open }) => {
  const { page, ask } = await open();
  await openGateway(page);
  await page.getByRole('textbox', { name: /^Base URL/u }).fill(GATEWAY);
  const key = page.getByLabel('Key', { exact: true });
  await key.fill('short');
  await page.getByRole('button', { name: 'Save connection' }).click();
  await expect(key).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText('The key is shorter than 8 characters')).toBeVisible();
  expect((await ask('settings.get')).baseUrl).toBe('');
  await key.fill('sk-long-enough-1234');
  await expect(page.getByText('The key is shorter than 8 characters')).toBeHidden();
  await page.getByRole('button', { name: 'Save connection' }).click();
  await expect.poll(async () => (await ask('key.status')).last4).toBe('1234');
  expect((await ask('settings.get')).baseUrl).toBe(GATEWAY);
});
