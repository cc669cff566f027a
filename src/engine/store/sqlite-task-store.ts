import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { gatewayKey, PLAIN_SHEET } from '../../shared/domain/batch.ts';
import { rowStatus } from '../../shared/domain/row-status.ts';
import { blockedRowIds, type SheetProblem } from '../../shared/domain/row.ts';
import { ROW_GAP, type Task, type TaskStatus } from '../../shared/domain/task.ts';
import { crashPoint } from '../crash-point.ts';
import type { NewBatch, Random, TaskStore } from '../ports.ts';
import { copyOfTasks, openBatchCounters, type BatchCounters } from './batch-counters.ts';
import { newBatchId } from './batch-id.ts';
import { openBatchRecords, withState, type BatchRecords, type StoredBatch } from './batch-records.ts';
import { openCommit } from './commit-changes.ts';
import { openEvidenceRecords } from './evidence-records.ts';
import { newTasks } from './new-tasks.ts';
import { openRowRecords, type RowRecords } from './row-records.ts';
import { inTransaction } from './statement.ts';
import { problemOfError, StoreWriteError } from './store-problem.ts';
import { openTaskRecords, type TaskRecords } from './task-records.ts';

/** A {@link TaskStore} in a database, with the parts of it that views share. */
export interface SqliteTaskStore extends TaskStore {
  readonly batchRecords: BatchRecords;
  readonly counters: BatchCounters;
}

/**
 * The store of tasks on an open, current database. Writes are on the disk when they return; they throw
 * {@link StoreWriteError} when the disk refuses them. `close` closes the connection.
 */
export function sqliteTaskStore(db: DatabaseSyncInstance, random: Random): SqliteTaskStore {
  const batchRecords = openBatchRecords(db);
  const rows = openRowRecords(db);
  const tasks = openTaskRecords(db, batchRecords);
  const evidence = openEvidenceRecords(db);
  const counters = openBatchCounters(db);
  const commit = openCommit({ db, batches: batchRecords, rows, tasks, evidence, counters });
  const writing = writeGuard(db);

  const known = (batchId: string): StoredBatch => {
    const batch = batchRecords.byId(batchId);
    if (batch === undefined) throw new Error(`Unknown batch: ${batchId}`);
    return batch;
  };

  const gatewayOf = (batchId: string): string => gatewayKey(batchId, known(batchId).record.settings);

  return {
    batchRecords,
    counters,
    createBatch(batch) {
      const id = newBatchId(batch.createdAt, random, (taken) => batchRecords.byId(taken) !== undefined);
      writing(() => inTransaction(db, () => insertBatch(batch, id, batchRecords, rows, tasks)));
      crashPoint('import.committed');
      batchRecords.reload();
      return known(id).record;
    },
    batches: () => batchRecords.all().map((batch) => batch.record),
    batch: (id) => batchRecords.byId(id)?.record,
    setBatchState(id, state, pause, at) {
      const record = withState(known(id).record, state, pause, at);
      writing(() => batchRecords.writeState(record));
      batchRecords.reload();
    },
    updateBatchSettings(id, settings) {
      known(id);
      writing(() => inTransaction(db, () => batchRecords.writeSettings(id, settings)));
      batchRecords.reload();
    },
    task: (id) => tasks.task(id),
    tasksOfRow: (batchId, rowId) => tasks.tasksOfRow(known(batchId).seq, rowId),
    requestBody: (taskId) => rows.requestBody(taskId),
    row: (batchId, rowId) => rows.row(known(batchId).seq, rowId),
    tasksByStatus(statuses, batchId) {
      const batches = batchId === undefined ? batchRecords.all() : [known(batchId)];
      return iterateByStatus(batches, statuses, tasks, counters);
    },
    nextQueued: (batchId, family, limit, now) => tasks.nextQueued(known(batchId).seq, family, limit, now),
    nextQueuedDueAt: (batchId, now) => tasks.nextQueuedDueAt(known(batchId).seq, now),
    tasksBlockedBy: (batchId, rowId) => tasks.blockedBy(known(batchId).seq, rowId),
    rowsWaitedFor: (batchId) => tasks.rowsWaitedFor(known(batchId).seq),
    counts: (batchId) => copyOfTasks(counters.of(known(batchId).seq).tasks),
    submitsUsed: (batchId) => counters.of(known(batchId).seq).submitsUsed,
    rowWithUrl: (task, url) => tasks.rowWithUrl(task.id, url),
    isTaskCodeKnown: (batchId, taskCode) => tasks.isTaskCodeKnown(gatewayOf(batchId), taskCode),
    commit: (changes) => writing(() => commit(changes)),
    attempts: (taskId) => evidence.attempts(taskId),
    pollAnswer: (taskId) => evidence.pollAnswer(taskId),
    events: (taskId) => evidence.events(taskId),
    completions: (batchId, operation, model) => evidence.completions(gatewayOf(batchId), operation, model),
    close: () => db.close(),
  };
}

