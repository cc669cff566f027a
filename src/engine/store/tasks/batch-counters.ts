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
import type { StatusCounts } from '../../ports.ts';
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

/**
 * Counts in memory, because each count in the database takes milliseconds. The database counts a batch once, at its
 * first use; later changes are applied after their commit.
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
  const counted = new Map<number, BatchCounts>();

  function count(batch: number): BatchCounts {
    const tasks = ofEach(OPERATION_PATHS);
    for (const { operation, status, n } of selectTasks.all(batch)) tasks[operation][status] = n;
    const rows = noRows();
    for (const { status, n } of selectRows.all(batch)) rows[status] = n;
    const charged = selectAttempts.all(batch).filter(({ outcome }) => mayBeCharged(outcome ?? undefined));
    const submitsUsed = charged.reduce((sum, { n }) => sum + n, 0);
    return { tasks, rows, submitsUsed, draftSubmits: selectDrafts.get(batch)?.n ?? 0 };
  }

  return {
    of(batch: number) {
      const known = counted.get(batch) ?? count(batch);
      counted.set(batch, known);
      return known;
    },
    /** Has everything counted anew: another connection may have changed it. */
    forget: () => counted.clear(),
  };
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

/** What tasks may still give: the kinds of those that have not ended. */
export function kindsLeft(tasks: TaskCounts): readonly OutputKind[] {
  const isLeft = (path: OperationPath): boolean =>
    TASK_STATUSES.some((status) => !TERMINAL_STATUSES.has(status) && tasks[path][status] > 0);
  return [...new Set(OPERATIONS.filter(({ path }) => isLeft(path)).map(({ output }) => output))];
}
