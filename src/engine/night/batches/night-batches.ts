import {
  isReplaced,
  refusalOfDisk,
  type AccountStops,
  type BatchPause,
  type BatchRecord,
  type BatchSettings,
} from '../../../shared/domain/task/batch.ts';
import type { Account } from '../../../shared/domain/task/accounts/account.ts';
import { workerOfLease } from '../../../shared/domain/task/accounts/unheld-accounts.ts';
import type { Family } from '../../../shared/domain/operations/operations.ts';
import { failure, pauseOf, saidBy, type Failure } from '../../../shared/domain/base/failure.ts';
import { reason, thrownSays } from '../../../shared/domain/base/reason.ts';
import { blownBy, FUSE_LENGTH, withEnd } from '../../../shared/domain/task/fuse.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { MediaFolder } from '../../ports/media-folder.ts';
import type { MediaGateway } from '../../ports/media-gateway.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { ActiveTasks } from '../active-tasks.ts';
import { Lanes, type Access, type Lane, type LanesOptions } from '../lanes.ts';
import { holdsForFolderOf } from './batch-folder.ts';
import { isDiskPause, pauseBecauseOf, staysPaused, stopThatStays } from './batch-pause.ts';
import type { NightAccount } from './night-account.ts';
import { NightBatch } from './night-batch.ts';
import type { TaskJournal } from '../task-journal.ts';
import { KnownWork } from './known-work.ts';
import { BatchRest } from './batch-rest.ts';
import { RestWaiters } from './rest-waiters.ts';
import { TasksElsewhere } from './tasks-elsewhere.ts';

/** The night checks everything at least this often, to notice a clock that jumped. */
const LONGEST_SLEEP_MS = 60_000;
/** How often the disk is checked after a disk failure. */
const DISK_RECHECK_MS = 30_000;
/** How long after the store's disk refused a batch's state it is written again. */
const STORE_RETRY_MS = 5_000;
/** If this many files in succession do not arrive, no single row is at fault. */
const FILES_IN_VAIN = 24;

export interface NightBatchesOptions extends LanesOptions {
  readonly store: TaskStore;
  readonly folder: MediaFolder;
  readonly active: ActiveTasks;
  readonly journal: TaskJournal;
  readonly onBatchChanged: (batch: BatchRecord) => void;
  readonly onOpened?: (batchId: string) => void;
  /** Whether a request for this task is under way. */
  readonly isUnderWay: (taskId: number) => boolean;
  readonly track: (batch: NightBatch, work: Promise<void>) => void;
  /** Looks again at what a batch has in flight: what was held back may continue. */
  readonly lookAgain: (batchId: string) => void;
  /** Requests an early check of everything. */
  readonly wake: () => void;
  /** Receives exceptions that the disk did not cause. */
  readonly onBug: (error: unknown) => void;
  readonly isRefusedByDisk: (error: unknown) => boolean;
  /** The system's time as it is, in milliseconds since the epoch: it may go back. */
  readonly wallNow: () => number;
}

/** Where the requests of an account go. */
export interface AccountPlace {
  readonly account: Access;
  readonly lane: Lane;
  readonly gateway: MediaGateway;
}

/** The user's word about a batch that holds in this night but could not be saved. */
export interface UnsavedWord {
  readonly kind: 'pause' | 'start';
  readonly batchId: string;
  readonly name: string;
}

/** The batches of a night: their states, why they pause, when they are at rest, and the gateways that they share. */
export class NightBatches {
  readonly all: ReadonlyMap<string, NightBatch>;
  /** What is left to do in the batches. */
  readonly work: KnownWork;
  /** Which batches are at rest. */
  readonly rest: BatchRest;
  /** The number of the last turn that a batch had (see turns.ts). */
  lastTurn = 0;
  readonly #batches = new Map<string, NightBatch>();
  readonly #elsewhere: TasksElsewhere;
  readonly #lanes: Lanes;
  readonly #options: NightBatchesOptions;
  readonly #waiters: RestWaiters;

  constructor(options: NightBatchesOptions) {
    this.#options = options;
    this.#lanes = new Lanes(options);
    this.all = this.#batches;
    this.#elsewhere = new TasksElsewhere(options.store, options.clock);
    this.work = new KnownWork(options.store);
    this.rest = new BatchRest({ ...options, work: this.work });
    this.#waiters = new RestWaiters(options);
  }

