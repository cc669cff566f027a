import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failure, type Failure } from '../../../../src/shared/domain/base/failure.ts';
import { refusalsInWords } from '../../../../src/shared/domain/gateway/retry.ts';
import { nextAction } from '../../../../src/shared/domain/task/next-action.ts';
import { type Task } from '../../../../src/shared/domain/task/task.ts';
import { transition } from '../../../../src/shared/domain/task/task-machine.ts';
import type { TaskEvent, TaskEventKind } from '../../../../src/shared/domain/task/task-event.ts';
import { makeTask } from '../../../support/make-task.ts';
import { NOW, why, suspicion, EVENTS, taskIn, after } from './task-events.ts';

describe('submitting', () => {
  test('an accepted task keeps its code as text and is asked about at the time given', () => {
    const task = after(taskIn('submitting'), { ...EVENTS.accepted, taskCode: '1234567890123456789' });
    expect(task).toMatchObject({ taskCode: '1234567890123456789', submittedAt: NOW, dueAt: NOW + 5, attempts: 1 });
  });

  test('waiting for the network, the rate or the key costs no attempt', () => {
    for (const event of [EVENTS['not-sent'], EVENTS['rate-limited'], EVENTS.held]) {
      expect(after(taskIn('submitting'), event).attempts).toBe(0);
    }
  });

  test('a wish to cancel waits for the answer: then what was not paid for is dropped, what is unknown stays unknown', () => {
    const wished = after(taskIn('submitting'), EVENTS['cancel-requested']);
    expect(wished).toMatchObject({ status: 'submitting', cancelWanted: true });
    expect(after(wished, EVENTS.held).status).toBe('cancelled');
    expect(after(wished, EVENTS.accepted)).toMatchObject({ status: 'cancelled', taskCode: 't1' });
    expect(after(wished, EVENTS['outcome-unknown']).status).toBe('submit-unknown');
  });

  test('a task that waits for another row, or is to be cancelled, does not start', () => {
    expect(transition(makeTask({ blockedBy: 'r0' }), EVENTS['submit-started'], NOW).ok).toBe(false);
    expect(transition(makeTask({ cancelWanted: true }), EVENTS['submit-started'], NOW).ok).toBe(false);
  });
});

describe('an answer that came late', () => {
  const unknown = makeTask({ status: 'submit-unknown', attempts: 1, submittedAt: NOW - 9, failure: why });
  const refused: TaskEvent = { kind: 'answered-late', settles: { becomes: 'failed', failure: why, dueAt: NOW } };

  test('sends anew what was not charged, fails what was refused, and drops what is to be cancelled', () => {
    expect(after(unknown, EVENTS['answered-late'])).toMatchObject({ status: 'queued', dueAt: NOW + 5, failure: why });
    expect(after(unknown, refused)).toMatchObject({ status: 'failed', failure: why, finishedAt: NOW });
    expect(after({ ...unknown, cancelWanted: true }, EVENTS['answered-late']).status).toBe('cancelled');
  });

  test('changes nothing where it settles nothing, or where a task code says otherwise', () => {
    for (const task of [unknown, { ...unknown, taskCode: 't1' }, { ...unknown, superseded: true as const }]) {
      const event: TaskEvent = task === unknown ? { kind: 'answered-late' } : EVENTS['answered-late'];
      expect(after(task, event)).toEqual({ ...task, revision: task.revision + 1 });
    }
  });
});

describe('rendering', () => {
  test('a late success overturns a suspected failure, never one that the gateway stated', () => {
    const suspected = after(taskIn('rendering'), { ...EVENTS['remote-failed'], failure: suspicion });
    expect(suspected.status).toBe('failed');
    expect(after(suspected, EVENTS['still-running'])).toMatchObject({ status: 'failed', failure: suspicion });
    const overturned = after(suspected, EVENTS.rendered);
    expect(overturned.status).toBe('downloading');
    expect(overturned.failure).toBeUndefined();
    expect(overturned.finishedAt).toBeUndefined();
    expect(transition(after(taskIn('rendering'), EVENTS['remote-failed']), EVENTS.rendered, NOW).ok).toBe(false);
  });

  test('a fresh address replaces the expired one; what is verified already stays verified', () => {
    const two = after(taskIn('rendering'), {
      ...EVENTS.rendered,
      outputs: [{ url: 'https://x/a' }, { url: 'https://x/b' }],
    });
    const half = after(two, EVENTS['output-verified'], { ...EVENTS['url-expired'], index: 2 });
    expect(half.status).toBe('downloading');
    const again = after(half, {
      ...EVENTS.rendered,
      outputs: [{ url: 'https://x/a2' }, { url: 'https://x/b2' }],
    });
    expect(again.outputs[0]).toMatchObject({ state: 'verified', url: 'https://x/a' });
    expect(again.outputs[1]).toMatchObject({ state: 'pending', url: 'https://x/b2', tries: 1 });
  });
});

