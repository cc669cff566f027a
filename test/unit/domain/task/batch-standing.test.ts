import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchStanding, priorityAfterMove, queueRanks } from '../../../../src/shared/domain/task/batch-standing.ts';
import type { BatchState } from '../../../../src/shared/domain/task/batch.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { ROW_VIEW_STATUSES } from '../../../../src/shared/domain/task/row-status.ts';

function standing(
  state: BatchState,
  takes: Partial<Record<TaskStatus, number>> = {},
  more: {
    readonly pausedBy?: 'user' | 'failure';
    readonly invalid?: number;
    readonly draft?: number;
    readonly settling?: number;
  } = {},
) {
  const { pausedBy, invalid = 0, draft = 0, settling } = more;
  const none = Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])) as Record<TaskStatus, number>;
  const noRows = Object.fromEntries(ROW_VIEW_STATUSES.map((status) => [status, 0])) as Record<
    (typeof ROW_VIEW_STATUSES)[number],
    number
  >;
  return batchStanding({
    state,
    takes: { ...none, ...takes },
    settling,
    rows: { ...noRows, invalid, draft },
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

  test('says how many changed rows of it have not run, and is not green until they have', () => {
    expect(standing('finished', { done: 6 }, { draft: 3 })).toEqual({
      tone: 'ready',
      words: 'Finished, 3 changed rows to run',
    });
    expect(standing('finished', { done: 6 }, { draft: 1, invalid: 2 })).toEqual({
      tone: 'failed',
      words: 'Finished, 2 invalid, 1 changed row to run',
    });
    expect(standing('running', { done: 6, queued: 1 }, { draft: 3 }).words).toBe('Running');
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

describe('the queue', () => {
  /** The names of the batches in the order of their turns. */
  const ranksOf = (priorities: Readonly<Record<string, number>>): string =>
    queueRanks(Object.entries(priorities).map(([id, priority]) => ({ id, priority })))
      .map((rank) => rank.map(({ id }) => id).join('='))
      .join(' ');

  function stepped(priorities: Readonly<Record<string, number>>, id: string, ...steps: readonly ('up' | 'down')[]) {
    const after = { ...priorities };
    for (const step of steps) {
      const { [id]: own = 0, ...others } = after;
      const running = Object.values(others);
      after[id] = priorityAfterMove(step, own, { others: running, running });
    }
    return after;
  }

  test('a step leaves those of the same rank, or joins the next one', () => {
    const begin = { a: 0, b: 0, c: 0 };
    const moved = (...steps: readonly ('up' | 'down')[]) => ranksOf(stepped(begin, 'b', ...steps));
    expect(ranksOf(begin)).toBe('a=b=c');
    expect(moved('up')).toBe('b a=c');
    expect(moved('up', 'up')).toBe('b a=c');
    expect(moved('up', 'down')).toBe('a=b=c');
    expect(moved('down')).toBe('a=c b');
    const apart = { a: 3, b: 2, c: 1 };
    expect(ranksOf(stepped(apart, 'c', 'up'))).toBe('a b=c');
    expect(ranksOf(stepped(apart, 'c', 'up', 'up'))).toBe('a c b');
    expect(ranksOf(stepped(apart, 'c', 'up', 'up', 'up', 'up'))).toBe('c a b');
    expect(ranksOf(stepped(apart, 'a', 'down', 'down', 'down', 'down', 'down'))).toBe('b c a');
    expect(ranksOf({ a: 0, b: 1 })).toBe('b a');
  });

  test('one that was not moved goes before none that runs, and behind those that were moved up', () => {
    const inTurn = (running: readonly number[]) =>
      priorityAfterMove('in-turn', 7, { others: [9, ...running], running });
    expect([[], [0, 3], [2], [-1], [-2, -1]].map(inTurn)).toEqual([0, 0, 0, -1, -1]);
  });

  test('one that is to go first does so before all others, whether they run or not', () => {
    expect(priorityAfterMove('first', 0, { others: [], running: [] })).toBe(1);
    expect(priorityAfterMove('first', -3, { others: [-1, 4], running: [-1] })).toBe(5);
  });

  test('the opposite step takes any step back that changed something', () => {
    const anyPriorities = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 2, maxLength: 6 });
    const isTakenBack = (all: readonly number[], isUp: boolean): boolean => {
      const priorities = Object.fromEntries(all.map((priority, i) => [`b${i}`, priority]));
      const after = stepped(priorities, 'b0', isUp ? 'up' : 'down');
      const back = stepped(after, 'b0', isUp ? 'down' : 'up');
      return after['b0'] === priorities['b0'] || ranksOf(back) === ranksOf(priorities);
    };
    expect(() => fc.assert(fc.property(anyPriorities, fc.boolean(), isTakenBack))).not.toThrow();
  });
});
