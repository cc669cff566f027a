import type { BatchPause, BatchRecord } from '../../shared/domain/task/batch.ts';
import { failure, pauseOf, type Failure } from '../../shared/domain/base/failure.ts';
import { FAMILIES } from '../../shared/domain/operations/operations.ts';
import { firstDue, isStuck } from '../../shared/domain/task/outputs.ts';
import { ACTIVE_STATUSES, type Task, type TaskStatus } from '../../shared/domain/task/task.ts';
import type { MediaFolder, TaskStore } from '../ports.ts';
import type { ActiveTasks } from './active-tasks.ts';
import { Lanes, type Lane, type LanesOptions } from './lanes.ts';
import { NightBatch } from './night-batch.ts';
import type { TaskJournal } from './task-journal.ts';

/** The night checks everything at least this often, to notice a clock that jumped. */
const LONGEST_SLEEP_MS = 60_000;
/** After a disk failure, the disk is checked this often. */
const DISK_RECHECK_MS = 30_000;

const BEFORE_ALL_TIME = -1;
/** If this many files in succession do not arrive, no single row is at fault. */
const FILES_IN_VAIN = 24;

export interface NightBatchesOptions extends LanesOptions {
  readonly store: TaskStore;
  readonly folder: MediaFolder;
  readonly active: ActiveTasks;
  readonly journal: TaskJournal;
  readonly onBatchChanged: (batch: BatchRecord) => void;
  /** Whether a request for this task is under way. */
  readonly isUnderWay: (taskId: number) => boolean;
  readonly track: (batch: NightBatch, work: Promise<void>) => void;
  /** Receives exceptions that the disk did not cause. */
  readonly onBug: (error: unknown) => void;
  readonly isRefusedByDisk: (error: unknown) => boolean;
}

/** The batches of a night: their states, why they pause, when they are at rest, and the gateways that they share. */
export class NightBatches {
  readonly all: ReadonlyMap<string, NightBatch>;
  readonly #batches = new Map<string, NightBatch>();
  readonly #lanes: Lanes;
  readonly #options: NightBatchesOptions;
  readonly #settledWaiters = new Map<string, ((batch: BatchRecord) => void)[]>();

  constructor(options: NightBatchesOptions) {
    this.#options = options;
    this.#lanes = new Lanes(options);
    this.all = this.#batches;
  }

