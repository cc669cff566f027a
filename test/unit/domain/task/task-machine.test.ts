import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failure, type Failure } from '../../../../src/shared/domain/base/failure.ts';
import { FRESH_POLL_MEMORY } from '../../../../src/shared/domain/gateway/poll-answer.ts';
import { refusalsInWords } from '../../../../src/shared/domain/gateway/retry.ts';
import { nextAction } from '../../../../src/shared/domain/task/next-action.ts';
import { TASK_STATUSES, type Output, type Task, type TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { transition } from '../../../../src/shared/domain/task/task-machine.ts';
import type { TaskEvent, TaskEventKind } from '../../../../src/shared/domain/task/task-event.ts';
import { makeTask } from '../../../support/make-task.ts';

const NOW = 1_000_000;
const why = failure('REMOTE_FAILED', 'out of tune');
const suspicion = { ...why, suspected: true };
const file = { path: 'music/a.mp3', sha256: 'ab', bytes: 3, mediaType: 'audio/mpeg' };
const pending: Output = { index: 1, url: 'https://x/a', state: 'pending', generation: 0, tries: 0 };

const EVENTS: { readonly [K in TaskEventKind]: Extract<TaskEvent, { kind: K }> } = {
  'submit-started': { kind: 'submit-started' },
  accepted: { kind: 'accepted', taskCode: 't1', dueAt: NOW + 5 },
  'not-sent': { kind: 'not-sent', failure: why, dueAt: NOW + 5 },
  'rate-limited': { kind: 'rate-limited', failure: why, dueAt: NOW + 5 },
  held: { kind: 'held', failure: why },
  rejected: { kind: 'rejected', failure: why },
  'outcome-unknown': { kind: 'outcome-unknown', failure: why },
  'asked-again': { kind: 'asked-again' },
  'still-unknown': { kind: 'still-unknown', failure: why },
  'code-offered': { kind: 'code-offered', taskCode: 't2' },
  'answered-late': { kind: 'answered-late', settles: { becomes: 'queued', failure: why, dueAt: NOW + 5 } },
  adopted: { kind: 'adopted', taskCode: 't2' },
  'user-resubmit': { kind: 'user-resubmit' },
  'written-off': { kind: 'written-off' },
  'still-running': { kind: 'still-running', dueAt: NOW + 5, poll: FRESH_POLL_MEMORY },
  'poll-failed': { kind: 'poll-failed', failure: why, dueAt: NOW + 5, poll: FRESH_POLL_MEMORY },
  rendered: { kind: 'rendered', outputs: [{ url: 'https://x/a' }], provisional: false, poll: FRESH_POLL_MEMORY },
  'remote-failed': { kind: 'remote-failed', failure: why, dueAt: NOW, poll: FRESH_POLL_MEMORY },
  overdue: { kind: 'overdue', failure: failure('OVERDUE', 'late') },
  'output-started': { kind: 'output-started', index: 1, generation: 1, validator: '"e1"' },
  'output-placing': { kind: 'output-placing', index: 1, placement: file },
  'output-verified': { kind: 'output-verified', index: 1, placement: file },
  'url-expired': { kind: 'url-expired', index: 1, failure: why, dueAt: NOW + 5 },
  'download-failed': { kind: 'download-failed', index: 1, failure: why, dueAt: NOW + 5 },
  unsound: { kind: 'unsound', index: 1, failure: why, dueAt: NOW + 5 },
  'download-given-up': { kind: 'download-given-up', index: 1, failure: why },
  unverifiable: { kind: 'unverifiable', index: 1, failure: why, path: 'set-aside/a' },
  'download-held': { kind: 'download-held', failure: why, dueAt: NOW + 5 },
  'file-checked': { kind: 'file-checked', index: 1, flags: [{ gate: 'silence', message: 'All of it.' }] },
  'made-again': { kind: 'made-again' },
  'user-retry': { kind: 'user-retry' },
  'cancel-requested': { kind: 'cancel-requested' },
  'put-on-hold': { kind: 'put-on-hold' },
  released: { kind: 'released' },
  'put-first': { kind: 'put-first', priority: 7 },
  blocked: { kind: 'blocked', by: 'r0' },
  unblocked: { kind: 'unblocked' },
  'blocked-row-failed': { kind: 'blocked-row-failed', by: 'r0', failure: failure('DEPENDENCY_FAILED', 'r0') },
  'reference-unresolved': { kind: 'reference-unresolved', failure: failure('DEPENDENCY_FAILED', 'no such path') },
  reviewed: { kind: 'reviewed', index: 1, change: { kept: false } },
  'file-moved': { kind: 'file-moved', index: 1, from: 'image/a.png', to: 'rejected/a.png' },
  'file-deleted': { kind: 'file-deleted', index: 1, path: 'image/a.png' },
  'path-freed': { kind: 'path-freed', index: 1, path: 'image/a.png' },
  'file-awaited': { kind: 'file-awaited', failure: failure('LOCAL_FILE', 'no network'), dueAt: NOW + 5 },
};

/** The table of the architecture, cell by cell; what is not here must be refused. */
const TABLE: { readonly [S in TaskStatus]: Partial<Record<TaskEventKind, TaskStatus>> } = {
  queued: {
    'code-offered': 'queued',
    'answered-late': 'queued',
    'submit-started': 'submitting',
    'cancel-requested': 'cancelled',
    blocked: 'queued',
    'blocked-row-failed': 'failed',
    'reference-unresolved': 'failed',
    'file-awaited': 'queued',
    'put-on-hold': 'queued',
    'put-first': 'queued',
  },
  submitting: {
    'code-offered': 'submitting',
    'answered-late': 'submitting',
    accepted: 'rendering',
    'not-sent': 'queued',
    'rate-limited': 'queued',
    held: 'queued',
    rejected: 'failed',
    'outcome-unknown': 'submit-unknown',
    'cancel-requested': 'submitting',
    'put-on-hold': 'submitting',
  },
  'submit-unknown': {
    'code-offered': 'submit-unknown',
    'answered-late': 'submit-unknown',
    adopted: 'rendering',
    'user-resubmit': 'queued',
    'written-off': 'failed',
    'put-on-hold': 'submit-unknown',
  },
  rendering: {
    'code-offered': 'rendering',
    'answered-late': 'rendering',
    'still-running': 'rendering',
    'poll-failed': 'rendering',
    rendered: 'downloading',
    'remote-failed': 'failed',
    overdue: 'failed',
    'cancel-requested': 'cancelled',
    'put-on-hold': 'rendering',
  },
  downloading: {
    'code-offered': 'downloading',
    'answered-late': 'downloading',
    'output-started': 'downloading',
    'output-placing': 'downloading',
    'output-verified': 'done',
    'url-expired': 'downloading',
    'download-failed': 'downloading',
    unsound: 'downloading',
    // Asked for a fresh address.
    rendered: 'downloading',
    'still-running': 'downloading',
    'poll-failed': 'downloading',
    'remote-failed': 'downloading',
    'download-given-up': 'failed',
    unverifiable: 'failed',
    'download-held': 'downloading',
    'cancel-requested': 'cancelled',
    'put-on-hold': 'downloading',
  },
  done: { 'code-offered': 'done', 'answered-late': 'done' },
  failed: { 'code-offered': 'failed', 'answered-late': 'failed', 'user-retry': 'queued', 'put-on-hold': 'failed' },
  cancelled: {
    'code-offered': 'cancelled',
    'answered-late': 'cancelled',
    'user-retry': 'queued',
    'put-on-hold': 'cancelled',
  },
};

function taskIn(status: TaskStatus): Task {
  const code = status === 'queued' || status === 'submitting' ? {} : { taskCode: 't1', submittedAt: NOW - 9 };
  switch (status) {
    case 'downloading':
      return makeTask({ status, outputs: [pending], ...code });
    case 'failed':
      return makeTask({ status, failure: why, finishedAt: NOW, ...code });
    case 'cancelled':
      return makeTask({ status, finishedAt: NOW });
    default:
      return makeTask({ status, ...code });
  }
}

/** What may still come of a take that was made for what its row asked for earlier; everything else must be refused. */
const WATCHED: { readonly [S in TaskStatus]: Partial<Record<TaskEventKind, TaskStatus>> } = {
  queued: { 'code-offered': 'queued', 'answered-late': 'queued' },
  submitting: { 'code-offered': 'submitting', 'answered-late': 'submitting' },
  'submit-unknown': { 'code-offered': 'submit-unknown', 'answered-late': 'submit-unknown' },
  rendering: omitted(omitted(TABLE.rendering, 'cancel-requested'), 'put-on-hold'),
  downloading: omitted(omitted(TABLE.downloading, 'cancel-requested'), 'put-on-hold'),
  done: { 'code-offered': 'done', 'answered-late': 'done' },
  failed: { 'code-offered': 'failed', 'answered-late': 'failed' },
  cancelled: { 'code-offered': 'cancelled', 'answered-late': 'cancelled' },
};

function omitted(cells: Partial<Record<TaskEventKind, TaskStatus>>, kind: TaskEventKind) {
  const { [kind]: _, ...rest } = cells;
  return rest;
}

function after(task: Task, ...events: TaskEvent[]): Task {
  return events.reduce((current, event) => {
    const next = transition(current, event, NOW);
    if (!next.ok) throw new Error(`refused: ${JSON.stringify(next.error)}`);
    return next.value;
  }, task);
}

describe('every status with every event', () => {
  for (const status of TASK_STATUSES) {
    for (const event of Object.values(EVENTS)) {
      const expected = TABLE[status][event.kind];
      test(`${status} + ${event.kind} → ${expected ?? 'refused'}`, () => {
        const next = transition(taskIn(status), event, NOW);
        expect(next.ok ? next.value.status : undefined).toBe(expected);
        if (next.ok) expect(next.value.revision).toBe(1);
        else expect(next.error).toEqual({ status, event: event.kind });
      });
    }
  }
});

describe('what gates say of a verified file is kept in every status, and changes nothing else', () => {
  const verified: Output = { ...pending, ...file, state: 'verified' };
  for (const status of TASK_STATUSES) {
    test(`of a task that is ${status}`, () => {
      const task = { ...taskIn(status), outputs: [verified, { ...pending, index: 2 }] };
      const { flags } = EVENTS['file-checked'];
      const next = after(task, EVENTS['file-checked']);
      expect(next).toEqual({ ...task, revision: 1, outputs: [{ ...verified, flags }, task.outputs[1]] });
      expect(transition(task, { ...EVENTS['file-checked'], index: 2 }, NOW).ok).toBe(false);
      expect(after({ ...task, superseded: true }, EVENTS['file-checked']).outputs[0]).toMatchObject({ flags });
    });
  }

  test('a take is made again only while it is done, flagged, and not reviewed: that is all that changes', () => {
    const flagged = { ...verified, flags: [{ gate: 'silence' as const, message: 'All of it.' }] };
    const task = { ...taskIn('done'), outputs: [verified, flagged] };
    const again = EVENTS['made-again'];
    expect(after(task, again)).toEqual({ ...task, superseded: true, revision: 1 });
    const seen = { ...task, outputs: [{ ...verified, verdict: { kept: true } }, flagged] };
    for (const other of [seen, { ...task, superseded: true as const }, { ...task, outputs: [verified] }])
      expect(transition(other, again, NOW).ok).toBe(false);
    for (const status of TASK_STATUSES.filter((one) => one !== 'done'))
      expect(transition({ ...taskIn(status), outputs: [flagged] }, again, NOW).ok).toBe(false);
  });
});

describe('a held row, every status with every event', () => {
  for (const status of TASK_STATUSES.filter((one) => one !== 'done')) {
    const { 'put-on-hold': _, 'submit-started': __, ...cells } = TABLE[status];
    const expected: Partial<Record<TaskEventKind, TaskStatus>> = { ...cells, released: status, 'put-first': status };
    for (const event of Object.values(EVENTS)) {
      test(`${status} + ${event.kind} → ${expected[event.kind] ?? 'refused'}`, () => {
        const next = transition({ ...taskIn(status), onHold: true }, event, NOW);
        expect(next.ok ? next.value.status : undefined).toBe(expected[event.kind]);
        const isFreed = event.kind === 'released' || event.kind === 'put-first';
        if (next.ok) expect(next.value.onHold).toBe(isFreed ? undefined : true);
      });
    }
  }

  test('going first, it has the priority that it was given', () => {
    expect(after(makeTask({ onHold: true }), EVENTS['put-first'])).toMatchObject({ status: 'queued', priority: 7 });
  });
});

describe('a superseded take, every status with every event', () => {
  const inferred: Task = { ...taskIn('failed'), failure: suspicion, superseded: true };
  const cases = [
    ...TASK_STATUSES.map((status) => ({
      task: { ...taskIn(status), superseded: true as const },
      cells: WATCHED[status],
    })),
    {
      task: inferred,
      cells: {
        ...WATCHED.rendering,
        'still-running': 'failed',
        'poll-failed': 'failed',
        'code-offered': 'failed',
        'answered-late': 'failed',
      },
    },
  ];
  for (const { task, cells } of cases) {
    for (const event of Object.values(EVENTS)) {
      const expected = cells[event.kind];
      test(`${task.status}${task === inferred ? ' by inference' : ''} + ${event.kind} → ${expected ?? 'refused'}`, () => {
        const next = transition(task, event, NOW);
        expect(next.ok ? next.value.status : undefined).toBe(expected);
        if (next.ok) expect(next.value.superseded).toBe(true);
      });
    }
  }
});

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

describe('downloading', () => {
  const two = makeTask({ status: 'downloading', taskCode: 't1', outputs: [pending, { ...pending, index: 2 }] });

  test('done only when the last output is verified', () => {
    const first = after(two, EVENTS['output-verified']);
    expect(first.status).toBe('downloading');
    expect(after(first, { ...EVENTS['output-verified'], index: 2 })).toMatchObject({ status: 'done', finishedAt: NOW });
  });

  test('an output that cannot be had fails its task only after the others were fetched', () => {
    const lost = after(two, EVENTS.unverifiable);
    expect(lost.status).toBe('downloading');
    const ended = after(lost, { ...EVENTS['output-verified'], index: 2 });
    expect(ended).toMatchObject({ status: 'failed', failure: why });
    expect(ended.outputs[1]?.state).toBe('verified');
  });

  test('a second report of a verified output is refused', () => {
    const first = after(two, EVENTS['output-verified']);
    expect(transition(first, EVENTS['download-failed'], NOW).ok).toBe(false);
  });

  test('a new body forgets the validator of the old one, and how long that played', () => {
    const sung = { ...EVENTS['output-placing'], placement: { ...file, seconds: 42 } };
    const lost = after(two, EVENTS['output-started'], sung, EVENTS['output-started'], EVENTS['output-verified']);
    expect(after(two, EVENTS['output-started'], sung).outputs[0]).toMatchObject({ seconds: 42 });
    expect(lost.outputs[0]).not.toHaveProperty('seconds');
    const started = after(two, EVENTS['output-started']);
    expect(started.outputs[0]).toMatchObject({ generation: 1, validator: '"e1"' });
    const restarted = after(started, { ...EVENTS['output-started'], generation: 2, validator: undefined });
    expect(restarted.outputs[0]?.validator).toBeUndefined();
    const placing = after(started, { ...EVENTS['output-placing'], generation: 2 });
    expect(placing.outputs[0]).toMatchObject({ state: 'placing', generation: 2, ...file });
    expect(placing.outputs[0]).not.toHaveProperty('validator');
  });

  test('a body that was there before keeps its validator until it is placed', () => {
    const placing = after(two, EVENTS['output-started'], EVENTS['output-placing']);
    expect(placing.outputs[0]).toMatchObject({ state: 'placing', generation: 1, validator: '"e1"' });
  });
});

describe('a fresh address', () => {
  const stale: Output = { ...pending, isStale: true, dueAt: NOW, tries: 3, failure: why };
  const asking = makeTask({ status: 'downloading', taskCode: 't1', outputs: [stale], failure: why });

  test('is asked for after what came was no sound file, and after the third download that failed', () => {
    expect(after(taskIn('downloading'), EVENTS.unsound).outputs[0]).toMatchObject({ isStale: true, tries: 1 });
    const twice = after(taskIn('downloading'), EVENTS['download-failed'], EVENTS['download-failed']);
    expect(twice.outputs[0]?.isStale).toBeUndefined();
    expect(after(twice, EVENTS['download-failed']).outputs[0]).toMatchObject({ isStale: true, tries: 3 });
  });

  test('that the gateway cannot give fails nothing that it has rendered: the file is fetched where it was', () => {
    for (const event of [EVENTS['remote-failed'], EVENTS['still-running']]) {
      const task = after(asking, event);
      expect(task).toMatchObject({ status: 'downloading', dueAt: NOW });
      expect(task.outputs[0]).toMatchObject({ url: 'https://x/a', tries: 3 });
      expect(task.outputs[0]?.isStale).toBeUndefined();
    }
  });

  test('is asked for again while the gateway cannot be reached', () => {
    const task = after(asking, EVENTS['poll-failed']);
    expect(task).toMatchObject({ status: 'downloading', dueAt: NOW + 5, setbacks: 1 });
    expect(task.outputs[0]?.isStale).toBe(true);
  });

  test('that the gateway answers for without giving one, twice or with a long wait, keeps no file back', () => {
    const away = { ...EVENTS['poll-failed'], failure: failure('GATEWAY_UNAVAILABLE', 'no answer') };
    const answered = { ...EVENTS['poll-failed'], failure: failure('GATEWAY_UNAVAILABLE', '500', { httpStatus: 500 }) };
    const page = { ...EVENTS['poll-failed'], failure: failure('GATEWAY_PROTOCOL', 'a page') };
    const long = { ...answered, dueAt: NOW + 15 * 60_000 };
    const fetched = (task: Task) => nextAction(task, NOW + 5, 10 * NOW).kind === 'fetch';
    expect(fetched(after(asking, answered))).toBe(false);
    expect(fetched(after(asking, answered, answered))).toBe(true);
    expect(fetched(after(asking, page, answered))).toBe(true);
    expect(fetched(after(asking, long))).toBe(true);
    expect(fetched(after(asking, away, away, away))).toBe(false);
    expect(after(asking, answered, answered).outputs[0]).toMatchObject({ url: 'https://x/a', tries: 3 });
    // The last try is for a fresh address, and broken media may be what still renders.
    expect(fetched(after({ ...asking, outputs: [{ ...stale, tries: 12 }] }, answered, answered))).toBe(false);
    const alike = { likeness: 'ab', times: 1 };
    const early: Task = { ...asking, provisional: true, outputs: [{ ...stale, alike }] };
    expect(fetched(after(early, answered, answered))).toBe(false);
    expect(fetched(after({ ...early, outputs: [stale] }, answered, answered))).toBe(true);
    const past = { ...stale, url: 'https://x/a?Expires=1400000000' };
    const pastTask = { ...asking, outputs: [past] };
    expect(transition(pastTask, { ...long, dueAt: 2e12 }, 1.5e12)).toMatchObject({
      value: { outputs: [{ isStale: true }] },
    });
  });

  test('where the rendering was only inferred to be finished, the gateway’s word counts', () => {
    const inferred: Task = { ...asking, provisional: true };
    expect(after(inferred, EVENTS['still-running'])).toMatchObject({ status: 'rendering', dueAt: NOW + 5 });
    expect(after(inferred, EVENTS['remote-failed']).status).toBe('failed');
    const suspected = after(inferred, { ...EVENTS['remote-failed'], failure: suspicion });
    expect(suspected.status).toBe('downloading');
  });

  test.each([
    ['the same ones', ['https://x/b', 'https://x/a'], 'https://x/b'],
    ['signed anew', ['https://x/b?s=2', 'https://x/a?s=2'], 'https://x/b?s=2'],
    ['in other folders', ['https://y/2/b', 'https://y/2/a'], 'https://y/2/b'],
    ['one of them signed anew', ['https://x/b', 'https://x/a?s=2'], 'https://x/b'],
    ['the other one new', ['https://x/c', 'https://x/a'], 'https://x/c'],
    ['all of them new', ['https://x/c', 'https://x/d'], 'https://x/d'],
    ['only the other one’s', ['https://x/a'], 'https://x/b'],
    ['none', [], 'https://x/b'],
  ])('goes to the file that it is the address of, whatever its place in the list: %s', (_, urls, expected) => {
    const had: Output = { ...pending, ...file, state: 'verified' };
    const half: Task = { ...asking, outputs: [had, { ...stale, index: 2, url: 'https://x/b' }] };
    const task = after(half, { ...EVENTS.rendered, outputs: urls.map((url) => ({ url })) });
    expect(task.outputs).toHaveLength(2);
    expect(task.outputs[0]).toEqual(had);
    expect(task.outputs[1]).toMatchObject({ index: 2, url: expected });
    // Else the gateway would be asked on and on, at once.
    expect(nextAction(task, NOW, 1000)).toEqual({ kind: 'fetch', outputIndex: 2 });
  });

  test('that stands for no known file is one more, after those that are known', () => {
    const known: Task = { ...asking, outputs: [stale, { ...pending, index: 2, url: 'https://x/b' }] };
    const urls = ['https://x/c', 'https://x/b', 'https://x/a'];
    const task = after(known, { ...EVENTS.rendered, outputs: urls.map((url) => ({ url })) });
    expect(task.outputs.map(({ index, url }) => `${index} ${url}`)).toEqual([
      '1 https://x/a',
      '2 https://x/b',
      '3 https://x/c',
    ]);
  });

  test('is asked for on, and nothing is rendered anew, where one of two files is there and a record calls the task failed', () => {
    const had: Output = { ...pending, ...file, state: 'verified' };
    const half: Task = { ...asking, provisional: true, outputs: [had, { ...stale, index: 2 }] };
    const told = after(half, EVENTS['remote-failed']);
    expect(nextAction(told, NOW, 10 * NOW)).toEqual({ kind: 'fetch', outputIndex: 2 });
    const ran = after(half, EVENTS['still-running'], EVENTS['remote-failed']);
    expect(ran).toMatchObject({ status: 'failed', failure: { suspected: true } });
    const lost = after({ ...half, status: 'failed', failure: why }, EVENTS['user-retry']);
    expect(lost).toMatchObject({ status: 'rendering', taskCode: 't1', outputs: [had, { index: 2, state: 'pending' }] });
  });

  test('revives no output that was given up', () => {
    const gone: Output = { ...pending, state: 'set-aside', path: 'set-aside/a', failure: why, tries: 3 };
    const lost: Output = { ...gone, index: 2, state: 'failed' };
    const task = after(
      { ...asking, outputs: [gone, lost, { ...stale, index: 3 }] },
      {
        ...EVENTS.rendered,
        outputs: [{ url: 'https://x/1' }, { url: 'https://x/2' }, { url: 'https://x/3' }],
      },
    );
    expect(task.outputs.slice(0, 2)).toEqual([gone, lost]);
    expect(task.outputs[2]).toMatchObject({ state: 'pending', url: 'https://x/3', tries: 3 });
  });
});

describe('a file that is tried again', () => {
  const two = makeTask({ status: 'downloading', taskCode: 't1', outputs: [pending, { ...pending, index: 2 }] });

  test('does not hold up the others of its row, and its row says why it waits', () => {
    const waits = after(two, EVENTS.unsound);
    expect(waits).toMatchObject({ dueAt: NOW, failure: why });
    expect(nextAction(waits, NOW, 1)).toEqual({ kind: 'fetch', outputIndex: 2 });
    const alone = after(waits, { ...EVENTS['output-verified'], index: 2 });
    expect(alone).toMatchObject({ status: 'downloading', dueAt: NOW + 5, failure: why });
  });

  test('keeps every version that came as evidence', () => {
    const one = { path: 'set-aside/a.txt', sha256: 'aa', bytes: 1 };
    const other = { path: 'set-aside/a-2.txt', sha256: 'bb', bytes: 2 };
    const task = after(
      two,
      { ...EVENTS.unsound, kept: one },
      { ...EVENTS.unverifiable, path: other.path, kept: other },
    );
    expect(task.outputs[0]).toMatchObject({ state: 'set-aside', path: other.path, kept: [one, other] });
  });

  test('starts at its first try again at the user’s word, with a fresh address, and keeps the evidence', () => {
    const kept = [{ path: 'set-aside/a.txt', sha256: 'aa', bytes: 1 }];
    const output: Output = { ...pending, state: 'set-aside', tries: 9, dueAt: NOW + 9, failure: why, kept };
    const given = { ...output, alike: { likeness: 'aa', times: 3 } };
    const failed = makeTask({
      status: 'failed',
      taskCode: 't1',
      renderedAt: 1,
      failure: failure('OUTPUT_UNVERIFIABLE', 'a page'),
      outputs: [given],
    });
    const again = after(failed, EVENTS['user-retry']);
    expect(again).toMatchObject({ status: 'downloading', taskCode: 't1', dueAt: NOW });
    expect(again.outputs).toEqual([{ ...pending, isStale: true, kept }]);
    expect(nextAction(again, NOW, 1000)).toEqual({ kind: 'poll' });
    expect(after(again, EVENTS['remote-failed'])).toMatchObject({ status: 'downloading' });
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
