import { present } from '../../../shared/domain/base/result.ts';
import { gatewayKey, withChanges, withState, type BatchRecord } from '../../../shared/domain/task/batch.ts';
import { monthBegan, nextMonth } from '../../../shared/domain/base/wall-clock.ts';
import { OPERATION_PATHS } from '../../../shared/domain/operations/operations.ts';
import { accountsOf } from '../../../shared/domain/task/accounts/account.ts';
import type { AccountSpending, BatchSpending } from '../../../shared/domain/task/spending.ts';
import { ACTIVE_STATUSES, type Task, type TaskStatus } from '../../../shared/domain/task/task.ts';
import { crashPoint } from '../../crash-point.ts';
import type { AtOnce, Random } from '../../ports/base.ts';
import type { QueuedWanted, TaskStore, WorkLeft } from '../../ports/task-store.ts';
import { byFamily, kindsLeft } from './batch-counters.ts';
import { openCanaryQueue } from './canary-queue.ts';
import { openForecastQueries } from './forecast-queries.ts';
import { newBatchId, type StoredBatch } from './batch-records.ts';
import { openCommit } from './commit-changes.ts';
import { openBatchRemoval } from '../sheets/remove-batch.ts';
import { insertBatch } from './insert-batch.ts';
import type { StoreParts } from './store-parts.ts';
import { openTaskQueue } from './task-records.ts';

const BEFORE_ALL_TIME = -1;

/**
 * The task store on an open, current database. Writes are on the disk when the methods return; they throw {@link
 * StoreWriteError} when the disk refuses them. `close` closes the connection.
 */
