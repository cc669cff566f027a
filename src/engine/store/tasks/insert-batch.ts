import { PLAIN_SHEET } from '../../../shared/domain/task/batch.ts';
import { idleStatus, strongestStatus } from '../../../shared/domain/task/row-status.ts';
import { newTasks } from '../../../shared/domain/task/new-tasks.ts';
import { blockedRowIds } from '../../../shared/domain/sheet/row.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { requestKey } from '../../../shared/domain/sheet/sheet-checker.ts';
import { ROW_GAP } from '../../../shared/domain/task/task.ts';
import { crashPoint } from '../../crash-point.ts';
import type { NewBatch } from '../../ports.ts';
import type { BatchRecords } from './batch-records.ts';
import { countErrors, type ProblemRecords } from '../sheets/problem-records.ts';
import type { RowRecords, RowToInsert } from '../sheets/row-records.ts';
import { groupBy, ROWS_AT_ONCE, type Database } from '../open/database.ts';
import type { TaskRecords } from './task-records.ts';
import type { TaskOfRow } from './task-writes.ts';

/** The parts of the store that a new batch is written to. */
interface InsertTargets {
  readonly batchRecords: BatchRecords;
  readonly rowRecords: RowRecords;
  readonly taskRecords: TaskRecords;
  readonly problemRecords: ProblemRecords;
  readonly freshKeys: { readonly rows: FreshKeys; readonly tasks: FreshKeys };
}

/** Writes a batch with its rows and tasks; inside a transaction. */
export function insertBatch(newBatch: NewBatch, id: string, targets: InsertTargets): void {
  const { rows, problems, headers, createdAt } = newBatch;
  const { batchRecords, rowRecords, taskRecords, problemRecords, freshKeys } = targets;
  const batch = insertHead(newBatch, id, batchRecords);
  const blocked = blockedRowIds({ headers, rows: [], problems });
  // Problems of the whole sheet have no row.
  const problemsByRow = new Map(
    groupBy(
      problems,
      ({ row }) => row,
      (problem) => problem,
    ),
  );
  let rowCount = 0;
  let taskCount = 0;
  let newRows: RowToInsert[] = [];
  let theirTasks: TaskOfRow[] = [];
  const write = (): void => {
    rowRecords.insert(batch, newRows);
    taskRecords.insert(batch, theirTasks);
    for (const { key, content } of newRows) {
      problemRecords.insert(batch, key, content.problems);
      crashPoint('import.row-written');
    }
    newRows = [];
    theirTasks = [];
  };
  for (const row of rows) {
    const own = takeOut(problemsByRow, row.id);
    const position = (rowCount + 1) * ROW_GAP;
    const tasks = newTasks(row, id, position, blocked.has(row.id), createdAt);
    const status = strongestStatus(tasks.map((task) => task.status)) ?? idleStatus(row, own, false);
    const key = freshKeys.rows.next();
    const unused = newBatch.unusedCells?.get(row.id) ?? [];
    const canRun = row.operation !== undefined && !row.skip && !blocked.has(row.id);
    const request = canRun ? requestKey(row) : undefined;
    newRows.push({ key, content: { row, position, problems: own, isDraft: false, request, unused }, status });
    for (const task of tasks) theirTasks.push({ row: key, task: { ...task, id: freshKeys.tasks.next() } });
    if (newRows.length === ROWS_AT_ONCE) write();
    rowCount += 1;
    taskCount += tasks.length;
  }
  write();
  problemRecords.insert(batch, undefined, [...problemsByRow.values()].flat());
  batchRecords.writeCounts(batch, rowCount, taskCount);
}

function insertHead(newBatch: NewBatch, id: string, batches: BatchRecords): number {
  const { name, sheetPath, headers, sheet = PLAIN_SHEET, settings, createdAt, problems } = newBatch;
  const errors = countErrors(problems);
  const source = sheetPath === undefined ? {} : { sheetPath };
  return batches.insert({
    record: { id, name, ...source, headers, sheet, settings, state: 'ready', createdAt },
    problems: { errors, warnings: problems.length - errors },
  });
}

/** The remaining problems belong to no existing row. */
function takeOut(
  problemsByRow: Map<string | undefined, readonly SheetProblem[]>,
  rowId: string,
): readonly SheetProblem[] {
  const own = problemsByRow.get(rowId) ?? [];
  problemsByRow.delete(rowId);
  return own;
}

/**
 * Keys of rows and tasks. Both may be deleted, and SQLite would reuse the last key: whoever still holds it (an undo, a
 * window, an event on its way) would then mean another row or task.
 */
export interface FreshKeys {
  /** A key that nothing has or ever had. */
  next(): number;
  /** False for a key that nothing ever had. */
  wasGiven(key: number): boolean;
  /** Records which keys were given, in a transaction that deletes. */
  keep(): void;
}

/** Keys for a table, whose `key` is its rowid. */
export function openFreshKeys(db: Database, table: 'rows' | 'tasks', key: 'seq' | 'id'): FreshKeys {
  const selectLast = db.prepare<{ readonly last: number }>(`
    SELECT max(coalesce((SELECT max(${key}) FROM ${table}), 0),
    coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last ${table}'), 0)) AS last`);
  const write = db.prepare(`INSERT OR REPLACE INTO meta (key, value) VALUES ('last ${table}', ?)`);
  let last: number | undefined;
  // Read when first needed: a store opened only for reading has another writer.
  const lastGiven = (): number => (last ??= selectLast.get()?.last ?? 0);
  return {
    next() {
      last = lastGiven() + 1;
      return last;
    },
    wasGiven: (key) => key <= lastGiven(),
    keep: () => void write.run(String(lastGiven())),
  };
}
