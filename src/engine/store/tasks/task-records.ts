import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { groupBy, IN_LIST, type Database } from '../open/database.ts';
import type { BatchRecords } from './batch-records.ts';
import { openOutputRecords, type OutputRecords } from './output-records.ts';
import { openTaskQueue, type TaskQueue } from './task-queue.ts';
import { taskOfColumns, timesOf, type TaskColumns } from './task-table.ts';
import { openTaskWrites, type TaskWrites } from './task-writes.ts';

/** What a change must know of the existing task. */
export type TaskHead = Pick<
  TaskColumns,
  | ('batch' | 'row' | 'take' | 'family' | 'status' | 'revision' | 'superseded')
  | ('task_code' | 'submitted_at' | 'finished_at')
>;

/** Tasks between the database and the domain. */
export interface TaskRecords extends TaskWrites, TaskQueue {
  readonly outputs: OutputRecords;
  task(id: number): Task | undefined;
  head(id: number): TaskHead | undefined;
  tasksOfRow(batch: number, rowId: string): readonly Task[];
  /** Includes superseded tasks, and those of removed rows with this id. */
  tasksEverOfRow(batch: number, rowId: string): readonly Task[];
  /** The current tasks of rows by their keys, in order of take. */
  tasksOfRows(rows: readonly number[]): ReadonlyMap<number, readonly Task[]>;
  /** The superseded tasks of rows by their keys, oldest first. */
  supersededOfRows(rows: readonly number[]): ReadonlyMap<number, readonly Task[]>;
  /** How many tasks a row has, and how many of them are superseded. */
  countOfRow(row: number): { readonly all: number; readonly superseded: number };
  /** How many of the takes 1 to `takes` of a row have a current task. */
  takesOfRow(row: number, takes: number): number;
  /** What the status of a row follows from. */
  rowStatuses(row: number): readonly Pick<Task, 'status' | 'submittedAt' | 'finishedAt'>[];
  /** The task with this task code at the gateway of a batch. */
  idByCode(batchId: string, taskCode: string): number | undefined;
  /** Another row of the task's batch with an output at this address. */
  rowWithUrl(taskId: number, url: string): string | undefined;
}

export function openTaskRecords(db: Database, batches: BatchRecords): TaskRecords {
  const select = db.prepare<TaskColumns>('SELECT * FROM tasks WHERE id = ?');
  const selectHead = db.prepare<TaskHead>(`
    SELECT batch, row, take, family, status, revision, superseded, task_code, submitted_at, finished_at FROM tasks
    WHERE id = ?`);
  const selectOfRow = db.prepare<TaskColumns>(`
    SELECT tasks.* FROM rows JOIN tasks ON tasks.row = rows.seq
    WHERE rows.batch = ? AND rows.removed = 0 AND rows.row_id = ? AND superseded = 0
    ORDER BY rows.position, tasks.row, take`);
  const selectEver = db.prepare<TaskColumns>(`
    SELECT tasks.* FROM rows JOIN tasks ON tasks.row = rows.seq
    WHERE rows.batch = ? AND rows.id_key = ? AND rows.row_id = ? ORDER BY take, tasks.id`);
  const selectOfRows = db.prepare<TaskColumns>(`
    SELECT * FROM tasks WHERE row ${IN_LIST} AND superseded = 0 ORDER BY row, take`);
  const selectSuperseded = db.prepare<TaskColumns>(`
    SELECT * FROM tasks WHERE row ${IN_LIST} AND +superseded = 1 ORDER BY row, id`);
  const selectCount = db.prepare<{ readonly everything: number; readonly superseded: number | null }>(`
    SELECT count(*) AS everything, sum(superseded) AS superseded FROM tasks WHERE row = ?`);
  const selectTakes = db.prepare<{ readonly n: number }>(`
    SELECT count(*) AS n FROM tasks WHERE row = ? AND superseded = 0 AND take <= ?`);
  const selectRowStatuses = db.prepare<Pick<TaskColumns, 'status' | 'submitted_at' | 'finished_at'>>(`
    SELECT status, submitted_at, finished_at FROM tasks WHERE row = ? AND superseded = 0 ORDER BY take`);
  const selectCode = db.prepare<{ readonly id: number }>(`
    SELECT id FROM tasks WHERE code_gateway = ? AND task_code = ?`);
  const selectRowWithUrl = db.prepare<{ readonly row_id: string }>(`
    SELECT other.row_id FROM outputs JOIN tasks AS other ON other.id = outputs.task
      JOIN tasks AS own ON own.id = ? AND own.batch = other.batch AND own.row <> other.row
    WHERE outputs.url = ? LIMIT 1`);
  const outputs = openOutputRecords(db);

  const batchIdOf = ({ batch }: TaskColumns): string => batches.bySeq(batch).record.id;
  const taskOf = (columns: TaskColumns): Task => taskOfColumns(columns, batchIdOf(columns), outputs.ofTask(columns.id));
  const byRow = (found: readonly TaskColumns[]): ReadonlyMap<number, readonly Task[]> => {
    const outputsOf = outputs.ofTasks(found.map(({ id }) => id));
    return groupBy(
      found,
      ({ row }) => row,
      (columns) => taskOfColumns(columns, batchIdOf(columns), outputsOf.get(columns.id) ?? []),
    );
  };

  return {
    ...openTaskWrites(db, batches),
    ...openTaskQueue(db, taskOf),
    outputs,
    task(id) {
      const columns = select.get(id);
      return columns && taskOf(columns);
    },
    head: (id) => selectHead.get(id),
    tasksOfRow: (batch, rowId) => selectOfRow.all(batch, rowId).map(taskOf),
    tasksEverOfRow: (batch, rowId) => selectEver.all(batch, foldRowId(rowId), rowId).map(taskOf),
    tasksOfRows: (rows) => byRow(selectOfRows.all(JSON.stringify(rows))),
    supersededOfRows: (rows) => byRow(selectSuperseded.all(JSON.stringify(rows))),
    countOfRow(row) {
      const found = selectCount.get(row);
      return { all: found?.everything ?? 0, superseded: found?.superseded ?? 0 };
    },
    takesOfRow: (row, takes) => selectTakes.get(row, takes)?.n ?? 0,
    rowStatuses: (row) =>
      selectRowStatuses.all(row).map((columns) => ({ status: columns.status, ...timesOf(columns) })),
    idByCode: (batchId, taskCode) => selectCode.get(batches.gatewayOf(batchId), taskCode)?.id,
    rowWithUrl: (taskId, url) => selectRowWithUrl.get(taskId, url)?.row_id,
  };
}
