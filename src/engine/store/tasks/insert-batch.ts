import { groupBy } from '../../../shared/domain/base/result.ts';
import { PLAIN_SHEET } from '../../../shared/domain/task/batch.ts';
import { idleStatus, strongestStatus } from '../../../shared/domain/task/row-status.ts';
import { newTasks } from '../../../shared/domain/task/new-tasks.ts';
import { requestKey, blockedRowIds } from '../../../shared/domain/sheet/row.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { ROW_GAP } from '../../../shared/domain/task/task.ts';
import { crashPoint } from '../../crash-point.ts';
import type { NewBatch } from '../../ports/task-store.ts';
import type { BatchRecords } from './batch-records.ts';
import { countErrors } from '../sheets/problem-records.ts';
import { CellColumns } from '../sheets/cell-columns.ts';
import type { RowToInsert } from '../sheets/row-records.ts';
import { ROWS_AT_ONCE } from '../open/database.ts';
import type { StoreParts } from './store-parts.ts';
import type { TaskOfRow } from './task-writes.ts';

/** Writes a batch with its rows and tasks; inside a transaction. */
export function insertBatch(newBatch: NewBatch, id: string, parts: StoreParts): void {
  const { rows, problems, headers, createdAt } = newBatch;
  const { batchRecords, counters, rowRecords, taskRecords, problemRecords, freshKeys } = parts;
  const batch = insertHead(newBatch, id, batchRecords);
  const blocked = blockedRowIds({ problems });
  // Problems of the whole sheet have no row.
  const problemsByRow = new Map(groupBy(problems, ({ row }) => row));
  const columns = new CellColumns([], headers);
  let rowCount = 0;
  let taskCount = 0;
  let newRows: RowToInsert[] = [];
  let theirTasks: TaskOfRow[] = [];
  const write = (): void => {
    rowRecords.insert(batch, columns, newRows);
    taskRecords.insert(batch, theirTasks, newBatch.settings.accounts !== undefined);
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
  batchRecords.writeRows(batch, rowCount, taskCount, columns);
  counters.countAnew(batch);
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
