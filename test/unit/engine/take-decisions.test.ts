import { expect, test } from 'vitest';
import { TakeDecisions } from '../../../src/engine/commands/take-decisions.ts';
import { makeTask } from '../../support/make-task.ts';

test.each([
  [1, ['start']],
  [0, []],
])('a resubmit of %i takes goes on with their batch only if it is of any', async (count, expected) => {
  const done: string[] = [];
  const asked = [makeTask({ status: 'submit-unknown', attempts: 1 })];
  const decisions = new TakeDecisions({
    store: { tasksOfRow: () => Promise.resolve(asked) },
    scheduler: { pausesOf: () => 0, decide: () => Promise.resolve(count) },
    config: { setCeiling: () => Promise.resolve() },
    starts: { attach: () => Promise.resolve(), start: () => Promise.resolve(void done.push('start')) },
  } as unknown as ConstructorParameters<typeof TakeDecisions>[0]);
  // In the meantime, the request may have been answered.
  expect(await decisions.resolve('b1', 'r1', { kind: 'resubmit' })).toEqual({ ok: true, value: count });
  expect(done).toEqual(expected);
});
