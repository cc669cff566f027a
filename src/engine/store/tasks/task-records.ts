import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { gatewayKey } from '../../../shared/domain/task/batch.ts';
import type { Family, OperationPath, OutputKind } from '../../../shared/domain/operations/operations.ts';
import type { Output, Task, TaskStatus } from '../../../shared/domain/task/task.ts';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import type { BatchRecords } from './batch-records.ts';
import { openOutputRecords, type OutputRecords } from './output-records.ts';
import { prepare, prepareInserts } from '../open/statement.ts';

export interface TaskColumns {
  readonly id: number;
  readonly batch: number;
  readonly row: number;
  readonly row_id: string;
  readonly position: number;
  readonly take: number;
  readonly operation: OperationPath;
  readonly family: Family;
  readonly kind: OutputKind;
  readonly model: string;
  readonly priority: number;
  readonly status: TaskStatus;
  readonly revision: number;
  readonly due_at: number;
  readonly startable: number;
  /** 1: made for an earlier content of its row; it counts no more and never starts. */
  readonly superseded: number;
  readonly blocked_by: string | null;
  readonly task_code: string | null;
  /** The gateway within which the task code is this task's alone; null without one, or where another had it before. */
  readonly code_gateway: string | null;
  readonly submitted_at: number | null;
  readonly finished_at: number | null;
  readonly state: string;
}

/** The fields that have columns of their own, because a query looks into them or they never change. */
type ColumnField =
  | ('id' | 'batchId' | 'rowId' | 'position' | 'take' | 'operation' | 'family' | 'kind' | 'model')
  | (
      | 'priority'
      | 'status'
      | 'revision'
      | 'dueAt'
      | 'blockedBy'
      | 'taskCode'
      | 'submittedAt'
      | 'finishedAt'
      | 'superseded'
      | 'outputs'
    );

/** The rest of a task, kept as JSON. */
type TaskState = Omit<Task, ColumnField>;

/** What a change of a task must know of what is there. */
export type TaskHead = Pick<
  TaskColumns,
  | ('batch' | 'row' | 'take' | 'family' | 'status' | 'revision' | 'superseded')
  | ('task_code' | 'submitted_at' | 'finished_at')
>;

/** A task that is to be inserted, with the key of its row. */
export interface NewTask {
  readonly row: number;
  readonly task: Task;
}

/** Tasks between the database and the domain. */
export interface TaskRecords {
  readonly outputs: OutputRecords;
  task(id: number): Task | undefined;
  head(id: number): TaskHead | undefined;
  /** Inside a transaction. */
  insert(batch: number, tasks: readonly NewTask[]): void;
  /**
   * Writes everything that can change of a task, but its outputs. A new task code must be free at its gateway. False: it
   * is not at `expectedRevision`.
   */
  update(next: Task, expectedRevision: number): boolean;
  /** Writes what an edit of its row can change of a task besides. */
  updateIdentity(task: Task): void;
  /** The row's id and position in all of its tasks, as they are now. */
  followRow(row: number, rowId: string, position: number): void;
  /** Takes a task out of what counts, or back; one revision later. */
  setSuperseded(id: number, isSuperseded: boolean): void;
  /** Forgets a task for which nothing was ever sent. */
  delete(id: number): void;
  tasksOfRow(batch: number, rowId: string): readonly Task[];
  /** Superseded ones, too, and those of removed rows of this id. */
  tasksEverOfRow(batch: number, rowId: string): readonly Task[];
  /** The present tasks of rows by their keys, in order of take. */
  tasksOfRows(rows: readonly number[]): ReadonlyMap<number, readonly Task[]>;
  /** The superseded tasks of rows by their keys, oldest first. */
  supersededOfRows(rows: readonly number[]): ReadonlyMap<number, readonly Task[]>;
  /** How many tasks a row has, and how many of them were superseded. */
  countOfRow(row: number): { readonly all: number; readonly superseded: number };
  /** How many present takes a row has of those up to `takes`. */
  takesOfRow(row: number, takes: number): number;
  /** What the status of a row is made of. */
  rowStatuses(row: number): readonly Pick<Task, 'status' | 'submittedAt' | 'finishedAt'>[];
  /** Ids in order of position and take. */
  idsByStatus(batch: number, statuses: readonly TaskStatus[]): readonly number[];
  watched(batch: number): readonly Task[];
  nextQueued(batch: number, family: Family, limit: number, now: number): readonly Task[];
  nextQueuedDueAt(batch: number, now: number): number | undefined;
  idsBlockedBy(batch: number, rowId: string): readonly number[];
  rowsWaitedFor(batch: number): readonly string[];
  /** The task that has this task code at the gateway of a batch. */
  idByCode(batchId: string, taskCode: string): number | undefined;
  /** Takes the task codes of a batch along to another gateway. */
  moveCodes(batch: number, gateway: string): void;
  /** A row of the task's batch, other than its own, with an output at this address. */
  rowWithUrl(taskId: number, url: string): string | undefined;
}