describe('waiting for another row', () => {
  const waiting = after(makeTask(), EVENTS.blocked);
  const failedByOther = after(waiting, EVENTS['blocked-row-failed']);

  test('a task waits for one row after the other, and starts when there is none left', () => {
    expect(waiting).toMatchObject({ status: 'queued', blockedBy: 'r0' });
    const next = after(waiting, { kind: 'blocked', by: 'r9' });
    expect(next.blockedBy).toBe('r9');
    const free = after({ ...next, dueAt: 1 }, EVENTS.unblocked);
    expect(free).not.toHaveProperty('blockedBy');
    expect(free.dueAt).toBe(NOW);
    expect(after(free, EVENTS['submit-started']).status).toBe('submitting');
  });

  test('a task that another row failed remembers which, and waits or starts again without a word of the user', () => {
    expect(failedByOther).toMatchObject({ status: 'failed', blockedBy: 'r0', finishedAt: NOW });
    const again = after(failedByOther, { kind: 'blocked', by: 'r5' });
    expect(again).toMatchObject({ status: 'queued', blockedBy: 'r5' });
    expect(again).not.toHaveProperty('failure');
    expect(again).not.toHaveProperty('finishedAt');
    const free = after(failedByOther, EVENTS.unblocked);
    expect(free.status).toBe('queued');
    expect(free).not.toHaveProperty('blockedBy');
  });

  test('a retry of it alone still waits for that row: nothing unresolved can start', () => {
    const retried = after(failedByOther, EVENTS['user-retry']);
    expect(retried).toMatchObject({ status: 'queued', blockedBy: 'r0' });
    expect(transition(retried, EVENTS['submit-started'], NOW).ok).toBe(false);
  });

  test('what failed for a reason of its own, and what was paid for, is not set going by another row', () => {
    const unresolved = after(makeTask(), EVENTS['reference-unresolved']);
    const moderated = makeTask({ status: 'failed', failure: failure('MODERATED', 'no'), blockedBy: 'r0' });
    for (const task of [unresolved, moderated, ...(['rendering', 'done', 'cancelled'] as const).map(taskIn)]) {
      expect(transition(task, EVENTS.blocked, NOW).ok).toBe(false);
      expect(transition(task, EVENTS.unblocked, NOW).ok).toBe(false);
    }
  });

  test('a task that waits for a row is not failed for what it could not be given yet', () => {
    expect(transition(waiting, EVENTS['reference-unresolved'], NOW).ok).toBe(false);
  });
});

