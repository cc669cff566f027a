import { describe, expect, test } from 'vitest';
import { toRowView } from '../../src/main/engine-views.ts';
import { rowView } from '../../src/shared/domain/batch-view.ts';
import { failure } from '../../src/shared/domain/failure.ts';
import { DEFAULT_PROFILE } from '../../src/shared/domain/profile.ts';
import { askedSince, whyLocked } from '../../src/shared/domain/row-lock.ts';
import { TASK_STATUSES, type Task, type TaskStatus } from '../../src/shared/domain/task.ts';
import { makeTask } from '../support/make-task.ts';

const HOUR_MS = 3_600_000;
const NOW = 1_000 * HOUR_MS;
const SINCE = askedSince(DEFAULT_PROFILE, NOW);
const SUSPECTED = { ...failure('REMOTE_FAILED', 'perhaps'), suspected: true };

/** What the grid says of a row with these tasks. */
function shownLock(tasks: readonly Task[]): string | undefined {
  const row = { key: 1, id: 'r2', line: 2, operation: undefined, label: '', takes: 2, idle: 'invalid' } as const;
  return toRowView(rowView(row, tasks), SINCE).locked;
}

describe('a row', () => {
  const inFlight = new Set<TaskStatus>(['submitting', 'submit-unknown', 'rendering', 'downloading']);

  test.each(TASK_STATUSES)('with a take that is %s is locked only while the take is in flight', (status) => {
    const tasks = [makeTask({ status: 'done' }), makeTask({ status })];
    expect(whyLocked(tasks, SINCE) !== undefined).toBe(inFlight.has(status));
    expect(shownLock(tasks)).toBe(whyLocked(tasks, SINCE));
  });

  test('says what it waits for, and what can be done meanwhile', () => {
    expect(whyLocked([makeTask({ status: 'rendering' })], SINCE)).toBe(
      'It is being rendered: edit it when it is done, or duplicate it.',
    );
  });

  test.each([
    ['is locked while its failure may be overturned', { submittedAt: NOW - HOUR_MS }, true],
    ['is free once its deadline has passed', { submittedAt: SINCE - 1 }, false],
    ['is free when its failure is certain', { submittedAt: NOW, failure: failure('REMOTE_FAILED', 'surely') }, false],
    ['is free when there is nothing to ask about', { submittedAt: NOW, taskCode: undefined }, false],
  ])('with a suspected failure %s', (_, different, isLocked) => {
    const { taskCode, ...rest } = { taskCode: 'c1', ...different };
    const failed = makeTask({ status: 'failed', failure: SUSPECTED, ...rest, ...(taskCode ? { taskCode } : {}) });
    expect(whyLocked([failed], SINCE) !== undefined).toBe(isLocked);
    expect(shownLock([failed])).toBe(whyLocked([failed], SINCE));
  });

  test('without takes is free', () => {
    expect([whyLocked([], SINCE), shownLock([])]).toEqual([undefined, undefined]);
  });
});