  /** Reads a batch from the store; the night looks after it once it is added. */
  async read(batchId: string): Promise<NightBatch> {
    const { store } = this.#options;
    const [record] = await Promise.all([store.batch(batchId), this.#elsewhere.known()]);
    if (record === undefined) throw new Error(`No such batch: ${batchId}`);
    const { wallNow, fleet } = this.#options;
    return new NightBatch(record, store, this.#lanes, { wallNow, isShared: fleet !== undefined });
  }

  /** How many tasks of a family the gateway of a lane is known to have, whichever process looks after them. */
  atGateway(lane: Lane, family: Family): number {
    let sum = this.#elsewhere.count(
      family,
      (batchId, account) => !this.#batches.has(batchId) && this.#lanes.laneOf(account) === lane,
    );
    for (const batch of this.#batches.values()) {
      for (const account of batch.accounts) {
        if (account.lane === lane) sum += this.#options.active.atGateway(batch.id, family, account.name);
      }
    }
    return sum;
  }

  add(batch: NightBatch): void {
    this.#batches.set(batch.id, batch);
  }

  /** Ends this night's care of a batch. */
  letGo({ id }: NightBatch): void {
    this.#batches.delete(id);
  }

  get(batchId: string): NightBatch {
    const batch = this.#batches.get(batchId);
    if (batch === undefined) throw new Error(`The batch is not part of this night: ${batchId}`);
    return batch;
  }

  /**
   * Lets a batch run from now on; resolves when that is stored.
   * @param stops `still`: the accounts that stand still all the same; `only`: the accounts that this resumes, while the
   *   others stay as they are.
   * @param byUser False if nobody has resumed it; `all`: the user has started all of it.
   */
  start(
    batch: NightBatch,
    { still: stops, only }: { readonly still?: AccountStops | undefined; readonly only?: readonly string[] } = {},
    byUser: boolean | 'all' = true,
  ): Promise<void> {
    batch.goOn(stops, only);
    this.work.outdate(batch.id);
    const started = this.#setState(batch, 'running', undefined, stops, byUser, only);
    this.#options.lookAgain(batch.id);
    return started;
  }

  /** Holds the batch from now on; resolves when that is stored. A pause that would end by itself no longer does. */
  async pauseByUser(batch: NightBatch): Promise<void> {
    // Another process may have started it a moment ago. If the store does not answer, nothing more is known.
    if (this.#options.fleet !== undefined && batch.record.state !== 'running')
      await this.readAgain(batch).catch(() => undefined);
    const { record } = batch;
    const disk = refusalOfDisk(record);
    if (record.state !== 'running' && (!isDiskPause(record) || record.pause?.disk !== undefined)) {
      // It may stand still because of a pause that is still being written.
      await batch.storeState();
      return;
    }
    await this.#setState(batch, 'paused', { by: 'user', ...present({ disk }) }, record.stops, true);
  }

  /**
   * Changes the settings of a batch; the next look at it checks its folder. False if another process has changed the
   * batch in the meantime: nothing was changed then.
   */
  async configure(batch: NightBatch, settings: BatchSettings, name?: string): Promise<boolean> {
    if (!(await batch.configure(settings, name))) return false;
    batch.folderCheckedUntil = 0;
    this.work.outdate(batch.id);
    this.#options.onBatchChanged(batch.record);
    return true;
  }

  /** Takes over what another process has made of a batch: its state, its settings, its sheet. */
  async readAgain(batch: NightBatch): Promise<void> {
    await batch.readAgain();
    this.work.outdate(batch.id);
    this.#options.lookAgain(batch.id);
    this.#options.onBatchChanged(batch.record);
  }

  /**
   * Pauses a batch and every other batch that the failure concerns: those with its folder or its gateway. What concerns
   * one of several accounts stops that account alone.
   * @param account The account with which it failed; by default, all of the batch's.
   */
  pause(batch: NightBatch, met: Failure, account?: NightAccount): void {
    // A night that has ended pauses nothing.
    if (this.#options.journal.isClosed) return;
    const why = this.#withWorker(met);
    const concerned = pauseOf(why.code)?.pauses ?? 'batch';
    if (concerned === 'folder') {
      batch.isDiskDoubted = true;
      batch.folderCheckedUntil = this.#options.clock.monotonic() + DISK_RECHECK_MS;
    }
    const failed = account === undefined ? batch.accounts : [account];
    const lanes = concerned === 'gateway' ? new Set(failed.map(({ lane }) => lane)) : undefined;
    for (const other of this.#batches.values()) {
      const isSameFolder =
        concerned === 'folder' && holdsForFolderOf(other.record.settings, batch.record.settings, why);
      if (lanes !== undefined) {
        for (const one of other.accounts) if (lanes.has(one.lane)) this.#stop(other, one, why);
      } else if (other === batch || isSameFolder) {
        this.#stop(other, other === batch && concerned === 'batch' ? account : undefined, why);
      }
    }
  }

  /** Each worker has its own keys: whoever reads about a refused one has to know where to replace it. */
  #withWorker(why: Failure): Failure {
    const { fleet } = this.#options;
    if (fleet === undefined || why.code !== 'AUTH_REJECTED') return why;
    return failure(why.code, reason('keyOfWorker', saidBy(why), workerOfLease(fleet.holder)), why.data);
  }

  /** Stops one of several accounts; also the batch, once none goes on, or if no single account is meant. */
  #stop(batch: NightBatch, account: NightAccount | undefined, why: Failure): void {
    const { record, accounts } = batch;
    const before = record.stops;
    const isOneOfSeveral = account?.name !== undefined && record.state === 'running';
    const stops = isOneOfSeveral ? { [account.name]: why, ...before } : before;
    // The state holds already; the night keeps track of its writing.
    if (isOneOfSeveral && accounts.some(({ name = '' }) => stops?.[name] === undefined)) {
      if (before?.[account.name] === undefined) void this.#setState(batch, 'running', undefined, stops);
      return;
    }
    this.pauseWhole(batch, why, stops);
  }

  /**
   * Pauses a batch alone and as a whole, whatever the failure usually concerns. `stops`: its accounts that stand still.
   */
  pauseWhole(batch: NightBatch, why: Failure, stops = batch.record.stops): void {
    const pause = pauseBecauseOf(why, batch.record);
    if (pause !== undefined) void this.#setState(batch, 'paused', pause, stops);
  }

  /**
   * Pauses batches because of an exception: a disk failure if the disk caused it, otherwise a bug, which is reported.
   */
  stumble(batches: Iterable<NightBatch>, error: unknown): void {
    const isDisk = this.#options.isRefusedByDisk(error);
    const why = isDisk
      ? failure('DISK_FULL', reason('storeUnwritable', thrownSays(error)))
      : failure('INTERNAL', thrownSays(error));
    // Another process may well reach the store when this one cannot: nothing is sent without it, and nobody is held up.
    if (isDisk && this.#options.fleet !== undefined) return;
    if (!isDisk) this.#options.onBug(error);
    for (const batch of batches) this.pause(batch, why);
  }

  /** Asks every gateway as fast as the batches that need it now allow; if none does, as fast as all of them allow. */
  keepPaces(): void {
    const all = [...this.#batches.values()];
    const isAtWork = ({ record }: NightBatch): boolean => record.state === 'running' || record.state === 'paused';
    const accountsIn = (batches: readonly NightBatch[]): readonly Account[] =>
      batches.flatMap(({ accounts }) => accounts.map(({ account }) => account));
    this.#lanes.keepPaces(accountsIn(all.filter((batch) => !isAtWork(batch))));
    this.#lanes.keepPaces(accountsIn(all.filter(isAtWork)));
  }

  /**
   * How long there is nothing to do, in milliseconds; `dueAt` is when the first task in flight is due. Held-back tasks
   * have no due time: the budget decides when they may continue, and a slot that becomes free wakes the night.
   */
  nextWakeMs(dueAt: number | undefined): number {
    const { clock, journal } = this.#options;
    const now = clock.now();
    let wake = LONGEST_SLEEP_MS;
    if (dueAt !== undefined) wake = Math.min(wake, Math.max(dueAt - now, 0));
    for (const { record, accounts, allowed, gate, storeAgainFrom } of this.#batches.values()) {
      wake = Math.min(wake, Math.max(storeAgainFrom - clock.monotonic(), 1));
      if (record.state === 'running') wake = Math.min(wake, gate.changesInMs);
      if (isDiskPause(record)) wake = Math.min(wake, DISK_RECHECK_MS);
      for (const { lane } of accounts) {
        wake = Math.min(wake, lane.budget.takeRetryMs(clock.monotonic()) ?? Number.POSITIVE_INFINITY);
      }
      // What the store refused is committed first, and that wakes the night.
      if (!allowed.submit || journal.isStoreFailed) continue;
      const queuedAt = this.work.of(record.id)?.nextDueAt;
      if (queuedAt !== undefined) wake = Math.min(wake, Math.max(queuedAt - now, 1));
    }
    return wake;
  }

  /** Announces the batches that wait for another time than before, or no longer wait. */
  noteGates(): void {
    for (const { record, gate } of this.#batches.values()) {
      if (record.state !== 'running' || !gate.takeChange()) continue;
      if (gate.isOpen) this.#options.onOpened?.(record.id);
      this.#options.onBatchChanged(record);
    }
  }

  /** Notes for all batches of a gateway whether it answers. */
  noteTrouble(lane: Lane, trouble: Failure | undefined): void {
    if (lane.trouble?.message === trouble?.message) return;
    lane.trouble = trouble;
    this.tellOfLane(lane);
  }

  /**
   * Notes that a file has arrived, or why one did not. After many failures in succession, Nocturne assumes that the
   * host of the files is down: asking again is free, but what is rendered in the meantime might be gone before the host
   * is back.
   */
  noteFile(batch: NightBatch, cause: Failure | undefined): void {
    batch.filesInVain = cause === undefined ? 0 : batch.filesInVain + 1;
    const isDown = batch.filesInVain >= FILES_IN_VAIN;
    if (isDown === (batch.filesTrouble !== undefined)) return;
    const words = reason('noFilesArrive', FILES_IN_VAIN);
    batch.filesTrouble =
      isDown && cause !== undefined ? failure('OUTPUT_UNVERIFIABLE', reason('both', words, saidBy(cause))) : undefined;
    this.#options.onBatchChanged(batch.record);
  }

  /**
   * Notes how a request ended, for the fuse of its gateway and key: the batches there share one fuse, but each may set
   * its own length. A task that had ended before, and about which more became known since, is not counted again.
   * @param before The task as it was until now, if it was in flight.
   */
  noteEnd(batch: NightBatch, before: Task | undefined, task: Task): void {
    const hasEnded = task.status === 'done' || task.status === 'failed';
    if (before === undefined || before.status === task.status || !hasEnded || task.superseded === true) return;
    const { record } = batch;
    const account = batch.accountOf(task);
    const { lane } = account;
    const length = record.settings.fuse ?? FUSE_LENGTH;
    const why = task.status === 'failed' ? task.failure : undefined;
    lane.ends = withEnd(lane.ends, { row: task.rowId, ...present({ failure: why }) });
    const blown = record.state === 'running' ? blownBy(lane.ends, length) : undefined;
    if (blown !== undefined) this.pause(batch, blown, account);
  }

  /** Notes for all batches of a gateway until when it asked to be left alone. */
  noteHold(lane: Lane, heldUntil: number): void {
    if (heldUntil <= (lane.heldUntil ?? 0)) return;
    lane.heldUntil = heldUntil;
    this.tellOfLane(lane);
  }

  /** Where the requests of an account go. */
  placeOf(account: Access): AccountPlace {
    return { account, lane: this.#lanes.laneOf(account), gateway: this.#lanes.gatewayOf(account) };
  }

  /** Has all batches of a gateway shown again. */
  tellOfLane(lane: Lane): void {
    for (const { accounts, record } of this.#batches.values())
      if (accounts.some((account) => account.lane === lane)) this.#options.onBatchChanged(record);
  }

  /**
   * A pause because of the disk ends by itself when the folder is writable again: nothing was lost in the meantime. A
   * batch that is also paused for another reason stays paused and continues with its files.
   */
  recheckDisks(): void {
    const monotonic = this.#options.clock.monotonic();
    for (const batch of this.#batches.values()) {
      if (!isDiskPause(batch.record) || batch.isFolderChecking || monotonic < batch.folderCheckedUntil) continue;
      batch.folderCheckedUntil = monotonic + DISK_RECHECK_MS;
      this.#options.track(batch, this.#recheckDisk(batch));
    }
  }

  async #recheckDisk(batch: NightBatch): Promise<void> {
    const { folder, journal } = this.#options;
    const problem = await batch.prepareFolder(folder);
    journal.flush();
    await journal.settled;
    // Resumed in the meantime, it looks at its folder itself, and the user has taken the one that is there.
    if (problem !== undefined && isReplaced(problem) && isDiskPause(batch.record)) this.pause(batch, problem);
    const { pause } = batch.record;
    if (problem !== undefined || journal.isStoreFailed || !isDiskPause(batch.record)) return;
    const { stops } = batch.record;
    if (pause?.disk === undefined) return this.start(batch, { still: stops }, false);
    const { disk: _, ...otherwise } = pause;
    const stored = this.#setState(batch, 'paused', otherwise, stops);
    this.#options.lookAgain(batch.id);
    await stored;
  }

  /**
   * Notices batches that have ended or come to rest. With `isBehind`, the effect of the latest ends on rows that refer
   * to them is not known yet, so no batch counts as finished. `hasLooked`: the gates will have nothing of the batch
   * rendered again.
   */
  settle(isBehind: boolean, hasLooked: (batch: NightBatch, isIdle: boolean) => boolean): void {
    for (const batch of this.#batches.values()) {
      const { id, state } = batch.record;
      if (state === 'ready') continue;
      const isAtRest = !isBehind && this.rest.isIdle(id);
      const isIdle = hasLooked(batch, isAtRest) && isAtRest;
      if (isIdle && state !== 'finished' && !staysPaused(batch.record)) {
        const left = stopThatStays(batch.record);
        if (left === undefined) void this.#setState(batch, 'finished', undefined);
        else void this.#setState(batch, 'paused', { by: 'failure', failure: left }, batch.record.stops);
      }
      if (isIdle || this.rest.isHeldStill(batch)) this.#waiters.atRest(batch);
    }
  }

  /** How late the answer to a submit may come, by the profiles of all batches. */
  longestSubmitMs(): number {
    const accounts = [...this.#batches.values()].flatMap((batch) => batch.accounts);
    const seconds = accounts.map(({ profile }) => profile.deadlines.submitSeconds);
    return Math.max(0, ...seconds) * 1000;
  }

  /** Resolves when nothing more will happen in a batch by itself. */
  settled(batchId: string): Promise<BatchRecord> {
    return this.#waiters.untilAtRest(batchId);
  }

  /** The paid requests that this process waits for: see {@link Lanes.unanswered}. */
  unanswered(): ReadonlyMap<number, number> {
    return this.#lanes.unanswered();
  }

  /** See {@link Lanes.awaits}. */
  awaits(task: Pick<Task, 'id' | 'attempts'>): boolean {
    return this.#lanes.awaits(task);
  }

  /** See {@link Lanes.noLongerAwaits}. */
  noLongerAwaits(task: Pick<Task, 'id' | 'attempts'>): void {
    this.#lanes.noLongerAwaits(task);
  }

  async closeGateways(): Promise<void> {
    await this.#lanes.close();
  }

  /** Writes the states that the store's disk has refused again, after a while. */
  storeAgain(): void {
    const monotonic = this.#options.clock.monotonic();
    for (const batch of this.#batches.values()) {
      if (batch.storeAgainFrom > monotonic) continue;
      batch.storeAgainFrom = Number.POSITIVE_INFINITY;
      this.#options.track(batch, this.#tellStored(batch, batch.storeState()));
    }
  }

  /** The same, at once, at the end of the night. */
  async storeLeft(): Promise<void> {
    const left = [...this.#batches.values()].filter(({ isUnstored }) => isUnstored);
    await Promise.all(left.map((batch) => this.#tellStored(batch, batch.storeState())));
  }

  /** What the user has said about batches and the next start would not know. */
  unsavedWords(): readonly UnsavedWord[] {
    return [...this.#batches.values()].flatMap(({ id: batchId, unsavedWord: kind, record: { name } }) =>
      kind === undefined ? [] : [{ kind, batchId, name }],
    );
  }

  /** The state holds from now on; resolves when it is stored and told. */
  #setState(
    batch: NightBatch,
    state: BatchRecord['state'],
    pause: BatchPause | undefined,
    stops?: AccountStops,
    byUser: boolean | 'all' = false,
    only?: readonly string[],
  ): Promise<void> {
    const forAll = byUser === 'all' ? (true as const) : undefined;
    const change = { state, at: this.#options.clock.now(), ...present({ pause, stops, forAll }) };
    const stored = this.#tellStored(batch, batch.setState(change, byUser !== false, only));
    this.#options.track(batch, stored);
    return stored;
  }

  async #tellStored(batch: NightBatch, stored: Promise<unknown>): Promise<void> {
    const { clock, isRefusedByDisk, onBatchChanged, onBug, wake } = this.#options;
    const problem = await stored;
    if (problem !== undefined && isRefusedByDisk(problem)) {
      batch.storeAgainFrom = clock.monotonic() + STORE_RETRY_MS;
      wake();
    } else if (problem !== undefined) {
      onBug(problem);
    }
    onBatchChanged(batch.record);
  }
}
