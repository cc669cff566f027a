import { present } from '../base/result.ts';
import type { BatchState } from './batch.ts';
import { newTasks } from './new-tasks.ts';
import { rowsReferredTo } from '../cells/reference.ts';
import { requestKey, requestText, type Row } from '../sheet/row.ts';
import { foldRowId } from '../sheet/sheet-row-ids.ts';
import { whyLocked } from './row-status.ts';
import { mayBeHad } from './task-machine.ts';
import { TERMINAL_STATUSES, type Output, type Task, mayStillGive } from './task.ts';

/** A task as it was when a plan was made: if it has changed since, the plan is void. */
export type PlannedTask = Pick<Task, 'id' | 'revision'>;

/** What happens to the tasks of a row whose content changes. Tasks not listed stay, whatever becomes of them. */
export interface TaskPlan {
  /** Never submitted: deleted without a trace. */
  readonly remove: readonly PlannedTask[];
  /** Submitted at some time, or ended: they keep evidence and files, no longer count, and never start. */
  readonly supersede: readonly (PlannedTask & Pick<Task, 'askedAnew'>)[];
  /** Superseded tasks that count again: the row asks for what they were made for. */
  readonly unsupersede: readonly (PlannedTask & Pick<Task, 'madeAgain'>)[];
  readonly add: readonly Omit<Task, 'id'>[];
  /**
   * Waiting tasks that stay, with a new priority, one revision later. They follow the id and position of their row
   * anyway.
   */
  readonly update: readonly Task[];
  /** These stay as they are: the row may change as planned because none of them was in flight. */
  readonly keep: readonly PlannedTask[];
}

/** A row of a batch as it is before and after an edit. */
export interface PlannedRow {
  readonly row: Row;
  /** Where the row is in its batch. */
  readonly position: number;
  /** The row has an error and cannot run. */
  readonly isBlocked: boolean;
}

export interface PlanOptions {
  readonly batchId: string;
  readonly batchState: BatchState;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What is finished of the row is requested once more, or `revive` comes back in its place. */
  readonly again?: 'anew' | 'back';
  /** Superseded tasks of the content that an undo restores: they replace the new ones, whatever their state. */
  readonly revive?: readonly Revivable[];
  /**
   * Takes that must be new, as before the edit that an undo takes back; `newest` was then the last of the row's tasks.
   * Of these, `agreed` waited for what the user had let run: they wait again.
   */
  readonly lacked?: {
    readonly takes: readonly number[];
    readonly newest: number;
    readonly agreed?: readonly Pick<Task, 'take' | 'madeAgain'>[];
  };
  /** Superseded tasks that were paid for exactly what the row asks for (see `paidTasks`): each saves a take. */
  readonly paid?: readonly Revivable[];
}

type Revivable = Pick<Task, 'id' | 'revision' | 'take' | 'madeAgain'>;

/** What an edit does to a row's tasks, and whether missing tasks are made only at the user's word. */
export interface PlannedTasks {
  readonly tasks: TaskPlan;
  readonly isDraft: boolean;
}

/**
 * What happens to the tasks of an edited row; `before` is undefined for a new row. If one of `tasks`, the tasks of its
 * present content, is in flight (see `whyLocked`), the row asks for the same as before.
 *
 * If the row asks for something else, its waiting tasks are deleted and its ended ones set aside. New tasks are made at
 * once if the batch has not started, or if there are no more of them than of the waiting ones they replace: the row
 * keeps waiting with its new content. Otherwise they cost money that nobody has agreed to yet, and the row becomes a
 * draft. So it does if it waits because of a gate: that was to be paid for what it asked for then. Takes that were paid
 * for when the row asked for the same come back instead. If an undo brings back takes that waited, they wait again, and
 * only others make the row a draft. If the row is to run next, so are its new tasks.
 */
