import { operationOf } from '../operations/operations.ts';
import { FRESH_POLL_MEMORY } from '../gateway/poll-answer.ts';
import { rowsReferredTo } from '../cells/reference.ts';
import type { Row } from '../sheet/row.ts';
import { requestKindOf } from './canary.ts';
import type { Task } from './task.ts';

/**
 * The tasks of a new row, one per take, without their ids; none for a row that has an error or is to be left out.
 * @param createdAt When they may start, in milliseconds since the epoch.
 */
export function newTasks(
  row: Row,
  batchId: string,
  position: number,
  isBlocked: boolean,
  createdAt: number,
): readonly Omit<Task, 'id'>[] {
  if (row.operation === undefined || row.skip || isBlocked) return [];
  const operation = operationOf(row.operation);
  const [blockedBy] = rowsReferredTo(row.links);
  const task = {
    batchId,
    rowId: row.id,
    position,
    operation: operation.path,
    family: operation.family,
    kind: operation.output,
    model: modelOf(row),
    requestKind: requestKindOf(row),
    priority: row.priority,
    status: 'queued' as const,
    revision: 0,
    dueAt: createdAt,
    cancelWanted: false,
    ...(blockedBy === undefined ? {} : { blockedBy }),
    attempts: 0,
    setbacks: 0,
    poll: FRESH_POLL_MEMORY,
    provisional: false,
    outputs: [],
  };
  return Array.from({ length: row.takes }, (_, i) => ({ ...task, take: i + 1 }));
}

/** Completion times are learned per model; empty if the body names none. */
function modelOf({ body }: Row): string {
  const model = body['model'];
  return typeof model === 'string' ? model : '';
}
