import { assertNever } from '../base/result.ts';
import { operationOf } from '../operations/operations.ts';
import { FRESH_POLL_MEMORY } from '../gateway/poll-answer.ts';
import { rowsReferredTo } from '../cells/reference.ts';
import type { Row } from '../sheet/row.ts';
import { requestKindOf } from './canary.ts';
import type { Task } from './task.ts';
import type { TurnEvent } from './task-event.ts';

/**
 * The tasks of a new row, one per take, without their ids; none if the row has an error or is to be left out.
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
    ...(row.account === undefined ? {} : { pin: row.account }),
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

/** More than the priorities of rows can differ by: first every row gets a file, and then a better one. */
const BEHIND_ALL = 10_000_000;

/**
 * The task that renders a take of a row once more, as the row asks for it now; undefined if the row no longer asks for
 * that take. It goes behind the rows that have no file yet, even if its row was to run next.
 * @param flagged The task before it, which has a file that a gate flags.
 */
export function madeAgain(
  flagged: Pick<Task, 'batchId' | 'take' | 'madeAgain'>,
  { row, position, isBlocked }: { readonly row: Row; readonly position: number; readonly isBlocked: boolean },
  turn: StandingTurn,
  at: number,
): Omit<Task, 'id'> | undefined {
  const wanted = newTasks(row, flagged.batchId, position, isBlocked, at).find(({ take }) => take === flagged.take);
  if (wanted === undefined) return undefined;
  const { priority } = inTurn(wanted, turn);
  return { ...inTurn(wanted, turn), priority: priority - BEHIND_ALL, madeAgain: (flagged.madeAgain ?? 0) + 1 };
}

/**
 * What the user last said about a row's turn. It belongs to the row, not to its takes: it also holds for all takes that
 * the row gets later, by an edit, an undo or the row's return.
 */
export interface StandingTurn {
  /** Nothing new is sent for the row until the user releases it. */
  readonly isHeld?: true;
  /** The row was to run next, before those of a lower priority. Holds until its own priority is edited. */
  readonly priority?: number;
}

/** What holds once the user has said `event` about the row. */
export function turnAfter({ priority }: StandingTurn, event: TurnEvent): StandingTurn {
  const kept = priority === undefined ? {} : { priority };
  switch (event.kind) {
    case 'put-on-hold':
      return { ...kept, isHeld: true };
    case 'released':
      return kept;
    case 'put-first':
      return { priority: event.priority };
    default:
      return assertNever(event);
  }
}

/** A new take of a row, with the turn that the user wants for it. */
export function inTurn<T extends Omit<Task, 'id'>>(task: T, { isHeld, priority = task.priority }: StandingTurn): T {
  return { ...task, priority, ...(isHeld === true ? { onHold: true as const } : {}) };
}

/** A take that counts again after an edit: it is held if its row is now, whatever held when it was set aside. */
export function heldAs(task: Task, { isHeld }: StandingTurn): Task {
  if (task.status === 'done' || task.onHold === isHeld) return task;
  const { onHold: _, ...released } = task;
  return isHeld === true ? { ...released, onHold: true } : released;
}

/**
 * Whether a row shows that it is held: some of it could be sent, and is not.
 * @param isDraft Takes of the row are made only at the user's word.
 */
export function showsHold(
  { isHeld }: StandingTurn,
  tasks: readonly Pick<Task, 'status' | 'onHold'>[],
  isDraft: boolean,
): boolean {
  const open = tasks.filter(({ status }) => status !== 'done');
  return open.some(({ onHold }) => onHold === true) || (isHeld === true && (isDraft || tasks.length === 0));
}