export function planTasks(
  before: PlannedRow | undefined,
  after: PlannedRow,
  tasks: readonly Task[],
  options: PlanOptions,
): PlannedTasks {
  const asksForSame = before !== undefined && requestText(before.row) === requestText(after.row);
  const wanted = newTasks(after.row, options.batchId, after.position, after.isBlocked, options.now);
  const { takes: lacked, newest, agreed: letRun = [] } = options.lacked ?? { takes: [], newest: Infinity };
  const stays = (task: Task): boolean => {
    if (!asksForSame) return false;
    const isWanted = isOfTake(wanted, task);
    // What was finished since is no part of a wish that an undo brings back, nor is what was finished beside it.
    const isBeside = options.lacked !== undefined && !lacked.includes(task.take);
    if (options.again === 'anew' && task.status === 'done') return !isWanted || isBeside || task.id > newest;
    if (options.again === 'back' && isOfTake(options.revive ?? [], task)) return false;
    // If takes are reduced, those not begun go first, and those of which nothing came: a retry would pay for them. What
    // the others were paid for is kept.
    return isWanted || task.status === 'done' || (TERMINAL_STATUSES.has(task.status) && mayBeHad(task));
  };
  const kept = tasks.filter(stays);
  const dropped = tasks.filter((task) => !stays(task));
  const undone = without(options.revive ?? [], kept);
  const lacking = without(wanted, [...kept, ...undone]);
  // What was asked for before and is missing must be new, whatever was paid for in the meantime.
  const anew = asksForSame ? (options.again === 'anew' ? wanted : lackingTasks(before, tasks, options)) : [];
  // What was paid for since then is what the row was meant to get.
  const isLacked = ({ id, take }: Revivable): boolean => lacked.includes(take) && id <= newest;
  const paid = without(options.paid ?? [], anew).filter((task) => isOfTake(lacking, task) && !isLacked(task));
  const missing = without(lacking, paid);
  // The user agreed to pay for the waiting tasks; those that stay will be paid for, so they cover none of the new ones.
  // Nor do those removed from a row that asks for the same: what it lacked waits for the user's word, and goes on
  // waiting.
  // What a gate has made again was agreed to for the earlier content: the new one may be flagged, and made again, too.
  const isAgreed = ({ status, madeAgain }: Task): boolean => status === 'queued' && madeAgain === undefined;
  const agreed = asksForSame ? 0 : dropped.filter(isAgreed).length;
  // Those that a gate had made again count on.
  const asTheyWaited = missing.map((task) => ({
    ...task,
    ...present({ madeAgain: letRun.find(({ take }) => take === task.take)?.madeAgain }),
  }));
  const waitingAgain = asTheyWaited.filter((task) => isOfTake(letRun, task));
  const isAtOnce = options.batchState === 'ready' || missing.length <= agreed + waitingAgain.length;
  const isInFlight = whyLocked(tasks) !== undefined;
  // Even if another task that is not finished comes back: what was finished can be kept instead.
  const askedAnew = options.again === undefined ? undefined : { request: requestKey(after.row), at: options.now };
  const update = kept.flatMap((task) => follow(task, before, after) ?? []);
  const updated = new Set(update.map(({ id }) => id));
  return {
    tasks: {
      remove: dropped.filter((task) => !wasTouched(task)).map(planned),
      supersede: dropped.filter(wasTouched).map((task) => ({ ...planned(task), ...present({ askedAnew }) })),
      unsupersede: [...undone, ...paid].map(({ madeAgain, ...task }) => ({
        ...planned(task),
        ...present({ madeAgain }),
      })),
      add: inTurn(isAtOnce ? asTheyWaited : waitingAgain, tasks, before, after),
      update,
      // What may be changed in a row in flight does not depend on its tasks, and those change all the time.
      keep: isInFlight ? [] : kept.filter(({ id }) => !updated.has(id)).map(planned),
    },
    isDraft: !isAtOnce,
  };
}

/**
 * What a row asked for and did not have: new takes, or takes that are to be rendered again. What was paid for earlier
 * does not count as this.
 */
export function lackingTasks(
  { row, position, isBlocked }: PlannedRow,
  tasks: readonly Task[],
  { batchId, now }: Pick<PlanOptions, 'batchId' | 'now'>,
) {
  return without(newTasks(row, batchId, position, isBlocked, now), tasks);
}

