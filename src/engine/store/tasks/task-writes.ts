import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Task } from '../../../shared/domain/task/task.ts';
import { prepare, prepareInserts } from '../open/statement.ts';
import type { BatchRecords } from './batch-records.ts';
import { changingColumns, NEW_TASK_COLUMNS, newTaskColumns } from './task-table.ts';

/** A task that is to be inserted, with the key of its row. */
export interface TaskOfRow {
  readonly row: number;
  readonly task: Task;
}

/** What writes tasks; all of it belongs in a transaction. */
export interface TaskWrites {
  insert(batch: number, tasks: readonly TaskOfRow[]): void;
  /**
   * Writes everything that can change of a task, but its outputs. A new task code must be free at its gateway. False: it
   * is not at `expectedRevision`.
   */
  update(next: Task, expectedRevision: number): boolean;
  /** Writes what an edit of its row can change of a task besides. */
  updateIdentity(task: Task): void;
  /** Gives all tasks of a row the row's present id and position. */
  followRow(row: number, rowId: string, position: number): void;
  /** Takes a task out of what counts, or back; one revision later. */
  setSuperseded(id: number, isSuperseded: boolean): void;
  /** Forgets a task for which nothing was ever sent. */
  delete(id: number): void;
  /** Takes the task codes of a batch along to another gateway. */
  moveCodes(batch: number, gateway: string): void;
}

export function openTaskWrites(db: DatabaseSyncInstance, batches: BatchRecords): TaskWrites {
  const insertTasks = prepareInserts(db, 'tasks', NEW_TASK_COLUMNS);
  const update = prepare(
    db,
    // A code that stays is not claimed anew: of two tasks that have had the same for long, each goes on.
    `UPDATE tasks SET priority = ?, status = ?, revision = ?, due_at = ?, startable = ?, blocked_by = ?,
       code_gateway = CASE WHEN task_code IS ?7 THEN code_gateway WHEN ?7 IS NULL THEN NULL ELSE ?8 END, task_code = ?7,
       submitted_at = ?, finished_at = ?, state = ? WHERE id = ? AND revision = ?`,
  );
  const updateIdentity = prepare(db, 'UPDATE tasks SET row_id = ?, position = ?, model = ? WHERE id = ?');
  const updateOfRow = prepare(db, 'UPDATE tasks SET row_id = ?, position = ? WHERE row = ?');
  const updateSuperseded = prepare(
    db,
    'UPDATE tasks SET superseded = ?, startable = 0, revision = revision + 1 WHERE id = ?',
  );
  const remove = prepare(db, 'DELETE FROM tasks WHERE id = ?');
  const removeEvents = prepare(db, 'DELETE FROM events WHERE task = ?');
  const moveCodes = prepare(
    db,
    `UPDATE OR IGNORE tasks SET code_gateway = ?2 WHERE batch = ?1 AND code_gateway IS NOT NULL AND code_gateway <> ?2`,
  );
  const leaveCodes = prepare(
    db,
    'UPDATE tasks SET code_gateway = NULL WHERE batch = ?1 AND code_gateway IS NOT NULL AND code_gateway <> ?2',
  );

  return {
    insert: (batch, tasks) => insertTasks(tasks.map(({ row, task }) => newTaskColumns(batch, row, task))),
    update(next, expectedRevision) {
      const { priority, status, dueAt, startable, blockedBy, taskCode, submittedAt, finishedAt, state } =
        changingColumns(next);
      const changed = update.run(
        priority,
        status,
        next.revision,
        dueAt,
        startable,
        blockedBy,
        taskCode,
        batches.gatewayOf(next.batchId),
        submittedAt,
        finishedAt,
        state,
        next.id,
        expectedRevision,
      );
      return changed === 1;
    },
    updateIdentity: ({ id, rowId, position, model }) => void updateIdentity.run(rowId, position, model, id),
    followRow: (row, rowId, position) => void updateOfRow.run(rowId, position, row),
    setSuperseded: (id, isSuperseded) => void updateSuperseded.run(isSuperseded ? 1 : 0, id),
    delete(id) {
      // What else belongs to a task is evidence of something that was sent: the database refuses to lose it.
      removeEvents.run(id);
      remove.run(id);
    },
    moveCodes(batch, gateway) {
      moveCodes.run(batch, gateway);
      // What another task has at that gateway already.
      leaveCodes.run(batch, gateway);
    },
  };
}
