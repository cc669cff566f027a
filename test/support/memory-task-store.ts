import type { Money } from '../../src/shared/domain/base/money.ts';
import {
  gatewayKey,
  type AccountStops,
  PLAIN_SHEET,
  withChanges,
  withState,
  type BatchPause,
  type BatchRecord,
  type BatchSettings,
  type BatchState,
  type StateChange,
} from '../../src/shared/domain/task/batch.ts';
import { present } from '../../src/shared/domain/base/result.ts';
import type { IdempotencyProof } from '../../src/shared/domain/task/key-probe.ts';
import { monthBegan, nextMonth } from '../../src/shared/domain/base/wall-clock.ts';
import {
  chargeOf,
  STATED_FOR_MS,
  NOTHING_SPENT,
  withMore,
  type Spending,
  type SpendingLimits,
  type SpentSum,
} from '../../src/shared/domain/task/spending.ts';
import { isOfNight, type NightRecord } from '../../src/shared/domain/task/night-record.ts';
import { foldPath } from '../../src/shared/domain/files/naming.ts';
import { newTasks } from '../../src/shared/domain/task/new-tasks.ts';
import {
  type Learned,
  type LearnedCounts,
  type LearnedDuration,
  shapeKey,
} from '../../src/shared/domain/gateway/learned/learned.ts';
import {
  OPERATION_PATHS,
  type Family,
  type OperationPath,
  type OutputKind,
} from '../../src/shared/domain/operations/operations.ts';
import { blockedRowIds, type Row } from '../../src/shared/domain/sheet/row.ts';
import {
  SEEN_KEPT,
  seenKey,
  type CountedStatus,
  type SeenStatus,
} from '../../src/shared/domain/gateway/seen-status.ts';
import {
  isAskHeld,
  isSuspectedFailure,
  kindOf,
  ROW_GAP,
  settlesItself,
  TERMINAL_STATUSES,
  type Task,
  type TaskStatus,
} from '../../src/shared/domain/task/task.ts';
import type { CanaryRule } from '../../src/shared/domain/task/canary.ts';
import type { ForecastRecord } from '../../src/shared/domain/task/forecast/forecast-record.ts';
import type { TaskEvent } from '../../src/shared/domain/task/task-event.ts';
import type { AtOnce, Random } from '../../src/engine/ports/base.ts';
import type { Attempt, CommitOutcome, LateAnswer, TaskChange } from '../../src/engine/ports/task-change.ts';
import type {
  DocumentMark,
  HeldKind,
  NamingFacts,
  NewBatch,
  QueuedTask,
  QueuedWanted,
  StatusCounts,
  TaskStore,
  WorkLeft,
} from '../../src/engine/ports/task-store.ts';
import type { RawAnswer } from '../../src/engine/ports/media-gateway.ts';
import { noTasks } from '../../src/engine/store/tasks/batch-counters.ts';
import { newBatchId } from '../../src/engine/store/tasks/batch-records.ts';
import { zoneHere } from '../../src/engine/store/tasks/night-records.ts';
import { COMPLETIONS_KEPT } from '../../src/engine/store/tasks/gateway-records.ts';
import { folderKey } from '../../src/engine/store/tasks/batch-records.ts';
import { bodyBytes } from '../../src/engine/request-body.ts';
import { mayBeCharged } from '../../src/engine/store/tasks/evidence-records.ts';
import { isStartable } from '../../src/engine/store/tasks/task-table.ts';

/** A task with everything that is recorded about it. */
interface TaskEntry {
  task: Task;
  /** Where each output with a path is, by position. */
  places: ReadonlyMap<number, Place>;
  readonly attempts: Attempt[];
  readonly events: { readonly at: number; readonly event: TaskEvent }[];
  pollAnswer?: RawAnswer;
}

interface Place {
  readonly folder: string;
  readonly path: string;
}

interface BatchEntry {
  record: BatchRecord;
  readonly rows: ReadonlyMap<string, Row>;
  /** In order of position and take, which never change. */
  readonly tasks: readonly TaskEntry[];
}

/**
 * A {@link TaskStore} that forgets everything: the model that the durable one is compared with, and a fast stand-in in
 * tests. Every answer is computed from the tasks themselves, as plainly as can be.
 */
