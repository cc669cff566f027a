/**
 * The scheduler of a night: it checks the tasks that are due, carries out what the pure next action says, and sleeps
 * until the next due time. It decides nothing about a task's life (task-machine.ts) and stores nothing itself.
 */
import { setMaxListeners } from 'node:events';
import type { BatchRecord, BatchSettings } from '../../shared/domain/task/batch.ts';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import type { Result } from '../../shared/domain/base/result.ts';
import { isStuck } from '../../shared/domain/task/outputs.ts';
import { parseOutputId, type Task, type TaskStatus } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import type { Clock, MediaFolder, MediaGateway, Random, TaskStore } from '../ports.ts';
import { adopt, type AdoptionRefusal } from './decisions.ts';
import { FreshSources } from './row-source.ts';
import { Flights } from './flights.ts';
import type { Night } from './night.ts';
import type { NightBatch } from './night-batch.ts';
import { NightBatches } from './night-batches.ts';
import { RowLinks } from './row-links.ts';
import { SteadyClock } from './steady-clock.ts';
import { startSubmits } from './submit-step.ts';
import { TaskJournal, type Entry } from './task-journal.ts';
import { endNight, type Unsaved } from './night-end.ts';

/** At the end of a night, Nocturne waits this much longer for submits' answers than they may take. */
const END_GRACE_MS = 30_000;
/** After an exception the night checks everything again after this long. */
const STUMBLE_PAUSE_MS = 60_000;

/** A failed task may still be retried from its parts; these never are. */
const ENDED_WITHOUT_PARTS: ReadonlySet<TaskStatus> = new Set<TaskStatus>(['done', 'queued']);

export interface SchedulerOptions {
  readonly store: TaskStore;
  readonly folder: MediaFolder;
  readonly clock: Clock;
  readonly random: Random;
  readonly gatewayFor: (profile: Profile) => MediaGateway;
  readonly keyFingerprint: (profile: Profile) => string | undefined;
  /** Whether a text holds a key: only texts without one are sent on from row to row. */
  readonly holdsKey: (text: string) => boolean;
  /** After every commit. */
  readonly onTaskChanged: (task: Task, event: TaskEvent) => void;
  readonly onBatchChanged: (batch: BatchRecord) => void;
  /** An unexpected exception, to be logged. What cannot continue because of it is paused. */
  readonly onBug: (error: unknown) => void;
  /** Whether the disk caused an exception, so that it passes; any other is a bug. */
  readonly isRefusedByDisk: (error: unknown) => boolean;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #flights: Flights;
  readonly #journal: TaskJournal;
  readonly #links: RowLinks;
  readonly #batches: NightBatches;
  readonly #night: Night;
  readonly #work = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  #cancelTimer: (() => void) | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #isTicking = false;
  #ended: Promise<readonly Unsaved[]> | undefined;

