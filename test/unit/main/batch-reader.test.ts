import { expect, test, vi } from 'vitest';
import { BatchReader } from '../../../src/main/engine-process/batch-reader.ts';
import type { BatchRecord } from '../../../src/shared/domain/task/batch.ts';
import { FileTotals } from '../../../src/main/services/batch-files.ts';
import { pauseRemedy } from '../../../src/shared/domain/task/spending.ts';
import { MOST_FOUND } from '../../../src/shared/ipc/rows.ts';
import { failure } from '../../../src/shared/domain/base/failure.ts';
import { nightOf } from '../../support/accounts-night.ts';
import { NightHarness, profileWith, rows } from '../../support/night-harness.ts';

test('the time that a night took is told of one that ran once, never that of a retry alone', async () => {
  const night = new NightHarness();
  const id = await night.bringIn(rows(1));
  const { views } = night.opened;
  const reader = new BatchReader({
    store: night.store,
    ledger: night.opened.ledger,
    views,
    totals: new FileTotals(() => Promise.resolve([])),
    isAtWork: true,
  });
  const runStartedAt = async () => (await reader.view(id))?.runStartedAt;
  await night.store.setBatchState(id, 'running', undefined, 10);
  await night.store.setBatchState(id, 'finished', undefined, 50);
  expect(await runStartedAt()).toBe(10);
  await night.store.setBatchState(id, 'running', undefined, 90);
  await night.store.setBatchState(id, 'finished', undefined, 91);
  expect(await runStartedAt()).toBeUndefined();
});

test('a pause that the disk does not take is shown as the night has it', async () => {
  const night = new NightHarness();
  const id = await night.bringIn(rows(1));
  await night.store.setBatchState(id, 'running', undefined, 10);
  const record = await night.store.batch(id);
  if (record === undefined) throw new Error('no batch');
  let unstored: BatchRecord | undefined = { ...record, state: 'paused', pause: { by: 'user' } };
  const reader = new BatchReader({
    store: night.store,
    ledger: night.opened.ledger,
    views: night.opened.views,
    totals: new FileTotals(() => Promise.resolve([])),
    isAtWork: true,
    engine: {
      expectedEnd: () => Promise.resolve(undefined),
      standing: {
        unstored: () => unstored,
        trouble: () => undefined,
        heldUntil: () => undefined,
        fullPlaces: () => undefined,
        balanceOf: () => undefined,
      },
    },
  });
  expect(await reader.view(id)).toMatchObject({ state: 'paused', pause: { by: 'user' } });
  unstored = undefined;
  expect(await reader.view(id)).toMatchObject({ state: 'running', pause: undefined });
});

test('of several that were told to run first, the last one is shown as first, and the next once it has finished', async () => {
  const night = new NightHarness();
  const [a, b] = [await night.bringIn(rows(1)), await night.bringIn(rows(1))];
  const reader = new BatchReader({
    store: night.store,
    ledger: night.opened.ledger,
    views: night.opened.views,
    totals: new FileTotals(() => Promise.resolve([])),
    isAtWork: true,
  });
  const first = async () => [(await reader.view(a))?.isFirst, (await reader.view(b))?.isFirst];
  for (const [id, priority] of [
    [a, 1],
    [b, 2],
  ] as const) {
    const record = await night.store.batch(id);
    if (record === undefined) throw new Error('no batch');
    await night.store.updateBatchSettings(id, { ...record.settings, priority });
  }
  expect(await first()).toEqual([undefined, true]);
  await night.store.setBatchState(b, 'finished', undefined, 10);
  expect((await first())[0]).toBe(true);
  // A list reads all batches once, not once more for each that was moved.
  const reads = vi.spyOn(night.store, 'batches');
  const listed = await reader.handlers['batch.list']();
  expect(listed.ok && listed.value.map(({ isFirst }) => isFirst)).toContain(true);
  expect(reads).toHaveBeenCalledTimes(1);
});

