/**
 * The scheduler of a night: it checks the tasks that are due, carries out what the pure next action says, and sleeps
 * until the next due time. It decides nothing about a task's life (task-machine.ts) and stores nothing itself.
 */
import { AnswerTally } from '../../shared/domain/gateway/learned/learned.ts';
import { setMaxListeners } from 'node:events';
import { isReplaced, refusalOfDisk, stopsWithout, type BatchRecord } from '../../shared/domain/task/batch.ts';
import type { SeenBalance } from '../../shared/domain/gateway/charges/stated-amount.ts';
import type { Clock } from '../ports/base.ts';
import type { Access } from './lanes.ts';
import type { Result } from '../../shared/domain/base/result.ts';
import type { SpendingLimits } from '../../shared/domain/task/spending.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import { Balances } from './charges/balances.ts';
import { KeyTrust } from './charges/key-trust.ts';
import { ChangeAnnouncer } from './announcer.ts';
import { adopt, type AdoptionRefusal } from './adopt.ts';
import { FreshSources } from './row-source.ts';
import { pauseInTime } from './batches/finish-by.ts';
import { FleetWork } from './fleet/fleet-work.ts';
import { Flights } from './flights.ts';
import type { Night, SchedulerOptions, SharedDownloads } from './night.ts';
import type { NightBatch } from './batches/night-batch.ts';
import { NightLimits } from './spending/night-limits.ts';
import { LearnedTimes } from './polls/learned-times.ts';
import { JoiningBatches } from './batches/joining.ts';
import { NightBatches } from './batches/night-batches.ts';
import { SettingsChanges, type SettingsChange } from './batches/settings-changes.ts';
import { NightStanding } from './batches/standing.ts';
import { GateWatch } from './gates/gate-watch.ts';
import { RowLinks } from './row-links.ts';
import { SleepGate } from './clock/sleep-gate.ts';
import { SteadyClock } from './clock/steady-clock.ts';
import { Ticks } from './clock/ticks.ts';
import { startSubmits } from './submit-step.ts';
import { TaskJournal, type Entry } from './task-journal.ts';
import { TaskNews } from './task-news.ts';
import { endNight, type Unsaved } from './night-end.ts';

