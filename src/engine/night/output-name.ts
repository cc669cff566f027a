import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { localDate } from '../../shared/domain/base/text.ts';
import type { JsonObject } from '../../shared/domain/base/json.ts';
import { cellsWithSent, renderStem } from '../../shared/domain/files/naming.ts';
import type { Output, Task } from '../../shared/domain/task/task.ts';
import type { TaskStore } from '../ports.ts';

/** The file name, without extension, of one output of a task: from the row's own template, else from the batch's. */
export function stemFor(store: TaskStore, batch: BatchRecord, task: Task, output: Output): string {
  const row = store.row(task.batchId, task.rowId);
  return renderStem(row?.filename ?? batch.settings.filename, {
    row: task.rowId,
    batch: batch.name,
    operation: task.operation,
    take: task.take,
    takes: row?.takes ?? 1,
    index: output.index,
    outputs: task.outputs.length,
    version: versionOf(store, task),
    // The evening's date for the whole batch: a file made after midnight belongs to the same night.
    date: localDate(batch.startedAt ?? batch.createdAt),
    taskCode: task.taskCode ?? '',
    model: task.model,
    cells: cellsWithSent(row?.cells ?? {}, task.operation, sentFor(store, task)),
  });
}

/**
 * Which of the row's contents a task is made for, counting those that gave files: what was made before the row was
 * changed keeps its name. Of each take the newest task is of the row's present content.
 */
function versionOf(store: TaskStore, { id: ownId, take: ownTake, batchId, rowId, superseded }: Task): number {
  const earlier = new Map<number, number>();
  const newest = new Map<number, number>();
  const tasks = store.tasksEverOfRow(batchId, rowId).filter(({ outputs }) => outputs.length > 0);
  if (superseded === true) {
    // What comes late is counted after those that came before it, whichever content is the older.
    const others = tasks.filter(({ id, take }) => id !== ownId && take === ownTake);
    return 1 + others.filter(({ outputs }) => outputs.some(({ path }) => path !== undefined)).length;
  }
  for (const { id, take } of tasks) newest.set(take, Math.max(newest.get(take) ?? 0, id));
  for (const { id, take, outputs } of tasks) {
    if (id < (newest.get(take) ?? 0) && outputs.some(({ path }) => path !== undefined)) {
      earlier.set(take, (earlier.get(take) ?? 0) + 1);
    }
  }
  return 1 + Math.max(0, ...earlier.values());
}

/** What was sent last for a task: the row may have been edited since, and does not hold what other rows gave. */
function sentFor(store: TaskStore, task: Task): JsonObject {
  const body = store.attempts(task.id).at(-1)?.body;
  return body === undefined ? {} : (JSON.parse(new TextDecoder().decode(body)) as JsonObject);
}
