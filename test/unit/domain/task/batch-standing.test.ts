import { describe, expect, test } from 'vitest';
import { batchStanding } from '../../../../src/shared/domain/task/batch-standing.ts';
import type { BatchState } from '../../../../src/shared/domain/task/batch.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { ROW_VIEW_STATUSES } from '../../../../src/shared/domain/task/row-status.ts';

function standing(
  state: BatchState,
  takes: Partial<Record<TaskStatus, number>> = {},
  more: { readonly pausedBy?: 'user' | 'failure'; readonly invalid?: number; readonly settling?: number } = {},
) {
  const { pausedBy, invalid = 0, settling } = more;
  const none = Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])) as Record<TaskStatus, number>;
  const noRows = Object.fromEntries(ROW_VIEW_STATUSES.map((status) => [status, 0])) as Record<
    (typeof ROW_VIEW_STATUSES)[number],
    number
  >;
  return batchStanding({
    state,
    takes: { ...none, ...takes },
    settling,
    rows: { ...noRows, invalid },
    ...(pausedBy === undefined ? {} : { pause: { by: pausedBy } }),
  });
}

describe('how a batch stands', () => {
  test('is green only where every row came home', () => {
    expect(standing('finished', { done: 24 })).toEqual({ tone: 'done', words: 'Finished' });
    const others = [
      standing('finished', { done: 23, failed: 1 }),
      standing('finished', { done: 23, cancelled: 1 }),
      standing('finished', { done: 23, 'submit-unknown': 1 }),
      standing('finished', { done: 23, queued: 1 }),
      standing('finished', { done: 24 }, { invalid: 1 }),
      standing('running', { done: 24 }),
      standing('paused', { done: 24 }),
      standing('ready'),
    ];
    expect(others.map(({ tone }) => tone)).not.toContain('done');
  });

  test('says what is left over of a night that ended', () => {
    expect(standing('finished', { done: 17, failed: 3 }).words).toBe('Finished, 3 failed');
    expect(standing('finished', { done: 17, failed: 1234 }).words).toBe('Finished, 1,234 failed');
    expect(standing('finished', { done: 17 }, { invalid: 2 }).words).toBe('Finished, 2 invalid');
    expect(standing('finished', { done: 17, failed: 3, 'submit-unknown': 4 }).words).toBe('Finished – needs you');
    expect(standing('finished', { done: 17, queued: 3 }).words).toBe('Finished – needs you');
  });

  test('needs nobody for what settles itself', () => {
    expect(standing('running', { 'submit-unknown': 2 }, { settling: 2 }).words).toBe('Running');
    expect(standing('running', { 'submit-unknown': 2 }, { settling: 1 }).words).toBe('Running – needs you');
  });

  test('says how much was cancelled, whether a single take or all that were left', () => {
    expect(standing('finished', { done: 23, cancelled: 1 })).toEqual({
      tone: 'cancelled',
      words: 'Finished, 1 cancelled',
    });
    expect(standing('finished', { done: 7, cancelled: 17 }).words).toBe('Finished, 17 cancelled');
    expect(standing('finished', { done: 7, cancelled: 16, failed: 1 })).toEqual({
      tone: 'failed',
      words: 'Finished, 1 failed, 16 cancelled',
    });
  });

  test('says when it needs its user, and that a pause of the user’s own does not', () => {
    expect(standing('paused', { queued: 3 }, { pausedBy: 'user' })).toEqual({ tone: 'paused', words: 'Paused' });
    expect(standing('paused', { queued: 3 }, { pausedBy: 'failure' }).words).toBe('Paused – needs you');
    expect(standing('running', { rendering: 3, 'submit-unknown': 1 })).toEqual({
      tone: 'needs-you',
      words: 'Running – needs you',
    });
  });
});
