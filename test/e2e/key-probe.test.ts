/** Trying from the settings whether a gateway charges only once for one key: the price first, the verdict on screen. */
import { expect } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { answerQuestions, openGateway, test, type Launched } from './launch.ts';

const KEY = 'sk-own-gateway-77aa88bb';

async function gatewayThat(keeps: object): Promise<ObservedGateway> {
  const started = await startObservedGateway({
    seed: 5,
    behaviour: { ...PRESETS.default, auth: { keys: [KEY] }, ...keeps },
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  return started.value;
}

/** Makes a gateway that is said to keep keys of requests the one of the settings. */
async function connect({ ask }: Launched, { baseUrl }: ObservedGateway): Promise<void> {
  const profile = {
    name: 'Keys',
    baseUrl,
    prices: { 'musicgen/music/lyrics': { amount: 0.1, currency: 'USD' } },
    idempotency: { header: 'Idempotency-Key' },
  };
  await ask('profile.set', { text: JSON.stringify(profile) });
  await ask('key.set', { key: KEY });
}

test('a probe says its price, and what it has shown stays on screen: once for a key, or twice', async ({ open }) => {
  const honest = await gatewayThat({ idempotency: { onDuplicate: 'replay' } });
  const claiming = await gatewayThat({});
  const launched = await open(5);
  const { app, page } = launched;
  await answerQuestions(app, 'Apply changes');
  await connect(launched, honest);
  await openGateway(page, 'Keys');
  const trust = page.getByTestId('key-trust');
  await expect(trust).toContainText('Nobody has tried whether it charges only once for one Idempotency-Key');
  await trust.getByRole('button', { name: 'Try it…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('A gateway that keeps its word charges 0.10 USD, any other 0.20 USD.');
  await dialog.getByRole('button', { name: 'Not now' }).click();
  expect(honest.stats().submits).toBe(0);

  await trust.getByRole('button', { name: 'Try it…' }).click();
  await dialog.getByRole('button', { name: 'Send it twice' }).click();
  await expect(trust).toContainText('Charges only once for one Idempotency-Key', { timeout: 60_000 });
  await expect(trust).toContainText('The last probe: Finished.', { timeout: 60_000 });
  expect([honest.chargeLog().length, honest.stats().submits]).toEqual([1, 2]);

  await connect(launched, claiming);
  await expect(trust).toContainText('Nobody has tried');
  await trust.getByRole('button', { name: 'Try it…' }).click();
  await dialog.getByRole('button', { name: 'Send it twice' }).click();
  await expect(trust).toContainText('Charges twice for one Idempotency-Key', { timeout: 60_000 });
  expect(claiming.chargeLog()).toHaveLength(2);
  await launched.close();
  await Promise.all([honest.close(), claiming.close()]);
});