export class MemoryTaskStore implements AtOnce<TaskStore> {
  readonly #random: Random;
  readonly #batches = new Map<string, BatchEntry>();
  readonly #tasks = new Map<number, TaskEntry>();
  readonly #ownerOfPlace = new Map<string, number>();
  readonly #completions = new Map<string, number[]>();
  #proofs: readonly IdempotencyProof[] = [];
  readonly #seen = new Map<string, CountedStatus>();
  readonly #shapes = new Map<string, Learned['shapes'][number]>();
  readonly #measures = new Map<string, Learned['measures'][number]>();
  #nights: readonly NightRecord[] = [];
  #lastEventAt = 0;
  #limits: SpendingLimits = {};
  readonly #outdated = new Set<string>();
  readonly #written = new Map<string, number>();
  #lastAttemptId = 0;
  /** How many charges are reserved for attempts with open outcomes, if more than one. */
  readonly #charges = new Map<number, number>();

  constructor(random: Random) {
    this.#random = random;
  }

  createBatch({
    name,
    sheetPath,
    headers,
    sheet = PLAIN_SHEET,
    settings,
    createdAt,
    rows,
    problems,
  }: NewBatch): BatchRecord {
    const id = newBatchId(createdAt, this.#random, (taken) => this.#batches.has(taken));
    const blocked = blockedRowIds({ problems });
    const ownRows = [...rows];
    const tasks = ownRows
      .flatMap((row, i) => newTasks(row, id, (i + 1) * ROW_GAP, blocked.has(row.id), createdAt))
      .map((task, i): Task => ({ ...task, id: this.#tasks.size + i + 1 }));
    const entries = tasks.map((task): TaskEntry => ({ task, places: new Map(), attempts: [], events: [] }));
    for (const entry of entries) this.#tasks.set(entry.task.id, entry);
    const record: BatchRecord = {
      id,
      name,
      ...(sheetPath === undefined ? {} : { sheetPath }),
      headers,
      sheet,
      settings,
      state: 'ready',
      createdAt,
      rowCount: ownRows.length,
      taskCount: tasks.length,
      revision: 0,
    };
    this.#batches.set(id, {
      record,
      // An id that two rows share means the first of them.
      rows: new Map(ownRows.toReversed().map((row) => [row.id, row])),
      tasks: entries.toSorted((a, b) => a.task.position - b.task.position || a.task.take - b.task.take),
    });
    return record;
  }

  batches(): readonly BatchRecord[] {
    return [...this.#batches.values()].map((batch) => batch.record);
  }

  batch(id: string): BatchRecord | undefined {
    return this.#batches.get(id)?.record;
  }

  /** Nobody compares what is left of a removed batch. */
  removeBatch(): boolean {
    throw new Error('This model forgets by itself.');
  }

  /** Here, rows get no takes later. */
  setTurn(): void {
    return;
  }

  setBatchState(
    id: string,
    state: BatchState,
    pause: BatchPause | undefined,
    at: number,
    before: readonly StateChange[] = [],
    stops?: AccountStops,
    asRead?: number,
    forAll?: true,
  ): number | undefined {
    const batch = this.#batch(id);
    const { revision } = batch.record;
    if (asRead !== undefined && (asRead !== revision || (state === 'finished' && this.#hasWork(id)))) return undefined;
    const change = { state, at, ...present({ pause, stops, forAll }) };
    batch.record = { ...withState(withChanges(batch.record, before), change), revision: revision + 1 };
    this.#follow(state, at);
    return revision + 1;
  }

  #hasWork(batchId: string): boolean {
    const isUnderWay = ({ status }: Task): boolean => ['submitting', 'rendering', 'downloading'].includes(status);
    return this.#tasksOf(batchId).some((task) => isUnderWay(task) || isStartable(task));
  }

  #follow(state: BatchState, at: number): void {
    const last = this.#nights.at(-1);
    if (state === 'running') return void this.#nightAt(at);
    if (last === undefined || last.endedAt !== undefined) return;
    if (this.batches().some((one) => one.state === 'running')) return;
    const isOf = isOfNight(last, () => this.#lastSignIn(last), at, zoneHere());
    this.#setLastNight(last, isOf ? Math.max(at, last.beganAt) : this.#lastSignIn(last));
  }

  nights(): readonly NightRecord[] {
    return this.#nights;
  }

  updateBatchSettings(id: string, settings: BatchSettings, name?: string, asRead?: number): number | undefined {
    const batch = this.#batch(id);
    const { revision } = batch.record;
    if (asRead !== undefined && asRead !== revision) return undefined;
    batch.record = { ...batch.record, settings, name: name ?? batch.record.name, revision: revision + 1 };
    return revision + 1;
  }

  makeDue(batchId: string, latest: number, now: number): void {
    for (const entry of this.#batch(batchId).tasks) {
      const { task } = entry;
      if (isStartable(task) && task.dueAt > latest) entry.task = { ...task, dueAt: now };
    }
  }

  task(id: number): Task | undefined {
    return this.#tasks.get(id)?.task;
  }

  tasks(ids: readonly number[]): readonly Task[] {
    return ids.flatMap((id) => this.task(id) ?? []);
  }

  tasksOfRow(batchId: string, rowId: string): readonly Task[] {
    return this.#tasksOf(batchId).filter((task) => task.rowId === rowId);
  }

  /** Nothing is ever superseded here: rows are not edited. */
  tasksEverOfRow(batchId: string, rowId: string): readonly Task[] {
    return this.tasksOfRow(batchId, rowId);
  }

  namingFacts({ id, batchId, rowId }: Pick<Task, 'id' | 'batchId' | 'rowId'>): NamingFacts {
    const rendered = this.tasksEverOfRow(batchId, rowId).filter(({ outputs }) => outputs.length > 0);
    return {
      row: this.row(batchId, rowId),
      rendered: rendered.map((task) => ({
        id: task.id,
        take: task.take,
        hasFile: task.outputs.some(({ path }) => path !== undefined),
      })),
      sent: this.attempts(id).at(-1)?.body,
    };
  }

  requestBody(taskId: number): Uint8Array {
    const { batchId, rowId } = this.#entry(taskId).task;
    const row = this.row(batchId, rowId);
    if (row === undefined) throw new Error(`Task ${taskId} has no row`);
    return bodyBytes(row);
  }

  row(batchId: string, rowId: string): Row | undefined {
    return this.#batch(batchId).rows.get(rowId);
  }

  /** Here, sheets are not edited. */
  isDraft(): boolean {
    return false;
  }

  *tasksByStatus(statuses: readonly TaskStatus[], batchId?: string): Iterable<Task> {
    for (const id of batchId === undefined ? [...this.#batches.keys()] : [batchId]) {
      for (const { task } of this.#batch(id).tasks) if (statuses.includes(task.status)) yield task;
    }
  }

  watchedTasks(batchId: string): readonly Task[] {
    return this.#tasksOf(batchId).filter(isSuspectedFailure);
  }

  nextQueued(
    batchId: string,
    family: Family,
    limit: number,
    now: number,
    without: readonly string[] = [],
  ): readonly Task[] {
    const due = this.#startable(batchId).filter((t) => t.family === family && t.dueAt <= now);
    const wanted = due.filter((task) => !without.includes(task.operation) && !without.includes(kindOf(task)));
    return wanted.sort((a, b) => b.priority - a.priority).slice(0, limit);
  }

  nextQueuedDueAt(batchId: string, now: number): number | undefined {
    const times = this.#tasksOf(batchId).flatMap((t) => (isStartable(t) && t.dueAt > now ? t.dueAt : []));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  nextToSubmit(wanted: readonly QueuedWanted[], now: number): readonly QueuedTask[] {
    const tasks = wanted.flatMap(({ batchId, family, limit, canary, without }) => {
      if (canary === undefined) return this.nextQueued(batchId, family, limit, now, without);
      const tried = new Set<number>();
      const mayGo = (task: Task): boolean => {
        const standing = this.#standing(batchId, task.requestKind, canary, now);
        if (standing !== 'fresh') return standing === 'open';
        const isFirst = !tried.has(task.requestKind);
        tried.add(task.requestKind);
        return isFirst;
      };
      return this.nextQueued(batchId, family, Number.POSITIVE_INFINITY, now, without).filter(mayGo).slice(0, limit);
    });
    return tasks.map((task) => {
      const links = this.row(task.batchId, task.rowId)?.links ?? [];
      return { task, body: this.requestBody(task.id), links };
    });
  }

  heldKinds(batchId: string, rule: CanaryRule, now: number): readonly HeldKind[] {
    const startable = this.#tasksOf(batchId).filter(isStartable);
    return [...new Set(startable.map(({ requestKind }) => requestKind))].flatMap((requestKind): readonly HeldKind[] => {
      const standing = this.#standing(batchId, requestKind, rule, now);
      if (typeof standing === 'string') return [];
      const waiting = startable.filter((task) => task.requestKind === requestKind).length;
      return [{ requestKind, ...standing, waiting }];
    });
  }

  #standing(
    batchId: string,
    kind: number,
    { since, released }: CanaryRule,
    now: number,
  ): 'open' | 'fresh' | 'under-way' | Pick<HeldKind, 'why' | 'taskId'> {
    const all = this.#tasksOf(batchId).filter(({ requestKind }) => requestKind === kind);
    if (released.includes(kind) || all.some(({ status }) => status === 'done')) return 'open';
    const isUnderWay = (task: Task): boolean =>
      ['submitting', 'rendering', 'downloading'].includes(task.status) || (settlesItself(task) && !isAskHeld(task));
    if (all.some(isUnderWay)) return 'under-way';
    const unknown = all.find(({ status }) => status === 'submit-unknown');
    if (unknown !== undefined) return { why: 'unknown', taskId: unknown.id };
    const failed = all
      .filter(
        ({ status, blockedBy, finishedAt = -1, failure }) =>
          status === 'failed' &&
          blockedBy === undefined &&
          finishedAt >= (since > now ? 0 : since) &&
          failure?.code !== 'DEPENDENCY_FAILED' &&
          failure?.code !== 'WRITTEN_OFF',
      )
      .toSorted((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0) || b.id - a.id);
    const verdict = failed.find((one) => !isModerated(one)) ?? (failed.length < 3 ? undefined : failed[0]);
    return verdict === undefined ? 'fresh' : { why: 'failed', taskId: verdict.id };
  }

  /** The data for a forecast is read from the tables themselves: there is no second way to compare it with. */
  waitingWork(): never {
    throw new Error('Not in this store');
  }

  gatewayFacts(): never {
    throw new Error('Not in this store');
  }

  keepForecast(batchId: string, forecast: ForecastRecord): void {
    const batch = this.#batch(batchId);
    batch.record = { ...batch.record, forecast, revision: batch.record.revision + 1 };
  }

  workLeft(batchIds: readonly string[], now: number): ReadonlyMap<string, WorkLeft> {
    const leftOf = (batchId: string): WorkLeft => ({
      counts: this.counts(batchId),
      submitsUsed: this.submitsUsed(batchId),
      firstDueAt: this.nextQueuedDueAt(batchId, -1),
      nextDueAt: this.nextQueuedDueAt(batchId, now),
    });
    return new Map(batchIds.map((batchId) => [batchId, leftOf(batchId)]));
  }

  taskIdsBlockedBy(batchId: string, rowId: string): readonly number[] {
    return this.#tasksOf(batchId).flatMap((task) => (task.blockedBy === rowId ? task.id : []));
  }

  tasksForGates(batchId: string): readonly number[] {
    return [...this.tasksByStatus(['done', 'downloading'], batchId)].flatMap(({ id, outputs }) => {
      const isOpen = outputs.some(
        ({ state, flags, mediaType }) =>
          state === 'verified' && mediaType !== 'application/json' && (flags === undefined || flags.length > 0),
      );
      return isOpen ? [id] : [];
    });
  }

  rowsWaitedFor(batchId: string): readonly string[] {
    return [...new Set(this.#tasksOf(batchId).flatMap((task) => task.blockedBy ?? []))].toSorted();
  }

  counts(batchId: string): StatusCounts {
    const counts = noTasks();
    for (const { family, status } of this.#tasksOf(batchId)) counts[family][status] += 1;
    return counts;
  }

  kindsLeft(batchId: string): readonly OutputKind[] {
    const left = this.#tasksOf(batchId).filter(({ status }) => !TERMINAL_STATUSES.has(status));
    return [...new Set(left.map(({ kind }) => kind))];
  }

  submitsUsed(batchId: string): number {
    const attempts = this.#batch(batchId).tasks.flatMap((entry) => entry.attempts);
    return attempts.filter((attempt) => mayBeCharged(attempt.outcome)).length;
  }

  rowWithUrl(task: Task, url: string): string | undefined {
    const others = [...this.#tasks.values()].filter(
      (entry) => entry.task.batchId === task.batchId && entry.task.rowId !== task.rowId,
    );
    return others.find((entry) => entry.task.outputs.some((output) => output.url === url))?.task.rowId;
  }

  isTaskCodeKnown(batchId: string, taskCode: string): boolean {
    return this.taskByCode(batchId, taskCode) !== undefined;
  }

  taskByCode(batchId: string, taskCode: string): Task | undefined {
    const gateway = this.#gatewayOf(batchId);
    const isIt = ({ task }: TaskEntry) => task.taskCode === taskCode && this.#gatewayOf(task.batchId) === gateway;
    return [...this.#tasks.values()].find(isIt)?.task;
  }

  commit(changes: readonly TaskChange[]): readonly CommitOutcome[] {
    return changes.map((change) => {
      const entry = this.#entry(change.next.id);
      const refusal = this.#refusalOf(entry, change);
      if (refusal === undefined) this.#write(entry, change);
      return refusal ?? 'committed';
    });
  }

  originsOfKey(keyFingerprint: string): readonly string[] {
    const attempts = [...this.#tasks.values()].flatMap((entry) => entry.attempts);
    const sent = attempts.filter((one) => one.keyFingerprint === keyFingerprint && one.outcome !== 'not-sent');
    return [...new Set(sent.map(({ origin }) => origin))].toSorted();
  }

  lastNotedAt(): number | undefined {
    return this.#lastEventAt === 0 ? undefined : this.#lastEventAt;
  }

  idempotencyProofs(): readonly IdempotencyProof[] {
    return this.#proofs;
  }

  attempts(taskId: number): readonly Attempt[] {
    return [...(this.#tasks.get(taskId)?.attempts ?? [])];
  }

  pollAnswer(taskId: number): RawAnswer | undefined {
    return this.#tasks.get(taskId)?.pollAnswer;
  }

  events(taskId: number): readonly { readonly at: number; readonly event: TaskEvent }[] {
    return [...(this.#tasks.get(taskId)?.events ?? [])];
  }

  completions(batchId: string, operation: OperationPath, model: string): readonly number[] {
    return [...(this.#completions.get(completionKey(this.#gatewayOf(batchId), operation, model)) ?? [])];
  }

  seenStatuses(batchId?: string): readonly CountedStatus[] {
    const gateway = batchId === undefined ? undefined : this.#gatewayOf(batchId);
    return [...this.#seen.values()]
      .filter((seen) => gateway === undefined || seen.gateway === gateway)
      .toSorted((a, b) => compareTexts(sortKey(a), sortKey(b)));
  }

  learned(): Learned {
    const durations = [...this.#completions].map(([key, times]): LearnedDuration => {
      const [gateway, operation, model] = JSON.parse(key) as [string, OperationPath, string];
      return { gateway, operation, model, times };
    });
    return {
      shapes: [...this.#shapes.values()],
      measures: [...this.#measures.values()],
      durations: durations.filter(({ gateway }) => !gateway.startsWith('rehearsal ')),
    };
  }

  #learn(gateway: string, { shapes, measures }: LearnedCounts, lastAt: number): void {
    for (const { shape, answers } of shapes) {
      const key = JSON.stringify([gateway, shapeKey(shape)]);
      const before = this.#shapes.get(key)?.answers ?? 0;
      this.#shapes.set(key, { gateway, shape, answers: before + answers, lastAt });
    }
    for (const one of measures) {
      const key = JSON.stringify([gateway, one.operation, one.kind, one.at]);
      const before = this.#measures.get(key);
      const count = (before?.count ?? 0) + one.count;
      const least = Math.min(one.least, before?.least ?? one.least);
      const most = Math.max(one.most, before?.most ?? one.most);
      this.#measures.set(key, { ...one, gateway, count, least, most, lastAt });
    }
  }

  close(): void {
    // Nothing is open.
  }

  #batch(id: string): BatchEntry {
    const batch = this.#batches.get(id);
    if (batch === undefined) throw new Error(`Unknown batch: ${id}`);
    return batch;
  }

  #gatewayOf(batchId: string): string {
    return gatewayKey(batchId, this.#batch(batchId).record.settings);
  }

  #entry(taskId: number): TaskEntry {
    const entry = this.#tasks.get(taskId);
    if (entry === undefined) throw new Error(`Unknown task: ${taskId}`);
    return entry;
  }

  spendingLimits(): SpendingLimits {
    return this.#limits;
  }

  markDocuments(batchId: string, isOutdated: boolean, by = ''): void {
    const mark = [batchId, by].join(' ').trim();
    this.#outdated.delete(mark);
    if (isOutdated) this.#outdated.add(mark);
  }

  outdatedDocuments(): readonly DocumentMark[] {
    return [...this.#outdated].toSorted().map((mark) => {
      const [batchId = '', by] = mark.split(' ');
      return { batchId, ...present({ by }) };
    });
  }

  countDocuments(batchId: string, more: 0 | 1): number {
    const count = (this.#written.get(batchId) ?? 0) + more;
    if (this.batch(batchId) === undefined) return count;
    this.#written.set(batchId, count);
    return count;
  }

  setSpendingLimits(limits: SpendingLimits): void {
    this.#limits = limits;
  }

  spending(at: number, batchIds: readonly string[]): Spending {
    const last = this.#nights.at(-1);
    const isOfLast = last !== undefined && isOfNight(last, () => this.#lastSignIn(last), at, zoneHere());
    const paid = [...this.#batches.values()]
      .filter(({ record }) => !record.settings.rehearsal)
      .map(({ record }) => record.id);
    const [since, until] = [monthBegan(at, zoneHere()), nextMonth(at, zoneHere())];
    return {
      night: this.#spentIn(paid, ({ night }) => isOfLast && night === last.id),
      month: this.#spentIn(paid, ({ startedAt }) => startedAt >= since && startedAt < until),
      batches: new Map(
        batchIds.map((batchId) => {
          const queued = this.#tasksOf(batchId).filter(({ status }) => status === 'queued');
          const startable = new Set(this.#startable(batchId).map(({ operation }) => operation));
          const operations = OPERATION_PATHS.filter((path) => queued.some(({ operation }) => operation === path));
          return [
            batchId,
            {
              spent: this.#spentIn([batchId], () => true),
              queued: operations.map((operation) => {
                const stated = this.#statedFor(batchId, operation, at);
                return { operation, isStartable: startable.has(operation), ...(stated.length > 0 && { stated }) };
              }),
            },
          ];
        }),
      ),
    };
  }

  #spentIn(batchIds: readonly string[], isIn: (attempt: Attempt) => boolean): SpentSum {
    const attempts = batchIds.flatMap((id) =>
      this.#batch(id).tasks.flatMap((entry) =>
        entry.attempts.map((attempt) => ({ attempt, of: entry.task.operation })),
      ),
    );
    const charged = attempts.filter(({ attempt }) => isIn(attempt) && mayBeCharged(attempt.outcome));
    const counted = (sum: SpentSum, { attempt: { id, price, cost }, of }: (typeof attempts)[number]) =>
      withMore(sum, of, chargeOf(price, cost), this.#charges.get(id));
    return charged.reduce(counted, NOTHING_SPENT);
  }

  #statedFor(batchId: string, operation: OperationPath, at: number): readonly Money[] {
    const most = new Map<string, number>();
    const entries = [...this.#tasks.values()].filter(
      ({ task }) => task.operation === operation && this.#gatewayOf(task.batchId) === this.#gatewayOf(batchId),
    );
    for (const { startedAt, outcome, cost } of entries.flatMap(({ attempts }) => attempts)) {
      if (cost === undefined || startedAt < at - STATED_FOR_MS || !mayBeCharged(outcome)) continue;
      most.set(cost.currency, Math.max(most.get(cost.currency) ?? 0, cost.amount));
    }
    return Array.from(most, ([currency, amount]) => ({ amount, currency })).toSorted((a, b) =>
      a.currency < b.currency ? -1 : 1,
    );
  }

  #startable(batchId: string): Task[] {
    return this.#tasksOf(batchId).filter(isStartable);
  }

  #tasksOf(batchId: string): Task[] {
    return this.#batch(batchId).tasks.map((entry) => entry.task);
  }

  #refusalOf(entry: TaskEntry, change: TaskChange): CommitOutcome | undefined {
    const { next, expectedRevision, openAttempt, closeAttempt } = change;
    if (next.revision !== expectedRevision + 1) {
      throw new Error(`Task ${next.id}: revision ${next.revision} does not follow ${expectedRevision}`);
    }
    if (entry.task.revision !== expectedRevision) return 'stale';
    const { basis = [] } = change;
    if (basis.some(({ id, revision }) => this.#tasks.get(id)?.task.revision !== revision)) return 'stale';
    const isOpen = entry.attempts.some((attempt) => attempt.answeredAt === undefined);
    if (openAttempt !== undefined && closeAttempt === undefined && isOpen) return 'attempt-open';
    const { taskCode } = next;
    const isNewCode = taskCode !== undefined && taskCode !== entry.task.taskCode;
    if (isNewCode && this.isTaskCodeKnown(next.batchId, taskCode)) return 'code-taken';
    const keys = [...this.#placesOf(entry, next).values()].map(placeKey);
    const isForeign = keys.some((key) => (this.#ownerOfPlace.get(key) ?? next.id) !== next.id);
    return isForeign || new Set(keys).size < keys.length ? 'path-taken' : undefined;
  }

  /**
   * An output whose path stays the same, or that is moved, stays in its folder; any other is in the batch's present
   * folder.
   */
  #placesOf({ task, places }: TaskEntry, next: Task): ReadonlyMap<number, Place> {
    const folder = folderKey(this.#batch(task.batchId).record.settings.folder);
    return new Map(
      next.outputs.flatMap(({ index, path, state }): [number, Place][] => {
        if (path === undefined) return [];
        const before = places.get(index);
        const wasVerified = task.outputs.find((output) => output.index === index)?.state === 'verified';
        const isMoved = wasVerified && state === 'verified';
        const own = before !== undefined && (before.path === path || isMoved) ? before.folder : folder;
        return [[index, { folder: own, path }]];
      }),
    );
  }

  #write(entry: TaskEntry, change: TaskChange): void {
    const { next, event, at, pollAnswer, cost, completionMs, seen, learned, proof } = change;
    for (const place of entry.places.values()) this.#ownerOfPlace.delete(placeKey(place));
    entry.places = this.#placesOf(entry, next);
    for (const place of entry.places.values()) this.#ownerOfPlace.set(placeKey(place), next.id);
    entry.task = next;
    this.#writeAttempts(entry, change);
    if (next.status !== 'submitting' && next.status !== 'submit-unknown')
      for (const { id } of entry.attempts) this.#charges.delete(id);
    if (pollAnswer !== undefined) entry.pollAnswer = pollAnswer;
    const last = entry.attempts.findLastIndex(
      ({ idempotency: sent }, i) =>
        sent === undefined || entry.attempts.findIndex(({ idempotency }) => idempotency?.key === sent.key) === i,
    );
    const paid = entry.attempts[last];
    if (cost !== undefined && paid !== undefined) entry.attempts[last] = { ...paid, cost };
    if (completionMs !== undefined) {
      const key = completionKey(this.#gatewayOf(next.batchId), next.operation, next.model);
      this.#completions.set(key, [completionMs, ...(this.#completions.get(key) ?? [])].slice(0, COMPLETIONS_KEPT));
    }
    entry.events.push({ at, event });
    this.#lastEventAt = at;
    if (seen !== undefined) this.#count(next.batchId, seen, at);
    if (proof !== undefined) this.#keepProof(proof, this.#batch(next.batchId).record);
    if (learned !== undefined) this.#learn(this.#gatewayOf(next.batchId), learned, at);
  }

  #keepProof(proof: IdempotencyProof, { settings, createdAt }: BatchRecord): void {
    const known = this.#proofs.find((one) => proofKey(one) === proofKey(proof));
    const isProbed = settings.probe === true && (known?.at ?? 0) < createdAt;
    if (proof.verdict === 'passed' && known?.verdict === 'refuted' && !isProbed) return;
    const others = this.#proofs.filter(({ gateway, header }) => gateway !== proof.gateway || header !== proof.header);
    this.#proofs = [...others, proof].toSorted((a, b) => compareTexts(proofKey(a), proofKey(b)));
  }

  #count(batchId: string, seen: SeenStatus, at: number): void {
    if (this.#batch(batchId).record.settings.rehearsal) return;
    const gateway = this.#gatewayOf(batchId);
    const key = JSON.stringify([gateway, seenKey(seen)]);
    const known = this.#seen.get(key);
    if (known === undefined && this.seenStatuses(batchId).length >= SEEN_KEPT) return;
    const tasks = (known?.tasks ?? 0) + 1;
    this.#seen.set(key, { ...seen, gateway, tasks, lastAt: Math.max(known?.lastAt ?? at, at) });
  }

  #noteLate(attempts: Attempt[], { attempt: id, answer: { outcome, raw, cost } }: LateAnswer): void {
    const at = attempts.findIndex((attempt) => attempt.id === id);
    const attempt = attempts[at];
    if (attempt === undefined) return;
    const { idempotency: sent } = attempt;
    const isLast = sent === undefined || attempts.findLast((one) => one.idempotency?.key === sent.key) === attempt;
    const isSettled = isLast && isUnsettled(attempt.outcome) && (!mayBeCharged(outcome) || outcome === 'charged');
    const came = attempt.raw === undefined ? present({ raw, cost }) : {};
    attempts[at] = { ...attempt, ...came, ...(isSettled && { outcome }) };
  }

  #writeAttempts({ attempts }: TaskEntry, { next, openAttempt, closeAttempt, lateAnswer }: TaskChange): void {
    if (lateAnswer !== undefined) this.#noteLate(attempts, lateAnswer);
    const open = attempts.findIndex((attempt) => attempt.answeredAt === undefined);
    const attempt = attempts[open];
    if (closeAttempt !== undefined && attempt !== undefined) {
      const { cost, isChargedAgain = false, ...answer } = closeAttempt;
      const isAgain = attempt.outcome === 'asked-again';
      const first = isAgain && !isUnsettled(answer.outcome) ? attempts.findIndex((one) => isFirst(one, attempt)) : -1;
      const before = attempts[first];
      const paid = cost === undefined ? {} : { cost };
      const { outcome } = isAgain ? attempt : answer;
      const isOfFirst = before !== undefined && !isChargedAgain;
      attempts[open] = { ...attempt, ...answer, ...(outcome && { outcome }), ...(isOfFirst ? {} : paid) };
      if (before !== undefined) attempts[first] = { ...before, outcome: answer.outcome, ...(isOfFirst ? paid : {}) };
      if (isChargedAgain) {
        const { price } = attempts.find((one) => one.idempotency?.key === attempt.idempotency?.key) ?? {};
        attempts[open] = { ...attempts[open], outcome: 'unknown', ...present({ price }) };
      }
    }
    if (openAttempt === undefined) return;
    this.#lastAttemptId += 1;
    const { isAgain, charges, ...intent } = openAttempt;
    if (charges !== undefined) this.#charges.set(this.#lastAttemptId, charges);
    const night = this.#nightAt(openAttempt.startedAt);
    const again = isAgain === true ? ({ outcome: 'asked-again' } as const) : {};
    attempts.push({ id: this.#lastAttemptId, taskId: next.id, ...intent, night, ...again });
  }

  #nightAt(at: number): number {
    const last = this.#nights.at(-1);
    if (last !== undefined) {
      const isOf = isOfNight(last, () => this.#lastSignIn(last), at, zoneHere());
      this.#setLastNight(last, isOf ? undefined : (last.endedAt ?? this.#lastSignIn(last)));
      if (isOf) return last.id;
    }
    const id = this.#nights.length + 1;
    this.#nights = [...this.#nights, { id, beganAt: at }];
    return id;
  }

  #lastSignIn({ id, beganAt }: NightRecord): number {
    const attempts = [...this.#tasks.values()].flatMap((entry) => entry.attempts).filter(({ night }) => night === id);
    return Math.max(beganAt, this.#lastEventAt, ...attempts.map(({ startedAt }) => startedAt));
  }

  #setLastNight({ id, beganAt }: NightRecord, endedAt: number | undefined): void {
    this.#nights = [...this.#nights.slice(0, -1), { id, beganAt, ...present({ endedAt }) }];
  }
}

function isUnsettled(outcome: Attempt['outcome']): boolean {
  return outcome === 'unknown' || outcome === 'interrupted';
}

function isFirst(one: Attempt, again: Attempt): boolean {
  return isUnsettled(one.outcome) && one.idempotency?.key === again.idempotency?.key;
}

function proofKey({ gateway, header }: IdempotencyProof): string {
  return [gateway, header].join('\0');
}

/** As the database orders: by text, then false before true. */
function sortKey({ gateway, operation, status, hasUrl, hasEnded, hasMessage, became }: CountedStatus): string {
  const looks = [hasUrl, hasEnded, hasMessage].map((has) => (has ? 1 : 0)).join('');
  return [gateway, operation, status, looks, became].join('\0');
}

function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function placeKey({ folder, path }: Place): string {
  return JSON.stringify([folder, foldPath(path)]);
}

function completionKey(gateway: string, operation: OperationPath, model: string): string {
  return JSON.stringify([gateway, operation, model]);
}

function isModerated({ failure }: Task): boolean {
  return failure?.code === 'MODERATED';
}
