import type { Profile } from '../gateway/profile.ts';
import { assertNever } from '../base/result.ts';
import type { Task } from './task.ts';

const HOUR_MS = 3_600_000;

/**
 * Why the cells of a row with these tasks cannot be edited now, as a sentence for the user; undefined where they can. A
 * take that is at the gateway must end for what was asked of it. A failure that was only inferred locks nothing: its take
 * is watched on, whatever becomes of the row.
 */
export function whyLocked(tasks: readonly Pick<Task, 'status'>[]): string | undefined {
  for (const task of tasks) {
    const reason = reasonOf(task);
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

function reasonOf({ status }: Pick<Task, 'status'>): string | undefined {
  switch (status) {
    case 'submitting':
      return 'It is being submitted: edit it when it is done, or duplicate it.';
    case 'submit-unknown':
      return 'It is not known whether it was submitted: decide that first, or duplicate the row.';
    case 'rendering':
      return 'It is being rendered: edit it when it is done, or duplicate it.';
    case 'downloading':
      return 'Its files are being fetched: edit it when it is done, or duplicate it.';
    case 'failed':
    case 'queued':
    case 'done':
    case 'cancelled':
      return undefined;
    default:
      return assertNever(status);
  }
}