test('a search shows the newest batch first and the archived last, so many rows and no more, and ends for the next one', async () => {
  const night = new NightHarness();
  const old = await night.bringIn(rows(2));
  await night.clock.advance(1);
  const archived = await night.bringIn(rows(2), { shelf: { is: 'archived', at: 0 } });
  await night.clock.advance(1);
  const newest = await night.bringIn(rows(MOST_FOUND));
  const reader = new BatchReader({
    store: night.store,
    ledger: night.opened.ledger,
    views: night.opened.views,
    totals: new FileTotals(() => Promise.resolve([])),
    isAtWork: true,
  });
  const search = async (text: string) => {
    const reply = await reader.handlers['rows.search']({ text });
    if (!reply.ok) throw new Error(reply.error.message);
    return reply.value;
  };
  const { rows: found, hasMore } = await search('R2');
  expect(found.map(({ batchId }) => batchId).slice(-2)).toEqual([old, archived]);
  expect([found[0]?.batchId, found[0]?.row, hasMore]).toEqual([newest, 'r2', false]);
  const all = await search('r');
  expect([all.rows.length, all.hasMore]).toEqual([MOST_FOUND, true]);
  // The first is told to end, and says that it does not know all.
  const [first, second] = await Promise.all([search('nowhere'), search('')]);
  expect([first.hasMore, second.hasMore, second.rows]).toEqual([true, false, []]);
});

test('a batch at a limit is shown with what is spent of its own, and whose limit holds it up, in its words', async () => {
  const night = new NightHarness();
  const price = (currency: string) => ({ [rows(1)[0]?.operation ?? '']: { amount: 0.4, currency } });
  const maxCost = { amount: 1, currency: 'EUR' };
  const profile = { ...profileWith(), prices: price('EUR') };
  const own = await night.bringIn(rows(4), { profile, maxCost });
  const unpriced = await night.bringIn(rows(4), { profile: { ...profile, prices: price('USD') }, maxCost });
  const reader = new BatchReader({
    store: night.store,
    ledger: night.opened.ledger,
    views: night.opened.views,
    totals: new FileTotals(() => Promise.resolve([])),
    isAtWork: true,
  });
  const seen = async (id: string) => {
    await night.scheduler.start(id);
    await night.untilRest(id);
    const view = await reader.view(id);
    const cap = view?.pause?.by === 'failure' ? view.pause.failure.cap : undefined;
    return { spent: view?.spent, cap };
  };
  expect(await seen(own)).toEqual({
    spent: { amount: 0.8, currency: 'EUR' },
    cap: { of: 'batch', lacks: 'cost', next: { amount: 0.4, currency: 'EUR' } },
  });
  expect(await seen(unpriced)).toEqual({
    spent: { amount: 0, currency: 'EUR' },
    cap: { of: 'batch', lacks: 'price' },
  });
  const free = await night.bringIn(rows(4), { profile });
  await night.scheduler.setLimits({ month: { requests: 2 } });
  expect(await seen(free)).toEqual({ spent: undefined, cap: { of: 'month', lacks: 'requests' } });
  expect(pauseRemedy('CAP_REACHED', 'month')).toContain('in another month');
  expect(pauseRemedy('CAP_REACHED', 'batch')).not.toContain('another');
  expect(pauseRemedy('PRICE_UNKNOWN', 'night')).toContain('limit for a night');
});

test('of several accounts, the one that stands still is shown with its reason, and where each of them is', async () => {
  const limit = { requests: 3, cost: { amount: 2, currency: 'EUR' } };
  const { night, settings } = nightOf({ main: {}, spare: { limit } });
  const id = await night.bringIn(rows(1), settings);
  const reader = new BatchReader({
    store: night.store,
    ledger: night.opened.ledger,
    views: night.opened.views,
    totals: new FileTotals(() => Promise.resolve([])),
    isAtWork: true,
    engine: {
      expectedEnd: () => Promise.resolve(undefined),
      standing: {
        unstored: () => undefined,
        trouble: () => undefined,
        heldUntil: () => undefined,
        fullPlaces: () => undefined,
        balanceOf: (_, name) => (name === 'spare' ? { at: 5, balance: { amount: 7, currency: 'EUR' } } : undefined),
      },
    },
  });
  await night.store.setBatchState(id, 'running', undefined, 10, [], { spare: failure('BALANCE_EXHAUSTED', 'empty') });
  expect((await reader.view(id))?.accounts).toEqual([
    { name: 'main', profile: 'main', keyName: 'main', gateway: 'https://main.example', limit: {}, requests: 0 },
    {
      name: 'spare',
      profile: 'spare',
      keyName: 'spare',
      gateway: 'https://spare.example',
      limit: { requests: 3, cost: { amount: 2, currency: 'EUR' } },
      requests: 0,
      spent: { amount: 0, currency: 'EUR' },
      stop: { code: 'BALANCE_EXHAUSTED', message: 'empty', isForeign: true },
      balance: { at: 5, balance: { amount: 7, currency: 'EUR' } },
    },
  ]);
  const alone = await night.bringIn(rows(1));
  expect((await reader.view(alone))?.accounts).toBeUndefined();
});
