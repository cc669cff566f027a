import { TERMINAL_STATUSES, type Task } from '../../shared/domain/task/task.ts';

/**
 * Says of every change of a task whether the documents of its batch are to be written although it is not at rest: when
 * nothing is left of it but files that are asked for again for hours, and at each end after that. Who looks into the
 * folder in the morning finds it complete but for these.
 */
export function almostDoneNotice(isLeftWithRetries: (batchId: string) => boolean): (task: Task) => boolean {
  const noticed = new Set<string>();
  return ({ batchId, status }) => {
    if (!isLeftWithRetries(batchId)) {
      noticed.delete(batchId);
      return false;
    }
    const isFirst = !noticed.has(batchId);
    noticed.add(batchId);
    return isFirst || TERMINAL_STATUSES.has(status);
  };
}