export function sqliteTaskStore(parts: StoreParts, random: Random): AtOnce<TaskStore> {
  const { db, batchRecords, counters, rowRecords, taskRecords, evidenceRecords, gatewayRecords, nightRecords } = parts;
  const { spendingRecords, documentMarks, writing, zone } = parts;
  const { known, gatewayOf } = batchRecords;
  const commit = openCommit(parts);
  const queue = openTaskQueue(db, (batchId) => known(batchId).seq, taskRecords.tasksOf);
  const { hasStartable: _, nextQueuedAt, ...questions } = queue;

  const remove = openBatchRemoval(parts);
  const canaries = openCanaryQueue(db);
  const forecasts = openForecastQueries(db);

  function nextOf(wanted: QueuedWanted, now: number): readonly Task[] {
    const { batchId, account, family, limit, canary, without } = wanted;
    if (canary !== undefined) return taskRecords.tasksOf(canaries.nextQueued(known(batchId).seq, wanted, now, canary));
    if (account !== undefined) return nextQueuedAt(account, wanted, now);
    return queue.nextQueued(batchId, family, limit, now, without);
  }

  /** Whether something in the batch is under way, or may be sent, whichever process looks after it. */
  function hasWork(batchId: string): boolean {
    const counts = Object.values(counters.of(known(batchId).seq).tasks);
    const isUnderWay = [...ACTIVE_STATUSES].some(
      (status) => status !== 'queued' && counts.some((operation) => operation[status] > 0),
    );
    return isUnderWay || queue.nextQueuedDueAt(batchId, BEFORE_ALL_TIME) !== undefined;
  }

  return {
    ...questions,
    nextToSubmit(wanted, now) {
      const found = wanted.flatMap((one) =>
        nextOf(one, now).map((task) => ({ task, ...present({ account: one.account }) })),
      );
      // A task that several accounts may take is read once.
      const requests = rowRecords.requests([...new Set(found.map(({ task }) => task.id))]);
      return found.map((one) => {
        const request = requests.get(one.task.id);
        if (request === undefined) throw new Error(`A task without a row: ${one.task.id}`);
        return { ...one, ...request };
      });
    },
    heldKinds(batchId, rule, now) {
      const { seq, record } = known(batchId);
      const { settings } = record;
      if (settings.accounts === undefined) return canaries.held(seq, now, rule);
      return canaries.held(
        seq,
        now,
        rule,
        accountsOf(settings).map(({ name }) => name),
      );
    },
    workLeft(batchIds, now) {
      const leftOf = (batchId: string): WorkLeft => {
        const { tasks, submitsUsed } = counters.of(known(batchId).seq);
        const firstDueAt = queue.nextQueuedDueAt(batchId, BEFORE_ALL_TIME);
        const nextDueAt = queue.nextQueuedDueAt(batchId, now);
        return { counts: byFamily(tasks), submitsUsed, firstDueAt, nextDueAt };
      };
      return new Map(batchIds.map((batchId) => [batchId, leftOf(batchId)]));
    },
    createBatch(batch) {
      const isTaken = (id: string): boolean => batchRecords.everById(id) !== undefined || !db.claim(id);
      const id = newBatchId(batch.createdAt, random, isTaken);
      counters.whileWriting(() => writing(() => db.transaction(() => insertBatch(batch, id, parts))));
      crashPoint('import.committed');
      batchRecords.reload();
      return known(id).record;
    },
    batches: () => batchRecords.all().map((batch) => batch.record),
    batch: (id) => batchRecords.byId(id)?.record,
    setBatchState(id, state, pause, at, before = [], stops, asRead, forAll) {
      const change = { state, at, ...present({ pause, stops, forAll }) };
      const changes = [...before, { state, at, ...present({ pause }) }];
      const isWritten = writing(() =>
        db.transaction(() => {
          const { record } = known(id);
          if (asRead !== undefined && (asRead !== record.revision || (state === 'finished' && hasWork(id))))
            return false;
          batchRecords.writeState(withState(withChanges(record, before), change));
          if (state === 'running') batchRecords.noteForecast(id, nightRecords.nightAt(at));
          batchRecords.noteChanges(id, changes);
          nightRecords.follow(state, at);
          return true;
        }),
      );
      if (!isWritten) return undefined;
      batchRecords.reload();
      return known(id).record.revision;
    },
    updateBatchSettings(id, settings, name, asRead) {
      const isWritten = writing(() =>
        db.transaction(() => {
          const { record, seq } = known(id);
          if (asRead !== undefined && asRead !== record.revision) return false;
          batchRecords.writeSettings(id, settings, name ?? record.name);
          const hasSeveral = settings.accounts !== undefined;
          if (hasSeveral !== (record.settings.accounts !== undefined)) taskRecords.nameAccounts(seq, hasSeveral);
          for (const { name: account } of accountsOf(settings)) {
            taskRecords.moveCodes(seq, account, gatewayKey(id, settings, account));
          }
          return true;
        }),
      );
      if (!isWritten) return undefined;
      spendingRecords.forget();
      batchRecords.reload();
      return known(id).record.revision;
    },
    removeBatch(id, now) {
      const removeWithMark = (): boolean => {
        const isGone = remove(id, now);
        if (isGone) documentMarks.drop(id);
        return isGone;
      };
      const isRemoved = counters.whileWriting(() => writing(() => db.transaction(removeWithMark)));
      if (isRemoved) {
        crashPoint('sheet.removed');
        spendingRecords.forget();
        batchRecords.reload();
      }
      return isRemoved;
    },
    waitingWork(batchId, now) {
      const { seq, record } = known(batchId);
      const { tasks } = counters.of(seq);
      // Without gates, nobody has looked at any file, and the counts are stored anyway.
      const done = () => OPERATION_PATHS.map((operation) => ({ operation, made: 0, takes: tasks[operation].done }));
      const flaggable = record.settings.gates === undefined ? done() : forecasts.flaggable(seq);
      return { ...forecasts.waitingWork(seq, now), flaggable };
    },
    gatewayFacts: (baseUrl, isRehearsal, at) =>
      forecasts.gatewayFacts(baseUrl, isRehearsal, isRehearsal ? [] : spendingRecords.statedAt(baseUrl, at)),
    keepForecast(batchId, forecast) {
      writing(() => batchRecords.writeForecast(batchId, forecast));
      batchRecords.reload();
    },
    makeDue: (batchId, latest, now) =>
      writing(() => db.transaction(() => taskRecords.makeDue(known(batchId).seq, latest, now))),
    setTurn: (batchId, rows, event) =>
      writing(() => db.transaction(() => rowRecords.setTurns(known(batchId).seq, rows, event))),
    task: (id) => taskRecords.task(id),
    tasks: (ids) => taskRecords.tasks(ids),
    tasksOfRow: (batchId, rowId) => taskRecords.tasksOfRow(known(batchId).seq, rowId),
    tasksEverOfRow: (batchId, rowId) => taskRecords.tasksEverOfRow(known(batchId).seq, rowId),
    namingFacts({ id, batchId, rowId }) {
      const { seq } = known(batchId);
      const row = rowRecords.row(seq, rowId);
      return {
        row: row && { filename: row.filename, takes: row.takes, cells: row.cells },
        rendered: taskRecords.renderedOfRow(seq, rowId),
        sent: evidenceRecords.lastBody(id),
      };
    },
    requestBody: (taskId) => rowRecords.requestBody(taskId),
    row: (batchId, rowId) => rowRecords.row(known(batchId).seq, rowId),
    isDraft: (batchId, rowId) => rowRecords.isDraft(known(batchId).seq, rowId),
    tasksByStatus(statuses, batchId) {
      const batches = batchId === undefined ? batchRecords.all() : [known(batchId)];
      return iterateByStatus(batches, statuses, parts);
    },
    counts: (batchId) => byFamily(counters.of(known(batchId).seq).tasks),
    kindsLeft: (batchId) => kindsLeft(counters.of(known(batchId).seq).tasks),
    submitsUsed: (batchId) => counters.of(known(batchId).seq).submitsUsed,
    rowWithUrl: (task, url) => taskRecords.rowWithUrl(task, url),
    originsOfKey: (keyFingerprint) => evidenceRecords.originsOfKey(keyFingerprint),
    idempotencyProofs: () => gatewayRecords.idempotencyProofs(),
    lastNotedAt: () => evidenceRecords.lastNotedAt(),
    isTaskCodeKnown: (batchId, taskCode, account) => taskRecords.idByCode(batchId, taskCode, account) !== undefined,
    taskByCode(batchId, taskCode, account) {
      const id = taskRecords.idByCode(batchId, taskCode, account);
      return id === undefined ? undefined : taskRecords.task(id);
    },
    commit: (changes) => writing(() => commit(changes)),
    nights: () => nightRecords.all(),
    spendingLimits: () => spendingRecords.limits(),
    setSpendingLimits: (limits) => writing(() => spendingRecords.writeLimits(limits)),
    spending(at, batchIds) {
      const ofAccounts = (seq: number, { id, settings }: BatchRecord) =>
        new Map(
          accountsOf(settings).map(({ name: account }): [string, AccountSpending] => {
            const stated = spendingRecords.statedAt(gatewayOf(id, account), at);
            return [account, { spent: spendingRecords.spentIn({ kind: 'account', seq, account }), stated }];
          }),
        );
      const ofBatch = (batchId: string): BatchSpending => {
        const { seq, record } = known(batchId);
        const { tasks } = counters.of(seq);
        const queued = OPERATION_PATHS.filter((operation) => tasks[operation].queued > 0);
        return {
          spent: spendingRecords.spentIn({ kind: 'batch', seq }),
          queued: queued.map((operation) => {
            const stated = spendingRecords.statedFor(gatewayOf(batchId), operation, at);
            const isStartable = queue.hasStartable(batchId, operation);
            return { operation, isStartable, ...(stated.length > 0 && { stated }) };
          }),
          ...(record.settings.accounts && { accounts: ofAccounts(seq, record) }),
        };
      };
      return {
        night: spendingRecords.spentIn({ kind: 'night', ...nightRecords.nightOrDayAt(at) }),
        // What was noted with a clock that was ahead belongs to the month that the clock showed.
        month: spendingRecords.spentIn({ kind: 'month', from: monthBegan(at, zone()), until: nextMonth(at, zone()) }),
        batches: new Map(batchIds.map((batchId) => [batchId, ofBatch(batchId)])),
      };
    },
    attempts: (taskId) => evidenceRecords.attempts(taskId),
    pollAnswer: (taskId) => evidenceRecords.pollAnswer(taskId),
    events: (taskId) => evidenceRecords.events(taskId),
    seenStatuses: (batchId, account) =>
      gatewayRecords.seenStatuses(batchId === undefined ? undefined : gatewayOf(batchId, account)),
    learned: () => gatewayRecords.learned(),
    completions: (batchId, operation, model, account) =>
      gatewayRecords.completions(gatewayOf(batchId, account), operation, model),
    markDocuments: (...word) => writing(() => documentMarks.mark(...word)),
    outdatedDocuments: () => documentMarks.outdated(),
    countDocuments: (...word) => writing(() => documentMarks.count(...word)),
    close: () => db.close(),
  };
}

