import type { Task } from '../../../shared/domain/task/task.ts';
import type { Database } from '../open/database.ts';
import type { BatchRecords } from './batch-records.ts';
import { changingColumns, NEW_TASK_COLUMNS, newTaskColumns, type TaskColumns } from './task-table.ts';

/** A task to insert, with the key of its row. */
export interface TaskOfRow {
  readonly row: number;
  readonly task: Task;
}

/** The columns by which tasks are found, besides the time when they are due. */
type FoundBy = Pick<
  TaskColumns,
  'priority' | 'status' | 'startable' | 'blocked_by' | 'account' | 'task_code' | 'submitted_at' | 'finished_at'
>;

type ChangingColumns = ReturnType<typeof changingColumns>;

/** True after nearly every answer of the gateway. */
function startsAlike(head: FoundBy, columns: ChangingColumns): boolean {
  return (
    head.priority === columns.priority &&
    head.startable === columns.startable &&
    head.blocked_by === columns.blockedBy &&
    head.account === columns.account &&
    head.task_code === columns.taskCode
  );
}

/** True after most polls. */
function standsAlike(head: FoundBy, columns: ChangingColumns): boolean {
  return (
    head.status === columns.status &&
    head.submitted_at === columns.submittedAt &&
    head.finished_at === columns.finishedAt
  );
}

/** Writes tasks; always inside a transaction. */
export function openTaskWrites(db: Database, batches: BatchRecords) {
  const insertTasks = db.prepareInserts('tasks', NEW_TASK_COLUMNS);
  // An unchanged code is not claimed again: two tasks that already share a code both continue.
  const update = db.prepare(`
    UPDATE tasks SET priority = ?, status = ?, revision = ?, due_at = ?, startable = ?, blocked_by = ?,
    code_gateway = CASE WHEN task_code IS NOT DISTINCT FROM ?7 THEN code_gateway WHEN ?7 IS NULL THEN NULL ELSE ?8 END, task_code = ?7,
    account = ?, submitted_at = ?, finished_at = ?, state = ? WHERE id = ? AND revision = ?`);
  // SQLite rewrites the index of every column that is set, even if its value stays the same.
  const updateInPlace = db.prepare(
    'UPDATE tasks SET revision = ?, due_at = ?, state = ? WHERE id = ? AND revision = ?',
  );
  const updateStatus = db.prepare(`
    UPDATE tasks SET status = ?, submitted_at = ?, finished_at = ?, revision = ?, due_at = ?, state = ?
    WHERE id = ? AND revision = ?`);
  const makeDue = db.prepare('UPDATE tasks SET due_at = ?3 WHERE batch = ?1 AND startable = 1 AND due_at > ?2');
  const updateIdentity = db.prepare('UPDATE tasks SET row_id = ?, position = ?, model = ? WHERE id = ?');
  const updateOfRow = db.prepare('UPDATE tasks SET row_id = ?, position = ? WHERE row = ?');
  const updateSuperseded = db.prepare(`
    UPDATE tasks SET superseded = ?, startable = 0, revision = revision + 1 WHERE id = ?`);
  const remove = db.prepare('DELETE FROM tasks WHERE id = ?');
  const removeEvents = db.prepare('DELETE FROM events WHERE task = ?');
  const moveCodes = db.prepare(`
    UPDATE tasks SET code_gateway = ?2 FROM (
      SELECT min(id) AS id FROM tasks
      WHERE batch = ?1 AND code_gateway IS NOT NULL AND code_gateway <> ?2 AND coalesce(account, ?3) = ?3
      GROUP BY task_code) AS first
    WHERE tasks.id = first.id AND NOT EXISTS (
      SELECT 1 FROM tasks AS other WHERE other.code_gateway = ?2 AND other.task_code = tasks.task_code)`);
  const leaveCodes = db.prepare(`
    UPDATE tasks SET code_gateway = NULL
    WHERE batch = ?1 AND code_gateway IS NOT NULL AND code_gateway <> ?2 AND coalesce(account, ?3) = ?3`);
  const nameAccounts = db.prepare(`
    UPDATE tasks SET account = CASE WHEN CAST(?2 AS INTEGER) = 1
      THEN coalesce(state ->> '$.account', state ->> '$.pin', '') END
    WHERE batch = ?1`);
  const hasSeveral = (batchId: string): boolean => batches.known(batchId).record.settings.accounts !== undefined;

  return {
    /** `isOfSeveral`: their batch has several accounts. */
    insert: (batch: number, tasks: readonly TaskOfRow[], isOfSeveral: boolean) =>
      insertTasks(tasks.map(({ row, task }) => newTaskColumns(batch, row, task, isOfSeveral))),
    /**
     * Writes everything that can change in a task, except its outputs. A new task code must be free at its gateway.
     * Returns false if the task is not at `expectedRevision`. `head`: the task as it is now, if that was read.
     */
    update(next: Task, expectedRevision: number, head?: FoundBy) {
      const columns = changingColumns(next, hasSeveral(next.batchId));
      const { priority, status, dueAt, startable, blockedBy, account, taskCode, submittedAt, finishedAt, state } =
        columns;
      if (head !== undefined && startsAlike(head, columns)) {
        const rest = [next.revision, dueAt, state, next.id, expectedRevision] as const;
        if (standsAlike(head, columns)) return updateInPlace.run(...rest) === 1;
        return updateStatus.run(status, submittedAt, finishedAt, ...rest) === 1;
      }
      const changed = update.run(
        priority,
        status,
        next.revision,
        dueAt,
        startable,
        blockedBy,
        taskCode,
        batches.gatewayOf(next.batchId, next.account),
        account,
        submittedAt,
        finishedAt,
        state,
        next.id,
        expectedRevision,
      );
      return changed === 1;
    },
    /** Makes waiting tasks of a batch that are due later than `latest` due at `now`. */
    makeDue: (batch: number, latest: number, now: number) => void makeDue.run(batch, latest, now),
    /** Writes what else an edit of its row can change in a task. */
    updateIdentity: ({ id, rowId, position, model }: Task) => void updateIdentity.run(rowId, position, model, id),
    /** Gives all tasks of a row the row's current id and position. */
    followRow: (row: number, rowId: string, position: number) => void updateOfRow.run(rowId, position, row),
    /** Stops counting a task, or counts it again; its revision grows by one. */
    setSuperseded: (id: number, isSuperseded: boolean) => void updateSuperseded.run(isSuperseded ? 1 : 0, id),
    /** Forgets a task for which nothing was ever sent. */
    delete(id: number) {
      // Everything else that belongs to a task is evidence of something sent: the database refuses to lose it.
      removeEvents.run(id);
      remove.run(id);
    },
    /** Makes the tasks of a batch findable by their accounts, if it has several by now; see `accountColumn`. */
    nameAccounts: (batch: number, isOfSeveral: boolean) => void nameAccounts.run(batch, isOfSeveral ? 1 : 0),
    /** Moves the task codes of an account of a batch to another gateway. */
    moveCodes(batch: number, account: string, gateway: string) {
      moveCodes.run(batch, gateway, account);
      // Codes that another task already has at that gateway.
      leaveCodes.run(batch, gateway, account);
    },
  };
}