export function openTaskRecords(db: DatabaseSyncInstance, batches: BatchRecords): TaskRecords {
  const select = prepare<TaskColumns>(db, 'SELECT * FROM tasks WHERE id = ?');
  const selectHead = prepare<TaskHead>(
    db,
    `SELECT batch, row, take, family, status, revision, superseded, task_code, submitted_at, finished_at FROM tasks
     WHERE id = ?`,
  );
  const insertTasks = prepareInserts(
    db,
    'tasks',
    `id, batch, row, row_id, position, take, operation, family, kind, model, priority, status, revision,
       due_at, startable, blocked_by, task_code, submitted_at, finished_at, state`,
  );
  const updateIdentity = prepare(db, 'UPDATE tasks SET row_id = ?, position = ?, model = ? WHERE id = ?');
  const updateOfRow = prepare(db, 'UPDATE tasks SET row_id = ?, position = ? WHERE row = ?');
  const updateSuperseded = prepare(
    db,
    'UPDATE tasks SET superseded = ?, startable = 0, revision = revision + 1 WHERE id = ?',
  );
  const remove = prepare(db, 'DELETE FROM tasks WHERE id = ?');
  const removeEvents = prepare(db, 'DELETE FROM events WHERE task = ?');
  const selectCount = prepare<{ readonly everything: number; readonly superseded: number | null }>(
    db,
    'SELECT count(*) AS everything, sum(superseded) AS superseded FROM tasks WHERE row = ?',
  );
  const selectTakes = prepare<{ readonly n: number }>(
    db,
    'SELECT count(*) AS n FROM tasks WHERE row = ? AND superseded = 0 AND take <= ?',
  );
  const selectOfRows = prepare<TaskColumns>(
    db,
    `SELECT * FROM tasks WHERE row IN (SELECT value FROM json_each(?)) AND superseded = 0 ORDER BY row, take`,
  );
  const selectSuperseded = prepare<TaskColumns>(
    db,
    `SELECT * FROM tasks WHERE row IN (SELECT value FROM json_each(?)) AND +superseded = 1 ORDER BY row, id`,
  );
  const update = prepare(
    db,
    // A code that stays is not claimed anew: of two tasks that have had the same for long, each goes on.
    `UPDATE tasks SET priority = ?, status = ?, revision = ?, due_at = ?, startable = ?, blocked_by = ?,
       code_gateway = CASE WHEN task_code IS ?7 THEN code_gateway WHEN ?7 IS NULL THEN NULL ELSE ?8 END, task_code = ?7,
       submitted_at = ?, finished_at = ?, state = ? WHERE id = ? AND revision = ?`,
  );
  const selectOfRow = prepare<TaskColumns>(
    db,
    `SELECT tasks.* FROM rows JOIN tasks ON tasks.row = rows.seq
     WHERE rows.batch = ? AND rows.removed = 0 AND rows.row_id = ? AND superseded = 0
     ORDER BY rows.position, tasks.row, take`,
  );
  const selectEver = prepare<TaskColumns>(
    db,
    `SELECT tasks.* FROM rows JOIN tasks ON tasks.row = rows.seq
     WHERE rows.batch = ? AND rows.id_key = ? AND rows.row_id = ? ORDER BY take, tasks.id`,
  );
  const selectRowStatuses = prepare<Pick<TaskColumns, 'status' | 'submitted_at' | 'finished_at'>>(
    db,
    'SELECT status, submitted_at, finished_at FROM tasks WHERE row = ? AND superseded = 0 ORDER BY take',
  );
  const selectIdsByStatus = prepare<{ readonly id: number }>(
    db,
    `SELECT id FROM tasks WHERE batch = ? AND superseded = 0 AND status IN (SELECT value FROM json_each(?))
     ORDER BY position, take`,
  );
  const selectWatched = prepare<TaskColumns>(
    db,
    `SELECT * FROM tasks WHERE batch = ?1 AND superseded IN (0, 1) AND status = 'failed' AND task_code IS NOT NULL
       AND state ->> '$.failure.suspected' = 1
     UNION ALL
     SELECT * FROM tasks WHERE batch = ?1 AND superseded = 1 AND status IN ('rendering', 'downloading')
     ORDER BY position, take, id`,
  );
  const selectToStart = prepare<TaskColumns>(
    db,
    // Left to itself SQLite looks for what is due first, and sorts the whole queue of a new batch for every submit.
    `SELECT * FROM tasks INDEXED BY tasks_to_start WHERE batch = ? AND family = ? AND startable = 1 AND due_at <= ?
     ORDER BY priority DESC, position, take LIMIT ?`,
  );
  const selectToCome = prepare<{ readonly due_at: number | null }>(
    db,
    'SELECT min(due_at) AS due_at FROM tasks WHERE batch = ? AND startable = 1 AND due_at > ?',
  );
  const selectBlockedBy = prepare<{ readonly id: number }>(
    db,
    'SELECT id FROM tasks WHERE batch = ? AND blocked_by = ? AND superseded = 0 ORDER BY position, take',
  );
  const selectWaitedFor = prepare<{ readonly row_id: string }>(
    db,
    `SELECT DISTINCT blocked_by AS row_id FROM tasks
     WHERE batch = ? AND blocked_by IS NOT NULL AND superseded = 0 ORDER BY blocked_by`,
  );
  const selectRowWithUrl = prepare<{ readonly row_id: string }>(
    db,
    `SELECT other.row_id FROM outputs JOIN tasks AS other ON other.id = outputs.task
       JOIN tasks AS own ON own.id = ? AND own.batch = other.batch AND own.row <> other.row
     WHERE outputs.url = ? LIMIT 1`,
  );
  const selectCode = prepare<{ readonly id: number }>(
    db,
    'SELECT id FROM tasks WHERE code_gateway = ? AND task_code = ?',
  );
  const moveCodes = prepare(
    db,
    `UPDATE OR IGNORE tasks SET code_gateway = ?2 WHERE batch = ?1 AND code_gateway IS NOT NULL AND code_gateway <> ?2`,
  );
  const leaveCodes = prepare(
    db,
    'UPDATE tasks SET code_gateway = NULL WHERE batch = ?1 AND code_gateway IS NOT NULL AND code_gateway <> ?2',
  );
  const outputs = openOutputRecords(db);

  const gatewayOf = (batchId: string): string => {
    const batch = batches.byId(batchId);
    if (batch === undefined) throw new Error(`Unknown batch: ${batchId}`);
    return gatewayKey(batchId, batch.record.settings);
  };

  const taskWith = (columns: TaskColumns, own: readonly Output[]): Task => ({
    ...identityOf(columns, batches.bySeq(columns.batch).record.id),
    ...progressOf(columns),
    ...(JSON.parse(columns.state) as TaskState),
    outputs: own,
  });
  const taskOf = (columns: TaskColumns): Task => taskWith(columns, outputs.ofTask(columns.id));
  const byRow = (found: readonly TaskColumns[]): ReadonlyMap<number, readonly Task[]> => {
    const outputsOf = outputs.ofTasks(found.map(({ id }) => id));
    const tasks = new Map<number, Task[]>();
    for (const columns of found) {
      const task = taskWith(columns, outputsOf.get(columns.id) ?? []);
      const own = tasks.get(columns.row);
      if (own === undefined) tasks.set(columns.row, [task]);
      else own.push(task);
    }
    return tasks;
  };

  return {
    outputs,
    task(id) {
      const columns = select.get(id);
      return columns && taskOf(columns);
    },
    head: (id) => selectHead.get(id),
    insert: (batch, tasks) => insertTasks(tasks.map(({ row, task }) => columnsOf(batch, row, task))),
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
        gatewayOf(next.batchId),
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
    idsByStatus: (batch, statuses) => selectIdsByStatus.all(batch, JSON.stringify(statuses)).map(({ id }) => id),
    watched: (batch) => selectWatched.all(batch).map(taskOf),
    nextQueued: (batch, family, limit, now) => selectToStart.all(batch, family, now, limit).map(taskOf),
    nextQueuedDueAt: (batch, now) => selectToCome.get(batch, now)?.due_at ?? undefined,
    rowWithUrl: (taskId, url) => selectRowWithUrl.get(taskId, url)?.row_id,
    idsBlockedBy: (batch, rowId) => selectBlockedBy.all(batch, rowId).map(({ id }) => id),
    rowsWaitedFor: (batch) => selectWaitedFor.all(batch).map((columns) => columns.row_id),
    idByCode: (batchId, taskCode) => selectCode.get(gatewayOf(batchId), taskCode)?.id,
    moveCodes(batch, gateway) {
      moveCodes.run(batch, gateway);
      // What another task has at that gateway already.
      leaveCodes.run(batch, gateway);
    },
  };
}

