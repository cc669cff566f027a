import { expect, test } from 'vitest';
import { BatchReader } from '../../../src/main/engine-process/batch-reader.ts';
import { FileTotals } from '../../../src/main/services/batch-files.ts';
import { NightHarness, rows } from '../../support/night-harness.ts';

test('the time that a night took is told of one that ran once, never that of a retry alone', () => {
  const night = new NightHarness();
  const id = night.bringIn(rows(1));
  const { views } = night.opened;
  const reader = new BatchReader({ store: night.store, views, totals: new FileTotals(() => []), isAtWork: true });
  const runStartedAt = () => reader.view(id)?.runStartedAt;
  night.store.setBatchState(id, 'running', undefined, 10);
  night.store.setBatchState(id, 'finished', undefined, 50);
  expect(runStartedAt()).toBe(10);
  night.store.setBatchState(id, 'running', undefined, 90);
  night.store.setBatchState(id, 'finished', undefined, 91);
  expect(runStartedAt()).toBeUndefined();
});
