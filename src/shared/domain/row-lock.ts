import type { Profile } from './profile.ts';
import { assertNever } from './result.ts';
import { isSuspectedFailure } from './task-machine.ts';
import type { Task } from './task.ts';

const HOUR_MS = 3_600_000;

/**
 * Why the cells of a row with these tasks cannot be edited now, as a sentence for the user; undefined where they can. A
 * take that is at the gateway must end for what was asked of it. A task
 * that was submitted before `since` (see {@link askedSince}) is past its deadline: a suspected failure of it is asked
 * about no more.
 */
export function whyLocked(
  tasks: readonly Pick<Task, 'status' | 'failure' | 'taskCode' | 'submittedAt'>[],
  since: number,
): string | undefined {
  for (const task of tasks) {
    const reason = reasonOf(task, since);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** How long after its submit a task is asked about, in milliseconds. */
export function deadlineMs({ deadlines }: Pick<Profile, 'deadlines'>): number {
  return deadlines.taskHours * HOUR_MS;
}

/** What was submitted before this time, milliseconds since the epoch, is past its deadline. */
export function askedSince({ deadlines }: Pick<Profile, 'deadlines'>, now: number): number {
  return now - deadlineMs({ deadlines });
}

function reasonOf(
  task: Pick<Task, 'status' | 'failure' | 'taskCode' | 'submittedAt'>,
  since: number,
): string | undefined {
  switch (task.status) {
    case 'submitting':
      return 'It is being submitted: edit it when it is done, or duplicate it.';
    case 'submit-unknown':
      return 'It is not known whether it was submitted: decide that first, or duplicate the row.';
    case 'rendering':
      return 'It is being rendered: edit it when it is done, or duplicate it.';
    case 'downloading':
      return 'Its files are being fetched: edit it when it is done, or duplicate it.';
    case 'failed': {
      const isAsked = isSuspectedFailure(task) && (task.submittedAt ?? since) >= since;
      return isAsked
        ? 'It may still succeed at the gateway: edit it when that is certain, or duplicate it.'
        : undefined;
    }
    case 'queued':
    case 'done':
    case 'cancelled':
      return undefined;
    default:
      return assertNever(task.status);
  }
}
