import { expect, test } from 'vitest';
import { toBatchView } from '../../../src/main/engine-process/engine-views.ts';
import { NightHarness, rows } from '../../support/night-harness.ts';

const PRESENT = {
  files: 0,
  bytes: 0,
  expectedEnd: undefined,
  waitsFor: undefined,
  heldUntil: undefined,
  statusQuestions: [],
};

test('the time that a night took is told of one that ran once, never that of a retry alone', () => {
  const night = new NightHarness();
  const id = night.bringIn(rows(1));
  const runStartedAt = () => {
    const summary = night.opened.views.batchSummary(id);
    return summary && toBatchView(summary, PRESENT).runStartedAt;
  };
  night.store.setBatchState(id, 'running', undefined, 10);
  night.store.setBatchState(id, 'finished', undefined, 50);
  expect(runStartedAt()).toBe(10);
  night.store.setBatchState(id, 'running', undefined, 90);
  night.store.setBatchState(id, 'finished', undefined, 91);
  expect(runStartedAt()).toBeUndefined();
});
