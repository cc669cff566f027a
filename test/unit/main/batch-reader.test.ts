import { expect, test } from 'vitest';
import { BatchReader } from '../../../src/main/engine-process/batch-reader.ts';
import { FileTotals } from '../../../src/main/services/batch-files.ts';
import { NightHarness, rows } from '../../support/night-harness.ts';

test('the time that a night took is told of one that ran once, never that of a retry alone', async () => {
  const night = new NightHarness();
  const id = await night.bringIn(rows(1));
  const { views } = night.opened;
  const reader = new BatchReader({
    store: night.store,
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
