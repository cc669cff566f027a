import { FAMILIES } from '../../shared/domain/operations/operations.ts';
import { rowsOfTasks, rowsReferredTo, type LinkedField } from '../../shared/domain/cells/reference.ts';
import { assertNever, present } from '../../shared/domain/base/result.ts';
import { TERMINAL_STATUSES, type Task, isFailedByOther } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import { crashPoint } from '../crash-point.ts';
import type { StatusCounts, TaskStore } from '../ports/task-store.ts';
import type { Night } from './night.ts';
import { rowSource, type RowSource } from './row-source.ts';
import type { Entry, TaskJournal } from './task-journal.ts';

/** How many rows and tasks to handle in one go: about a tenth of a second if all of them change. */
const AT_ONCE = 250;
/** How many rows the store is asked about together. */
const ROWS_ASKED = 32;
/** How many transactions to make in one go: each may free or fail the rows of the next, down a chain. */
const GROUPS_AT_ONCE = 20;

/** What happens to a task that refers to other rows. */
export type Dependence =
  /** Every row that the task refers to is done; `account`: the one that made the first of those whose task it names. */
  | { readonly kind: 'free'; readonly account?: string }
  | { readonly kind: 'waits'; readonly by: string; readonly awaitsPick?: true }
  | { readonly kind: 'fails'; readonly by: string; readonly source: Extract<RowSource, { kind: 'none' }> };

/** Checks the rows in the order in which the task refers to them: the first that is not done decides. */
export async function dependenceOf(
  links: readonly LinkedField[] | undefined = [],
  sourceOf: (rowId: string) => Promise<RowSource>,
): Promise<Dependence> {
  const known = new Set(rowsOfTasks(links));
  let account: string | undefined;
  let accountOfTask: string | undefined;
  for (const by of rowsReferredTo(links)) {
    const source = await sourceOf(by);
    if (source.kind === 'coming') return { kind: 'waits', by, ...present({ awaitsPick: source.awaitsPick }) };
    if (source.kind === 'none') return { kind: 'fails', by, source };
    account ??= source.task.account;
    if (known.has(by)) accountOfTask ??= source.task.account;
  }
  return { kind: 'free', ...present({ account: accountOfTask ?? account }) };
}

/**
 * Updates the tasks that wait for other rows. A commit notes every change of what a row can give, and soon afterwards
 * this class checks the tasks that wait for that row. Nothing is kept when the process ends: the next start checks
 * every waiting task.
 */
export class RowLinks {
  readonly #store: TaskStore;
  readonly #journal: TaskJournal;
  readonly #isAwaited: Night['isAwaited'];
  /** Rows whose results may have changed. */
  readonly #rows = new Map<string, { readonly batchId: string; readonly rowId: string }>();
  /** Tasks to check. */
  readonly #tasks = new Set<number>();
  /** How many looks and queries are under way. */
  #underWay = 0;
  /** The last look: the next one waits for it. */
  #turn: Promise<void> = Promise.resolve();

  constructor(store: TaskStore, journal: TaskJournal, isAwaited: Night['isAwaited'] = () => false) {
    this.#store = store;
    this.#journal = journal;
    this.#isAwaited = isAwaited;
  }

  /** True while anything is left to check. */
  get isBehind(): boolean {
    return this.#underWay > 0 || this.#rows.size > 0 || this.#tasks.size > 0;
  }

  /** Notes a committed change. */
  note(task: Task, event: TaskEvent): void {
    if (mayChangeSource(task, event)) this.noteRow(task);
    if (event.kind === 'user-retry' && task.blockedBy !== undefined) this.#tasks.add(task.id);
  }

  /** Notes a row whose results may have changed. */
  noteRow({ batchId, rowId }: Pick<Task, 'batchId' | 'rowId'>): void {
    this.#rows.set(JSON.stringify([batchId, rowId]), { batchId, rowId });
  }

