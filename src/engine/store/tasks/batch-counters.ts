import {
  FAMILIES,
  OPERATION_PATHS,
  OPERATIONS,
  type Family,
  type OperationPath,
  type OutputKind,
} from '../../../shared/domain/operations/operations.ts';
import { ROW_VIEW_STATUSES, type RowViewStatus } from '../../../shared/domain/task/row-status.ts';
import { TASK_STATUSES, TERMINAL_STATUSES, type TaskStatus } from '../../../shared/domain/task/task.ts';
import type { StatusCounts } from '../../ports/task-store.ts';
import { mayBeCharged } from './evidence-records.ts';
import type { Database } from '../open/database.ts';

/** Tasks by operation and status. */
type TaskCounts = Record<OperationPath, Record<TaskStatus, number>>;

/** How many rows, tasks and paid requests of each kind one batch has. */
export interface BatchCounts {
  readonly tasks: TaskCounts;
  readonly rows: Record<RowViewStatus, number>;
  submitsUsed: number;
  /** Takes of drafts that do not have a task yet. */
  draftSubmits: number;
}

/** By how much counts change. */
export interface CountChange {
  readonly rows: ReadonlyMap<RowViewStatus, number>;
  readonly tasks: ReadonlyMap<OperationPath, ReadonlyMap<TaskStatus, number>>;
  readonly submits?: number;
  readonly draftSubmits?: number;
}

/**
 * Counts are stored: each transaction that changes them writes those of its batch, so no process ever has to count what
 * another has written. They also stay in memory until another process writes.
 */
export function openBatchCounters(db: Database) {
  const selectTasks = db.prepare<{
    readonly operation: OperationPath;
    readonly status: TaskStatus;
    readonly n: number;
  }>(`
    SELECT operation, status, count(*) AS n FROM tasks WHERE batch = ? AND superseded = 0 GROUP BY operation, status`);
  const selectRows = db.prepare<{ readonly status: RowViewStatus; readonly n: number }>(`
    SELECT status, count(*) AS n FROM rows WHERE batch = ? AND removed = 0 GROUP BY status`);
  const selectAttempts = db.prepare<{ readonly outcome: string | null; readonly n: number }>(`
    SELECT outcome, count(*) AS n FROM attempts WHERE batch = ? GROUP BY outcome`);
  const selectDrafts = db.prepare<{ readonly n: number | null }>(`
    SELECT sum(takes - (SELECT count(*) FROM tasks WHERE row = rows.seq AND superseded = 0 AND take <= takes)) AS n
    FROM rows WHERE batch = ? AND draft = 1`);
  const selectKept = db.prepareColumn<string>('SELECT counts FROM batch_counts WHERE batch = ?');
  const selectBatches = db.prepareColumn<number>('SELECT seq FROM batches ORDER BY seq');
  const write = db.prepare(`INSERT INTO batch_counts (batch, counts) VALUES (?, ?)
    ON CONFLICT (batch) DO UPDATE SET counts = excluded.counts`);
  const counted = new Map<number, BatchCounts>();
  let isKept: boolean | undefined;

  /** Undefined if nothing has changed since counts have been stored, or the store has an older version. */
  function kept(batch: number): BatchCounts | undefined {
    isKept ??= db.hasColumn('batch_counts', 'counts');
    const [text] = isKept ? selectKept(batch) : [];
    return text === undefined ? undefined : countsOf(text);
  }

  function keep(batch: number, counts: BatchCounts): void {
    write.run(batch, textOf(counts));
    counted.set(batch, counts);
  }

  function count(batch: number): BatchCounts {
    const tasks = ofEach(OPERATION_PATHS);
    for (const { operation, status, n } of selectTasks.all(batch)) tasks[operation][status] = n;
    const rows = noRows();
    for (const { status, n } of selectRows.all(batch)) rows[status] = n;
    const charged = selectAttempts.all(batch).filter(({ outcome }) => mayBeCharged(outcome ?? undefined));
    const submitsUsed = charged.reduce((sum, { n }) => sum + n, 0);
    return { tasks, rows, submitsUsed, draftSubmits: selectDrafts.get(batch)?.n ?? 0 };
  }

  function of(batch: number): BatchCounts {
    const known = counted.get(batch) ?? kept(batch) ?? count(batch);
    counted.set(batch, known);
    return known;
  }

  return {
    /**
     * The counts of a batch. Inside a transaction, call this before the first write: otherwise, it returns the counts
     * after that write.
     */
    of,
    /** Runs a transaction that changes counts: if it fails, counts that were remembered in it are forgotten. */
    whileWriting<T>(write: () => T): T {
      try {
        return write();
      } catch (error) {
        counted.clear();
        throw error;
      }
    },
    /** Writes changes, at the end of their transaction. */
    change(batch: number, change: CountChange) {
      const counts = of(batch);
      apply(counts, change);
      keep(batch, counts);
    },
    /** Counts a batch again, in a transaction that cannot say by how much counts have changed. */
    countAnew: (batch: number) => keep(batch, count(batch)),
    /** The same for all batches. */
    countAllAnew() {
      for (const batch of selectBatches()) keep(batch, count(batch));
    },
    /** Has everything read again: another connection may have changed it. */
    forget: () => counted.clear(),
    /** Stored counts that differ from what is there, as text. */
    differences: () =>
      selectBatches().flatMap((batch): readonly string[] => {
        const [ours, theirs] = [kept(batch), count(batch)].map((counts) => counts && textOf(counts));
        return ours === undefined || ours === theirs
          ? []
          : [`Counts of batch ${batch}: ${ours} is kept, there is ${theirs ?? 'nothing'}`];
      }),
  };
}

