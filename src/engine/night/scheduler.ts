/**
 * The scheduler of a night: it checks the tasks that are due, carries out what the pure next action says, and sleeps
 * until the next due time. It decides nothing about a task's life (task-machine.ts) and stores nothing itself.
 */
import { AnswerTally } from '../../shared/domain/gateway/learned/learned.ts';
import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import {
  isReplaced,
  refusalOfDisk,
  stopsWithout,
  withFolderOf,
  type BatchRecord,
  type BatchSettings,
} from '../../shared/domain/task/batch.ts';
import type { Failure } from '../../shared/domain/base/failure.ts';
import type { SeenBalance } from '../../shared/domain/gateway/charges/stated-amount.ts';
import type { Access } from './lanes.ts';
import { fullPlacesOf, type FullPlaces } from './submits/choose-submits.ts';
import type { Result } from '../../shared/domain/base/result.ts';
import type { SpendingLimits } from '../../shared/domain/task/spending.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import { Balances } from './charges/balances.ts';
import { KeyTrust } from './charges/key-trust.ts';
import { endForgottenAsks } from './charges/asks.ts';
import { ChangeAnnouncer } from './announcer.ts';
import { heedClock, heedingClock } from './clock/clock-ahead.ts';
import { adopt, type AdoptionRefusal } from './decisions.ts';
import { FreshSources } from './row-source.ts';
import { pauseInTime } from './batches/finish-by.ts';
import { FleetWork } from './fleet/fleet-work.ts';
import { Flights } from './flights.ts';
import { leftInFlight } from './left-in-flight.ts';
import { sweepParts } from './fetch-step.ts';
import type { Night, SchedulerOptions, SharedDownloads } from './night.ts';
import type { NightBatch } from './batches/night-batch.ts';
import { NightLimits } from './spending/night-limits.ts';
import { LearnedTimes } from './polls/learned-times.ts';
import { NightBatches } from './batches/night-batches.ts';
import { GateWatch } from './gates/gate-watch.ts';
import { RowLinks } from './row-links.ts';
import { SleepGate } from './clock/sleep-gate.ts';
import { Alarm, SteadyClock } from './clock/steady-clock.ts';
import { startSubmits } from './submit-step.ts';
import { TaskJournal, type Entry } from './task-journal.ts';
import { endNight, type Unsaved } from './night-end.ts';

/** At the end of a night, Nocturne waits this much longer for answers to submits than they may take. */
const END_GRACE_MS = 30_000;
/** How long after an exception the night checks everything again. */
const STUMBLE_PAUSE_MS = 60_000;
/** What becomes due this soon after a tick waits for a moment: several steps in one tick cost little more than one. */
const TICK_MS = 25;

