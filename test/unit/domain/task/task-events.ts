/** One event of each kind, and tasks for them. */
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import { FRESH_POLL_MEMORY } from '../../../../src/shared/domain/gateway/poll-answer.ts';
import type { Output, Task, TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { transition } from '../../../../src/shared/domain/task/task-machine.ts';
import type { TaskEvent, TaskEventKind } from '../../../../src/shared/domain/task/task-event.ts';
import { makeTask } from '../../../support/make-task.ts';

export const NOW = 1_000_000;
export const why = failure('REMOTE_FAILED', 'out of tune');
export const suspicion = { ...why, suspected: true };
export const file = { path: 'music/a.mp3', sha256: 'ab', bytes: 3, mediaType: 'audio/mpeg' };
export const pending: Output = { index: 1, url: 'https://x/a', state: 'pending', generation: 0, tries: 0 };

/** One event of each kind. */
export const EVENTS: { readonly [K in TaskEventKind]: Extract<TaskEvent, { kind: K }> } = {
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
/** A task as it may be in this status. */
export function taskIn(status: TaskStatus): Task {
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

/** The task after these events; throws if one is refused. */
export function after(task: Task, ...events: TaskEvent[]): Task {
  return events.reduce((current, event) => {
    const next = transition(current, event, NOW);
    if (!next.ok) throw new Error(`refused: ${JSON.stringify(next.error)}`);
    return next.value;
  }, task);
}
