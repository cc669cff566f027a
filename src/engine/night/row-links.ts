import { FAMILIES } from '../../shared/domain/operations/operations.ts';
import { rowsReferredTo } from '../../shared/domain/cells/reference.ts';
import { assertNever } from '../../shared/domain/base/result.ts';
import { TERMINAL_STATUSES, type Task, isFailedByOther } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import { crashPoint } from '../crash-point.ts';
import type { StatusCounts, TaskStore } from '../ports.ts';
import { rowSource, type RowSource } from './row-source.ts';
import type { Entry, TaskJournal } from './task-journal.ts';

/** Rows and tasks handled in one go: about a tenth of a second if all of them change. */
const AT_ONCE = 250;
/** Transactions in one go: each may free or fail the rows of the next, down a chain. */
const GROUPS_AT_ONCE = 20;

/** What happens to a task that refers to other rows. */
export type Dependence =
  /** Every row that it refers to is done. */
  | { readonly kind: 'free' }
  | { readonly kind: 'waits'; readonly by: string }
  | { readonly kind: 'fails'; readonly by: string; readonly source: Extract<RowSource, { kind: 'none' }> };

/** Checks the rows in the order in which they are referred to: the first that is not done decides. */
export function dependenceOf(rows: readonly string[], sourceOf: (rowId: string) => RowSource): Dependence {
  for (const by of rows) {
    const source = sourceOf(by);
    if (source.kind === 'coming') return { kind: 'waits', by };
    if (source.kind === 'none') return { kind: 'fails', by, source };
  }
  return { kind: 'free' };
}

/**
 * Updates the tasks that wait for other rows: a commit notes every change of what a row can give, and soon after, this
 * class checks the tasks that wait for that row. Nothing is kept when the process ends: at the next start, every
 * waiting task is checked.
 */
export class RowLinks {
  readonly #store: TaskStore;
  readonly #journal: TaskJournal;
  /** Rows whose results may have changed. */
  readonly #rows = new Map<string, { readonly batchId: string; readonly rowId: string }>();
  /** Tasks to check. */
  readonly #tasks = new Set<number>();

  constructor(store: TaskStore, journal: TaskJournal) {
    this.#store = store;
    this.#journal = journal;
  }

  /** True while anything is left to check. */
  get isBehind(): boolean {
    return this.#rows.size > 0 || this.#tasks.size > 0;
  }

  /** Notes a committed change. */
  note(task: Task, event: TaskEvent): void {
    if (mayChangeSource(task, event)) this.#noteRow(task.batchId, task.rowId);
    if (event.kind === 'user-retry' && task.blockedBy !== undefined) this.#tasks.add(task.id);
  }

  /** Everything in a batch that waits for a row: after a start, and after the sheet was changed. */
  noteAll(batchId: string): void {
    for (const rowId of this.#store.rowsWaitedFor(batchId)) this.#noteRow(batchId, rowId);
  }

  /** Checks what was noted and records what follows. Throws if the store does: then everything stays noted. */
  lookAgain(): void {
    let left = AT_ONCE;
    for (let n = 0; n < GROUPS_AT_ONCE && left > 0 && this.isBehind; n += 1) {
      left -= this.#gatherTasks(left);
      const ids = firstOf(this.#tasks, left);
      left -= ids.length;
      for (const id of ids) this.#tasks.delete(id);
      try {
        this.#lookAt(ids);
      } catch (error) {
        for (const id of ids) this.#tasks.add(id);
        throw error;
      }
    }
  }

  #lookAt(ids: readonly number[]): void {
    const sourceOf = this.#sourcesOfNow();
    const found = ids.flatMap((id) => this.#eventFor(id, sourceOf) ?? []);
    if (found.length === 0) return;
    crashPoint('link.before-commit');
    this.#journal.recordNow(found.map(({ task, event }): Entry => ({ taskId: task.id, event })));
    crashPoint('link.committed');
    // A failed task that waits again brings back the tasks that it had failed.
    for (const { task } of found) if (task.status === 'failed') this.#noteRow(task.batchId, task.rowId);
  }

  #noteRow(batchId: string, rowId: string): void {
    this.#rows.set(JSON.stringify([batchId, rowId]), { batchId, rowId });
  }

  /** Finds the tasks of noted rows until there are enough or `most` rows were checked; returns their number. */
  #gatherTasks(most: number): number {
    const hasFailed = this.#batchesWithFailures();
    let looked = 0;
    for (const [key, { batchId, rowId }] of this.#rows) {
      if (this.#tasks.size >= AT_ONCE || looked >= most) break;
      looked += 1;
      // A queued task already waits for a row that is running.
      const isSettled = !hasFailed(batchId) && rowSource(this.#store, batchId, rowId).kind === 'coming';
      if (!isSettled) for (const id of this.#store.taskIdsBlockedBy(batchId, rowId)) this.#tasks.add(id);
      this.#rows.delete(key);
    }
    return looked;
  }

  #batchesWithFailures(): (batchId: string) => boolean {
    const known = new Map<string, boolean>();
    return (batchId) => {
      const hasFailed = known.get(batchId) ?? countFailed(this.#store.counts(batchId)) > 0;
      known.set(batchId, hasFailed);
      return hasFailed;
    };
  }

  /** Many tasks may wait for one row: it is checked once. */
  #sourcesOfNow(): (batchId: string, rowId: string) => RowSource {
    const known = new Map<string, RowSource>();
    return (batchId, rowId) => {
      const key = JSON.stringify([batchId, rowId]);
      const source = known.get(key) ?? rowSource(this.#store, batchId, rowId);
      known.set(key, source);
      return source;
    };
  }

  #eventFor(
    taskId: number,
    sourceOf: (batchId: string, rowId: string) => RowSource,
  ): { readonly task: Task; readonly event: TaskEvent } | undefined {
    const task = this.#store.task(taskId);
    if (task === undefined || (task.status !== 'queued' && !isFailedByOther(task))) return undefined;
    const rows = rowsReferredTo(this.#store.row(task.batchId, task.rowId)?.links);
    const event = linkEvent(
      task,
      dependenceOf(rows, (rowId) => sourceOf(task.batchId, rowId)),
    );
    return event === undefined ? undefined : { task, event };
  }
}

function countFailed(counts: StatusCounts): number {
  return FAMILIES.reduce((sum, family) => sum + counts[family].failed, 0);
}

/** The first members of a set, at most this many. */
function firstOf<T>(set: ReadonlySet<T>, most: number): readonly T[] {
  const first: T[] = [];
  for (const one of set) {
    if (first.length >= most) break;
    first.push(one);
  }
  return first;
}

/** The event for a task with this `dependence`; undefined if nothing changes for it. */
export function linkEvent(task: Task, dependence: Dependence): TaskEvent | undefined {
  switch (dependence.kind) {
    case 'free':
      return task.blockedBy === undefined ? undefined : { kind: 'unblocked' };
    case 'waits': {
      const waitsAlready = task.status === 'queued' && task.blockedBy === dependence.by;
      return waitsAlready ? undefined : { kind: 'blocked', by: dependence.by };
    }
    case 'fails':
      if (task.status !== 'queued') return undefined;
      return { kind: 'blocked-row-failed', by: dependence.by, failure: dependence.source.failure };
    default:
      return assertNever(dependence);
  }
}

/** An end, or a return from one to the queue: what a row gives may have changed, if it gives anything. */
function mayChangeSource(task: Task, { kind }: TaskEvent): boolean {
  return TERMINAL_STATUSES.has(task.status) || kind === 'user-retry';
}