/** Where a page of tasks begins: the index of its batch, and the index of its id among those of the batch. */
interface TaskPlace {
  readonly batch: number;
  readonly ids: readonly number[] | undefined;
  readonly from: number;
}

/**
 * Reads the ids first, and each task in its turn: tasks may change meanwhile, and a whole batch is never in memory. A
 * task that no longer has one of the statuses is skipped.
 */
function* iterateByStatus(
  batches: readonly StoredBatch[],
  statuses: readonly TaskStatus[],
  { db, taskRecords, counters }: StoreParts,
): Generator<Task> {
  const isMeant = (task: Task | undefined): task is Task => task !== undefined && statuses.includes(task.status);
  const idsOf = (seq: number): readonly number[] => {
    const counts = Object.values(counters.of(seq).tasks);
    const hasSome = counts.some((operation) => statuses.some((status) => operation[status] > 0));
    return hasSome ? taskRecords.idsByStatus(seq, statuses) : [];
  };
  const pages = db.pages({ batch: 0, ids: undefined, from: 0 }, (place: TaskPlace) => {
    const { from } = place;
    let { batch, ids } = place;
    for (; ids === undefined && batch < batches.length; batch += ids === undefined ? 1 : 0) {
      const found = idsOf(batches[batch]?.seq ?? 0);
      if (found.length > 0) ids = found;
    }
    if (ids === undefined) return { items: [], next: undefined };
    const some = ids.slice(from, from + db.itemsAtOnce);
    const byId = new Map(taskRecords.tasks(some).map((task) => [task.id, task]));
    const items = some.flatMap((id) => byId.get(id) ?? []).filter(isMeant);
    const isMore = from + db.itemsAtOnce < ids.length;
    return {
      items,
      next: isMore ? { batch, ids, from: from + db.itemsAtOnce } : { batch: batch + 1, ids: undefined, from: 0 },
    };
  });
  for (const tasks of pages) {
    const { written } = db;
    for (const task of tasks) {
      const now = written === db.written ? task : db.snapshot(() => taskRecords.task(task.id));
      if (isMeant(now)) yield now;
    }
  }
}
