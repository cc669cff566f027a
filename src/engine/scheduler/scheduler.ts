/**
 * The scheduler of a night: it looks at the tasks that are due, carries out what the pure next action says, and sleeps
 * until the next due time. It decides nothing about a task's life (task-machine.ts) and stores nothing itself.
 */
import type { BatchPause, BatchRecord } from '../../shared/domain/batch.ts';
import { FAILURE_POLICIES, failure, type Failure } from '../../shared/domain/failure.ts';
import { FAMILIES } from '../../shared/domain/operations.ts';
import type { Profile } from '../../shared/domain/profile.ts';
import { assertNever } from '../../shared/domain/result.ts';
import { nextAction } from '../../shared/domain/next-action.ts';
import type { Task } from '../../shared/domain/task.ts';
import type { TaskEvent } from '../../shared/domain/task-machine.ts';
import { ACTIVE_STATUSES, type TaskStatus } from '../../shared/domain/task.ts';
import type { Clock, MediaFolder, MediaGateway, Random, TaskStore } from '../ports.ts';
import { ActiveTasks } from './active-tasks.ts';
import { DueHeap } from './due-heap.ts';
import { fetchOutput } from './fetch-step.ts';
import { allowedIn, type Lane, type Night, type NightBatch } from './night.ts';
import { declareOverdue, pollTask } from './poll-step.ts';
import { RequestBudget } from './request-budget.ts';
import { startSubmits } from './submit-step.ts';
import { TaskJournal, type Entry } from './task-journal.ts';

/** The scheduler looks around at least this often, so that a clock that jumped is noticed. */
const LONGEST_SLEEP_MS = 60_000;
const HOUR_MS = 3_600_000;
/** After the disk failed, it is looked at this often. */
const DISK_RECHECK_MS = 30_000;