/** What happens to the tasks of a removed row: those that were submitted keep their evidence and files. */
export function planRemoval(tasks: readonly Task[]): TaskPlan {
  return {
    remove: tasks.filter((task) => !wasTouched(task)).map(planned),
    supersede: tasks.filter(wasTouched).map(planned),
    unsupersede: [],
    add: [],
    update: [],
    keep: [],
  };
}

/** The tasks of a draft that the user runs. */
export function releasedTasks(
  row: PlannedRow,
  tasks: readonly Task[],
  { batchId, now }: Pick<PlanOptions, 'batchId' | 'now'>,
): readonly Omit<Task, 'id'>[] {
  return inTurn(lackingTasks(row, tasks, { batchId, now }), tasks, row, row);
}

/**
 * New tasks of a row that has `tasks`, with the priority of the tasks that wait now, unless the edit gives the row
 * another. Only the store knows, when it writes them, whether the row is held.
 */
function inTurn(
  added: readonly Omit<Task, 'id'>[],
  tasks: readonly Task[],
  before: PlannedRow | undefined,
  after: PlannedRow,
): readonly Omit<Task, 'id'>[] {
  // A task that is made again goes behind all others.
  const waiting = tasks.find(({ status, madeAgain }) => status === 'queued' && madeAgain === undefined);
  const priority = waiting !== undefined && hasSamePriority(before, after) ? waiting.priority : after.row.priority;
  return added.map((task) => ({ ...task, priority }));
}

function hasSamePriority(before: PlannedRow | undefined, after: PlannedRow): boolean {
  return before?.row.priority === after.row.priority;
}

function isOfTake(tasks: readonly Pick<Task, 'take'>[], { take }: Pick<Task, 'take'>): boolean {
  return tasks.some((one) => one.take === take);
}

/** The takes of `wanted` that others do not have. */
function without<T extends Pick<Task, 'take'>>(
  wanted: readonly T[],
  others: readonly Pick<Task, 'take'>[],
): readonly T[] {
  const taken = new Set(others.map(({ take }) => take));
  return wanted.filter(({ take }) => !taken.has(take));
}

/** True for a task with a history: every task except one that has waited untouched since it was made. */
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

/**
 * A waiting task, or an ended one that may be tried again, as it follows its row; undefined if it stays as it is. The
 * row then decides which account a retry goes to.
 */
function follow(task: Task, before: PlannedRow | undefined, after: PlannedRow): Task | undefined {
  const { row, position } = after;
  const isWaiting = task.status === 'queued';
  if (!isWaiting && task.status !== 'failed' && task.status !== 'cancelled') return undefined;
  const priority = isWaiting && !hasSamePriority(before, after) ? row.priority : task.priority;
  const blockedBy = task.blockedBy && idNow(task.blockedBy, row);
  if (priority === task.priority && task.pin === row.account && blockedBy === task.blockedBy) return undefined;
  const { pin: _, ...unpinned } = task;
  const own = present({ pin: row.account, blockedBy });
  return { ...unpinned, ...own, rowId: row.id, position, priority, revision: task.revision + 1 };
}

/** The id of a row that another one refers to, as it is written now. */
function idNow(id: string, { links }: Row): string {
  return rowsReferredTo(links).find((one) => foldRowId(one) === foldRowId(id)) ?? id;
}

type Keepable = Pick<Task, 'id' | 'take' | 'status' | 'finishedAt' | 'askedAnew'> & {
  readonly outputs: readonly Pick<Output, 'state'>[];
};

/**
 * The takes that were set aside because their row was to be rendered again, if that can be taken back: the row asks for
 * the same as then, and nothing new is finished in their place. Takes that are done bring back the others of the same
 * wish.
 * @param request The number of what the row asks for (see `requestKey`); undefined if it cannot run.
 * @param tasks The tasks of its present content.
 * @param earlier Its superseded tasks.
 */