/** New settings, or a function that makes them from the present ones, which others may change at the same time. */
export type SettingsChange = BatchSettings | ((batch: BatchRecord) => BatchSettings | undefined);

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #flights: Flights;
  readonly #journal: TaskJournal;
  readonly #links: RowLinks;
  readonly #times: LearnedTimes;
  readonly #announcer: ChangeAnnouncer;
  readonly #batches: NightBatches;
  readonly #night: Night;
  readonly #balances: Balances;
  /** Only if other processes share the store. */
  readonly #fleet: FleetWork | undefined;
  readonly #gates: GateWatch | undefined;
  readonly #work = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  readonly #alarm: Alarm;
  readonly #sleepGate: SleepGate;
  /** The last change of settings: the next one waits for it. */
  #configuring: Promise<void> = Promise.resolve();
  /** How often the user has paused each batch. */
  readonly #pauses = new Map<string, number>();
  /** Batches that are being read. */
  readonly #attaching = new Map<string, Promise<void>>();
  /** Ends the requests that must not be sent again after a clock was set back. */
  #forgetting: Promise<void> | undefined;
  #ticking: Promise<void> | undefined;
  /** When the last tick began, by the monotonic clock. */
  #tickedAt = Number.NEGATIVE_INFINITY;
  /** A wake came during the tick: another tick follows. */
  #isTickWanted = false;
  /** The submits started last: resolves when they have left. */
  #submitting: Promise<void> = Promise.resolve();
  #ended: Promise<readonly Unsaved[]> | undefined;

  constructor(given: SchedulerOptions) {
    const clock = new SteadyClock(given.clock);
    this.#flights = new Flights(clock, (task) => this.#batches.all.get(task.batchId)?.accountOf(task).lane);
    this.#alarm = new Alarm(clock, () => void this.tick());
    this.#sleepGate = new SleepGate({
      clock,
      toAsk: () => this.#flights.toAsk((task) => this.#mayPoll(task)),
      wake: () => this.#wake(),
    });
    const options: SchedulerOptions = {
      ...given,
      clock,
      onTaskChanged: (task, event, isAfterEnd) => this.#tell(() => given.onTaskChanged(task, event, isAfterEnd)),
      onBatchChanged: (batch) => this.#tell(() => given.onBatchChanged(batch)),
    };
    this.#options = options;
    const { store, folder, random, files, keyFingerprint, holdsKey, onBug, isRefusedByDisk } = options;
    this.#journal = new TaskJournal({
      store,
      clock,
      current: (taskId) => this.#flights.active.get(taskId),
      onCommitted: (task, event, intent) => {
        this.#tell(() => given.onCommitted?.(task, event, intent));
        this.#onCommitted(task, event);
      },
      onStale: (taskId) => this.#takeNewestOf(taskId),
      onLeaseLost: (fence) => this.#fleet?.lose(fence),
      onStoreFailed: (error) => this.#batches.stumble(this.#batches.all.values(), error),
      onBug,
      isRefusedByDisk,
    });
    const isAwaited = (task: Task): boolean => this.#gates?.isAwaited(task) ?? false;
    this.#links = new RowLinks(store, this.#journal, isAwaited);
    this.#times = new LearnedTimes(store);
    this.#batches = new NightBatches({
      ...options,
      active: this.#flights.active,
      journal: this.#journal,
      isUnderWay: (taskId) => this.#flights.isUnderWay(taskId),
      wallNow: () => given.clock.now(),
      track: (batch, work) => this.#track(batch, work),
      lookAgain: (batchId) => {
        this.#flights.lookAgain(batchId);
        this.#wake();
      },
      wake: () => this.#wake(),
    });
    this.#announcer = new ChangeAnnouncer({
      needsToKnow: (batchId) => this.#batches.rest.isInFlightStuck(batchId),
      learn: (batchId) => this.#batches.work.learn([batchId], clock.now()),
      tell: (...change) => options.onTaskChanged(...change),
      track: (work) => this.#trackForAll(work),
    });
    // Every request under way listens to this signal, as many as the limits allow: not a leak for Node to warn about.
    setMaxListeners(0, this.#ending.signal);
    const freshSources = new FreshSources();
    const downloads = (): SharedDownloads | undefined => this.#fleet?.downloads;
    this.#night = {
      store,
      folder,
      clock,
      random,
      files,
      keyFingerprint,
      holdsKey,
      journal: this.#journal,
      active: this.#flights.active,
      fronts: this.#flights.fronts,
      tally: new AnswerTally(),
      times: this.#times,
      batches: this.#batches,
      keyTrust: new KeyTrust(store, clock),
      isAwake: () => this.#sleepGate.mayLeave(),
      limits: new NightLimits(store, given.ceiling),
      freshSourceOf: (batch, task) => freshSources.sourceOf(this.#night, batch, task),
      get downloads() {
        return downloads();
      },
      onFileVerified: (batch, taskId, index) => this.#gates?.note(batch, taskId, index),
      isAwaited,
      ending: this.#ending.signal,
      wallNow: () => given.clock.now(),
      wake: () => this.#wakeSoon(),
      takeNewest: async (taskId) => void (await this.#takeNewest([taskId])),
      track: (batch, work) => this.#track(batch, work),
    };
    this.#gates =
      given.measurer &&
      new GateWatch({
        night: this.#night,
        measurer: given.measurer,
        onLooked: (task) => this.#links.noteRow(task),
        onMadeAgain: (task) => this.#links.noteSourcesOf(task),
        onTrouble: (error) => void (isRefusedByDisk(error) || onBug(error)),
      });
    this.#balances = new Balances(this.#night, (lane) => this.#batches.tellOfLane(lane));
    const { fleet: member } = options;
    this.#fleet =
      member &&
      new FleetWork({
        member,
        night: this.#night,
        flights: this.#flights,
        noteLinks: (batchId) => this.#links.noteAll(batchId),
        checkFiles: (batch) => this.#checkFiles(batch),
        takeNewest: (taskIds) => this.#takeNewest(taskIds),
        attach: (batchId) => this.attach(batchId),
        onTrouble: (error) => void (isRefusedByDisk(error) || onBug(error)),
        trackForAll: (work) => this.#trackForAll(work),
      });
  }

  /** How many changes of tasks wait to be written. */
  get unwritten(): number {
    return this.#journal.waiting.length;
  }

  /** Begins to share the store, and its accounts, with other processes. */
  async join(): Promise<void> {
    await this.#night.limits.known();
    await this.#fleet?.join();
  }

  /**
   * Adds a batch to this night: work that an earlier run left in flight continues, and a submit that nobody waits for
   * becomes unknown (submit protocol, step 7). A running batch continues at once.
   */
  attach(batchId: string): Promise<void> {
    if (this.#batches.all.has(batchId)) return Promise.resolve();
    const attaching = this.#attaching.get(batchId) ?? this.untilDone(this.#attach(batchId));
    this.#attaching.set(batchId, attaching);
    return attaching;
  }

  async #attach(batchId: string): Promise<void> {
    const { store, fleet } = this.#options;
    try {
      const [batch] = await Promise.all([this.#batches.read(batchId), this.#night.limits.known()]);
      // If others may be working on it, the store's clock counts, not this computer's.
      const now = fleet === undefined ? this.#night.clock.now() : (await fleet.leases.fleet()).at;
      await heedClock(store, batchId, now);
      await this.#night.keyTrust.learn();
      // Not if others may be working on what was sent last: then no clock that differs from the store's is believed.
      if (this.#fleet === undefined) await this.#forgotten();
      const inFlight = this.#fleet === undefined ? await leftInFlight(this.#night, batch) : [];
      // No await between these: from the first look at the batch on, the limits count what is in flight.
      this.#batches.add(batch);
      for (const task of inFlight) this.#flights.take(task);
      await this.#fleet?.takeUp(batch);
      this.#track(batch, sweepParts(this.#night, batch));
      if (batch.record.state === 'running') this.#checkFiles(batch);
      // The rows of a batch that never started or has ended are checked when it starts.
      const { state } = batch.record;
      if (state === 'running' || state === 'paused') await this.#links.noteAll(batchId);
      this.#wake();
    } finally {
      this.#attaching.delete(batchId);
    }
  }

  /** Done once per process: nothing can be sent before. */
  async #forgotten(): Promise<void> {
    this.#forgetting ??= endForgottenAsks(this.#night);
    try {
      await this.#forgetting;
    } catch (error) {
      this.#forgetting = undefined;
      throw error;
    }
  }

  /** A batch of this night. Waits for a batch that is being attached: it was read before the latest changes. */
  async #attached(batchId: string): Promise<NightBatch | undefined> {
    await this.#attaching.get(batchId)?.catch(() => undefined);
    return this.#batches.all.get(batchId);
  }

  /**
   * Starts or continues a batch: after import, a pause, a retry or a change of its sheet. Resolves when the start is
   * stored, or when the user has paused the batch before it ran.
   * @param pauses What {@link pausesOf} returned when the user asked for the start, if that was earlier.
   * @param unlessHeld Leaves a batch that is paused or was never started as it is, and accounts that stand still:
   *   everything that waits there would be paid for.
   * @param only Of the accounts that stand still, those that go on; by default, all.
   * @param forAll See {@link StateChange}.
   */
  async start(
    batchId: string,
    pauses = this.pausesOf(batchId),
    unlessHeld = false,
    only?: readonly string[],
    forAll = !unlessHeld,
  ): Promise<void> {
    // Settings changed before a batch starts hold from its first request on.
    await this.#configuring;
    if (!this.#batches.all.has(batchId)) await this.attach(batchId);
    const batch = this.#batches.get(batchId);
    if (unlessHeld && batch.record.state !== 'running' && batch.record.state !== 'finished') return;
    const refusal = refusalOfDisk(batch.record);
    if (refusal !== undefined && isReplaced(refusal) && this.pausesOf(batchId) === pauses) await batch.acceptFolder();
    // The user's last word counts, even if it came while this start waited.
    if (this.pausesOf(batchId) !== pauses) return;
    batch.isFolderSeen = false;
    this.#gates?.begin(batchId);
    const named = only ?? (unlessHeld ? namesAtWork(batch) : undefined);
    const started = this.#batches.start(
      batch,
      named && { still: stopsWithout(batch.record.stops, named), only: named },
      forAll ? 'all' : true,
    );
    const noted = this.#links.noteAll(batchId);
    await this.untilDone(Promise.all([started, noted]));
    this.#checkFiles(batch);
    this.#wake();
  }

  /** See `Engine.claimFolder`. */
  async claimFolder(batchId: string): Promise<void> {
    if (this.#fleet === undefined) return;
    await this.attach(batchId);
    const batch = this.#batches.get(batchId);
    const { state, settings } = batch.record;
    if (state === 'ready' && settings.folderIdentity === undefined) await batch.prepareFolder(this.#options.folder);
  }

  /**
   * Has the gates of a batch look at files that they have not seen. A failure does no harm: the next start tries again.
   */
  #checkFiles(batch: NightBatch): void {
    const { onBug, isRefusedByDisk } = this.#options;
    const found = this.#gates?.takeUp(batch).catch((error: unknown) => void (isRefusedByDisk(error) || onBug(error)));
    if (found !== undefined) void this.untilDone(found);
  }

  /** Carries out `work` while no new submit of a batch begins. This is not a pause, and nobody sees it. */
  async holdingSubmits<T>(batchId: string, work: () => Promise<T>): Promise<T> {
    const batch = await this.#attached(batchId);
    if (batch === undefined) return work();
    batch.holds += 1;
    try {
      return await work();
    } finally {
      batch.holds -= 1;
      this.#wake();
    }
  }

  /**
   * An edit of the sheet changed rows of a batch in the store, and those of their tasks that are not under way. Checks
   * again what waits for other rows, and reloads what is kept in memory.
   */
  async sheetChanged(batchId: string): Promise<void> {
    const batch = await this.#attached(batchId);
    if (batch === undefined) return;
    this.#batches.work.outdate(batchId);
    const ids = this.#flights.active.ofBatch(batchId).map(({ id }) => id);
    const looked = Promise.all([batch.reload(), this.#takeNewest(ids), this.#links.noteAll(batchId)]);
    // The edit is made in any case: a failure here is the night's own trouble.
    await this.untilDone(looked.catch((error: unknown) => this.#batches.stumble([batch], error)));
    this.#wake();
  }

  /**
   * Changes the settings of a batch, and its name if one is given: running tasks follow them from their next request
   * on. The caller ensures that the batch's gateway still knows what was submitted.
   */
  configure(batchId: string, change: SettingsChange, name?: string): Promise<void> {
    // One at a time: each starts from what the one before has left.
    const configured = this.#configuring.then(() => this.#configure(batchId, change, name));
    this.#configuring = configured.catch(() => undefined);
    return this.untilDone(configured);
  }

  /**
   * Has `remove` remove a batch from the store, unless the batch is running or something of it is in flight. The night
   * has let go of the batch by then, so whoever starts it in the meantime reads it afterwards; if it is not removed,
   * the night takes it up again.
   * @param remove Asks the store at once.
   */
  removing(batchId: string, remove: () => Promise<boolean>): Promise<boolean> {
    const removed = this.#configuring.then(async () => {
      const batch = await this.#attached(batchId);
      if (batch === undefined) return remove();
      const isInUse = batch.record.state === 'running' || batch.holds > 0;
      if (isInUse || this.#flights.active.ofBatch(batchId).length > 0) return false;
      this.#batches.letGo(batch);
      let isRemoved = false;
      try {
        isRemoved = await remove();
      } finally {
        if (!isRemoved) await this.attach(batchId);
      }
      return isRemoved;
    });
    this.#configuring = removed.then(
      () => undefined,
      () => undefined,
    );
    return this.untilDone(removed);
  }

  async #configure(batchId: string, change: SettingsChange, name?: string): Promise<void> {
    const { store } = this.#options;
    let batch = await this.#attached(batchId);
    const before = batch?.record ?? (await store.batch(batchId));
    if (before === undefined) throw new Error(`No such batch: ${batchId}`);
    const wanted = typeof change === 'function' ? change(before) : change;
    if (wanted === undefined) return;
    const settings = withFolderOf(before.settings, wanted);
    if (batch === undefined) {
      // If another process has changed the batch in the meantime, the change is made again from what is there now.
      const asRead = this.#fleet === undefined ? undefined : before.revision;
      const revision = await store.updateBatchSettings(batchId, settings, name, asRead);
      if (revision === undefined && asRead !== undefined) {
        await this.#configure(batchId, change, name);
        return;
      }
      // The batch may have joined the night in the meantime, read with its earlier settings.
      batch = await this.#attached(batchId);
      const record = await store.batch(batchId);
      if (record !== undefined && batch === undefined) this.#options.onBatchChanged(record);
    }
    if (batch === undefined) return;
    if (!(await this.#batches.configure(batch, settings, name))) {
      await this.#batches.readAgain(batch);
      await this.#configure(batchId, change, name);
      return;
    }
    if (batch.record.state === 'running' && !isDeepStrictEqual(before.settings.gates, settings.gates)) {
      this.#checkFiles(batch);
      await this.#links.noteAll(batchId);
    }
    this.#wake();
    // Until what was committed under the earlier settings has left.
    await this.#submitting;
  }

  /** Sets what may be spent in all, from the next request on; resolves when everything committed before has left. */
  async setLimits(limits: SpendingLimits): Promise<void> {
    await this.untilDone(this.#night.limits.set(limits));
    this.#wake();
    await this.#submitting;
  }

  /**
   * Holds back new submits from now on; polls and downloads of what is rendering continue. When this resolves, no more
   * submits leave: the intents that were being committed have been sent.
   */
  async pauseByUser(batchId: string): Promise<void> {
    this.#pauses.set(batchId, this.pausesOf(batchId) + 1);
    const paused = this.#batches.pauseByUser(this.#batches.get(batchId));
    await this.untilDone(Promise.all([paused, this.#submitting]));
  }

  /** The computer is about to sleep: nothing new is sent. */
  sleep(): void {
    this.#sleepGate.sleep();
  }

  /** The computer is awake again. */
  wake(): void {
    this.#sleepGate.wake();
  }

  /** How often the user has paused a batch: it shows whether a pause came while a start waited. */
  pausesOf(batchId: string): number {
    return this.#pauses.get(batchId) ?? 0;
  }

  /**
   * Applies the user's decision to tasks, without waiting for others; resolves to the number of tasks that it changed.
   */
  decide(entries: readonly Entry[]): Promise<number> {
    return this.untilDone(this.#decide(entries));
  }

  async #decide(entries: readonly Entry[]): Promise<number> {
    const recorded = await this.#journal.recordNow(entries);
    await this.#lookAtLinks();
    this.#wake();
    return recorded.filter(({ kind }) => kind === 'committed').length;
  }

  /**
   * Gives a task with an unknown submit outcome its task code at the gateway. Nocturne first asks the gateway, once and
   * outside every schedule: the answer is the proof.
   */
  adopt(task: Task, taskCode: string): Promise<Result<undefined, AdoptionRefusal>> {
    return this.untilDone(adopt(this.#night, this.#batches.get(task.batchId), task, taskCode));
  }

  /**
   * The balance of a batch's account, as last heard; undefined if its gateway does not state one.
   * @param name One of several accounts; by default, the first.
   */
  balanceOf(batchId: string, name?: string): SeenBalance | undefined {
    const account = this.#batches.all.get(batchId)?.accountOf({ account: name });
    return account?.profile.balance && this.#balances.of(account.lane);
  }

  /** Asks for the balance of an account; undefined if its gateway does not state one, or must not be asked now. */
  balance(account: Access): Promise<SeenBalance | undefined> {
    if (account.profile.balance === undefined) return Promise.resolve(undefined);
    return this.untilDone(this.#balances.ask(this.#batches.placeOf(account)));
  }

  /**
   * Until when the gateway of a batch asked to be left alone, in milliseconds since the epoch; undefined once that time
   * is past, or while one of several accounts may go on.
   */
  heldUntil(batchId: string): number | undefined {
    const times = this.#batches.all.get(batchId)?.accounts.map(({ lane }) => lane.heldUntil ?? 0) ?? [];
    const heldUntil = Math.min(...times);
    return times.length > 0 && heldUntil > this.#night.clock.now() ? heldUntil : undefined;
  }

  /** Families with no place left for another take of a batch at any of its accounts; undefined if there are none. */
  fullPlaces(batchId: string): FullPlaces | undefined {
    const batch = this.#batches.all.get(batchId);
    const full = batch === undefined ? [] : fullPlacesOf(this.#night, batch);
    return full.length === 0 ? undefined : full;
  }

  /** Why none of a batch's gateways answers or gives files at the moment; the batch later continues by itself. */
  trouble(batchId: string): Failure | undefined {
    const batch = this.#batches.all.get(batchId);
    const troubles = batch?.accounts.map(({ lane }) => lane.trouble) ?? [];
    return (troubles.includes(undefined) ? undefined : troubles[0]) ?? batch?.filesTrouble;
  }

  /** A batch as the night holds it, while the store has not taken its present state. */
  unstored(batchId: string): BatchRecord | undefined {
    const batch = this.#batches.all.get(batchId);
    return batch?.isUnstored === true ? batch.record : undefined;
  }

  /** Writes the state of a batch that the store has not taken; rejects if the disk refuses it again. */
  async stateStored(batchId: string): Promise<void> {
    await (await this.#attached(batchId))?.stateStored();
  }

  /** Whether only files that are retried in minutes or hours are left of a batch. */
  isLeftWithRetries(batchId: string): boolean {
    return this.#batches.all.has(batchId) && this.#batches.rest.isLeftWithRetries(batchId);
  }

  /** When the last of the files that a batch retries in minutes or hours is due; undefined if there is none. */
  lastRetryAt(batchId: string): number | undefined {
    return this.#batches.rest.lastRetryAt(batchId);
  }

  /**
   * Resolves when nothing more will happen in a batch by itself: it is finished, or paused with nothing in flight, and
   * the gates have looked at as many of its files as they can in time.
   */
  async settled(batchId: string): Promise<BatchRecord> {
    const settled = this.#batches.settled(batchId);
    this.#wake();
    const record = await settled;
    await this.#gates?.idle(batchId);
    return record;
  }

  /**
   * Ends the night: nothing new begins, and polls and downloads are aborted, but Nocturne waits for submits under way
   * because their answers were paid for. When this resolves, everything known is committed except what is returned:
   * what the disk refused, or what did not come within `withinMs` (by default, as long as a submit may take).
   */
  end(withinMs?: number): Promise<readonly Unsaved[]> {
    this.#ended ??= this.#end(withinMs ?? this.#batches.longestSubmitMs() + END_GRACE_MS);
    return this.#ended;
  }

  async #end(withinMs: number): Promise<readonly Unsaved[]> {
    this.#ending.abort();
    this.#alarm.stop();
    this.#sleepGate.close();
    this.#flights.giveUp();
    this.#fleet?.close();
    const unsaved = await endNight(this.#night, this.#work, () => this.#batches.closeGateways(), withinMs);
    await this.#fleet?.leave();
    return unsaved;
  }

  /**
   * Checks everything that is due and carries it out; called by the night's own timer, and by tests. What is due at the
   * gateway starts at once; work that needs the store is done by one tick at a time.
   */
  tick(): Promise<void> {
    if (this.#ending.signal.aborted) return Promise.resolve();
    if (this.#ticking === undefined) {
      this.#ticking = this.untilDone(this.#tickOn());
    } else {
      this.#startDue();
      this.#isTickWanted = true;
    }
    return this.#ticking;
  }

  async #tickOn(): Promise<void> {
    try {
      do {
        this.#isTickWanted = false;
        await this.#tickOnce();
      } while (this.#isTickWanted && !this.#ending.signal.aborted);
    } finally {
      this.#ticking = undefined;
    }
  }

  async #tickOnce(): Promise<void> {
    this.#alarm.stop();
    this.#tickedAt = this.#night.clock.monotonic();
    let wakeMs = STUMBLE_PAUSE_MS;
    this.#startDue();
    try {
      this.#batches.storeAgain();
      this.#batches.recheckDisks();
      this.#balances.watch(this.#batches.all.values());
      this.#batches.noteGates();
      await this.#lookAtLinks();
      const submitting = this.#sleepGate.isOpen() ? startSubmits(this.#night) : Promise.resolve();
      this.#submitting = submitting.catch(() => undefined);
      await submitting;
      await pauseInTime(this.#night);
      if (this.#ending.signal.aborted) return;
      this.#batches.settle(this.#links.isBehind, (batch, isIdle) => this.#gates?.hasLooked(batch, isIdle) ?? true);
      wakeMs = Math.min(this.#batches.nextWakeMs(this.#flights.nextDueAt()), this.#sleepGate.againMs);
    } catch (error) {
      this.#batches.stumble(this.#batches.all.values(), error);
    }
    this.#wakeSoon(wakeMs);
  }

  /** Starts polls and downloads that are due: they wait for nothing. */
  #startDue(): void {
    try {
      this.#batches.keepPaces();
      this.#flights.startDue(this.#night);
    } catch (error) {
      this.#batches.stumble(this.#batches.all.values(), error);
    }
  }

  /** Starts, holds or fails tasks that refer to other rows, depending on how those rows ended. */
  async #lookAtLinks(): Promise<void> {
    if (this.#journal.isStoreFailed) return;
    try {
      await this.#links.lookAgain();
    } catch (error) {
      this.#batches.stumble(this.#batches.all.values(), error);
      return;
    }
    if (this.#links.isBehind) this.#wake();
  }

  #onCommitted(task: Task, event: TaskEvent): void {
    const batch = this.#batches.all.get(task.batchId);
    // What is left to do in a batch does not depend on what is still running.
    const isQueueLonger = task.status === 'queued' || event.kind === 'made-again';
    if (event.kind !== 'still-running') this.#batches.work.outdate(task.batchId, isQueueLonger);
    // A row that succeeds after its batch has ended frees the rows that failed because of it, but only the user can run
    // them.
    const isAfterEnd = batch?.record.state === 'finished';
    if (!(isAfterEnd && task.status === 'done') && task.superseded !== true) this.#links.note(task, event);
    const isNews = task.status === 'done' && this.#flights.active.get(task.id) !== undefined;
    if (isNews && batch !== undefined) this.#times.learn(batch, task);
    if (batch !== undefined) this.#batches.noteEnd(batch, this.#flights.active.get(task.id), task);
    this.#take(task);
    if (batch !== undefined && (task.status === 'failed' || task.status === 'submit-unknown'))
      batch.isCanaryDoubted = true;
    if (event.kind === 'output-verified' && batch !== undefined) batch.isDiskDoubted = false;
    if (event.kind === 'cancel-requested' && task.status === 'cancelled') this.#flights.giveUp(task.id);
    this.#wakeSoon();
    this.#announcer.announce(task, event, isAfterEnd);
  }

  #mayPoll(task: Task): boolean {
    const batch = this.#batches.all.get(task.batchId);
    return batch?.allowedAt(batch.accountOf(task)).poll === true;
  }

  #takeNewestOf(taskId: number): void {
    this.#trackForAll(this.#takeNewest([taskId]).then(() => this.#wake()));
  }

  /** Reloads tasks from the store, and returns them; drops those that no longer exist. */
  async #takeNewest(taskIds: readonly number[]): Promise<readonly Task[]> {
    if (taskIds.length === 0) return [];
    const { active } = this.#flights;
    const inFlight = new Set(taskIds.filter((id) => active.get(id) !== undefined));
    const newest = new Map((await this.#options.store.tasks(taskIds)).map((task) => [task.id, task]));
    let isNews = false;
    for (const id of taskIds) {
      const task = newest.get(id);
      const now = active.get(id);
      // What was committed meanwhile is newer than this answer.
      const hasLeft = now === undefined && inFlight.has(id);
      if (task === undefined) this.#flights.letGo(id);
      else if (!hasLeft && task.revision >= (now?.revision ?? 0)) {
        if (now !== undefined && task.revision > now.revision) this.#noteOthers(now, task);
        // It may have been the last thing that its batch waited for.
        if (now === undefined || task.revision > now.revision) isNews = true;
        this.#take(heedingClock(task, this.#night.clock.now()));
        if (task.status === 'cancelled') this.#flights.giveUp(id);
        if (this.#fleet !== undefined) this.#batches.work.outdate(task.batchId);
      }
    }
    if (isNews && this.#fleet !== undefined) this.#wakeSoon();
    return [...newest.values()];
  }

  /**
   * What another process has made of a task in flight here, such as fetching its files, counts as if it were made here.
   */
  #noteOthers(before: Task, task: Task): void {
    const batch = this.#batches.all.get(task.batchId);
    if (batch === undefined || this.#fleet === undefined) return;
    this.#fleet.downloads?.noteFiles(batch, before, task);
    if (task.status === 'done') this.#times.learn(batch, task);
    this.#batches.noteEnd(batch, before, task);
  }

  /** Records a task's newest state, if this process looks after the task. */
  #take(task: Task): void {
    if (this.#fleet === undefined || this.#batches.all.get(task.batchId)?.accountOf(task).lane.right !== undefined)
      this.#flights.take(task);
    else this.#flights.letGo(task.id);
  }

  /** Checks everything again after this long, or sooner. */
  #wake(delayMs = 0): void {
    if (!this.#ending.signal.aborted) this.#alarm.set(delayMs);
  }

  /** The same, but not right after the last tick. */
  #wakeSoon(delayMs = 0): void {
    this.#wake(Math.max(delayMs, this.#tickedAt + TICK_MS - this.#night.clock.monotonic()));
  }

  #track(batch: NightBatch, work: Promise<void>): void {
    void this.untilDone(work.catch((error: unknown) => this.#batches.stumble([batch], error)));
  }

  /** The same for work that concerns no single batch. */
  #trackForAll(work: Promise<void>): void {
    void this.untilDone(work.catch((error: unknown) => this.#batches.stumble(this.#batches.all.values(), error)));
  }

  /** Keeps the night from ending before this work is done; whoever asked for the work learns how it ends. */
  untilDone<T>(work: Promise<T>): Promise<T> {
    const done = work
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
    return work;
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

/** The names of those of several accounts that do not stand still; undefined for a batch with one account. */
function namesAtWork({ accounts, record: { stops = {} } }: NightBatch): readonly string[] | undefined {
  if (accounts.length === 1) return undefined;
  return accounts.flatMap(({ name = '' }) => (stops[name] === undefined ? [name] : []));
}
