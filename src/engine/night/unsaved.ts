import type { Task } from '../../shared/domain/task/task.ts';
import type { TaskStore } from '../ports.ts';
import type { Entry } from './task-journal.ts';

/** What a night knew at its end, or waited for, and could not commit. */
export interface Unsaved {
  readonly batchId: string;
  readonly row: string;
  readonly take: number;
  /**
   * `submit`: the answer to a paid request; at the next start its outcome is unknown. `other`: what is asked for, or
   * fetched, once more at the next start.
   */
  readonly kind: 'submit' | 'other';
  /** Where the answer to the submit has come: to be adopted. */
  readonly taskCode?: string;
}

/** What is lost when the process ends now: entries that wait for the disk, and submits whose answer has not come. */
export function unsavedOf(
  waiting: readonly Entry[],
  active: readonly Task[],
  store: Pick<TaskStore, 'task'>,
): readonly Unsaved[] {
  const unsaved = new Map<number, Unsaved>();
  for (const task of active) {
    if (task.status === 'submitting') unsaved.set(task.id, { ...placeOf(task), kind: 'submit' });
  }
  for (const { taskId, event } of waiting) {
    const task = store.task(taskId);
    if (task === undefined) continue;
    const taskCode = 'taskCode' in event ? event.taskCode : undefined;
    const kind = task.status === 'submitting' ? 'submit' : (unsaved.get(taskId)?.kind ?? 'other');
    unsaved.set(taskId, { ...placeOf(task), kind, ...(taskCode === undefined ? {} : { taskCode }) });
  }
  return [...unsaved.values()];
}

function placeOf({ batchId, rowId, take }: Task): Pick<Unsaved, 'batchId' | 'row' | 'take'> {
  return { batchId, row: rowId, take };
}