/** At the end of a night, Nocturne waits this much longer for answers to submits than they may take. */
const END_GRACE_MS = 30_000;
/** How long after an exception the night checks everything again. */
const STUMBLE_PAUSE_MS = 60_000;

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
  readonly #ticks: Ticks;
  readonly #sleepGate: SleepGate;
  readonly #news: TaskNews;
  readonly #joining: JoiningBatches;
  readonly #changes: SettingsChanges;
  /** How the batches of the night stand. */
  readonly standing: NightStanding;
  /** What makes tasks goes by this clock, too: a time that the night has not seen may be one that it never gets to. */
  readonly clock: Clock;
  /** How often the user has paused each batch or put it away. */
  readonly #pauses = new Map<string, number>();
  /** The submits started last: resolves when they have left. */
  #submitting: Promise<void> = Promise.resolve();
  #ended: Promise<readonly Unsaved[]> | undefined;

  constructor(given: SchedulerOptions) {
    const clock = new SteadyClock(given.clock);
    this.clock = clock;
    this.#flights = new Flights(clock, (task) => this.#batches.all.get(task.batchId)?.accountOf(task).lane);
    this.#ticks = new Ticks({
      clock,
      ending: this.#ending.signal,
      look: () => this.#look(),
      startDue: () => this.#startDue(),
      untilDone: (work) => this.untilDone(work),
    });
    this.#sleepGate = new SleepGate({
      clock,
      toAsk: () => this.#flights.toAsk((task) => this.#mayPoll(task)),
      wake: () => this.#ticks.wake(),
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
        this.#news.committed(task, event);
      },
      onStale: (taskId) => this.#news.stale(taskId),
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
        this.#ticks.wake();
      },
      wake: () => this.#ticks.wake(),
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
      wake: () => this.#ticks.wakeSoon(),
      takeNewest: async (taskId) => void (await this.#news.takeNewest([taskId])),
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
        takeNewest: (taskIds) => this.#news.takeNewest(taskIds),
        attach: (batchId) => this.attach(batchId),
        onTrouble: (error) => void (isRefusedByDisk(error) || onBug(error)),
        trackForAll: (work) => this.#trackForAll(work),
      });
    const parts = {
      night: this.#night,
      flights: this.#flights,
      links: this.#links,
      checkFiles: (batch: NightBatch) => this.#checkFiles(batch),
      wake: () => this.#ticks.wake(),
    };
    this.#news = new TaskNews({
      ...parts,
      announcer: this.#announcer,
      fleet: this.#fleet,
      trackForAll: (work) => this.#trackForAll(work),
    });
    this.#joining = new JoiningBatches({
      ...parts,
      fleet: member && this.#fleet && { member, work: this.#fleet },
      untilDone: (work) => this.untilDone(work),
    });
    this.#changes = new SettingsChanges({
      ...parts,
      joining: this.#joining,
      isShared: this.#fleet !== undefined,
      submitted: () => this.#submitting,
      onBatchChanged: options.onBatchChanged,
    });
    this.standing = new NightStanding(this.#night, this.#balances);
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
    return this.#joining.attach(batchId);
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
  start(
    batchId: string,
    pauses = this.pausesOf(batchId),
    unlessHeld = false,
    only?: readonly string[],
    forAll = !unlessHeld,
  ): Promise<void> {
    // Also while it waits for something: the end of the night would find it on its way, and not saved.
    return this.untilDone(this.#start(batchId, pauses, unlessHeld, only, forAll));
  }

  async #start(
    batchId: string,
    pauses: number,
    unlessHeld: boolean,
    only: readonly string[] | undefined,
    forAll: boolean,
  ): Promise<void> {
    // Settings changed before a batch starts hold from its first request on.
    await this.#changes.made;
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
    await Promise.all([started, noted]);
    this.#checkFiles(batch);
    this.#ticks.wake();
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
    const batch = await this.#joining.attached(batchId);
    if (batch === undefined) return work();
    batch.holds += 1;
    try {
      return await work();
    } finally {
      batch.holds -= 1;
      this.#ticks.wake();
    }
  }

  /**
   * An edit of the sheet changed rows of a batch in the store, and those of their tasks that are not under way. Checks
   * again what waits for other rows, and reloads what is kept in memory.
   */
  async sheetChanged(batchId: string): Promise<void> {
    const batch = await this.#joining.attached(batchId);
    if (batch === undefined) return;
    this.#batches.work.outdate(batchId);
    const ids = this.#flights.active.ofBatch(batchId).map(({ id }) => id);
    const looked = Promise.all([batch.reload(), this.#news.takeNewest(ids), this.#links.noteAll(batchId)]);
    // The edit is made in any case: a failure here is the night's own trouble.
    await this.untilDone(looked.catch((error: unknown) => this.#batches.stumble([batch], error)));
    this.#ticks.wake();
  }

  /**
   * Changes the settings of a batch, and its name if one is given: running tasks follow them from their next request
   * on. The caller ensures that the batch's gateway still knows what was submitted.
   */
  configure(batchId: string, change: SettingsChange, name?: string): Promise<void> {
    return this.untilDone(this.#changes.configure(batchId, change, name));
  }

  /**
   * Has `remove` remove a batch from the store, unless the batch is running or something of it is in flight. The night
   * has let go of the batch by then, so whoever starts it in the meantime reads it afterwards; if it is not removed,
   * the night takes it up again.
   * @param remove Asks the store at once.
   */
  removing(batchId: string, remove: () => Promise<boolean>): Promise<boolean> {
    return this.untilDone(this.#changes.removing(batchId, remove));
  }

  /** Sets what may be spent in all, from the next request on; resolves when everything committed before has left. */
  async setLimits(limits: SpendingLimits): Promise<void> {
    await this.untilDone(this.#night.limits.set(limits));
    this.#ticks.wake();
    await this.#submitting;
  }

  /**
   * Holds back new submits from now on; polls and downloads of what is rendering continue. When this resolves, no more
   * submits leave: the intents that were being committed have been sent.
   */
  async pauseByUser(batchId: string): Promise<void> {
    this.overruleStarts(batchId);
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

  /** The user has paused a batch or put it away: a start that was asked for before does not run it any more. */
  overruleStarts(batchId: string): void {
    this.#pauses.set(batchId, this.pausesOf(batchId) + 1);
  }

  /** How often the user has paused a batch or put it away: it shows whether that came while a start waited. */
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
    this.#ticks.wake();
    return recorded.filter(({ kind }) => kind === 'committed').length;
  }

  /**
   * Gives a task with an unknown submit outcome its task code at the gateway. Nocturne first asks the gateway, once and
   * outside every schedule: the answer is the proof.
   */
  adopt(task: Task, taskCode: string): Promise<Result<undefined, AdoptionRefusal>> {
    return this.untilDone(adopt(this.#night, this.#batches.get(task.batchId), task, taskCode));
  }

  /** Asks for the balance of an account; undefined if its gateway does not state one, or must not be asked now. */
  balance(account: Access): Promise<SeenBalance | undefined> {
    if (account.profile.balance === undefined) return Promise.resolve(undefined);
    return this.untilDone(this.#balances.ask(this.#batches.placeOf(account)));
  }

  /** Writes the state of a batch that the store has not taken; rejects if the disk refuses it again. */
  async stateStored(batchId: string): Promise<void> {
    await (await this.#joining.attached(batchId))?.stateStored();
  }

  /**
   * Resolves when nothing more will happen in a batch by itself: it is finished, or paused with nothing in flight, and
   * the gates have looked at as many of its files as they can in time.
   */
  async settled(batchId: string): Promise<BatchRecord> {
    const settled = this.#batches.settled(batchId);
    this.#ticks.wake();
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
    this.#ticks.stop();
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
    return this.#ticks.tick();
  }

  async #look(): Promise<void> {
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
    this.#ticks.wakeSoon(wakeMs);
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
    if (this.#links.isBehind) this.#ticks.wake();
  }

  #mayPoll(task: Task): boolean {
    const batch = this.#batches.all.get(task.batchId);
    return batch?.allowedAt(batch.accountOf(task)).poll === true;
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
