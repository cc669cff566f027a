import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createEngine, readLedger } from '../../src/engine/index.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { row } from '../support/night-harness.ts';
import { fastClock } from '../support/fast-clock.ts';
import { storeAtOnce } from '../support/store-at-once.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A real gateway, with its own log of what it has charged.
vi.setConfig({ testTimeout: 60_000 });

const KEY = 'canary-key-41c0de';
const LYRICS: OperationPath = 'musicgen/music/lyrics';
const IMAGE: OperationPath = 'videogen-b/image/generate';
const CENTS: Readonly<Record<string, number>> = { [LYRICS]: 7, [IMAGE]: 25 };
const LIMIT_CENTS = 400;

test('two batches at once never pass a limit in money for the night, and the ledger says where the rest is', async () => {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.001, media: { detail: 'tiny' } },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  onTestFinished(() => gateway.close());
  const dir = temporaryFolder();
  const clock = fastClock(20, Date.now());
  const made = await createEngine({ dataDir: path.join(dir, 'data'), openStore: storeAtOnce, clock });
  if (!made.ok) throw new Error(made.error.message);
  const engine = made.value;
  onTestFinished(async () => void (await engine.stop()));
  engine.setKey(new URL(gateway.baseUrl).origin, KEY);
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const profile = profileSchema.parse({
    baseUrl: gateway.baseUrl,
    status: { musicgen: status, 'videogen-a': status, 'videogen-b': status },
    limits: { requestsPerSecond: 200, activePerFamily: { musicgen: 4, 'videogen-b': 4 } },
    prices: Object.fromEntries(
      Object.entries(CENTS).map(([operation, cents]) => [operation, { amount: cents / 100, currency: 'EUR' }]),
    ),
  });
  const bringIn = async (name: string): Promise<string> => {
    const rows = Array.from({ length: 30 }, (_, i) =>
      row(`${name}${i + 1}`, i + 2, { operation: i % 2 === 0 ? LYRICS : IMAGE }),
    );
    const { id } = await engine.createBatch({
      sheet: { headers: ['row', 'operation', 'prompt'], rows, problems: [] },
      name,
      settings: { folder: path.join(dir, name), profile, filename: '{row}', rehearsal: false },
    });
    return id;
  };
  const ids = [await bringIn('a'), await bringIn('b')];
  await engine.setLimits({ night: { cost: { amount: LIMIT_CENTS / 100, currency: 'EUR' } } });
  await Promise.all(ids.map((id) => engine.start(id)));
  const ended = await Promise.all(ids.map((id) => engine.settled(id)));
  expect(ended.map(({ state }) => state)).toEqual(['paused', 'paused']);

  const charges = gateway.chargeLog();
  const cents = charges.reduce((sum, { operation }) => sum + (CENTS[operation] ?? 0), 0);
  expect(cents).toBeLessThanOrEqual(LIMIT_CENTS);
  // Nothing that is left would fit into the rest.
  const isLyricLeft = charges.filter(({ operation }) => operation === LYRICS).length < 30;
  expect(cents + (CENTS[isLyricLeft ? LYRICS : IMAGE] ?? 0)).toBeGreaterThan(LIMIT_CENTS);

  const ledger = await readLedger(engine, {}, { now: clock.now(), isAtWork: true });
  const sent = charges.length;
  expect(ledger?.stages).toMatchObject({ planned: 60, submitted: sent, accepted: sent, verified: sent });
  expect(ledger?.fallen).toEqual([{ after: 'planned', group: 'raise-limit', takes: 60 - sent }]);
  expect(ledger?.groups.map(({ batchId, limit }) => [batchId, limit])).toEqual(
    ids.map((id) => [id, { of: 'night', lacks: 'cost' }]),
  );
  expect(ledger?.money.money).toMatchObject([{ spent: cents / 100, reserved: 0, unknown: 0, currency: 'EUR' }]);
});