/** Runs a write and names what the disk did to it. */
function writeGuard(db: DatabaseSyncInstance): <T>(write: () => T) => T {
  return (write) => {
    try {
      return write();
    } catch (error) {
      const problem = problemOfError(error, db.location() ?? 'The store');
      throw problem === undefined ? error : new StoreWriteError(problem, error);
    }
  };
}

function insertBatch(
  { name, sheetPath, headers, sheet = PLAIN_SHEET, settings, createdAt, rows: newRows, problems }: NewBatch,
  id: string,
  batches: BatchRecords,
  rows: RowRecords,
  tasks: TaskRecords,
): void {
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const batch = batches.insert({
    record: {
      id,
      name,
      ...(sheetPath === undefined ? {} : { sheetPath }),
      headers,
      sheet,
      settings,
      state: 'ready',
      createdAt,
    },
    problems: { errors, warnings: problems.length - errors },
  });
  for (const problem of problems) rows.insertProblem(batch, problem);
  const blocked = blockedRowIds({ headers, rows: [], problems });
  const problemsByRow = problemsByRowId(problems);
  let rowCount = 0;
  let taskCount = 0;
  for (const row of newRows) {
    const position = (rowCount + 1) * ROW_GAP;
    const ownTasks = newTasks(row, id, position, blocked.has(row.id), createdAt);
    const status = rowStatus(ownTasks.map((task) => task.status)) ?? (row.skip ? 'skipped' : 'invalid');
    const seq = rows.insert(batch, row, position, status, problemsByRow.get(row.id) ?? []);
    for (const task of ownTasks) tasks.insert(batch, seq, task);
    crashPoint('import.row-written');
    rowCount += 1;
    taskCount += ownTasks.length;
  }
  batches.writeCounts(batch, rowCount, taskCount);
}

/**
 * Reads the ids at the beginning and each task when its turn comes: tasks may change meanwhile, and a whole batch is
 * never in memory. One that has left the statuses by then is passed over.
 */
function* iterateByStatus(
  batches: readonly StoredBatch[],
  statuses: readonly TaskStatus[],
  tasks: TaskRecords,
  counters: BatchCounters,
): Generator<Task> {
  for (const { seq } of batches) {
    const counts = Object.values(counters.of(seq).tasks);
    if (!counts.some((family) => statuses.some((status) => family[status] > 0))) continue;
    for (const id of tasks.idsByStatus(seq, statuses)) {
      const task = tasks.task(id);
      if (task !== undefined && statuses.includes(task.status)) yield task;
    }
  }
}

/** The problems of a sheet by the id of the row that they concern. */
function problemsByRowId(problems: readonly SheetProblem[]): ReadonlyMap<string, readonly SheetProblem[]> {
  const byRow = new Map<string, SheetProblem[]>();
  for (const problem of problems) {
    if (problem.row === undefined) continue;
    const own = byRow.get(problem.row);
    if (own === undefined) byRow.set(problem.row, [problem]);
    else own.push(problem);
  }
  return byRow;
}
