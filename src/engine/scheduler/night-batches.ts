import type { BatchPause, BatchRecord } from '../../shared/domain/batch.ts';
import { FAILURE_POLICIES, failure, type Failure } from '../../shared/domain/failure.ts';
import { FAMILIES } from '../../shared/domain/operations.ts';
import type { Profile } from '../../shared/domain/profile.ts';
import { ACTIVE_STATUSES, type TaskStatus } from '../../shared/domain/task.ts';
import type { Clock, MediaFolder, MediaGateway, TaskStore } from '../ports.ts';
import type { ActiveTasks } from './active-tasks.ts';
import { Lanes, type Lane } from './lanes.ts';
import { allowedIn } from './night.ts';
import { NightBatch } from './night-batch.ts';
import { mayMakeFolder } from './submit-step.ts';
import type { TaskJournal } from './task-journal.ts';

/** After the disk failed, it is looked at this often. */
export const DISK_RECHECK_MS = 30_000;

const BEFORE_ALL_TIME = -1;

export interface NightBatchesOptions {
  readonly store: TaskStore;
  readonly folder: MediaFolder;
  readonly clock: Clock;
  readonly active: ActiveTasks;
  readonly journal: TaskJournal;
  readonly gatewayFor: (profile: Profile) => MediaGateway;
  readonly keyFingerprint: (profile: Profile) => string | undefined;
  readonly onBatchChanged: (batch: BatchRecord) => void;
  /** Whether a request for this task is under way. */
  readonly isUnderWay: (taskId: number) => boolean;
  readonly track: (batch: NightBatch, work: Promise<void>) => void;
  /** Told of an exception that is not the disk's. */
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

  /** Takes a batch of the store in; false when it is there already. */
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

  /** Pauses a batch, and with it all that the failure concerns: those of its folder, or of its gateway. */
  pause(batch: NightBatch, why: Failure): void {
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
      const isHeld = other.record.state === 'running' || (isReplaced(why) && isDiskPause(other.record));
      if ((other === batch || isConcerned) && isHeld) {
        this.#setState(other, 'paused', { by: 'failure', failure: why });
      }
    }
  }

  /**
   * Pauses batches because of an exception: as the disk's where it is, else as a bug, which is reported.
   */
  stumble(batches: Iterable<NightBatch>, error: unknown): void {
    const isDisk = this.#options.isRefusedByDisk(error);
    const why = isDisk
      ? failure('DISK_FULL', `The store cannot be written: ${String(error)}`)
      : failure('INTERNAL', String(error));
    if (!isDisk) this.#options.onBug(error);
    for (const batch of batches) this.pause(batch, why);
  }

  /** Lets every gateway be asked as fast as the batches allow that need it now; where none does, as all of them allow. */
  keepPaces(): void {
    const all = [...this.#batches.values()];
    const isAtWork = ({ record }: NightBatch): boolean => record.state === 'running' || record.state === 'paused';
    this.#lanes.keepPaces(all.filter((batch) => !isAtWork(batch)).map((batch) => batch.profile));
    this.#lanes.keepPaces(all.filter(isAtWork).map((batch) => batch.profile));
  }

  /** Notes whether a gateway answers, for all its batches. */
  noteTrouble(lane: Lane, trouble: Failure | undefined): void {
    if (lane.trouble?.message === trouble?.message) return;
    lane.trouble = trouble;
    for (const batch of this.#batches.values()) if (batch.lane === lane) this.#options.onBatchChanged(batch.record);
  }

  /** A pause because of the disk ends by itself when the folder can be written again: nothing was lost meanwhile. */
  recheckDisks(): void {
    const monotonic = this.#options.clock.monotonic();
    for (const batch of this.#batches.values()) {
      if (!isDiskPause(batch.record) || batch.isFolderChecking || monotonic < batch.folderCheckedUntil) continue;
      batch.isFolderChecking = true;
      batch.folderCheckedUntil = monotonic + DISK_RECHECK_MS;
      const { folder, store } = this.#options;
      const mayMake = mayMakeFolder(store, batch);
      const checked = folder.prepare(batch.record.settings.folder, { mayMake, mayReplace: false });
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
   * Notices batches that have come to their end or to rest. With `isBehind` it is not known yet what the latest ends
   * mean for the rows that refer to them, so that nothing is called finished.
   */
  settle(isBehind: boolean): void {
    for (const batch of this.#batches.values()) {
      const { id, state } = batch.record;
      if (state === 'ready') continue;
      const isIdle = !isBehind && this.#isIdle(id);
      if (isIdle && state !== 'finished') this.#setState(batch, 'finished', undefined);
      if (isIdle || this.#isHeldStill(batch)) this.#resolveSettled(batch.record);
    }
  }

  /** Nothing is under way, and what is queued waits for rows that wait for the user's decision. */
  #isIdle(batchId: string): boolean {
    const { store } = this.#options;
    const counts = store.counts(batchId);
    const has = (status: TaskStatus): boolean => FAMILIES.some((family) => counts[family][status] > 0);
    if ([...ACTIVE_STATUSES].some((status) => status !== 'queued' && has(status))) return false;
    return !has('queued') || store.nextQueuedDueAt(batchId, BEFORE_ALL_TIME) === undefined;
  }

  /** Paused, and nothing goes on behind the pause. */
  #isHeldStill(batch: NightBatch): boolean {
    if (batch.record.state !== 'paused') return false;
    const allowed = allowedIn(batch.record);
    return !this.#options.active
      .ofBatch(batch.record.id)
      .some(
        (task) =>
          task.status === 'submitting' ||
          this.#options.isUnderWay(task.id) ||
          (task.status === 'rendering' && allowed.poll) ||
          (task.status === 'downloading' && allowed.download),
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

/** Paused because of the disk: ends by itself, except where another folder is in the place of the one it was. */
export function isDiskPause({ state, pause }: BatchRecord): boolean {
  return (
    state === 'paused' &&
    pause?.by === 'failure' &&
    (pause.failure.code === 'DISK_FULL' || pause.failure.code === 'DISK_DENIED') &&
    !isReplaced(pause.failure)
  );
}

function isReplaced({ code, data }: Failure): boolean {
  return code === 'DISK_DENIED' && data?.['replaced'] === true;
}
