/** A batch with several accounts, made on the command line, in the window: which of them stands still, and why. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { createEngine } from '../../src/engine/index.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { storeAtOnce } from '../support/store-at-once.ts';
import { countOf, newFolder, test, waitForState } from './launch.ts';

test.describe.configure({ timeout: 120_000 });

const KEYS = { main: 'sk-account-main-11aa22', spare: 'sk-account-spare-33bb44' } as const;
type Name = keyof typeof KEYS;
const ROWS = 6;

async function gatewayOf(name: Name): Promise<ObservedGateway> {
  const started = await startObservedGateway({
    seed: 5,
    behaviour: { timeScale: 0.001, auth: { keys: [KEYS[name]] } },
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
    await expect(page.getByText('The account “main” stands still: The key was rejected')).toBeVisible();
    await expect(page.getByText('main, spare', { exact: true })).toBeVisible();
    for (const [gateway, key] of [[main, KEYS.main] as const, [spare, KEYS.spare] as const]) {
      await ask('key.set', { key, origin: new URL(gateway.baseUrl).origin });
    }
    await ask('batch.resume', { batchId });
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
