import { gatewayKey } from '../../../shared/domain/task/batch.ts';
import type { Task, TaskStatus } from '../../../shared/domain/task/task.ts';
import { crashPoint } from '../../crash-point.ts';
import type { Random, TaskStore } from '../../ports.ts';
import { copyOfTasks, openBatchCounters, type BatchCounters } from './batch-counters.ts';
import { newBatchId, openBatchRecords, withState, type BatchRecords, type StoredBatch } from './batch-records.ts';
import { openCommit } from './commit-changes.ts';
import { openEvidenceRecords, type EvidenceRecords } from './evidence-records.ts';
import { openGatewayRecords } from './gateway-records.ts';
import { openFreshKeys, type FreshKeys, insertBatch } from './insert-batch.ts';
import { openProblemRecords, type ProblemRecords } from '../sheets/problem-records.ts';
import { openRowRecords, type RowRecords } from '../sheets/row-records.ts';
import type { Database } from '../open/database.ts';
import { problemOfError, StoreWriteError } from '../open/store-problem.ts';
import { openTaskRecords, type TaskRecords } from './task-records.ts';

/** A {@link TaskStore} in a database, with the parts of it that the views and the sheet store share. */
export interface SqliteTaskStore extends TaskStore {
  readonly batchRecords: BatchRecords;
  readonly counters: BatchCounters;
  readonly rowRecords: RowRecords;
  readonly taskRecords: TaskRecords;
  readonly evidenceRecords: EvidenceRecords;
  readonly problemRecords: ProblemRecords;
  readonly freshKeys: { readonly rows: FreshKeys; readonly tasks: FreshKeys };
  /** Runs a write and reports an error of the disk. */
  readonly writing: <T>(write: () => T) => T;
}

/**
 * The task store on an open, current database. Writes are on the disk when they return; they throw {@link
 * StoreWriteError} when the disk refuses them. `close` closes the connection.
 */
export function sqliteTaskStore(db: Database, random: Random): SqliteTaskStore {
  const batchRecords = openBatchRecords(db);
  const rows = openRowRecords(db);
  const tasks = openTaskRecords(db, batchRecords);
  const evidence = openEvidenceRecords(db);
  const gateways = openGatewayRecords(db);
  const problemRecords = openProblemRecords(db);
  const freshKeys = { rows: openFreshKeys(db, 'rows', 'seq'), tasks: openFreshKeys(db, 'tasks', 'id') };
  const counters = openBatchCounters(db);
  const taskKeys = freshKeys.tasks;
  const commit = openCommit({ db, batches: batchRecords, rows, tasks, evidence, gateways, counters, taskKeys });
  const writing = writeGuard(db);

  const { known, gatewayOf } = batchRecords;

  const parts = {
    batchRecords,
    counters,
    rowRecords: rows,
    taskRecords: tasks,
    evidenceRecords: evidence,
    problemRecords,
    freshKeys,
    writing,
  };
  return {
    ...parts,
    createBatch(batch) {
      const id = newBatchId(batch.createdAt, random, (taken) => batchRecords.byId(taken) !== undefined);
      writing(() => db.transaction(() => insertBatch(batch, id, parts)));
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
    updateBatchSettings(id, settings, name) {
      const { record, seq } = known(id);
      writing(() =>
        db.transaction(() => {
          batchRecords.writeSettings(id, settings, name ?? record.name);
          tasks.moveCodes(seq, gatewayKey(id, settings));
        }),
      );
      batchRecords.reload();
    },
    task: (id) => tasks.task(id),
    tasksOfRow: (batchId, rowId) => tasks.tasksOfRow(known(batchId).seq, rowId),
    tasksEverOfRow: (batchId, rowId) => tasks.tasksEverOfRow(known(batchId).seq, rowId),
    requestBody: (taskId) => rows.requestBody(taskId),
    row: (batchId, rowId) => rows.row(known(batchId).seq, rowId),
    tasksByStatus(statuses, batchId) {
      const batches = batchId === undefined ? batchRecords.all() : [known(batchId)];
      return iterateByStatus(batches, statuses, tasks, counters);
    },
    watchedTasks: (batchId) => tasks.watched(known(batchId).seq),
    nextQueued: (batchId, family, limit, now) => tasks.nextQueued(known(batchId).seq, family, limit, now),
    nextQueuedDueAt: (batchId, now) => tasks.nextQueuedDueAt(known(batchId).seq, now),
    taskIdsBlockedBy: (batchId, rowId) => tasks.idsBlockedBy(known(batchId).seq, rowId),
    rowsWaitedFor: (batchId) => tasks.rowsWaitedFor(known(batchId).seq),
    counts: (batchId) => copyOfTasks(counters.of(known(batchId).seq).tasks),
    submitsUsed: (batchId) => counters.of(known(batchId).seq).submitsUsed,
    rowWithUrl: (task, url) => tasks.rowWithUrl(task.id, url),
    originsOfKey: (keyFingerprint) => evidence.originsOfKey(keyFingerprint),
    isTaskCodeKnown: (batchId, taskCode) => tasks.idByCode(batchId, taskCode) !== undefined,
    taskByCode(batchId, taskCode) {
      const id = tasks.idByCode(batchId, taskCode);
      return id === undefined ? undefined : tasks.task(id);
    },
    commit: (changes) => writing(() => commit(changes)),
    attempts: (taskId) => evidence.attempts(taskId),
    pollAnswer: (taskId) => evidence.pollAnswer(taskId),
    events: (taskId) => evidence.events(taskId),
    seenStatuses: (batchId) => gateways.seenStatuses(batchId === undefined ? undefined : gatewayOf(batchId)),
    completions: (batchId, operation, model) => gateways.completions(gatewayOf(batchId), operation, model),
    close: () => db.close(),
  };
}

/** Runs a write and reports an error of the disk. */
function writeGuard(db: Database): <T>(write: () => T) => T {
  return (write) => {
    try {
      return write();
    } catch (error) {
      const problem = problemOfError(error, db.connection.location() ?? 'The store');
      throw problem === undefined ? error : new StoreWriteError(problem, error);
    }
  };
}

/**
 * Reads the ids first and each task at its turn: tasks may change meanwhile, and a whole batch is never in memory. A
 * task that no longer has one of the statuses is skipped.
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
