/** Each status with each event: what follows, and what is refused. */
import { describe, expect, test } from 'vitest';
import { TASK_STATUSES, type Output, type Task, type TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { transition } from '../../../../src/shared/domain/task/task-machine.ts';
import type { TaskEventKind } from '../../../../src/shared/domain/task/task-event.ts';
import { makeTask } from '../../../support/make-task.ts';
import { NOW, suspicion, file, pending, EVENTS, taskIn, after } from './task-events.ts';

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
