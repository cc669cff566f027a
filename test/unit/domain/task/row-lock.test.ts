import { describe, expect, test } from 'vitest';
import { toRowView } from '../../../../src/main/engine-process/batch-reader.ts';
import { viewOfRow } from '../../../../src/shared/domain/task/row-view.ts';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import { whyLocked } from '../../../../src/shared/domain/task/row-status.ts';
import { TASK_STATUSES, type Task, type TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { makeTask } from '../../../support/make-task.ts';

const SUSPECTED = { ...failure('REMOTE_FAILED', 'perhaps'), suspected: true };

/** What the grid says of a row with these tasks. */
function shownLock(tasks: readonly Task[]): string | undefined {
  const row = { key: 1, id: 'r2', line: 2, operation: undefined, label: '', takes: 2, idle: 'invalid' } as const;
  return toRowView(viewOfRow(row, tasks)).locked;
}

describe('a row', () => {
  const inFlight = new Set<TaskStatus>(['submitting', 'submit-unknown', 'rendering', 'downloading']);

  test.each(TASK_STATUSES)('with a take that is %s is locked only while the take is in flight', (status) => {
    const tasks = [makeTask({ status: 'done' }), makeTask({ status })];
    expect(whyLocked(tasks) !== undefined).toBe(inFlight.has(status));
    expect(shownLock(tasks)).toBe(whyLocked(tasks));
  });

  test('says what it waits for, and what can be done meanwhile', () => {
    expect(whyLocked([makeTask({ status: 'rendering' })])).toBe(
      'It is being rendered: edit it when it is done, or duplicate it.',
    );
  });

  test('whose failure was only inferred is free at once: its take is watched whatever becomes of the row', () => {
    const failed = makeTask({ status: 'failed', failure: SUSPECTED, taskCode: 'c1', submittedAt: 1 });
    expect([whyLocked([failed]), shownLock([failed])]).toEqual([undefined, undefined]);
  });

  test('without takes is free', () => {
    expect([whyLocked([]), shownLock([])]).toEqual([undefined, undefined]);
  });
});
