import type { BatchState } from './batch.ts';
import { newTasks } from './new-tasks.ts';
import type { Row } from '../sheet/row.ts';
import { requestText } from '../sheet/sheet-checker.ts';
import { TERMINAL_STATUSES, type Task, mayStillGive } from './task.ts';

/** A task as it was when a plan was made: if it has changed since, the plan is void. */
export type PlannedTask = Pick<Task, 'id' | 'revision'>;

/** What becomes of the tasks of a row whose content changes. Tasks that are not named stay as they are. */
export interface TaskPlan {
  /** Never submitted: gone without a trace. */
  readonly remove: readonly PlannedTask[];
  /** Were submitted at some time, or have ended: they keep evidence and files, count no more, and never start. */
  readonly supersede: readonly PlannedTask[];
  /** Superseded ones that count again: what the row asks for is what they were made for. */
  readonly unsupersede: readonly PlannedTask[];
  readonly add: readonly Omit<Task, 'id'>[];
  /** Waiting tasks that stay, with another priority, one revision later. The row's id and position they take by themselves. */
  readonly update: readonly Task[];
}

/** A row of a batch as it is before and after an edit. */
export interface PlannedRow {
  readonly row: Row;
  /** Where it stands in its batch. */
  readonly position: number;
  /** An error keeps it from running. */
  readonly isBlocked: boolean;
}

export interface PlanOptions {
  readonly batchId: string;
  readonly batchState: BatchState;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Superseded tasks of the content that is taken back: they count again in place of new ones, whatever became of them. */
  readonly revive?: readonly Revivable[];
  /** Superseded tasks that were paid for exactly what the row asks for (see `paidTasks`): each is a take that is not made. */
  readonly paid?: readonly Revivable[];
}

type Revivable = Pick<Task, 'id' | 'revision' | 'take'>;

/** What an edit makes of a row's tasks, and whether those it lacks are made at the user's word only. */
export interface PlannedTasks {
  readonly tasks: TaskPlan;
  readonly isDraft: boolean;
}

/**
 * What becomes of the tasks of a row that is edited; `before` is undefined for a row that comes to be. None of `tasks`,
 * those of its present content, may be in flight (see `whyLocked`).
 *
 * What asks for something else loses the tasks that wait and sets those aside that have ended. New ones are made at once
 * in a batch that was not started, and where they are no more than those that waited and go: the row goes on waiting with
 * its new content. Otherwise they cost money that nobody has agreed to yet, and the row is a draft. Takes that were paid for
 * before, when the row asked for the same, come back instead.
 */
export function planTasks(
  before: PlannedRow | undefined,
  after: PlannedRow,
  tasks: readonly Task[],
  options: PlanOptions,
): PlannedTasks {
  const asksForSame = before !== undefined && requestText(before.row) === requestText(after.row);
  const wanted = newTasks(after.row, options.batchId, after.position, after.isBlocked, options.now);
  const stays = (task: Task): boolean => {
    if (!asksForSame) return false;
    // Of fewer takes those go first that were not begun; what has ended was paid for and is kept.
    return TERMINAL_STATUSES.has(task.status) || wanted.some((one) => one.take === task.take);
  };
  const kept = tasks.filter(stays);
  const dropped = tasks.filter((task) => !stays(task));
  const undone = asksForSame ? [] : (options.revive ?? []);
  const lacking = without(wanted, [...kept, ...undone]);
  const paid = (options.paid ?? []).filter(({ take }) => lacking.some((one) => one.take === take));
  const missing = without(lacking, paid);
  // What waits was agreed to be paid for; what stays of it will be, and pays for none of those that are made.
  const agreed = dropped.filter((task) => task.status === 'queued').length;
  const isAtOnce = options.batchState === 'ready' || missing.length <= agreed;
  return {
    tasks: {
      remove: dropped.filter((task) => !wasTouched(task)).map(planned),
      supersede: dropped.filter(wasTouched).map(planned),
      unsupersede: [...undone, ...paid].map(planned),
      add: isAtOnce ? missing : [],
      update: kept.flatMap((task) => follow(task, after) ?? []),
    },
    isDraft: !isAtOnce,
  };
}

/** What becomes of the tasks of a row that is removed: those that were submitted keep their evidence and files. */
export function planRemoval(tasks: readonly Task[]): TaskPlan {
  return {
    remove: tasks.filter((task) => !wasTouched(task)).map(planned),
    supersede: tasks.filter(wasTouched).map(planned),
    unsupersede: [],
    add: [],
    update: [],
  };
}

/** The tasks of a draft that is let run. */
export function releasedTasks(
  row: PlannedRow,
  tasks: readonly Task[],
  { batchId, now }: Pick<PlanOptions, 'batchId' | 'now'>,
): readonly Omit<Task, 'id'>[] {
  return without(newTasks(row.row, batchId, row.position, row.isBlocked, now), tasks);
}

/** The takes of `wanted` that are not among others. */
function without<T extends Pick<Task, 'take'>>(
  wanted: readonly T[],
  others: readonly Pick<Task, 'take'>[],
): readonly T[] {
  const taken = new Set(others.map(({ take }) => take));
  return wanted.filter(({ take }) => !taken.has(take));
}

/** True for a task of which something may be told: everything but one that has waited untouched since it was made. */
function wasTouched(task: Task): boolean {
  return (
    task.status !== 'queued' ||
    task.attempts > 0 ||
    task.setbacks > 0 ||
    task.taskCode !== undefined ||
    task.failure !== undefined
  );
}

function planned({ id, revision }: PlannedTask): PlannedTask {
  return { id, revision };
}

/** A waiting task as it goes with its row; undefined where it stays as it is. */
function follow(task: Task, { row, position }: PlannedRow): Task | undefined {
  if (task.status !== 'queued' || task.priority === row.priority) return undefined;
  return { ...task, rowId: row.id, position, priority: row.priority, revision: task.revision + 1 };
}

/** A superseded task, and the bytes that were sent for it last. */
export interface EarlierTask {
  readonly task: Task;
  readonly sent: Uint8Array;
}

/**
 * Of the superseded tasks of a row those that were paid for and asked for exactly what it asks for now, one for each take:
 * the newest that is done, else the newest that may still give something. None for a row that refers to others: what they
 * give may be something else by now.
 * @param body The bytes that would be sent for the row.
 */
export function paidTasks(row: Row, body: Uint8Array, earlier: readonly EarlierTask[]): readonly Task[] {
  if (row.links !== undefined && row.links.length > 0) return [];
  const best = new Map<number, Task>();
  for (const { task, sent } of earlier) {
    if (task.operation !== row.operation || !gives(task) || !areEqual(sent, body)) continue;
    const known = best.get(task.take);
    if (known === undefined || isBetter(task, known)) best.set(task.take, task);
  }
  return [...best.values()];
}

/** Its files are there, or may still come. */
function gives(task: Task): boolean {
  return task.status === 'done' || mayStillGive(task);
}

function isBetter(a: Task, b: Task): boolean {
  if ((a.status === 'done') !== (b.status === 'done')) return a.status === 'done';
  return a.id > b.id;
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
