import { groupBy } from '../../../shared/domain/base/result.ts';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import { TERMINAL_STATUSES, type Task, type TaskStatus } from '../../../shared/domain/task/task.ts';
import { operationOf, type Family, type OperationPath } from '../../../shared/domain/operations/operations.ts';
import { MEDIA_TYPES } from '../../../shared/domain/files/media-type.ts';
import { IN_LIST, IN_TEXTS, type Database } from '../open/database.ts';
import type { QueuedWanted } from '../../ports/task-store.ts';
import type { BatchRecords } from './batch-records.ts';
import { openOutputRecords } from './output-records.ts';
import { accountColumn, isStartable, taskOfColumns, timesOf, type TaskColumns } from './task-table.ts';
import { openTaskWrites } from './task-writes.ts';

/** What a change must know about the existing task. */
export interface TaskHead extends Pick<
  TaskColumns,
  | ('batch' | 'row' | 'take' | 'operation' | 'status' | 'revision' | 'superseded')
  | ('priority' | 'startable' | 'blocked_by' | 'account' | 'task_code' | 'submitted_at' | 'finished_at')
> {
  readonly has_outputs: number;
}

/** About the most that a night has under way; each takes a few hundred bytes. */
const HEADS_KEPT = 16_384;

/** The head of a task after a committed change. */
export function headAfter(head: TaskHead, next: Task, hasSeveral: boolean): TaskHead {
  // Field by field: spreading an object from SQLite takes several times as long.
  return {
    batch: head.batch,
    row: head.row,
    take: head.take,
    operation: head.operation,
    superseded: head.superseded,
    status: next.status,
    revision: next.revision,
    priority: next.priority,
    startable: isStartable(next) ? 1 : 0,
    blocked_by: next.blockedBy ?? null,
    account: accountColumn(next, hasSeveral),
    task_code: next.taskCode ?? null,
    submitted_at: next.submittedAt ?? null,
    finished_at: next.finishedAt ?? null,
    has_outputs: next.outputs.length > 0 ? 1 : 0,
  };
}

