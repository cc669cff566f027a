import { operationOf } from '../../shared/domain/operations.ts';
import { FRESH_POLL_MEMORY } from '../../shared/domain/poll-outcome.ts';
import { rowsReferredTo } from '../../shared/domain/reference.ts';
import type { Row } from '../../shared/domain/row.ts';
import type { Task } from '../../shared/domain/task.ts';

/** The tasks of a new row, one a take, without their ids; none for a row that has an error or is to be left out. */
export function newTasks(
  row: Row,
  batchId: string,
  position: number,
  isBlocked: boolean,
  createdAt: number,
): readonly Omit<Task, 'id'>[] {
  if (row.operation === undefined || row.skip || isBlocked) return [];
  const operation = operationOf(row.operation);
  const model = row.body['model'];
  const [blockedBy] = rowsReferredTo(row.links);
  const task = {
    batchId,
    rowId: row.id,
    position,
    operation: operation.path,
    family: operation.family,
    kind: operation.output,
    model: typeof model === 'string' ? model : '',
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

/** The exact bytes that are sent for a row. */
export function bodyBytes(row: Row): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(row.body));
}

/** Attempts that ended so were not charged; every other one was or may have been. */
const UNCHARGED: ReadonlySet<string> = new Set(['not-sent', 'rate-limited', 'held', 'rejected']);

/** True for a submit that was or may have been charged: also one that still waits for its answer. */
export function mayBeCharged(outcome: string | undefined): boolean {
  return outcome === undefined || !UNCHARGED.has(outcome);
}