/** True for a task that waits for nothing but its time. */
export function isStartable(task: Pick<Task, 'status' | 'cancelWanted' | 'blockedBy'>): boolean {
  return task.status === 'queued' && !task.cancelWanted && task.blockedBy === undefined;
}

/** The values of the columns of a new task, in their order. */
function columnsOf(batch: number, row: number, task: Task) {
  const { rowId, position, take, operation, family, kind, model, revision } = task;
  const { priority, status, dueAt, startable, blockedBy, taskCode, submittedAt, finishedAt, state } =
    changingColumns(task);
  return [
    task.id,
    batch,
    row,
    rowId,
    position,
    take,
    operation,
    family,
    kind,
    model,
    priority,
    status,
    revision,
    dueAt,
    startable,
    blockedBy,
    taskCode,
    submittedAt,
    finishedAt,
    state,
  ] as const;
}

function changingColumns(task: Omit<Task, 'id'>) {
  const { cancelWanted, attempts, setbacks, poll, provisional, renderedAt, failure, sameAddressAs } = task;
  // Required keys, so that the compiler names a field that is missing here.
  const state: Record<keyof TaskState, unknown> = {
    cancelWanted,
    attempts,
    setbacks,
    poll,
    provisional,
    renderedAt,
    failure,
    sameAddressAs,
  };
  return {
    priority: task.priority,
    status: task.status,
    dueAt: task.dueAt,
    startable: isStartable(task) ? 1 : 0,
    blockedBy: task.blockedBy ?? null,
    taskCode: task.taskCode ?? null,
    submittedAt: task.submittedAt ?? null,
    finishedAt: task.finishedAt ?? null,
    state: JSON.stringify(state),
  };
}

function identityOf(columns: TaskColumns, batchId: string) {
  const { id, row_id: rowId, position, take, operation, family, kind, model } = columns;
  return { id, batchId, rowId, position, take, operation, family, kind, model };
}

function progressOf(columns: TaskColumns) {
  const { priority, status, revision, due_at: dueAt, blocked_by: blockedBy, task_code: taskCode } = columns;
  return {
    priority,
    status,
    revision,
    dueAt,
    ...(blockedBy === null ? {} : { blockedBy }),
    ...(taskCode === null ? {} : { taskCode }),
    ...(columns.superseded === 1 ? { superseded: true as const } : {}),
    ...timesOf(columns),
  };
}

/** The times of a task that may be absent. */
export function timesOf(columns: Pick<TaskColumns, 'submitted_at' | 'finished_at'>) {
  return {
    ...(columns.submitted_at === null ? {} : { submittedAt: columns.submitted_at }),
    ...(columns.finished_at === null ? {} : { finishedAt: columns.finished_at }),
  };
}

/** What is kept of a task's failure and its wish to be cancelled, from the JSON of its state. */
export function stateOf(columns: Pick<TaskColumns, 'state'>): TaskState {
  return JSON.parse(columns.state) as TaskState;
}