/** Converts tasks between the database and the domain. */
export function openTaskRecords(db: Database, batches: BatchRecords) {
  const select = db.prepare<TaskColumns>('SELECT * FROM tasks WHERE id = ?');
  const selectSome = db.prepare<TaskColumns>(`SELECT * FROM tasks WHERE id ${IN_LIST}`);
  const selectHead = db.prepare<TaskHead>(`
    SELECT batch, row, take, operation, status, revision, superseded, priority, startable, blocked_by, account, task_code,
      submitted_at, finished_at, EXISTS (SELECT 1 FROM outputs WHERE task = tasks.id) AS has_outputs
    FROM tasks WHERE id = ?`);
  const selectOfRow = db.prepare<TaskColumns>(`
    SELECT tasks.* FROM rows JOIN tasks ON tasks.row = rows.seq
    WHERE rows.batch = ? AND rows.removed = 0 AND rows.row_id = ? AND superseded = 0
    ORDER BY rows.position, tasks.row, take`);
  const selectEver = db.prepare<TaskColumns>(`
    SELECT tasks.* FROM rows JOIN tasks ON tasks.row = rows.seq
    WHERE rows.batch = ? AND rows.id_key = ? AND rows.row_id = ? ORDER BY take, tasks.id`);
  const selectRendered = db.prepare<{ readonly id: number; readonly take: number; readonly has_file: number }>(`
    SELECT tasks.id, tasks.take, max(CASE WHEN outputs.path IS NOT NULL THEN 1 ELSE 0 END) AS has_file
    FROM rows JOIN tasks ON tasks.row = rows.seq JOIN outputs ON outputs.task = tasks.id
    WHERE rows.batch = ? AND rows.id_key = ? AND rows.row_id = ? GROUP BY tasks.id`);
  const selectOfRows = db.prepare<TaskColumns>(`
    SELECT * FROM tasks WHERE row ${IN_LIST} AND superseded = 0 ORDER BY row, take`);
  const selectSuperseded = db.prepare<TaskColumns>(`
    SELECT * FROM tasks WHERE row ${IN_LIST} AND +superseded = 1 ORDER BY row, id`);
  const selectIdsByStatus = db.prepareColumn<number>(`
    SELECT id FROM tasks WHERE batch = ? AND superseded = 0 AND status ${IN_TEXTS} ORDER BY position, take`);
  const selectCount = db.prepare<{ readonly everything: number; readonly superseded: number | null }>(`
    SELECT count(*) AS everything, sum(superseded) AS superseded FROM tasks WHERE row = ?`);
  const selectTakes = db.prepare<{ readonly n: number }>(`
    SELECT count(*) AS n FROM tasks WHERE row = ? AND superseded = 0 AND take <= ?`);
  const selectRowStatuses = db.prepare<Pick<TaskColumns, 'status' | 'submitted_at' | 'finished_at'>>(`
    SELECT status, submitted_at, finished_at FROM tasks WHERE row = ? AND superseded = 0 ORDER BY take`);
  const selectCode = db.prepare<{ readonly id: number }>(`
    SELECT id FROM tasks WHERE code_gateway = ? AND task_code = ?`);
  // Begins with the outputs that have the address: left to itself, SQLite begins with all tasks of the batch.
  const selectRowWithUrl = db.prepare<{ readonly row_id: string }>(`
    SELECT tasks.row_id FROM outputs CROSS JOIN tasks ON tasks.id = outputs.task
    WHERE outputs.url = ?1 AND tasks.batch = ?2 AND tasks.row <> (SELECT row FROM tasks WHERE id = ?3) LIMIT 1`);
  const outputs = openOutputRecords(db);
  const writes = openTaskWrites(db, batches);
  /** The heads of tasks under way: each is changed about seven times, and nobody else writes. */
  const heads = new Map<number, TaskHead>();

  const batchIdOf = ({ batch }: TaskColumns): string => batches.bySeq(batch).record.id;
  // Of those of a removed batch, only what a bill would name is left.
  const isThere = (columns: TaskColumns): boolean => batches.byId(batchIdOf(columns)) !== undefined;
  // All outputs in one go: each query may be a round trip to a server.
  const tasksOf = (found: readonly TaskColumns[]): readonly Task[] => {
    const outputsOf = found.length === 0 ? undefined : outputs.ofTasks(found.map(({ id }) => id));
    return found.map((columns) => taskOfColumns(columns, batchIdOf(columns), outputsOf?.get(columns.id) ?? []));
  };
  const byRow = (found: readonly TaskColumns[]): ReadonlyMap<number, readonly Task[]> => {
    const outputsOf = outputs.ofTasks(found.map(({ id }) => id));
    return groupBy(
      found,
      ({ row }) => row,
      (columns) => taskOfColumns(columns, batchIdOf(columns), outputsOf.get(columns.id) ?? []),
    );
  };

  return {
    ...writes,
    // Forgotten when written, and remembered only once committed: a write may be rolled back.
    update(...written: Parameters<typeof writes.update>) {
      heads.delete(written[0].id);
      return writes.update(...written);
    },
    setSuperseded(id: number, isSuperseded: boolean) {
      heads.delete(id);
      writes.setSuperseded(id, isSuperseded);
    },
    delete(id: number) {
      heads.delete(id);
      writes.delete(id);
    },
    /** Remembers what was committed; see {@link headAfter}. */
    remember(committed: ReadonlyMap<number, TaskHead>) {
      if (heads.size + committed.size > HEADS_KEPT) heads.clear();
      for (const [id, head] of committed) if (!TERMINAL_STATUSES.has(head.status)) heads.set(id, head);
    },
    /** Has heads read again when they are next asked for. */
    forgetHeads: () => heads.clear(),
    outputs,
    tasksOf,
    task(id: number) {
      const columns = select.get(id);
      if (columns === undefined || !isThere(columns)) return undefined;
      return taskOfColumns(columns, batchIdOf(columns), outputs.ofTask(id));
    },
    tasks: (ids: readonly number[]) => tasksOf(selectSome.all(JSON.stringify(ids)).filter(isThere)),
    head: (id: number) => heads.get(id) ?? selectHead.get(id),
    tasksOfRow: (batch: number, rowId: string) => tasksOf(selectOfRow.all(batch, rowId)),
    /** Includes superseded tasks, and those of removed rows with this id. */
    tasksEverOfRow: (batch: number, rowId: string) => tasksOf(selectEver.all(batch, foldRowId(rowId), rowId)),
    /** The tasks with outputs; `hasFile`: one of the outputs has a path. */
    renderedOfRow: (batch: number, rowId: string) =>
      selectRendered
        .all(batch, foldRowId(rowId), rowId)
        .map(({ id, take, has_file }) => ({ id, take, hasFile: has_file === 1 })),
    /** The current tasks of rows by their keys, in order of take. */
    tasksOfRows: (rows: readonly number[]) => byRow(selectOfRows.all(JSON.stringify(rows))),
    /** The superseded tasks of rows by their keys, oldest first. */
    supersededOfRows: (rows: readonly number[]) => byRow(selectSuperseded.all(JSON.stringify(rows))),
    /** Ids in the order of position and take. */
    idsByStatus: (batch: number, statuses: readonly TaskStatus[]) => selectIdsByStatus(batch, JSON.stringify(statuses)),
    /** How many tasks a row has, and how many of them are superseded. */
    countOfRow(row: number) {
      const found = selectCount.get(row);
      return { all: found?.everything ?? 0, superseded: found?.superseded ?? 0 };
    },
    /** How many of the takes 1 to `takes` of a row have a current task. */
    takesOfRow: (row: number, takes: number) => selectTakes.get(row, takes)?.n ?? 0,
    /** What determines the status of a row. */
    rowStatuses: (row: number) =>
      selectRowStatuses.all(row).map((columns) => ({ status: columns.status, ...timesOf(columns) })),
    /** The task with this task code at the gateway of a batch, or of one of its accounts. */
    idByCode: (batchId: string, taskCode: string, account?: string) =>
      selectCode.get(batches.gatewayOf(batchId, account), taskCode)?.id,
    /** Another row of the task's batch with an output at this address. */
    rowWithUrl: ({ id, batchId }: Task, url: string) =>
      selectRowWithUrl.get(url, batches.known(batchId).seq, id)?.row_id,
  };
}

