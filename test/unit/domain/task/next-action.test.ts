import { describe, expect, test } from 'vitest';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import { neededUntil, nextAction } from '../../../../src/shared/domain/task/next-action.ts';
import type { Output } from '../../../../src/shared/domain/task/task.ts';
import { makeTask } from '../../../support/make-task.ts';

const NOW = 1_000_000;
const DAY = 86_400_000;
const output: Output = { index: 1, url: 'https://x/a', state: 'pending', generation: 0, tries: 0 };

describe('what a task needs', () => {
  test('a queued one is submitted when it is due, and waits otherwise', () => {
    expect(nextAction(makeTask({ dueAt: NOW }), NOW, DAY)).toEqual({ kind: 'submit' });
    expect(nextAction(makeTask({ dueAt: NOW + 1 }), NOW, DAY)).toEqual({ kind: 'wait', until: NOW + 1 });
    expect(nextAction(makeTask({ blockedBy: 'r0' }), NOW, DAY)).toEqual({ kind: 'none' });
    expect(nextAction(makeTask({ cancelWanted: true }), NOW, DAY)).toEqual({ kind: 'none' });
  });

  test('one that is found submitting with nobody waiting is unknown, never queued', () => {
    expect(nextAction(makeTask({ status: 'submitting' }), NOW, DAY)).toEqual({ kind: 'declare-unknown' });
  });

  test('a rendering one is asked about until its deadline', () => {
    const rendering = makeTask({ status: 'rendering', taskCode: 't', submittedAt: NOW - DAY });
    expect(nextAction(rendering, NOW, DAY)).toEqual({ kind: 'poll' });
    expect(nextAction(rendering, NOW + 1, DAY)).toEqual({ kind: 'declare-overdue' });
    expect(nextAction({ ...rendering, dueAt: NOW + 9 }, NOW, DAY)).toEqual({ kind: 'wait', until: NOW + 9 });
  });

  test('a downloading one fetches what is pending, and finishes first what was being placed', () => {
    const second: Output = { ...output, index: 2 };
    const task = makeTask({ status: 'downloading', outputs: [{ ...output, state: 'verified' }, second] });
    expect(nextAction(task, NOW, DAY)).toEqual({ kind: 'fetch', outputIndex: 2 });
    const placing = makeTask({ status: 'downloading', outputs: [{ ...output, state: 'placing' }, second] });
    expect(nextAction(placing, NOW, DAY)).toEqual({ kind: 'fetch', outputIndex: 1 });
  });

  test('a fresh address is asked for until the deadline, which begins when the rendering was found; then the file is fetched where it was', () => {
    const stale: Output = { ...output, isStale: true };
    const task = makeTask({
      status: 'downloading',
      submittedAt: NOW - 2 * DAY,
      renderedAt: NOW - DAY,
      outputs: [stale],
    });
    expect(nextAction(task, NOW, DAY)).toEqual({ kind: 'poll' });
    expect(nextAction(task, NOW + 1, DAY)).toEqual({ kind: 'fetch', outputIndex: 1 });
    const later = { ...task, outputs: [{ ...stale, dueAt: NOW + 9 }] };
    expect(nextAction(later, NOW, DAY)).toEqual({ kind: 'wait', until: NOW + 9 });
  });

  test('a suspected failure is asked about until the deadline, a stated one never', () => {
    const stated = makeTask({
      status: 'failed',
      taskCode: 't',
      submittedAt: NOW,
      failure: failure('REMOTE_FAILED', 'x'),
    });
    expect(nextAction(stated, NOW, DAY)).toEqual({ kind: 'none' });
    const suspected = { ...stated, failure: { ...failure('REMOTE_FAILED', 'x'), suspected: true } };
    expect(nextAction(suspected, NOW, DAY)).toEqual({ kind: 'poll' });
    expect(nextAction(suspected, NOW + DAY + 1, DAY)).toEqual({ kind: 'none' });
  });

  test('nothing for what has ended or waits for the user', () => {
    for (const status of ['done', 'cancelled', 'submit-unknown'] as const) {
      expect(nextAction(makeTask({ status }), NOW, DAY)).toEqual({ kind: 'none' });
    }
  });
});

describe('until when a gateway may fetch what a request names', () => {
  const needed = (task: Parameters<typeof makeTask>[0]): number =>
    neededUntil(makeTask({ submittedAt: NOW, ...task }), DAY);

  test('as long as it may be sent, be rendering or have been taken', () => {
    for (const status of ['queued', 'submitting', 'submit-unknown', 'rendering', 'downloading'] as const)
      expect(needed({ status, taskCode: 't' })).toBe(Number.POSITIVE_INFINITY);
  });

  test('not once it has ended for certain', () => {
    for (const status of ['done', 'failed', 'cancelled'] as const) expect(needed({ status })).toBe(0);
    expect(needed({ status: 'failed', taskCode: 't', failure: failure('REMOTE_FAILED', 'x') })).toBe(0);
    expect(needed({ status: 'cancelled', taskCode: 't', renderedAt: NOW })).toBe(0);
  });

  test('until its deadline where it may be rendering all the same', () => {
    const suspected = { ...failure('REMOTE_FAILED', 'x'), suspected: true };
    expect(needed({ status: 'failed', taskCode: 't', failure: suspected })).toBe(NOW + DAY);
    expect(needed({ status: 'cancelled', taskCode: 't' })).toBe(NOW + DAY);
    expect(needed({ status: 'rendering', taskCode: 't', superseded: true })).toBe(NOW + DAY);
    expect(needed({ status: 'queued', superseded: true })).toBe(0);
  });
});
