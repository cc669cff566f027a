import { firstDue } from './outputs.ts';
import { assertNever } from '../base/result.ts';
import { isSuspectedFailure, settlesItself, type Task } from './task.ts';
import type { Profile } from '../gateway/profile.ts';

/** What a task needs now. The engine carries it out and decides nothing itself. */
export type NextAction =
  | { readonly kind: 'submit' }
  | { readonly kind: 'poll' }
  /** Past its deadline: Nocturne does not ask again until the user wants it. */
  | { readonly kind: 'declare-overdue' }
  | { readonly kind: 'fetch'; readonly outputIndex: number }
  /** Send a request with an unknown outcome once more, under its key. */
  | { readonly kind: 'ask-again' }
  /** Found in the middle of a submit, and nobody is waiting for the answer: its outcome is unknown. */
  | { readonly kind: 'declare-unknown' }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'none' };

const HOUR_MS = 3_600_000;

/** How long after its submit Nocturne keeps asking about a task, in milliseconds. */
export function deadlineMs({ deadlines }: Pick<Profile, 'deadlines'>): number {
  return deadlines.taskHours * HOUR_MS;
}

/** Whether a task was submitted so long ago that Nocturne no longer asks about it. */
export function isPastDeadline({ submittedAt }: Pick<Task, 'submittedAt'>, now: number, deadlineMs: number): boolean {
  return submittedAt !== undefined && now - submittedAt > deadlineMs;
}

/**
 * Until when the gateway may still fetch what a task's request names, or the request may still be sent, in milliseconds
 * since the epoch: Infinity while that is open, 0 once it has ended. If a failure is only inferred, or the user has
 * cancelled, the gateway may be rendering the task all the same, and a retry goes on with it.
 */
export function neededUntil(task: Task, deadline: number): number {
  const { status, taskCode, submittedAt, finishedAt, renderedAt, superseded } = task;
  const isOpen = status !== 'done' && status !== 'failed' && status !== 'cancelled';
  if (isOpen && superseded !== true) return Number.POSITIVE_INFINITY;
  const mayRender = isOpen || isSuspectedFailure(task) || (status === 'cancelled' && renderedAt === undefined);
  return mayRender && taskCode !== undefined ? (submittedAt ?? finishedAt ?? 0) + deadline : 0;
}

/** What `task` needs at `now`; `deadlineMs` is how long after its submit Nocturne keeps asking about it. */
export function nextAction(task: Task, now: number, deadlineMs: number): NextAction {
  switch (task.status) {
    case 'queued':
      if (task.cancelWanted || task.onHold === true || task.blockedBy !== undefined) return { kind: 'none' };
      return task.dueAt > now ? { kind: 'wait', until: task.dueAt } : { kind: 'submit' };
    case 'submitting':
      return { kind: 'declare-unknown' };
    case 'rendering':
      if (isPastDeadline(task, now, deadlineMs)) return { kind: 'declare-overdue' };
      return task.dueAt > now ? { kind: 'wait', until: task.dueAt } : { kind: 'poll' };
    case 'downloading': {
      const output = firstDue(task.outputs);
      if (output === undefined) return { kind: 'none' };
      const dueAt = Math.max(task.dueAt, output.dueAt ?? 0);
      if (dueAt > now) return { kind: 'wait', until: dueAt };
      return output.isStale === true && isAskedForAddress(task, now, deadlineMs)
        ? { kind: 'poll' }
        : { kind: 'fetch', outputIndex: output.index };
    }
    case 'failed':
      if (!isSuspectedFailure(task)) return { kind: 'none' };
      if (isPastDeadline(task, now, deadlineMs)) return { kind: 'none' };
      return task.dueAt > now ? { kind: 'wait', until: task.dueAt } : { kind: 'poll' };
    case 'submit-unknown':
      if (!settlesItself(task)) return { kind: 'none' };
      return task.dueAt > now ? { kind: 'wait', until: task.dueAt } : { kind: 'ask-again' };
    case 'done':
    case 'cancelled':
      return { kind: 'none' };
    default:
      return assertNever(task.status);
  }
}

/** The deadline for a fresh address restarts when the rendering is found; after it, the old address is used. */
function isAskedForAddress({ renderedAt = 0, submittedAt = 0 }: Task, now: number, deadlineMs: number): boolean {
  return !isPastDeadline({ submittedAt: Math.max(renderedAt, submittedAt) }, now, deadlineMs);
}