  /** Notes the rows that a task's row refers to: a new task of that row was made, and waits for them. */
  noteSourcesOf({ batchId, rowId }: Task): Promise<void> {
    return this.#during(async () => {
      const row = await this.#store.row(batchId, rowId);
      for (const by of rowsReferredTo(row?.links)) this.noteRow({ batchId, rowId: by });
    });
  }

  /** Notes everything in a batch that waits for a row: after a start, and after a change of the sheet. */
  noteAll(batchId: string): Promise<void> {
    return this.#during(async () => {
      for (const rowId of await this.#store.rowsWaitedFor(batchId)) this.noteRow({ batchId, rowId });
    });
  }

  /**
   * Checks what was noted and records what follows, one look at a time. Rejects if the store does: everything then
   * stays noted.
   */
  lookAgain(): Promise<void> {
    const look = this.#turn.then(() => (this.isBehind ? this.#during(() => this.#look()) : undefined));
    this.#turn = look.catch(() => undefined);
    return look;
  }

  async #during(work: () => Promise<void>): Promise<void> {
    this.#underWay += 1;
    try {
      await work();
    } finally {
      this.#underWay -= 1;
    }
  }

  async #look(): Promise<void> {
    let left = AT_ONCE;
    for (let n = 0; n < GROUPS_AT_ONCE && left > 0 && this.#rows.size + this.#tasks.size > 0; n += 1) {
      left -= await this.#gatherTasks(left);
      const ids = firstOf(this.#tasks, left);
      left -= ids.length;
      // What is noted from here on is checked again.
      for (const id of ids) this.#tasks.delete(id);
      try {
        await this.#lookAt(ids);
      } catch (error) {
        for (const id of ids) this.#tasks.add(id);
        throw error;
      }
    }
  }

  async #lookAt(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const sourceOf = this.#sourcesOfNow();
    const found: { readonly task: Task; readonly event: TaskEvent }[] = [];
    for (const task of await this.#store.tasks(ids)) {
      const event = await this.#eventFor(task, sourceOf);
      if (event !== undefined) found.push({ task, event });
    }
    if (found.length === 0) return;
    crashPoint('link.before-commit');
    const recorded = await this.#journal.recordNow(
      found.map(({ task, event }): Entry => ({ taskId: task.id, event, asRead: task })),
    );
    crashPoint('link.committed');
    for (const [i, { task }] of found.entries()) if (recorded[i]?.kind === 'stale') this.#tasks.add(task.id);
    // A failed task that waits again brings back the tasks that it had failed.
    for (const { task } of found) if (task.status === 'failed') this.noteRow(task);
  }

  /** Finds the tasks of noted rows until there are enough, or `most` rows were checked; returns the number of rows. */
  async #gatherTasks(most: number): Promise<number> {
    const hasFailed = this.#batchesWithFailures();
    let looked = 0;
    while (this.#rows.size > 0 && this.#tasks.size < AT_ONCE && looked < most) {
      const noted = firstOf(this.#rows, Math.min(ROWS_ASKED, most - looked));
      looked += noted.length;
      // What is noted again from here on is checked again.
      for (const [key] of noted) this.#rows.delete(key);
      try {
        // Nothing waits for most rows, so one query settles all of those.
        const waiting = await Promise.all(
          noted.map(([, { batchId, rowId }]) => this.#store.taskIdsBlockedBy(batchId, rowId)),
        );
        for (const [i, [, row]] of noted.entries()) {
          const ids = waiting[i] ?? [];
          if (ids.length > 0 && (await this.#mayGive(row, hasFailed))) for (const id of ids) this.#tasks.add(id);
        }
      } catch (error) {
        for (const [key, row] of noted) this.#rows.set(key, row);
        throw error;
      }
    }
    return looked;
  }

  /** A queued task already waits for a row that is running. */
  async #mayGive(
    { batchId, rowId }: { readonly batchId: string; readonly rowId: string },
    hasFailed: (batchId: string) => Promise<boolean>,
  ): Promise<boolean> {
    if (await hasFailed(batchId)) return true;
    const source = await rowSource(this.#store, batchId, rowId, this.#isAwaited);
    return source.kind !== 'coming' || source.awaitsPick === true;
  }

  #batchesWithFailures(): (batchId: string) => Promise<boolean> {
    const known = new Map<string, boolean>();
    return async (batchId) => {
      const hasFailed = known.get(batchId) ?? countFailed(await this.#store.counts(batchId)) > 0;
      known.set(batchId, hasFailed);
      return hasFailed;
    };
  }

  /** Many tasks may wait for one row: it is checked once. */
  #sourcesOfNow(): (batchId: string, rowId: string) => Promise<RowSource> {
    const known = new Map<string, RowSource>();
    return async (batchId, rowId) => {
      const key = JSON.stringify([batchId, rowId]);
      const source = known.get(key) ?? (await rowSource(this.#store, batchId, rowId, this.#isAwaited));
      known.set(key, source);
      return source;
    };
  }

  async #eventFor(
    task: Task,
    sourceOf: (batchId: string, rowId: string) => Promise<RowSource>,
  ): Promise<TaskEvent | undefined> {
    if (task.status !== 'queued' && !isFailedByOther(task)) return undefined;
    const row = await this.#store.row(task.batchId, task.rowId);
    const dependence = await dependenceOf(row?.links, (rowId) => sourceOf(task.batchId, rowId));
    return linkEvent(task, dependence);
  }
}

function countFailed(counts: StatusCounts): number {
  return FAMILIES.reduce((sum, family) => sum + counts[family].failed, 0);
}

/** The first of these items, at most this many. */
function firstOf<T>(all: Iterable<T>, most: number): readonly T[] {
  const first: T[] = [];
  for (const one of all) {
    if (first.length >= most) break;
    first.push(one);
  }
  return first;
}

/** The event for a task with this `dependence`; undefined if nothing changes for the task. */
export function linkEvent(task: Task, dependence: Dependence): TaskEvent | undefined {
  switch (dependence.kind) {
    case 'free':
      if (task.blockedBy === undefined) return undefined;
      return { kind: 'unblocked', ...present({ account: dependence.account }) };
    case 'waits': {
      const { by, awaitsPick } = dependence;
      const waitsAlready = task.status === 'queued' && task.blockedBy === by && task.awaitsPick === awaitsPick;
      return waitsAlready ? undefined : { kind: 'blocked', by, ...present({ awaitsPick }) };
    }
    case 'fails':
      if (task.status !== 'queued') return undefined;
      return { kind: 'blocked-row-failed', by: dependence.by, failure: dependence.source.failure };
    default:
      return assertNever(dependence);
  }
}

/** An end, or a return from an end to the queue: what a row gives may have changed, if it gives anything. */
function mayChangeSource(task: Task, { kind }: TaskEvent): boolean {
  return TERMINAL_STATUSES.has(task.status) || kind === 'user-retry' || kind === 'reviewed';
}