describe('the user’s word', () => {
  test('a retry asks the gateway again where it may still have the result, and pays again only where it has not', () => {
    const expired = makeTask({ status: 'failed', taskCode: 't1', failure: failure('RESULT_EXPIRED', '410') });
    expect(after(expired, EVENTS['user-retry'])).toMatchObject({ status: 'rendering', taskCode: 't1' });
    const refused = makeTask({ status: 'failed', taskCode: 't1', failure: why });
    const again = after(refused, EVENTS['user-retry']);
    expect(again.status).toBe('queued');
    expect(again.taskCode).toBeUndefined();
  });

  test('what is asked about again is not counted again for what it still looks like', () => {
    const failed = makeTask({
      status: 'failed',
      taskCode: 't1',
      failure: suspicion,
      poll: { polls: 9, seen: 'looks so' },
    });
    expect(after(failed, EVENTS['user-retry']).poll).toEqual({ polls: 0, late: true, seen: 'looks so' });
  });

  test('a retry that must be free changes nothing that would be paid for', () => {
    const free = { kind: 'user-retry', isFree: true } as const;
    const expired = makeTask({ status: 'failed', taskCode: 't1', failure: failure('RESULT_EXPIRED', '410') });
    expect(after(expired, free)).toMatchObject({ status: 'rendering', taskCode: 't1' });
    const inferred = makeTask({ status: 'failed', taskCode: 't1', failure: suspicion });
    expect(after(inferred, free)).toMatchObject({ status: 'rendering', taskCode: 't1' });
    // The user has said meanwhile that such a status means a failure.
    expect(transition({ ...inferred, failure: why }, free, NOW).ok).toBe(false);
  });

  test('a file that the network kept away is fetched again, not paid for again', () => {
    const unreached = makeTask({ status: 'failed', taskCode: 't1', failure: failure('GATEWAY_UNAVAILABLE', 'reset') });
    expect(after(unreached, EVENTS['user-retry'])).toMatchObject({ status: 'rendering', taskCode: 't1' });
  });

  test('a cancelled task that was paid for is asked for, not paid again', () => {
    const paid = makeTask({ status: 'cancelled', taskCode: 't1' });
    expect(after(paid, EVENTS['user-retry'])).toMatchObject({ status: 'rendering', taskCode: 't1' });
  });

  test('a resubmitted task starts from nothing', () => {
    const task = after(
      makeTask({ status: 'submit-unknown', taskCode: 'maybe', failure: why }),
      EVENTS['user-resubmit'],
    );
    expect(task).toMatchObject({ status: 'queued', outputs: [] });
    expect(task.taskCode).toBeUndefined();
  });
});

const HOLDS: ReadonlySet<TaskEventKind> = new Set(['put-on-hold', 'released', 'put-first']);

test('whatever happens in whatever order: a task that is done stays done, and only submit-started leads to a submit', () => {
  const anyEvent = fc.constantFrom(...Object.values(EVENTS));
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      let task = makeTask();
      for (const event of events) {
        const next = transition(task, event, NOW);
        if (!next.ok) continue;
        expect(next.value.revision).toBe(task.revision + 1);
        // A hold on a task changes nothing else of it, wherever it stands.
        if (HOLDS.has(event.kind)) {
          expect(next.value.status).toBe(task.status);
          task = next.value;
          continue;
        }
        // Nor does a code that came late settle anything.
        if (event.kind === 'code-offered') {
          expect(next.value.status).toBe(task.status);
          task = next.value;
          continue;
        }
        expect(task.status).not.toBe('done');
        if (next.value.status === 'submitting' && task.status !== 'submitting') {
          expect(event.kind).toBe('submit-started');
          expect(task.status).toBe('queued');
          expect(task.blockedBy).toBeUndefined();
        }
        if (
          ['blocked', 'unblocked', 'blocked-row-failed', 'reference-unresolved', 'file-awaited'].includes(event.kind)
        ) {
          expect(next.value.taskCode).toBe(task.taskCode);
        }
        if (task.status === 'submit-unknown') {
          expect(['adopted', 'user-resubmit', 'written-off', 'answered-late']).toContain(event.kind);
        }
        task = next.value;
      }
    }),
  );
});

