import type { StatusQuestion } from '../../shared/domain/gateway/seen-status.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import { isSuspectedFailure } from '../../shared/domain/task/task-machine.ts';
import type { Entry } from './task-journal.ts';

/** Failures that were inferred from a status of which the user has said that it means one: they are certain now. */
export function statedFailures(
  tasks: readonly Task[],
  { family, status }: Pick<StatusQuestion, 'family' | 'status'>,
  now: number,
): readonly Entry[] {
  return tasks.flatMap((task): Entry[] => {
    const { failure, poll } = task;
    if (!isSuspectedFailure(task) || failure === undefined) return [];
    if (task.family !== family || failure.data?.['status'] !== status) return [];
    const { suspected: _, ...stated } = failure;
    return [{ taskId: task.id, event: { kind: 'remote-failed', failure: stated, dueAt: now, poll } }];
  });
}
