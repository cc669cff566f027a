import { rowsReferredTo } from '../../shared/domain/reference.ts';
import { assertNever } from '../../shared/domain/result.ts';
import { TERMINAL_STATUSES, type Task } from '../../shared/domain/task.ts';
import { isFailedByOther, type TaskEvent } from '../../shared/domain/task-machine.ts';
import { crashPoint } from '../crash-point.ts';
import type { TaskStore } from '../ports.ts';
import { rowSource, type RowSource } from './row-source.ts';
import type { Entry, TaskJournal } from './task-journal.ts';

/** Tasks that are looked at in one go, and go into one transaction. */
const GROUP = 500;
/** Groups in one go: each may free or fail the rows of the next, down a chain. */
const GROUPS_AT_ONCE = 20;

/** What a task that refers to other rows is in for. */
export type Dependence =
  /** Every row that it refers to is done. */
  | { readonly kind: 'free' }
  | { readonly kind: 'waits'; readonly by: string }
  | { readonly kind: 'fails'; readonly by: string; readonly source: Extract<RowSource, { kind: 'none' }> };

/** Looks at the rows in the order in which they are referred to: the first that is not done decides. */
export function dependenceOf(rows: readonly string[], sourceOf: (rowId: string) => RowSource): Dependence {
  for (const by of rows) {
    const source = sourceOf(by);
    if (source.kind === 'coming') return { kind: 'waits', by };
    if (source.kind === 'none') return { kind: 'fails', by, source };
  }
  return { kind: 'free' };
}

/**
 * Keeps the tasks that wait for other rows as these are: whatever changes what a row can give is noted when it is
 * committed, and what waits for that row is looked at soon after. Nothing of it is remembered over the end of the
 * process: then all that waits is looked at again.
 */
export class RowLinks {
  readonly #store: TaskStore;
  readonly #journal: TaskJournal;
  /** Rows that may give something else than before. */
  readonly #rows = new Map<string, { readonly batchId: string; readonly rowId: string }>();
  /** Tasks to be looked at. */
  readonly #tasks = new Set<number>();

  constructor(store: TaskStore, journal: TaskJournal) {
    this.#store = store;
    this.#journal = journal;
  }

  /** True while something is left to be looked at. */
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

  /** Looks at what was noted and records what follows from it. Throws when the store does: all of it stays noted. */
  lookAgain(): void {
    for (let n = 0; n < GROUPS_AT_ONCE && this.isBehind; n += 1) {
      this.#gatherTasks();
      const ids = [...this.#tasks].slice(0, GROUP);
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
    const entries = ids.flatMap((id) => this.#entryFor(id, sourceOf) ?? []);
    if (entries.length === 0) return;
    crashPoint('link.before-commit');
    this.#journal.recordNow(entries);
    crashPoint('link.committed');
  }

  #noteRow(batchId: string, rowId: string): void {
    this.#rows.set(JSON.stringify([batchId, rowId]), { batchId, rowId });
  }

  #gatherTasks(): void {
    for (const [key, { batchId, rowId }] of this.#rows) {
      if (this.#tasks.size >= GROUP) return;
      for (const { id } of this.#store.tasksBlockedBy(batchId, rowId)) this.#tasks.add(id);
      this.#rows.delete(key);
    }
  }

  /** Many tasks may wait for one row: it is looked at once. */
  #sourcesOfNow(): (batchId: string, rowId: string) => RowSource {
    const known = new Map<string, RowSource>();
    return (batchId, rowId) => {
      const key = JSON.stringify([batchId, rowId]);
      const source = known.get(key) ?? rowSource(this.#store, batchId, rowId);
      known.set(key, source);
      return source;
    };
  }

  #entryFor(taskId: number, sourceOf: (batchId: string, rowId: string) => RowSource): Entry | undefined {
    const task = this.#store.task(taskId);
    if (task === undefined || (task.status !== 'queued' && !isFailedByOther(task))) return undefined;
    const rows = rowsReferredTo(this.#store.row(task.batchId, task.rowId)?.links);
    const event = linkEvent(
      task,
      dependenceOf(rows, (rowId) => sourceOf(task.batchId, rowId)),
    );
    return event === undefined ? undefined : { taskId, event };
  }
}

/** What happens to a task that is in for `dependence`; undefined where it is so already. */
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

/** An end, or a way back from one to the queue: what a row gives, or that it gives nothing, may have changed. */
function mayChangeSource(task: Task, { kind }: TaskEvent): boolean {
  return TERMINAL_STATUSES.has(task.status) || kind === 'user-retry' || kind === 'blocked' || kind === 'unblocked';
}