  constructor(given: SchedulerOptions) {
    const clock = new SteadyClock(given.clock);
    this.#flights = new Flights(clock);
    const options: SchedulerOptions = {
      ...given,
      clock,
      onTaskChanged: (task, event) => {
        this.#tell(() => given.onTaskChanged(task, event));
      },
      onBatchChanged: (batch) => {
        this.#tell(() => given.onBatchChanged(batch));
      },
    };
    this.#options = options;
    const { store, folder, random, keyFingerprint, holdsKey, onBug, isRefusedByDisk } = options;
    this.#journal = new TaskJournal({
      store,
      clock,
      current: (taskId) => this.#flights.active.get(taskId),
      onCommitted: (task, event) => {
        this.#onCommitted(task, event);
      },
      onStale: (taskId) => {
        this.#takeNewest(taskId);
      },
      onStoreFailed: (error) => {
        this.#batches.stumble(this.#batches.all.values(), error);
      },
      onBug,
      isRefusedByDisk,
    });
    this.#links = new RowLinks(store, this.#journal);
    this.#batches = new NightBatches({
      ...options,
      active: this.#flights.active,
      journal: this.#journal,
      isUnderWay: (taskId) => this.#flights.isUnderWay(taskId),
      track: (batch, work) => {
        this.#track(batch, work);
      },
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
      batches: this.#batches.all,
      freshSourceOf: (batch, task) => freshSources.sourceOf(this.#night, batch, task),
      isEnding: () => this.#ending.signal.aborted,
      ending: this.#ending.signal,
      wake: () => {
        this.#sleep(0);
      },
      pause: (batch, why) => {
        this.#batches.pause(batch, why);
      },
      stumble: (batch, error) => {
        this.#batches.stumble([batch], error);
      },
      noteFile: (batch, failure) => {
        this.#batches.noteFile(batch, failure);
      },
      noteTrouble: (lane, trouble) => {
        this.#batches.noteTrouble(lane, trouble);
      },
      noteHold: (lane, heldUntil) => {
        this.#batches.noteHold(lane, heldUntil);
      },
      track: (batch, work) => {
        this.#track(batch, work);
      },
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
    const { state } = this.#batches.get(batchId).record;
    if (state === 'running' || state === 'paused') this.#links.noteAll(batchId);
    this.#sweep(batchId);
    this.#night.wake();
  }

  /** Deletes what interrupted downloads left behind; another store's parts are unknown here, so they stay. */
  #sweep(batchId: string): void {
    const { store, folder } = this.#options;
    const batch = this.#batches.get(batchId);
    const isWanted = (outputId: string): boolean => {
      const named = parseOutputId(outputId);
      const task = named === undefined ? undefined : store.task(named.taskId);
      return task === undefined || !ENDED_WITHOUT_PARTS.has(task.status);
    };
    this.#track(batch, folder.sweep(batch.record.settings.folder, isWanted));
  }

  /** Starts or continues a batch: after import, a pause, a retry or a change of its sheet. */
  start(batchId: string): void {
    this.attach(batchId);
    this.#links.noteAll(batchId);
    const batch = this.#batches.get(batchId);
    batch.isFolderAccepted = true;
    this.#batches.start(batch);
    this.#flights.lookAgain(batchId);
    this.#night.wake();
  }

  /**
   * An edit of the sheet changed rows of a batch in the store, and tasks of theirs that are not under way. Checks again
   * what waits for other rows, and reloads what is kept in memory.
   */
  sheetChanged(batchId: string): void {
    if (!this.#batches.all.has(batchId)) return;
    for (const { id } of this.#flights.active.ofBatch(batchId)) this.#takeNewest(id);
    this.#links.noteAll(batchId);
    this.#night.wake();
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
      this.#night.wake();
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
    this.#night.wake();
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

  /** When the last of the files that a batch retries in minutes or hours is due; undefined if there is none. */
  lastRetryAt(batchId: string): number | undefined {
    const stuck = this.#flights.active
      .ofBatch(batchId)
      .filter((task) => task.status === 'downloading' && isStuck(task));
    return stuck.length === 0 ? undefined : Math.max(...stuck.map(({ dueAt }) => dueAt));
  }

  /** Resolves when nothing more happens in a batch by itself: it is finished, or paused with nothing in flight. */
  settled(batchId: string): Promise<BatchRecord> {
    const settled = this.#batches.settled(batchId);
    this.#night.wake();
    return settled;
  }

  /**
   * Ends the night: nothing new begins, polls and downloads are aborted, but Nocturne waits for submits under way
   * because their answers were paid for. When this resolves, everything known is committed except what it returns: what
   * the disk refused, or what did not come within `withinMs` (by default, as long as a submit may take).
   */
  end(withinMs?: number): Promise<readonly Unsaved[]> {
    this.#ended ??= this.#end(withinMs ?? this.#longestSubmitMs() + END_GRACE_MS);
    return this.#ended;
  }

  async #end(withinMs: number): Promise<readonly Unsaved[]> {
    this.#ending.abort();
    this.#cancelTimer?.();
    this.#flights.giveUp();
    return endNight(this.#night, this.#work, () => this.#batches.closeGateways(), withinMs);
  }

  /** A submit's answer may come as late as its profile says. */
  #longestSubmitMs(): number {
    const seconds = Array.from(this.#batches.all.values(), ({ profile }) => profile.deadlines.submitSeconds);
    return Math.max(0, ...seconds) * 1000;
  }

  /** Checks everything that is due and carries it out; called by its own timer, and by tests. */
  tick(): void {
    if (this.#isTicking || this.#night.isEnding()) return;
    this.#isTicking = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
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
    this.#sleep(wakeMs);
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
    if (this.#links.isBehind) this.#night.wake();
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

  #track(batch: NightBatch, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        this.#batches.stumble([batch], error);
      })
      .finally(() => {
        this.#work.delete(tracked);
      });
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

function interruptedEntry(task: Task, now: number): Entry {
  const why = failure(
    'SUBMIT_OUTCOME_UNKNOWN',
    'Nocturne ended while the request was under way, so it does not know whether the gateway accepted it.',
  );
  return {
    taskId: task.id,
    event: { kind: 'outcome-unknown', failure: why },
    closeAttempt: { answeredAt: now, outcome: 'interrupted' },
  };
}
