/** Several accounts in one night: chosen in the window, and which of them stands still, and why. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { createEngine } from '../../src/engine/index.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { storeAtOnce } from '../support/store-at-once.ts';
import { answerDialogs, answerQuestions, countOf, newFolder, test, waitForState } from './launch.ts';

test.describe.configure({ timeout: 120_000 });

const KEYS = { main: 'sk-account-main-11aa22', spare: 'sk-account-spare-33bb44' } as const;
type Name = keyof typeof KEYS;
const ROWS = 6;

async function gatewayOf(...names: readonly Name[]): Promise<ObservedGateway> {
  const started = await startObservedGateway({
    seed: 5,
    behaviour: { timeScale: 0.001, auth: { keys: names.map((name) => KEYS[name]) } },
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  return started.value;
}

function row(index: number): Row {
  const id = `poster-${index + 1}`;
  return {
    id,
    line: index + 2,
    operation: 'videogen-b/image/generate',
    body: { prompt: `A poster of lighthouse ${index + 1}` },
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { row: id },
  };
}

test('the account that stands still is named with its reason, and goes on once its key is there', async ({ open }) => {
  const [main, spare] = [await gatewayOf('main'), await gatewayOf('spare')];
  try {
    const dataFolder = newFolder('data');
    const made = await createEngine({ dataDir: join(dataFolder, 'store'), openStore: storeAtOnce });
    if (!made.ok) throw new Error(made.error.message);
    const engine = made.value;
    engine.setKey(new URL(main.baseUrl).origin, 'sk-account-revoked-000000');
    engine.setKey(new URL(spare.baseUrl).origin, KEYS.spare);
    const profileAt = ({ baseUrl }: ObservedGateway, name: Name) => profileSchema.parse({ name, baseUrl });
    const { id: batchId } = await engine.createBatch({
      sheet: { headers: ['row'], rows: Array.from({ length: ROWS }, (_, index) => row(index)), problems: [] },
      name: 'Two accounts',
      settings: {
        folder: newFolder('two-accounts'),
        profile: profileAt(main, 'main'),
        accounts: {
          first: { name: 'main' },
          others: [{ name: 'spare', profile: profileAt(spare, 'spare') }],
        },
        filename: '{row}',
        rehearsal: false,
      },
    });
    await engine.start(batchId);
    await engine.settled(batchId);
    await engine.stop();
    expect(main.chargeLog()).toHaveLength(0);

    const launched = await open(20, dataFolder);
    const { page, ask } = launched;
    await page
      .getByRole('link', { name: 'Two accounts' })
      .or(page.getByRole('button', { name: 'Two accounts' }))
      .first()
      .click();
    await expect(page.getByText('The account “main” is paused: The key was rejected')).toBeVisible();
    await expect(page.getByText('main, spare', { exact: true })).toBeVisible();
    for (const [gateway, key] of [[main, KEYS.main] as const, [spare, KEYS.spare] as const]) {
      await ask('key.set', { key, origin: new URL(gateway.baseUrl).origin });
    }
    await page.getByRole('button', { name: 'Resume this account' }).click();
    const finished = await waitForState(launched, batchId, 'finished');
    expect(countOf(finished, 'done')).toBe(ROWS);
    await expect(page.getByText('stands still')).toHaveCount(0);
    expect(main.chargeLog().length + spare.chargeLog().length).toBe(ROWS);
    expect(main.chargeLog().length).toBeGreaterThan(0);
    await launched.close();
  } finally {
    await Promise.all([main.close(), spare.close()]);
  }
});

test('two keys of one gateway are chosen with the keyboard, the sheet is checked for their names, and each renders its rows', async ({
  open,
}) => {
  const gateway = await gatewayOf('main', 'spare');
  const origin = new URL(gateway.baseUrl).origin;
  try {
    const path = join(newFolder('sheet'), 'Shared.csv');
    const rows = ['one,image,A lighthouse,My gateway', 'two,image,A harbour,spare', 'three,image,A pier,spair'];
    writeFileSync(path, ['row,operation,prompt,account', ...rows].join('\n'));
    const launched = await open(5);
    const { app, page, ask } = launched;
    await answerDialogs(app, [path]);
    await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
    await ask('key.set', { key: KEYS.main });
    await page.getByRole('button', { name: 'Import a sheet' }).click();
    await page.getByRole('radio', { name: 'Your gateway' }).click();
    // With one account, nothing speaks of accounts before somebody wants several.
    await expect(page.getByRole('button', { name: 'Start 3 paid requests' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Add account…' })).toBeHidden();

    await page.getByText('Advanced', { exact: true }).click();
    await page.getByRole('button', { name: 'Add account…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add account' });
    const name = dialog.getByRole('textbox', { name: 'Name' });
    await expect(name).toBeFocused();
    await name.fill('My gateway');
    await expect(dialog.getByText('Two accounts are called “My gateway”.')).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Add', exact: true })).toBeDisabled();
    await name.fill('spare');
    await dialog.getByLabel(`Key for ${origin}`).fill('sk-account-wrong-000000');
    await dialog.getByRole('button', { name: 'Store the key and test' }).click();
    await expect(dialog.getByText('The gateway rejects the key')).toBeVisible();
    // It is replaced where it was entered.
    await expect(dialog.getByRole('combobox', { name: 'Which of its keys' })).toContainText('“spare”, ends in 0000');
    await dialog.getByLabel(`Key for ${origin}`).fill(KEYS.spare);
    await page.screenshot({ path: test.info().outputPath('add-account.png') });
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(dialog).toBeHidden();

    const accounts = page.getByTestId('accounts');
    await expect(accounts.getByRole('listitem')).toHaveCount(2);
    await expect(accounts).toContainText(KEYS.spare.slice(-4));
    await expect(page.getByText('The batch has no account “spair”.').first()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Start 2 paid requests' })).toBeVisible();
    await expect(accounts).toBeInViewport();
    await page.screenshot({ path: test.info().outputPath('two-accounts-light.png') });
    await ask('settings.update', { theme: 'dark' });
    await page.screenshot({ path: test.info().outputPath('two-accounts-dark.png') });
    await expect(page.getByText('Choose an account')).toBeVisible();
    await page.getByRole('combobox', { name: 'Instead of spair' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'spare' }).click();
    await page.getByRole('button', { name: 'Start 3 paid requests' }).click();
    await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
    const [batch] = await ask('batch.list');
    const finished = await waitForState(launched, batch?.id ?? '', 'finished');
    expect([countOf(finished, 'done'), finished.rows.invalid]).toEqual([3, 0]);
    const paid = gateway.chargeLog().map(({ body, keyLast4 }) => [body['prompt'], keyLast4]);
    expect(new Map(paid as [string, string][])).toEqual(
      new Map([
        ['A lighthouse', KEYS.main.slice(-4)],
        ['A harbour', KEYS.spare.slice(-4)],
        ['A pier', KEYS.spare.slice(-4)],
      ]),
    );
    await launched.close();
  } finally {
    await gateway.close();
  }
});

test('accounts at their limits hold a batch up, and their limits are changed in its place', async ({ open }) => {
  const gateway = await gatewayOf('main', 'spare');
  const origin = new URL(gateway.baseUrl).origin;
  try {
    const path = join(newFolder('sheet'), 'Limited.csv');
    const rows = Array.from({ length: 4 }, (_, index) => `p${index},image,A poster ${index}`);
    writeFileSync(path, ['row,operation,prompt', ...rows].join('\n'));
    const launched = await open(10);
    const { app, page, ask } = launched;
    await answerDialogs(app, [path]);
    await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
    await ask('key.set', { key: KEYS.main });
    await ask('key.set', { key: KEYS.spare, origin, name: 'spare' });
    const { sheetId = '' } = (await ask('sheet.choose')) ?? {};
    const limit = { requests: 1 };
    const list = [
      { name: 'main', profile: 'My gateway', limit },
      { name: 'spare', profile: 'My gateway', keyName: 'spare', limit },
    ];
    await ask('sheet.interpret', { sheetId, mapping: {}, variables: {}, choices: 'draw', accounts: { list } });
    const choice = { sheetId, name: 'Limited', rehearsal: false, accounts: { list } };
    const { id: batchId } = await ask('batch.create', { ...choice, start: true });
    await waitForState(launched, batchId, 'paused');
    expect(gateway.chargeLog()).toHaveLength(2);

    await page
      .getByRole('link', { name: 'Limited' })
      .or(page.getByRole('button', { name: 'Limited' }))
      .first()
      .click();
    await page.getByRole('button', { name: 'Change its limit…' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Limits of this batch' });
    for (const name of ['main', 'spare']) {
      const fields = dialog.getByRole('group', { name: `Account “${name}”` });
      await expect(fields.getByText('1 sent so far.')).toBeVisible();
      await fields.getByRole('textbox', { name: 'Request limit' }).fill('2');
    }
    await page.screenshot({ path: test.info().outputPath('limits-light.png') });
    await ask('settings.update', { theme: 'dark' });
    await page.screenshot({ path: test.info().outputPath('limits-dark.png') });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
    const limits = async () => (await ask('batch.get', { batchId })).accounts?.map((account) => account.limit);
    await expect.poll(limits).toEqual([{ requests: 2 }, { requests: 2 }]);
    await page.screenshot({ path: test.info().outputPath('paused-dark.png') });
    await page.getByRole('button', { name: 'Resume', exact: true }).first().click();
    await expect.poll(() => gateway.chargeLog().length).toBe(4);
    await waitForState(launched, batchId, 'finished');
    const keys = gateway.chargeLog().map(({ keyLast4 }) => keyLast4);
    expect(keys.toSorted()).toEqual(
      Object.values(KEYS)
        .flatMap((key) => [key.slice(-4), key.slice(-4)])
        .toSorted(),
    );
    await launched.close();
  } finally {
    await gateway.close();
  }
});

test('a batch made in the grid goes to the accounts that its start names, within their limits', async ({ open }) => {
  const [first, second] = [await gatewayOf('main'), await gatewayOf('spare')];
  try {
    const launched = await open(10);
    const { page, ask } = launched;
    await ask('gateway.setBaseUrl', { baseUrl: first.baseUrl });
    await ask('key.set', { key: KEYS.main });
    const { name: profile } = JSON.parse((await ask('profile.get')).text) as { readonly name: string };
    const copy = await ask('profile.duplicate', { profile });
    await answerQuestions(launched.app, 'Apply changes');
    await ask('gateway.setBaseUrl', { profile: copy.profile, baseUrl: second.baseUrl });
    await ask('key.set', { key: KEYS.spare, origin: new URL(second.baseUrl).origin });

    const { id: batchId } = await ask('sheet.new', { template: 'empty-image', name: 'Typed' });
    const headers = ['row', 'prompt', 'account'];
    await ask('sheet.edit', { batchId, edit: { kind: 'add-column', header: 'account' } });
    const values = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => [id, `A poster of ${id}`, id === 'c' ? 'spare' : '']);
    await ask('sheet.edit', { batchId, edit: { kind: 'set-cells', rows: [], added: ROWS, headers, values } });
    await page.reload();
    await page.getByRole('button', { name: 'Start…' }).click();
    const start = page.getByRole('dialog', { name: 'Start' });
    await start.getByRole('radio', { name: 'Your gateway' }).click();
    await start.getByText('Advanced', { exact: true }).click();
    await start.getByRole('button', { name: 'Add account…' }).click();
    const added = page.getByRole('dialog', { name: 'Add account' });
    await expect(added.getByRole('combobox', { name: 'Gateway' })).toContainText(second.baseUrl);
    await added.getByRole('textbox', { name: 'Request limit' }).fill('2');
    await added.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(start.getByTestId('accounts')).toContainText('at most 2 requests');
    await start.getByRole('button', { name: `Start ${ROWS} paid requests` }).click();
    await expect(start).toBeHidden();
    const finished = await waitForState(launched, batchId, 'finished');
    expect(countOf(finished, 'done')).toBe(ROWS);
    expect(finished.accounts?.map(({ name, limit }) => [name, limit])).toEqual([
      [profile, {}],
      ['spare', { requests: 2 }],
    ]);
    const sent = second.chargeLog().map(({ body }) => body['prompt']);
    expect(sent).toContain('A poster of c');
    expect(sent.length).toBeLessThanOrEqual(2);
    expect(first.chargeLog().length + sent.length).toBe(ROWS);
    await launched.close();
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});