export function takesToKeep<T extends Keepable>(
  request: number | undefined,
  tasks: readonly Pick<Task, 'take' | 'status'>[],
  earlier: readonly T[],
): readonly T[] {
  const finished = tasks.filter(({ status }) => status === 'done');
  const isWanted = (task: T): boolean => {
    const { askedAnew } = task;
    if (askedAnew === undefined || askedAnew.request !== request || isOfTake(finished, task)) return false;
    // The user may have deleted its files since.
    if (!task.outputs.some(({ state }) => state === 'verified')) return false;
    // If another one was finished since then, that is what the user wished for. If the clock was put back, the wish
    // seems to have come before what it set aside.
    const since = Math.max(askedAnew.at, task.finishedAt ?? 0);
    return !earlier.some(
      ({ id, take, status, finishedAt = 0 }) =>
        id > task.id && take === task.take && status === 'done' && finishedAt > since,
    );
  };
  const last = new Map(earlier.filter(isWanted).map((task) => [task.take, task]));
  return [...last.values(), ...setAsideWith([...last.values()], tasks, earlier)];
}

/**
 * Takes that had ended in another way and were set aside by the same wish as takes that are kept: a take that the user
 * has cancelled would be paid for at the next run if it did not come back. What took its place stays if it has begun.
 */
function setAsideWith<T extends Keepable>(
  kept: readonly T[],
  tasks: readonly Pick<Task, 'take' | 'status'>[],
  earlier: readonly T[],
): readonly T[] {
  const begun = tasks.filter(({ status }) => status !== 'queued');
  const isOfWish = ({ askedAnew: wish, ...task }: T): boolean =>
    wish !== undefined &&
    task.status !== 'done' &&
    kept.some(({ askedAnew }) => askedAnew?.request === wish.request && askedAnew.at === wish.at) &&
    !isOfTake([...kept, ...begun], task);
  const last = new Map(earlier.filter(isOfWish).map((task) => [task.take, task]));
  return [...last.values()];
}

/** Whether a row's earlier files can be kept after all; `sent`: a request for new ones has left, and cannot be taken back. */
export type KeepsEarlier = 'possible' | 'sent';

/** See {@link takesToKeep}; undefined if there is nothing to keep. */
export function keepsEarlier(...row: Parameters<typeof takesToKeep>): KeepsEarlier | undefined {
  if (takesToKeep(...row).length === 0) return undefined;
  return whyLocked(row[1]) === undefined ? 'possible' : 'sent';
}

/** A superseded task, and the bytes last sent for it, if any. */
export interface EarlierTask {
  readonly task: Task;
  readonly sent?: Uint8Array;
}

/**
 * The superseded tasks of a row that were paid for and asked for exactly what it asks for now, one per take: the newest
 * that is done, or else the newest that may still give something. None for a row that refers to others: what those give
 * may have changed. Each counts as made again as often as any task of its take was, whatever came of that: that was
 * paid for, too.
 * @param bodyAt The bytes that would be sent for the row where a task was sent.
 */
export function paidTasks(
  row: Row,
  bodyAt: (task: Task) => Uint8Array,
  earlier: readonly EarlierTask[],
): readonly Task[] {
  if (isLinked(row)) return [];
  const best = new Map<number, Task>();
  const made = new Map<number, number>();
  for (const { task, sent } of earlier) {
    const { take, madeAgain = 0 } = task;
    if (sent === undefined || task.operation !== row.operation || !areEqual(sent, bodyAt(task))) continue;
    made.set(take, Math.max(made.get(take) ?? 0, madeAgain));
    const known = best.get(take);
    if (gives(task) && (known === undefined || isBetter(task, known))) best.set(take, task);
  }
  return Array.from(best, ([take, task]) => {
    const madeAgain = made.get(take) ?? 0;
    return madeAgain > 0 ? { ...task, madeAgain } : task;
  });
}

/** It refers to others, whose results may have changed since it was sent. */
export function isLinked({ links = [] }: Pick<Row, 'links'>): boolean {
  return links.length > 0;
}

/** Its files exist, or may still arrive. */
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
