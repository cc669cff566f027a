/**
 * The scheduler of a night: it checks the tasks that are due, carries out what the pure next action says, and sleeps
 * until the next due time. It decides nothing about a task's life (task-machine.ts) and stores nothing itself.
 */
import { setMaxListeners } from 'node:events';
import type { BatchRecord, BatchSettings } from '../../shared/domain/task/batch.ts';
import type { Failure } from '../../shared/domain/base/failure.ts';
import type { Result } from '../../shared/domain/base/result.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import { adopt, type AdoptionRefusal } from './decisions.ts';
import { FreshSources } from './row-source.ts';
import { Flights } from './flights.ts';
import { sweepParts } from './fetch-step.ts';
import type { Night, SchedulerOptions } from './night.ts';
import type { NightBatch } from './night-batch.ts';
import { NightBatches } from './night-batches.ts';
import { RowLinks } from './row-links.ts';
import { Alarm, SteadyClock } from './steady-clock.ts';
import { startSubmits } from './submit-step.ts';
import { TaskJournal, type Entry } from './task-journal.ts';
import { endNight, interruptedEntry, type Unsaved } from './night-end.ts';

/** At the end of a night, Nocturne waits this much longer for submits' answers than they may take. */
const END_GRACE_MS = 30_000;
/** After an exception the night checks everything again after this long. */
const STUMBLE_PAUSE_MS = 60_000;

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #flights: Flights;
  readonly #journal: TaskJournal;
  readonly #links: RowLinks;
  readonly #batches: NightBatches;
  readonly #night: Night;
  readonly #work = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  readonly #alarm: Alarm;
  #isTicking = false;
  #ended: Promise<readonly Unsaved[]> | undefined;

  constructor(given: SchedulerOptions) {
    const clock = new SteadyClock(given.clock);
    this.#flights = new Flights(clock);
    this.#alarm = new Alarm(clock, () => this.tick());
    const options: SchedulerOptions = {
      ...given,
      clock,
      onTaskChanged: (task, event) => this.#tell(() => given.onTaskChanged(task, event)),
      onBatchChanged: (batch) => this.#tell(() => given.onBatchChanged(batch)),
    };
    this.#options = options;
    const { store, folder, random, keyFingerprint, holdsKey, onBug, isRefusedByDisk } = options;
    this.#journal = new TaskJournal({
      store,
      clock,
      current: (taskId) => this.#flights.active.get(taskId),
      onCommitted: (task, event) => this.#onCommitted(task, event),
      onStale: (taskId) => this.#takeNewest(taskId),
      onStoreFailed: (error) => this.#batches.stumble(this.#batches.all.values(), error),
      onBug,
      isRefusedByDisk,
    });
    this.#links = new RowLinks(store, this.#journal);
    this.#batches = new NightBatches({
      ...options,
      active: this.#flights.active,
      journal: this.#journal,
      isUnderWay: (taskId) => this.#flights.isUnderWay(taskId),
      track: (batch, work) => this.#track(batch, work),
    });
    // Every request under way listens to it, as many as the limits allow: not a leak for Node to warn about.
    setMaxListeners(0, this.#ending.signal);
    const freshSources = new FreshSources();
    this.#night = {
      store,
      folder,
      clock,
      random,
      keyFingerprint,
      holdsKey,
      journal: this.#journal,
      active: this.#flights.active,
      batches: this.#batches,
      freshSourceOf: (batch, task) => freshSources.sourceOf(this.#night, batch, task),
      ending: this.#ending.signal,
      wake: () => this.#wake(),
      track: (batch, work) => this.#track(batch, work),
    };
  }

  /**
   * Adds a batch to this night: it continues what an earlier run left in flight, and a submit that nobody waits for
   * becomes unknown (submit protocol, step 7). A running batch continues at once.
   */
  attach(batchId: string): void {
    if (!this.#batches.add(batchId)) return;
    const interrupted = [...this.#options.store.tasksByStatus(['submitting'], batchId)];
    this.#journal.recordNow(interrupted.map((task) => interruptedEntry(task, this.#options.clock.now())));
    for (const task of this.#options.store.tasksByStatus(['rendering', 'downloading'], batchId))
      this.#flights.take(task);
    for (const task of this.#options.store.watchedTasks(batchId)) this.#flights.take(task);
    // The rows of a batch that never started or has ended are checked when it starts.
    const batch = this.#batches.get(batchId);
    const { state } = batch.record;
    if (state === 'running' || state === 'paused') this.#links.noteAll(batchId);
    this.#track(batch, sweepParts(this.#night, batch));
    this.#wake();
  }

  /** Starts or continues a batch: after import, a pause, a retry or a change of its sheet. */
  start(batchId: string): void {
    this.attach(batchId);
    this.#links.noteAll(batchId);
    const batch = this.#batches.get(batchId);
    batch.isFolderAccepted = true;
    this.#batches.start(batch);
    this.#flights.lookAgain(batchId);
    this.#wake();
  }

  /**
   * An edit of the sheet changed rows of a batch in the store, and tasks of theirs that are not under way. Checks again
   * what waits for other rows, and reloads what is kept in memory.
   */
  sheetChanged(batchId: string): void {
    if (!this.#batches.all.has(batchId)) return;
    for (const { id } of this.#flights.active.ofBatch(batchId)) this.#takeNewest(id);
    this.#links.noteAll(batchId);
    this.#wake();
  }

  /**
   * Changes the settings of a batch, and its name if one is given: running tasks follow them from their next request.
   * The caller ensures that its gateway still knows what was submitted.
   */
  configure(batchId: string, settings: BatchSettings, name?: string): void {
    this.#options.store.updateBatchSettings(batchId, settings, name);
    const batch = this.#batches.all.get(batchId);
    if (batch !== undefined) {
      batch.folderCheckedUntil = 0;
      this.#wake();
    }
    const record = this.#options.store.batch(batchId);
    if (record !== undefined) this.#options.onBatchChanged(record);
  }

  /** Holds back new submits; polls and downloads of what is rendering continue. */
  pauseByUser(batchId: string): void {
    this.#batches.pauseByUser(this.#batches.get(batchId));
  }

  /** Applies the user's decision to tasks, at once; returns how many of them it changed. */
  decide(entries: readonly Entry[]): number {
    const changed = this.#journal.recordNow(entries).filter((recorded) => recorded.kind === 'committed').length;
    this.#lookAtLinks();
    this.#wake();
    return changed;
  }

  /**
   * Gives a task whose submit's outcome is unknown its task code at the gateway. Nocturne first asks the gateway, once
   * and outside every schedule: the answer is the proof.
   */
  adopt(task: Task, taskCode: string): Promise<Result<undefined, AdoptionRefusal>> {
    return adopt(this.#night, this.#batches.get(task.batchId), task, taskCode);
  }

  /** Until when the gateway of a batch asked to be left alone, in milliseconds since the epoch; undefined once past. */
  heldUntil(batchId: string): number | undefined {
    const heldUntil = this.#batches.all.get(batchId)?.lane.heldUntil;
    return heldUntil !== undefined && heldUntil > this.#night.clock.now() ? heldUntil : undefined;
  }

  /** Why the gateway of a batch does not answer, or gives no files, for now: the batch then continues by itself. */
  trouble(batchId: string): Failure | undefined {
    const batch = this.#batches.all.get(batchId);
    return batch?.lane.trouble ?? batch?.filesTrouble;
  }

  /** Only files that are retried in minutes or hours are left of a batch. */
  isLeftWithRetries(batchId: string): boolean {
    return this.#batches.all.has(batchId) && this.#batches.isLeftWithRetries(batchId);
  }

  /** True once a batch of this night has ended; late files may still come. */
  isFinished(batchId: string): boolean {
    return this.#batches.all.get(batchId)?.record.state === 'finished';
  }

  /** When the last of the files that a batch retries in minutes or hours is due; undefined if there is none. */
  lastRetryAt(batchId: string): number | undefined {
    return this.#batches.lastRetryAt(batchId);
  }

  /** Resolves when nothing more happens in a batch by itself: it is finished, or paused with nothing in flight. */
  settled(batchId: string): Promise<BatchRecord> {
    const settled = this.#batches.settled(batchId);
    this.#wake();
    return settled;
  }

  /**
   * Ends the night: nothing new begins, polls and downloads are aborted, but Nocturne waits for submits under way
   * because their answers were paid for. When this resolves, everything known is committed except what it returns: what
   * the disk refused, or what did not come within `withinMs` (by default, as long as a submit may take).
   */
  end(withinMs?: number): Promise<readonly Unsaved[]> {
    this.#ended ??= this.#end(withinMs ?? this.#batches.longestSubmitMs() + END_GRACE_MS);
    return this.#ended;
  }

  async #end(withinMs: number): Promise<readonly Unsaved[]> {
    this.#ending.abort();
    this.#alarm.stop();
    this.#flights.giveUp();
    return endNight(this.#night, this.#work, () => this.#batches.closeGateways(), withinMs);
  }

  /** Checks everything that is due and carries it out; called by its own timer, and by tests. */
  tick(): void {
    if (this.#isTicking || this.#ending.signal.aborted) return;
    this.#isTicking = true;
    this.#alarm.stop();
    let wakeMs = STUMBLE_PAUSE_MS;
    try {
      this.#batches.keepPaces();
      this.#flights.startDue(this.#night);
      this.#batches.recheckDisks();
      this.#lookAtLinks();
      startSubmits(this.#night);
      this.#batches.settle(this.#links.isBehind);
      wakeMs = this.#batches.nextWakeMs(this.#flights.nextDueAt());
    } catch (error) {
      this.#batches.stumble(this.#batches.all.values(), error);
    } finally {
      this.#isTicking = false;
    }
    this.#wake(wakeMs);
  }

  /** Starts, holds or fails tasks that refer to other rows, depending on how those ended. */
  #lookAtLinks(): void {
    if (this.#journal.isStoreFailed) return;
    try {
      this.#links.lookAgain();
    } catch (error) {
      this.#batches.stumble(this.#batches.all.values(), error);
      return;
    }
    if (this.#links.isBehind) this.#wake();
  }

  #onCommitted(task: Task, event: TaskEvent): void {
    // A row that succeeds after its batch has ended frees the rows that it failed, but only the user can run those.
    const isAfterEnd = this.#batches.get(task.batchId).record.state === 'finished' && task.status === 'done';
    if (!isAfterEnd && task.superseded !== true) this.#links.note(task, event);
    this.#flights.take(task);
    if (event.kind === 'output-verified') this.#batches.get(task.batchId).isDiskDoubted = false;
    if (event.kind === 'cancel-requested' && task.status === 'cancelled') this.#flights.giveUp(task.id);
    this.#options.onTaskChanged(task, event);
  }

  /** Reloads a task from the store; drops it if it no longer exists. */
  #takeNewest(taskId: number): void {
    const newest = this.#options.store.task(taskId);
    if (newest === undefined) this.#flights.letGo(taskId);
    else this.#flights.take(newest);
  }

  /** Checks everything again after this long, or sooner. */
  #wake(delayMs = 0): void {
    if (!this.#ending.signal.aborted) this.#alarm.set(delayMs);
  }

  #track(batch: NightBatch, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#batches.stumble([batch], error))
      .finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  /** Notifies listeners; an exception there is their bug, and the night continues. */
  #tell(others: () => void): void {
    try {
      others();
    } catch (error) {
      this.#options.onBug(error);
    }
  }
}
