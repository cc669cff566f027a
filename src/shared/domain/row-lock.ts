import { assertNever } from './result.ts';
import { isSuspectedFailure } from './task-machine.ts';
import type { Task } from './task.ts';

/**
 * Why the cells of a row with these tasks cannot be edited now, as a sentence for the user; undefined where they can. A
 * take that is at the gateway must end for what was asked of it. `askedSince`, milliseconds since the epoch: a task that
 * was submitted before is past its deadline, so that a suspected failure of it is asked about no more.
 */
export function whyLocked(
  tasks: readonly Pick<Task, 'status' | 'failure' | 'taskCode' | 'submittedAt'>[],
  askedSince: number,
): string | undefined {
  for (const task of tasks) {
    const reason = reasonOf(task, askedSince);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function reasonOf(
  task: Pick<Task, 'status' | 'failure' | 'taskCode' | 'submittedAt'>,
  askedSince: number,
): string | undefined {
  switch (task.status) {
    case 'submitting':
      return 'It is being submitted: edit it when it is done, or duplicate it.';
    case 'submit-unknown':
      return 'Nobody knows whether it was submitted: decide that first, or duplicate it.';
    case 'rendering':
      return 'It is being rendered: edit it when it is done, or duplicate it.';
    case 'downloading':
      return 'Its files are being fetched: edit it when it is done, or duplicate it.';
    case 'failed': {
      const isAsked = isSuspectedFailure(task) && (task.submittedAt ?? askedSince) >= askedSince;
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