describe('a request that is sent again under its key', () => {
  const again = { asks: 1, until: NOW + 1000 };
  const waiting = makeTask({ status: 'submit-unknown', dueAt: NOW + 5, attempts: 1, submittedAt: NOW - 9, again });
  const after = (task: Task, event: TaskEvent): Task | undefined => {
    const next = transition(task, event, NOW);
    return next.ok ? next.value : undefined;
  };

  test('waits until it is due, and is the same attempt however often it is sent', () => {
    expect(nextAction(waiting, NOW, 9)).toEqual({ kind: 'wait', until: NOW + 5 });
    expect(nextAction(waiting, NOW + 5, 9)).toEqual({ kind: 'ask-again' });
    const sent = after(waiting, { kind: 'asked-again' });
    expect(sent).toMatchObject({ status: 'submitting', again });
    if (sent === undefined) return;
    const next = { asks: 2, until: NOW + 1000, dueAt: NOW + 50 };
    const unknown = after(sent, { kind: 'outcome-unknown', failure: why, again: next });
    expect(unknown).toMatchObject({ status: 'submit-unknown', attempts: 1, dueAt: NOW + 50, submittedAt: NOW - 9 });
    expect(unknown?.again).toEqual({ asks: 2, until: NOW + 1000 });
    const accepted = after(sent, { kind: 'accepted', taskCode: 't1', dueAt: NOW + 5 });
    expect(accepted).toMatchObject({ status: 'rendering', attempts: 1, poll: { late: true } });
    expect(accepted).not.toHaveProperty('again');
    expect(after(sent, { kind: 'rejected', failure: why })).toMatchObject({ status: 'failed', attempts: 1 });
  });

  test('never becomes a new request by an answer', () => {
    const sent = { ...waiting, status: 'submitting' as const };
    for (const kind of ['not-sent', 'rate-limited', 'held'] as const) expect(after(sent, EVENTS[kind])).toBeUndefined();
  });

  test('is the user’s at any time, and ends', () => {
    expect(after(waiting, { kind: 'user-resubmit' })).not.toHaveProperty('again');
    expect(after(waiting, { kind: 'adopted', taskCode: 't' })).not.toHaveProperty('again');
    expect(after(waiting, { kind: 'written-off' })).not.toHaveProperty('again');
    const ended = after(waiting, { kind: 'still-unknown', failure: why });
    expect(ended).toMatchObject({ status: 'submit-unknown', failure: why });
    expect(ended).not.toHaveProperty('again');
    expect(ended && nextAction(ended, NOW, 9)).toEqual({ kind: 'none' });
    expect(after({ ...waiting, superseded: true }, { kind: 'asked-again' })).toBeUndefined();
  });
});

describe('a task code that comes after its outcome counted as unknown', () => {
  const offer = { kind: 'code-offered', taskCode: 'late' } as const;
  const lost = { code: 'SUBMIT_OUTCOME_UNKNOWN', message: 'The worker was gone.' } as const;

  test('is named where the user decides, and is the one that is adopted', () => {
    const unknown = makeTask({ status: 'submit-unknown', attempts: 1, failure: lost });
    const offered = after(unknown, offer);
    expect(offered).toMatchObject({ status: 'submit-unknown', attempts: 1, taskCode: 'late' });
    expect(offered.failure?.message).toContain('late');
    expect(after(offered, { kind: 'adopted', taskCode: 'late' })).toMatchObject({
      status: 'rendering',
      taskCode: 'late',
    });
  });

  test('stays with a request whose outcome is open, until that counts as unknown', () => {
    const submitting = makeTask({ status: 'submitting' });
    const kept = after(submitting, { ...offer, isOpen: true });
    expect(kept).toMatchObject({ status: 'submitting', taskCode: 'late' });
    const unknown = after(kept, { kind: 'outcome-unknown', failure: lost });
    expect(unknown).toMatchObject({ status: 'submit-unknown', taskCode: 'late' });
    expect(unknown.failure?.message).toBe(
      `${lost.message} Its answer came late and names the task code late: adopt that.`,
    );
    // Another request was sent since.
    expect(after(submitting, offer)).not.toHaveProperty('taskCode');
  });

  test('changes nothing once the row was sent again', () => {
    const rendering = makeTask({ status: 'rendering', taskCode: 'second', submittedAt: NOW });
    expect(after(rendering, offer)).toEqual({ ...rendering, revision: rendering.revision + 1 });
  });
});

test('a task that waits for a file forgets no refusal that may have been charged', () => {
  const busy = failure('RATE_LIMITED', 'busy', { inWordsAlone: 3 });
  const noNetwork = failure('LOCAL_FILE', 'no network');
  const after = (task: Task, why?: Failure): Task | undefined => {
    const event: TaskEvent = { kind: 'file-awaited', dueAt: NOW + 5, ...(why && { failure: why }) };
    const next = transition(task, event, NOW);
    return next.ok ? next.value : undefined;
  };
  const refused = makeTask({ status: 'queued', failure: busy });
  expect(after(refused)?.failure).toEqual(busy);
  const troubled = after(refused, noNetwork) ?? refused;
  expect(troubled.failure).toMatchObject({ code: 'LOCAL_FILE', message: 'no network' });
  for (const task of [refused, troubled, after(troubled) ?? refused]) {
    expect([task, after(task), after(task, noNetwork)].map((one) => refusalsInWords(one?.failure))).toEqual([3, 3, 3]);
  }
  // What was said of a file is over when it comes.
  expect(after(makeTask({ status: 'queued', failure: noNetwork }))?.failure).toBeUndefined();
});