export interface SchedulerOptions {
  readonly store: TaskStore;
  readonly folder: MediaFolder;
  readonly clock: Clock;
  readonly random: Random;
  readonly gatewayFor: (profile: Profile) => MediaGateway;
  readonly keyFingerprint: (profile: Profile) => string | undefined;
  /** After every commit. */
  readonly onTaskChanged: (task: Task, event: TaskEvent) => void;
  readonly onBatchChanged: (batch: BatchRecord) => void;
  /** An exception where none is expected: to be logged; the batch concerned is paused. */
  readonly onBug: (error: unknown) => void;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #heap = new DueHeap();
  readonly #active = new ActiveTasks();
  readonly #journal: TaskJournal;
  readonly #batches = new Map<string, NightBatch>();
  readonly #lanes = new Map<string, Lane>();
  readonly #night: Night;
  readonly #work = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  /** What gives up the request under way for a task. */
  readonly #underWay = new Map<number, AbortController>();
  readonly #settledWaiters = new Map<string, ((batch: BatchRecord) => void)[]>();
  #cancelTimer: (() => void) | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #isTicking = false;
  #ended: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { store, folder, clock, random, keyFingerprint } = options;
    this.#journal = new TaskJournal({
      store,
      clock,
      current: (taskId) => this.#active.get(taskId),
      onCommitted: (task, event) => {
        this.#onCommitted(task, event);
      },
      onStoreFailed: (error) => {
        for (const batch of this.#batches.values()) {
          this.#pause(batch, failure('DISK_FULL', `The store cannot be written: ${String(error)}`));
        }
      },
    });
    this.#night = {
      store,
      folder,
      clock,
      random,
      keyFingerprint,
      journal: this.#journal,
      active: this.#active,
      batches: this.#batches,
      claimedCodes: new Set(),
      isEnding: () => this.#ending.signal.aborted,
      ending: this.#ending.signal,
      wake: () => {
        this.#sleep(0);
      },
      pause: (batch, why) => {
        this.#pause(batch, why);
      },
      noteTrouble: (lane, trouble) => {
        this.#noteTrouble(lane, trouble);
      },
      track: (batch, work) => {
        this.#track(batch, work);
      },
    };
  }

  /**
   * Takes a batch into this night: what a former run left in flight is taken up again, and a submit that nobody waits
   * for any more becomes unknown (submit protocol, step 7). A batch that runs goes on at once.
   */
  attach(batchId: string): void {
    if (this.#batches.has(batchId)) return;
    const record = this.#options.store.batch(batchId);
    if (record === undefined) throw new Error(`No such batch: ${batchId}`);
    const batch: NightBatch = {
      record,
      lane: this.#laneFor(record.settings.profile),
      folderCheckedUntil: 0,
      isFolderChecking: false,
      isDiskDoubted: false,
      unknownInARow: 0,
      downloads: 0,
    };
    this.#batches.set(batchId, batch);
    const interrupted = [...this.#options.store.tasksByStatus(['submitting'], batchId)];
    this.#journal.recordNow(interrupted.map((task) => interruptedEntry(task, this.#options.clock.now())));
    for (const task of this.#options.store.tasksByStatus(['rendering', 'downloading', 'failed'], batchId)) {
      this.#take(task);
    }
    this.#night.wake();
  }

  /** Sets a batch going: after it was brought in, after a pause, after a retry. */
  start(batchId: string): void {
    this.attach(batchId);
    const batch = this.#batchOf(batchId);
    batch.folderCheckedUntil = 0;
    this.#setState(batch, 'running', undefined);
    for (const task of this.#active.ofBatch(batchId)) this.#heap.set(task.id, task.dueAt);
    this.#night.wake();
  }

  /** Keeps new submits back; what is rendering is still asked for and fetched. */
  pauseByUser(batchId: string): void {
    const batch = this.#batchOf(batchId);
    if (batch.record.state === 'running') this.#setState(batch, 'paused', { by: 'user' });
  }

  /** Applies the user's word to tasks, at once; gives how many of them it changed. */
  decide(entries: readonly Entry[]): number {
    const changed = this.#journal.recordNow(entries).filter((recorded) => recorded.kind === 'committed').length;
    this.#night.wake();
    return changed;
  }

  /** Asks the gateway of a batch once about a task code, outside of every schedule: the proof before it is adopted. */
  async isKnownToGateway(batchId: string, task: Task, taskCode: string): Promise<Failure | undefined> {
    const { gateway } = this.#batchOf(batchId).lane;
    const { answer } = await gateway.poll(task.operation, taskCode, this.#ending.signal);
    return answer.kind === 'record' ? undefined : answer.failure;
  }

  /** Why the gateway of a batch does not answer at the moment: it is waited for, and the batch goes on by itself. */
  trouble(batchId: string): Failure | undefined {
    return this.#batches.get(batchId)?.lane.trouble;
  }

  /** Resolves when nothing more happens in a batch by itself: it is finished, or paused with nothing in flight. */
  settled(batchId: string): Promise<BatchRecord> {
    return new Promise((resolve) => {
      this.#settledWaiters.set(batchId, [...(this.#settledWaiters.get(batchId) ?? []), resolve]);
      this.#night.wake();
    });
  }

  /**
   * Ends the night: nothing new begins, polls and downloads are given up, submits under way are waited for because
   * their answers were paid for. Everything that is known is committed when this resolves.
   */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    this.#ending.abort();
    for (const controller of this.#underWay.values()) controller.abort();
    while (this.#work.size > 0) {
      this.#journal.flush();
      await Promise.race([...this.#work, this.#tickOfClock()]);
    }
    this.#journal.flush();
    this.#cancelTimer?.();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.gateway.close()));
  }

  /** Looks at everything that is due and carries it out; called by its own timer, and by tests. */
  tick(): void {
    if (this.#isTicking || this.#night.isEnding()) return;
    this.#isTicking = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#startDue();
    this.#recheckDisks();
    startSubmits(this.#night);
    this.#settleBatches();
    this.#isTicking = false;
    this.#sleep(this.#nextWakeMs());
  }

  /** A pause because of the disk ends by itself when the folder can be written again: nothing was lost meanwhile. */
  #recheckDisks(): void {
    const monotonic = this.#options.clock.monotonic();
    for (const batch of this.#batches.values()) {
      if (!isDiskPause(batch.record) || batch.isFolderChecking || monotonic < batch.folderCheckedUntil) continue;
      batch.isFolderChecking = true;
      batch.folderCheckedUntil = monotonic + DISK_RECHECK_MS;
      const check = this.#options.folder.prepare(batch.record.settings.folder).then((problem) => {
        batch.isFolderChecking = false;
        this.#journal.flush();
        if (problem === undefined && !this.#journal.isStoreFailed && isDiskPause(batch.record)) {
          this.start(batch.record.id);
        }
      });
      this.#track(batch, check);
    }
  }

  #startDue(): void {
    const now = this.#options.clock.now();
    const held: Task[] = [];
    for (let id = this.#heap.takeDue(now); id !== undefined; id = this.#heap.takeDue(now)) {
      const task = this.#active.get(id);
      if (task !== undefined && !this.#underWay.has(id) && !this.#startTask(task, now)) held.push(task);
    }
    // What found no budget or no free slot stays due: it is looked at again with the next tick.
    for (const task of held) this.#heap.set(task.id, task.dueAt);
  }

  /** False when the task has to wait for budget, a slot or the end of a pause. */
  #startTask(task: Task, now: number): boolean {
    const batch = this.#batchOf(task.batchId);
    const { profile, budget } = batch.lane;
    const allowed = allowedIn(batch.record);
    const action = nextAction(task, now, profile.deadlines.taskHours * HOUR_MS);
    switch (action.kind) {
      case 'poll':
        if (!allowed.poll || !budget.tryTake(this.#options.clock.monotonic())) return false;
        this.#begin(batch, task, () => pollTask(this.#night, batch, task));
        return true;
      case 'fetch': {
        const output = task.outputs.find((o) => o.index === action.outputIndex);
        if (output === undefined || !allowed.download || batch.downloads >= profile.limits.downloads) return false;
        this.#begin(batch, task, (signal) => fetchOutput(this.#night, batch, task, output, signal));
        return true;
      }
      case 'declare-overdue':
        this.#begin(batch, task, () => declareOverdue(this.#night, batch, task));
        return true;
      case 'wait':
        this.#heap.set(task.id, action.until);
        return true;
      case 'submit':
      case 'declare-unknown':
      case 'none':
        return true;
      default:
        return assertNever(action);
    }
  }

  #begin(batch: NightBatch, task: Task, work: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController();
    this.#underWay.set(task.id, controller);
    this.#track(
      batch,
      work(controller.signal).finally(() => {
        this.#underWay.delete(task.id);
        const newest = this.#active.get(task.id);
        if (newest !== undefined) this.#heap.set(newest.id, newest.dueAt);
      }),
    );
  }

  #onCommitted(task: Task, event: TaskEvent): void {
    this.#take(task);
    const batch = this.#batches.get(task.batchId);
    if (event.kind === 'output-verified' && batch !== undefined) batch.isDiskDoubted = false;
    if (event.kind === 'cancel-requested' && task.status === 'cancelled') this.#underWay.get(task.id)?.abort();
    this.#options.onTaskChanged(task, event);
  }

  #take(task: Task): void {
    if (this.#active.put(task)) this.#heap.set(task.id, task.dueAt);
    else this.#heap.delete(task.id);
  }

  #pause(batch: NightBatch, why: Failure): void {
    const stopsNight = FAILURE_POLICIES[why.code].stops === 'night' && why.code !== 'CAP_REACHED';
    const isDisk = why.code === 'DISK_FULL' || why.code === 'DISK_DENIED';
    if (isDisk) {
      batch.isDiskDoubted = true;
      batch.folderCheckedUntil = this.#options.clock.monotonic() + DISK_RECHECK_MS;
    }
    for (const other of this.#batches.values()) {
      const isConcerned = isDisk
        ? other.record.settings.folder === batch.record.settings.folder
        : stopsNight && other.lane === batch.lane;
      if ((other === batch || isConcerned) && other.record.state === 'running') {
        this.#setState(other, 'paused', { by: 'failure', failure: why });
      }
    }
  }

  #noteTrouble(lane: Lane, trouble: Failure | undefined): void {
    if (lane.trouble?.message === trouble?.message) return;
    lane.trouble = trouble;
    for (const batch of this.#batches.values()) if (batch.lane === lane) this.#options.onBatchChanged(batch.record);
  }

  #setState(batch: NightBatch, state: BatchRecord['state'], pause: BatchPause | undefined): void {
    const { store, clock } = this.#options;
    const { id } = batch.record;
    try {
      store.setBatchState(id, state, pause, clock.now());
      batch.record = store.batch(id) ?? batch.record;
    } catch {
      // The disk refuses even this; the state holds in memory, and a restart finds the batch running, which is safe.
      const { pause: _, ...rest } = batch.record;
      batch.record = pause === undefined ? { ...rest, state } : { ...rest, state, pause };
    }
    this.#options.onBatchChanged(batch.record);
  }

  #settleBatches(): void {
    for (const batch of this.#batches.values()) {
      const { id, state } = batch.record;
      if (state === 'ready') continue;
      const counts = this.#options.store.counts(id);
      const inStatus = (status: TaskStatus): number => FAMILIES.reduce((sum, f) => sum + counts[f][status], 0);
      const isIdle = ![...ACTIVE_STATUSES].some((status) => inStatus(status) > 0);
      if (isIdle && state !== 'finished') this.#setState(batch, 'finished', undefined);
      if (isIdle) for (const task of this.#active.ofBatch(id)) this.#heap.delete(task.id);
      if (isIdle || this.#isHeldStill(batch)) this.#resolveSettled(batch.record);
    }
  }

  /** Paused, and nothing goes on behind the pause. */
  #isHeldStill(batch: NightBatch): boolean {
    if (batch.record.state !== 'paused') return false;
    const allowed = allowedIn(batch.record);
    return !this.#active
      .ofBatch(batch.record.id)
      .some(
        (task) =>
          task.status === 'submitting' ||
          this.#underWay.has(task.id) ||
          (task.status === 'rendering' && allowed.poll) ||
          (task.status === 'downloading' && allowed.download),
      );
  }

  #resolveSettled(record: BatchRecord): void {
    const waiters = this.#settledWaiters.get(record.id) ?? [];
    this.#settledWaiters.delete(record.id);
    for (const resolve of waiters) resolve(record);
  }

  #nextWakeMs(): number {
    const { clock, store } = this.#options;
    const now = clock.now();
    const monotonic = clock.monotonic();
    let wake = LONGEST_SLEEP_MS;
    const due = this.#heap.nextDueAt();
    // What is due already waits for budget or a slot: the budget says when, a slot wakes by itself when it frees.
    if (due !== undefined && due > now) wake = Math.min(wake, due - now);
    for (const batch of this.#batches.values()) {
      const allowed = allowedIn(batch.record);
      const waitMs = batch.lane.budget.waitMs(monotonic);
      if (isDiskPause(batch.record)) wake = Math.min(wake, DISK_RECHECK_MS);
      if ((allowed.submit || allowed.poll) && waitMs > 0) wake = Math.min(wake, waitMs);
      if (!allowed.submit) continue;
      const queuedAt = store.nextQueuedDueAt(batch.record.id, now);
      if (queuedAt !== undefined) wake = Math.min(wake, Math.max(queuedAt - now, 1));
    }
    return wake;
  }

  #sleep(delayMs: number): void {
    if (this.#night.isEnding()) return;
    const at = this.#options.clock.monotonic() + delayMs;
    if (at >= this.#timerAt) return;
    this.#cancelTimer?.();
    this.#timerAt = at;
    this.#cancelTimer = this.#options.clock.setTimer(delayMs, () => {
      this.tick();
    });
  }

  #tickOfClock(): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.setTimer(20, resolve);
    });
  }

  #track(batch: NightBatch, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        this.#options.onBug(error);
        this.#pause(batch, failure('INTERNAL', String(error)));
      })
      .finally(() => {
        this.#work.delete(tracked);
      });
    this.#work.add(tracked);
  }

  #laneFor(profile: Profile): Lane {
    // Profiles are compared by what they say: batches with equal ones share a lane, its limits and its pace.
    const key = JSON.stringify(profile);
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      const { gatewayFor, clock } = this.#options;
      const budget = new RequestBudget(profile.limits.requestsPerSecond, clock.monotonic());
      lane = { profile, gateway: gatewayFor(profile), budget, trouble: undefined };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  #batchOf(batchId: string): NightBatch {
    const batch = this.#batches.get(batchId);
    if (batch === undefined) throw new Error(`The batch is not part of this night: ${batchId}`);
    return batch;
  }
}

function isDiskPause({ state, pause }: BatchRecord): boolean {
  return (
    state === 'paused' &&
    pause?.by === 'failure' &&
    (pause.failure.code === 'DISK_FULL' || pause.failure.code === 'DISK_DENIED')
  );
}

function interruptedEntry(task: Task, now: number): Entry {
  const why = failure(
    'SUBMIT_OUTCOME_UNKNOWN',
    'Nocturne ended while the request was under way; whether the gateway accepted it is not known.',
  );
  return {
    taskId: task.id,
    event: { kind: 'outcome-unknown', failure: why },
    closeAttempt: { answeredAt: now, outcome: 'interrupted' },
  };
}