function apply(counts: BatchCounts, { rows, tasks, submits = 0, draftSubmits = 0 }: CountChange): void {
  for (const [status, count] of rows) counts.rows[status] += count;
  for (const [operation, byStatus] of tasks) {
    for (const [status, count] of byStatus) counts.tasks[operation][status] += count;
  }
  counts.submitsUsed += submits;
  counts.draftSubmits += draftSubmits;
}

/** As stored: without zeros, in a fixed order of names. */
function textOf({ tasks, rows, submitsUsed, draftSubmits }: BatchCounts): string {
  const ofTasks = Object.entries(tasks).map(([operation, byStatus]) => [operation, withoutZeros(byStatus)] as const);
  const some = ofTasks.filter(([, byStatus]) => Object.keys(byStatus).length > 0);
  return JSON.stringify({ tasks: Object.fromEntries(some), rows: withoutZeros(rows), submitsUsed, draftSubmits });
}

function withoutZeros(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

function countsOf(text: string): BatchCounts {
  const { tasks, rows, submitsUsed, draftSubmits } = JSON.parse(text) as {
    readonly tasks: Readonly<Partial<Record<OperationPath, Record<TaskStatus, number>>>>;
    readonly rows: Readonly<Record<RowViewStatus, number>>;
    readonly submitsUsed: number;
    readonly draftSubmits: number;
  };
  const all = ofEach(OPERATION_PATHS);
  for (const operation of OPERATION_PATHS) Object.assign(all[operation], tasks[operation]);
  return { tasks: all, rows: { ...noRows(), ...rows }, submitsUsed, draftSubmits };
}

function zeros<K extends string>(keys: readonly K[]): Record<K, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
}

/** Zero rows of every status. */
export function noRows(): Record<RowViewStatus, number> {
  return zeros(ROW_VIEW_STATUSES);
}

/** Zero tasks of every family and status. */
export function noTasks(): Record<Family, Record<TaskStatus, number>> {
  return ofEach(FAMILIES);
}

function ofEach<K extends string>(keys: readonly K[]): Record<K, Record<TaskStatus, number>> {
  return Object.fromEntries(keys.map((key) => [key, zeros(TASK_STATUSES)])) as Record<K, Record<TaskStatus, number>>;
}

/** The same by family, in a copy that later changes do not affect. */
export function byFamily(tasks: TaskCounts): StatusCounts {
  const counts = noTasks();
  for (const { path, family } of OPERATIONS) {
    for (const status of TASK_STATUSES) counts[family][status] += tasks[path][status];
  }
  return counts;
}

/** The kinds of output that tasks may still produce: those of tasks that have not ended. */
export function kindsLeft(tasks: TaskCounts): readonly OutputKind[] {
  const isLeft = (path: OperationPath): boolean =>
    TASK_STATUSES.some((status) => !TERMINAL_STATUSES.has(status) && tasks[path][status] > 0);
  return [...new Set(OPERATIONS.filter(({ path }) => isLeft(path)).map(({ output }) => output))];
}
