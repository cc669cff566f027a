import { expect, test } from 'vitest';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { whyNotArchived, whyNotDeleted } from '../../../../src/shared/domain/task/batch-standing.ts';

const takesWith = (some: Partial<Record<TaskStatus, number>>) =>
  ({ ...Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])), ...some }) as Record<TaskStatus, number>;
const pausedBy = (code: 'DISK_FULL' | 'AUTH_REJECTED') => ({
  state: 'paused' as const,
  pause: { by: 'failure' as const, failure: failure(code, '') },
});

test('only what neither runs nor resumes automatically is archived', () => {
  expect(whyNotArchived({ state: 'ready' })).toBeUndefined();
  expect(whyNotArchived({ state: 'finished' })).toBeUndefined();
  expect(whyNotArchived({ state: 'paused', pause: { by: 'user' } })).toBeUndefined();
  expect(whyNotArchived(pausedBy('AUTH_REJECTED'))).toBeUndefined();
  expect(whyNotArchived(pausedBy('DISK_FULL'))).toContain('resumes automatically');
  expect(whyNotArchived({ state: 'running' })).toContain('pause it first');
});

test.each([
  ['submit-unknown', 'The outcome of 2 paid requests is not known'],
  ['submitting', '2 takes are still at the gateway'],
  ['rendering', '2 takes are still at the gateway'],
  ['downloading', '2 takes are still at the gateway'],
] as const)('nothing that may have been paid for is deleted while it is %s', (status, why) => {
  const facts = { state: 'paused', pause: { by: 'user' }, takes: takesWith({ [status]: 2 }) } as const;
  expect(whyNotDeleted({ ...facts, rehearsal: false })).toContain(why);
  expect(whyNotDeleted({ ...facts, rehearsal: true })).toBeUndefined();
});

test('what is over, or was never sent, is deleted; not while the gateway is still asked about it', () => {
  const takes = takesWith({ queued: 5, done: 3, failed: 1, cancelled: 1 });
  expect(whyNotDeleted({ state: 'finished', takes, rehearsal: false })).toBeUndefined();
  expect(whyNotDeleted({ state: 'finished', takes, rehearsal: false, isWatched: true })).toContain('still asks');
});