/** The order in which tasks start. */
export function inOrder(a: TaskColumns, b: TaskColumns): number {
  return b.priority - a.priority || a.position - b.position || a.take - b.take || a.id - b.id;
}

/**
 * What a night asks for: which tasks to start, which to watch, and which wait for a row.
 * @param seqOf The number of a batch, which must exist.
 */
export function openTaskQueue(
  db: Database,
  seqOf: (batchId: string) => number,
  tasksOf: (found: readonly TaskColumns[]) => readonly Task[],
) {
  const selectWatched = db.prepare<TaskColumns>(`
    SELECT * FROM tasks WHERE batch = ?1 AND superseded IN (0, 1) AND status = 'failed' AND task_code IS NOT NULL
      AND CAST(state ->> '$.failure.suspected' AS INTEGER) = 1
    UNION ALL
    SELECT * FROM tasks WHERE batch = ?1 AND superseded = 1 AND status IN ('rendering', 'downloading')
    ORDER BY position, take, id`);
  // Left to itself, SQLite first searches for what is due, and sorts the whole queue of a new batch for every submit.
  const selectToStart = db.prepare<TaskColumns>(`
    SELECT * FROM tasks INDEXED BY tasks_to_start WHERE batch = ? AND family = ? AND startable = 1 AND due_at <= ?
    ORDER BY priority DESC, position, take LIMIT ?`);
  // `kindOf` in SQL. A kind contains a space, which no operation does.
  const selectToStartWithout = db.prepare<TaskColumns>(`
    SELECT * FROM tasks INDEXED BY tasks_to_start WHERE batch = ?1 AND family = ?2 AND startable = 1 AND due_at <= ?3
    AND operation NOT IN (SELECT atom FROM json_each(?4))
    AND operation || ' ' || model NOT IN (SELECT atom FROM json_each(?4)) ORDER BY priority DESC, position, take LIMIT ?5`);
  // Two short index scans, one for each value: tasks bound to other accounts are never looked at.
  const selectToStartAt = db.prepare<TaskColumns>(`
    SELECT * FROM tasks INDEXED BY tasks_to_start_at
    WHERE batch = ?1 AND account = ?2 AND family = ?3 AND startable = 1 AND due_at <= ?4
    AND operation NOT IN (SELECT atom FROM json_each(?5))
    AND operation || ' ' || model NOT IN (SELECT atom FROM json_each(?5)) ORDER BY priority DESC, position, take LIMIT ?6`);
  const selectStartable = db.prepare(`
    SELECT 1 FROM tasks INDEXED BY tasks_to_start WHERE batch = ? AND family = ? AND startable = 1 AND operation = ?
    LIMIT 1`);
  const selectToCome = db.prepare<{ readonly due_at: number | null }>(`
    SELECT min(due_at) AS due_at FROM tasks WHERE batch = ? AND startable = 1 AND due_at > ?`);
  const selectBlockedBy = db.prepareColumn<number>(`
    SELECT id FROM tasks WHERE batch = ? AND blocked_by = ? AND superseded = 0 ORDER BY position, take`);
  // `flags` is present but empty if gates have found nothing.
  const selectForGates = db.prepareColumn<number>(`
    SELECT id FROM tasks WHERE batch = ? AND superseded = 0 AND status IN ('done', 'downloading') AND EXISTS (
      SELECT 1 FROM outputs WHERE task = tasks.id AND state = 'verified' AND media_type <> '${MEDIA_TYPES.json.mediaType}'
        AND rest NOT LIKE '%"flags":[]%')
    ORDER BY position, take`);
  const selectWaitedFor = db.prepareColumn<string>(`
    SELECT DISTINCT blocked_by AS row_id FROM tasks
    WHERE batch = ? AND blocked_by IS NOT NULL AND superseded = 0 ORDER BY blocked_by`);

  return {
    watchedTasks: (batchId: string) => tasksOf(selectWatched.all(seqOf(batchId))),
    nextQueued: (batchId: string, family: Family, limit: number, now: number, without: readonly string[] = []) =>
      tasksOf(
        without.length === 0
          ? selectToStart.all(seqOf(batchId), family, now, limit)
          : selectToStartWithout.all(seqOf(batchId), family, now, JSON.stringify(without), limit),
      ),
    /** The same for a batch with several accounts: what may be sent with one of them. */
    nextQueuedAt: (account: string, { batchId, family, limit, without = [] }: QueuedWanted, now: number) => {
      const of = (column: string) =>
        selectToStartAt.all(seqOf(batchId), column, family, now, JSON.stringify(without), limit);
      return tasksOf([...of(''), ...of(account)].sort(inOrder).slice(0, limit));
    },
    /** Whether a queued task of an operation waits for nothing but its time. */
    hasStartable: (batchId: string, operation: OperationPath) =>
      selectStartable.get(seqOf(batchId), operationOf(operation).family, operation) !== undefined,
    nextQueuedDueAt: (batchId: string, now: number) => selectToCome.get(seqOf(batchId), now)?.due_at ?? undefined,
    taskIdsBlockedBy: (batchId: string, rowId: string) => selectBlockedBy(seqOf(batchId), rowId),
    tasksForGates: (batchId: string) => selectForGates(seqOf(batchId)),
    rowsWaitedFor: (batchId: string) => selectWaitedFor(seqOf(batchId)),
  };
}