  /** Adds a batch of the store; false if it is already here. */
  add(batchId: string): boolean {
    if (this.#batches.has(batchId)) return false;
    const { store } = this.#options;
    if (store.batch(batchId) === undefined) throw new Error(`No such batch: ${batchId}`);
    this.#batches.set(batchId, new NightBatch(batchId, store, this.#lanes));
    return true;
  }

  get(batchId: string): NightBatch {
    const batch = this.#batches.get(batchId);
    if (batch === undefined) throw new Error(`The batch is not part of this night: ${batchId}`);
    return batch;
  }

  start(batch: NightBatch): void {
    batch.folderCheckedUntil = 0;
    this.#setState(batch, 'running', undefined);
  }

  pauseByUser(batch: NightBatch): void {
    if (batch.record.state === 'running') this.#setState(batch, 'paused', { by: 'user' });
  }

  /** Pauses a batch and every other batch that the failure concerns: those of its folder or of its gateway. */
  pause(batch: NightBatch, why: Failure): void {
    const concerned = pauseOf(why.code)?.pauses ?? 'batch';
    if (concerned === 'folder') {
      batch.isDiskDoubted = true;
      batch.folderCheckedUntil = this.#options.clock.monotonic() + DISK_RECHECK_MS;
    }
    for (const other of this.#batches.values()) {
      const isConcerned =
        other === batch ||
        (concerned === 'folder' && other.record.settings.folder === batch.record.settings.folder) ||
        (concerned === 'gateway' && other.lane === batch.lane);
      const isHeld = other.record.state === 'running' || (isReplaced(why) && isDiskPause(other.record));
      if (isConcerned && isHeld) {
        this.#setState(other, 'paused', { by: 'failure', failure: why });
      }
    }
  }

  /**
   * Pauses batches because of an exception: a disk failure if the disk caused it, else a bug, which is reported.
   */
  stumble(batches: Iterable<NightBatch>, error: unknown): void {
    const isDisk = this.#options.isRefusedByDisk(error);
    const why = isDisk
      ? failure('DISK_FULL', `Nocturne cannot write to its store: ${String(error)}`)
      : failure('INTERNAL', String(error));
    if (!isDisk) this.#options.onBug(error);
    for (const batch of batches) this.pause(batch, why);
  }

  /** Asks every gateway as fast as the batches that need it now allow; if none does, as fast as all of them allow. */
  keepPaces(): void {
    const all = [...this.#batches.values()];
    const isAtWork = ({ record }: NightBatch): boolean => record.state === 'running' || record.state === 'paused';
    this.#lanes.keepPaces(all.filter((batch) => !isAtWork(batch)).map((batch) => batch.profile));
    this.#lanes.keepPaces(all.filter(isAtWork).map((batch) => batch.profile));
  }

  /**
   * How long there is nothing to do, in milliseconds; `dueAt` is when the first task in flight is due. Held-back tasks
   * have no due time: the budget says when they may continue, and a slot that frees wakes the night.
   */
  nextWakeMs(dueAt: number | undefined): number {
    const { clock, store } = this.#options;
    const now = clock.now();
    let wake = LONGEST_SLEEP_MS;
    if (dueAt !== undefined) wake = Math.min(wake, Math.max(dueAt - now, 0));
    for (const { record, lane, allowed } of this.#batches.values()) {
      const retryMs = lane.budget.takeRetryMs(clock.monotonic());
      if (isDiskPause(record)) wake = Math.min(wake, DISK_RECHECK_MS);
      if (retryMs !== undefined) wake = Math.min(wake, retryMs);
      if (!allowed.submit) continue;
      const queuedAt = store.nextQueuedDueAt(record.id, now);
      if (queuedAt !== undefined) wake = Math.min(wake, Math.max(queuedAt - now, 1));
    }
    return wake;
  }

  /** Notes for all batches of a gateway whether it answers. */
  noteTrouble(lane: Lane, trouble: Failure | undefined): void {
    if (lane.trouble?.message === trouble?.message) return;
    lane.trouble = trouble;
    this.#tellOfLane(lane);
  }

  /**
   * Notes that a file has arrived, or why one did not. After many failures in succession Nocturne assumes that the host
   * of the files is down: asking again is free, but what is rendered meanwhile might be gone before it is back.
   */
  noteFile(batch: NightBatch, cause: Failure | undefined): void {
    batch.filesInVain = cause === undefined ? 0 : batch.filesInVain + 1;
    const isDown = batch.filesInVain >= FILES_IN_VAIN;
    if (isDown === (batch.filesTrouble !== undefined)) return;
    const words = `None of the last ${FILES_IN_VAIN} files arrived, so Nocturne submits nothing more until one does.`;
    batch.filesTrouble =
      isDown && cause !== undefined ? failure('OUTPUT_UNVERIFIABLE', `${words} ${cause.message}`) : undefined;
    this.#options.onBatchChanged(batch.record);
  }

  /** Notes for all batches of a gateway until when it asked to be left alone. */
  noteHold(lane: Lane, heldUntil: number): void {
    if (heldUntil <= (lane.heldUntil ?? 0)) return;
    lane.heldUntil = heldUntil;
    this.#tellOfLane(lane);
  }

  #tellOfLane(lane: Lane): void {
    for (const batch of this.#batches.values()) if (batch.lane === lane) this.#options.onBatchChanged(batch.record);
  }

  /** A pause because of the disk ends by itself when the folder is writable again: nothing was lost meanwhile. */
  recheckDisks(): void {
    const monotonic = this.#options.clock.monotonic();
    for (const batch of this.#batches.values()) {
      if (!isDiskPause(batch.record) || batch.isFolderChecking || monotonic < batch.folderCheckedUntil) continue;
      batch.isFolderChecking = true;
      batch.folderCheckedUntil = monotonic + DISK_RECHECK_MS;
      const { folder } = this.#options;
      const allowed = { mayMake: batch.mayMakeFolder, mayReplace: false };
      const checked = folder.prepare(batch.record.settings.folder, allowed);
      const check = checked
        .finally(() => (batch.isFolderChecking = false))
        .then((problem) => {
          this.#options.journal.flush();
          if (problem !== undefined && isReplaced(problem)) this.pause(batch, problem);
          if (problem === undefined && !this.#options.journal.isStoreFailed && isDiskPause(batch.record)) {
            this.start(batch);
          }
        });
      this.#options.track(batch, check);
    }
  }

  /**
   * Notices batches that have ended or come to rest. With `isBehind`, the effect of the latest ends on rows that refer
   * to them is not known yet, so no batch counts as finished.
   */
  settle(isBehind: boolean): void {
    for (const batch of this.#batches.values()) {
      const { id, state } = batch.record;
      if (state === 'ready') continue;
      const isIdle = !isBehind && this.#isIdle(id);
      if (isIdle && state !== 'finished' && !staysPaused(batch.record)) {
        this.#setState(batch, 'finished', undefined);
      }
      if (isIdle || this.#isHeldStill(batch)) this.#resolveSettled(batch.record);
    }
  }

  /**
   * Nothing is under way, and queued tasks wait for rows that need the user's decision. Inferred failures are still
   * asked about, but nobody waits for that: they may take as long as their deadline.
   */
  #isIdle(batchId: string): boolean {
    const { store } = this.#options;
    if (this.#isWatchedTaskUnderWay(batchId)) return false;
    const counts = store.counts(batchId);
    const has = (status: TaskStatus): boolean => FAMILIES.some((family) => counts[family][status] > 0);
    if ([...ACTIVE_STATUSES].some((status) => status !== 'queued' && has(status))) return false;
    return !has('queued') || store.nextQueuedDueAt(batchId, BEFORE_ALL_TIME) === undefined;
  }

  /** Only files that are retried in minutes or hours are left of a batch. */
  isLeftWithRetries(batchId: string): boolean {
    const { active, store } = this.#options;
    const left = active.ofBatch(batchId).filter(({ status, superseded }) => status !== 'failed' && superseded !== true);
    if (left.length === 0 || !left.every(isStuck)) return false;
    return store.nextQueuedDueAt(batchId, BEFORE_ALL_TIME) === undefined;
  }

  /** When the last of the files that a batch retries in minutes or hours is due; undefined if there is none. */
  lastRetryAt(batchId: string): number | undefined {
    const stuck = this.#options.active
      .ofBatch(batchId)
      .filter((task) => task.status === 'downloading' && isStuck(task));
    return stuck.length === 0 ? undefined : Math.max(...stuck.map(({ dueAt }) => dueAt));
  }

  /** A submit's answer may come as late as the profile of its batch says. */
  longestSubmitMs(): number {
    const seconds = Array.from(this.#batches.values(), ({ profile }) => profile.deadlines.submitSeconds);
    return Math.max(0, ...seconds) * 1000;
  }

  /** Nocturne is asking about a task that counts as ended, or fetching its late files. */
  #isWatchedTaskUnderWay(batchId: string): boolean {
    const { active, isUnderWay } = this.#options;
    return active
      .ofBatch(batchId)
      .some((task) => isUnderWay(task.id) || (task.status === 'downloading' && isLateFileNear(task)));
  }

  /** Paused, and nothing continues behind the pause. */
  #isHeldStill(batch: NightBatch): boolean {
    if (batch.record.state !== 'paused') return false;
    const { allowed } = batch;
    return !this.#options.active
      .ofBatch(batch.record.id)
      .some(
        (task) =>
          task.status === 'submitting' ||
          this.#options.isUnderWay(task.id) ||
          (task.status === 'rendering' && task.superseded !== true && allowed.poll) ||
          (task.status === 'downloading' &&
            (task.superseded !== true || isLateFileNear(task)) &&
            (firstDue(task.outputs)?.isStale === true ? allowed.poll : allowed.download)),
      );
  }

  #resolveSettled(record: BatchRecord): void {
    const waiters = this.#settledWaiters.get(record.id) ?? [];
    this.#settledWaiters.delete(record.id);
    for (const resolve of waiters) resolve(record);
  }

  /** Resolves when nothing more happens in a batch by itself. */
  settled(batchId: string): Promise<BatchRecord> {
    return new Promise((resolve) => {
      this.#settledWaiters.set(batchId, [...(this.#settledWaiters.get(batchId) ?? []), resolve]);
    });
  }

  async closeGateways(): Promise<void> {
    await this.#lanes.close();
  }

  #setState(batch: NightBatch, state: BatchRecord['state'], pause: BatchPause | undefined): void {
    const problem = batch.setState(state, pause, this.#options.clock.now());
    if (problem !== undefined && !this.#options.isRefusedByDisk(problem)) this.#options.onBug(problem);
    this.#options.onBatchChanged(batch.record);
  }
}

/** A superseded task is waited for while its result is seconds away, not for hours. */
function isLateFileNear(task: Task): boolean {
  return task.superseded === true && !isStuck(task);
}

/** Paused because the user has to know something, not only because the batch cannot continue. */
function staysPaused({ state, pause }: BatchRecord): boolean {
  return state === 'paused' && pause?.by === 'failure' && pauseOf(pause.failure.code)?.staysAtEnd === true;
}

/** Paused because of the disk: ends by itself, unless another folder has taken the place of the batch's own. */
function isDiskPause({ state, pause }: BatchRecord): boolean {
  if (state !== 'paused' || pause?.by !== 'failure') return false;
  return pauseOf(pause.failure.code)?.pauses === 'folder' && !isReplaced(pause.failure);
}

function isReplaced({ code, data }: Failure): boolean {
  return code === 'DISK_DENIED' && data?.['replaced'] === true;
}
