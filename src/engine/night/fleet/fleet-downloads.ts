/**
 * Downloads of a night that shares its store: a worker that sees the media folder may fetch any file of accounts whose
 * keys it has. It needs the key to recognise an address or a file that contains the key: such an address is never
 * requested, and such a file is never kept. Whoever has an account offers the downloads due there to all workers,
 * itself included, and takes up those that nobody has taken. An offer gives no right to a download: the right is a
 * lease of its own, and every write that follows from the download names that lease.
 */
import type { Failure } from '../../../shared/domain/base/failure.ts';
import { QUICK_DOWNLOAD_TRIES } from '../../../shared/domain/gateway/retry.ts';
import { deadlineMs, nextAction } from '../../../shared/domain/task/next-action.ts';
import type { Output, Task } from '../../../shared/domain/task/task.ts';
import { workerMark } from '../../own-mark.ts';
import type { Fence, FleetMember } from '../../ports/fleet.ts';
import { Alarm } from '../clock/steady-clock.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import { heedingClock } from '../clock/clock-ahead.ts';
import { landOutput } from '../fetch-step.ts';
import { within } from '../night-end.ts';
import type { Flights } from '../flights.ts';
import type { Night, SharedDownloads } from '../night.ts';
import { DownloadRights } from './download-rights.ts';
import { leaseTimes } from './lease-times.ts';

/** How often a worker with room for downloads checks whether any were offered. */
const RECEIVE_MS = 500;
/**
 * Downloads that were offered and not taken for this long are taken up by whoever has their account: offers may be
 * lost.
 */
const TAKEN_WITHIN_MS = 2_000;
/** If that worker has no room, or does not see the folder, it offers them again after this long. */
const OFFER_AGAIN_MS = 5_000;
/** A worker that could not place a file in a folder tries again after this long. */
const LOOK_AGAIN_MS = 15_000;
/** If no other worker has placed one for this long either, the batch says what is wrong. */
const NOBODY_MS = 60_000;

/**
 * A queue that does not open or close for this long is not waited for: accounts are taken, and the worker ends, without
 * it.
 */
const QUEUE_PATIENCE_MS = 5_000;

/** A fresh address for an expired one is requested by whoever has the account, however late that is. */
const ANOTHERS = Number.POSITIVE_INFINITY;

type Taken = NonNullable<Awaited<ReturnType<DownloadRights['take']>>>;

export interface FleetDownloadsOptions {
  readonly member: FleetMember;
  readonly night: Night;
  readonly flights: Flights;
  /** Whether other workers are alive. */
  readonly hasOthers: () => boolean;
  readonly onTrouble: (error: unknown) => void;
  readonly trackForAll: (work: Promise<void>) => void;
}

/** A download that was offered, or that another worker has. */
interface Offered {
  /** The attempt that it is about. */
  readonly attempt: string;
  /** Monotonic: when the holder of its account looks at it again. */
  readonly lookAt: number;
}

/** A folder in which this worker could not place a file. All times are monotonic. */
interface Unseen {
  /** Since when nobody has placed a file there, as far as is known. */
  since: number;
  until: number;
}

export class FleetDownloads implements SharedDownloads {
  readonly #options: FleetDownloadsOptions;
  readonly #rights: DownloadRights;
  readonly #receiveAlarm: Alarm;
  readonly #leaseMs: number;
  readonly #offered = new Map<number, Offered>();
  /** By batch id. */
  readonly #unseen = new Map<string, Unseen>();
  /** Tasks whose files this process fetches. */
  readonly #fetching = new Set<number>();
  #toOffer = new Set<number>();
  /** Whether offers can be made and received. */
  #isOpen = false;

  constructor(options: FleetDownloadsOptions) {
    this.#options = options;
    const { member, night, onTrouble, trackForAll: track } = options;
    this.#rights = new DownloadRights({ member, clock: night.clock, onTrouble, track });
    this.#receiveAlarm = new Alarm(night.clock, () => track(this.#receive()));
    this.#leaseMs = leaseTimes(member).leaseMs;
  }

  async join(): Promise<void> {
    const { member, night } = this.#options;
    const { queue } = member;
    if (queue === undefined) return;
    const open = async (): Promise<void> => {
      const isOpen = await queue.open();
      if (night.ending.aborted) await queue.close();
      else if (isOpen) {
        this.#isOpen = true;
        this.#receiveAlarm.set(RECEIVE_MS);
      }
    };
    await within(night.clock, QUEUE_PATIENCE_MS, open());
  }

  /** Takes up nothing more. What is under way is given back as it ends. */
  close(): void {
    this.#receiveAlarm.stop();
  }

  /** Leaves once nothing is under way any more. */
  async leave(): Promise<void> {
    const { member, night } = this.#options;
    this.#rights.close();
    await within(night.clock, QUEUE_PATIENCE_MS, member.queue?.close());
  }

  lose(fence: Fence): void {
    this.#rights.lose(fence);
  }

  isFetching(taskId: number): boolean {
    return this.#fetching.has(taskId);
  }

  async livingMarks(): Promise<ReadonlySet<string>> {
    const { workers } = await this.#options.member.leases.fleet();
    return new Set(workers.map(({ holder }) => workerMark(holder)));
  }

  /** Takes note of what other workers have fetched, or could not fetch. */
  noteFiles(batch: NightBatch, before: Task, task: Task): void {
    const { night } = this.#options;
    for (const output of task.outputs) {
      const was = before.outputs.find(({ index }) => index === output.index);
      if (was === undefined || output.document !== undefined) continue;
      const isPlaced = output.state === 'verified' && was.state !== 'verified';
      const isInVain = was.tries <= QUICK_DOWNLOAD_TRIES && output.tries > QUICK_DOWNLOAD_TRIES;
      if (isPlaced) {
        night.batches.noteFile(batch, undefined);
        batch.isDiskDoubted = false;
        const unseen = this.#unseen.get(batch.id);
        if (unseen !== undefined) unseen.since = night.clock.monotonic();
      } else if (isInVain && output.failure !== undefined) night.batches.noteFile(batch, output.failure);
    }
  }

  waitMs(batch: NightBatch, task: Task, output: Output): number {
    const now = this.#options.night.clock.monotonic();
    const attempt = attemptOf(output);
    const known = this.#offered.get(task.id);
    const isKnown = known?.attempt === attempt;
    if (isKnown && known.lookAt > now) return known.lookAt - now;
    if (!this.#isShared || (isKnown && this.#hasRoom(batch, task) && !this.#isUnseen(batch))) return 0;
    const waitMs = isKnown ? OFFER_AGAIN_MS : TAKEN_WITHIN_MS;
    this.#offered.set(task.id, { attempt, lookAt: now + waitMs });
    this.#offer(task.id);
    return waitMs;
  }

  async fetch(batch: NightBatch, task: Task, output: Output, signal: AbortSignal): Promise<void> {
    const { night, onTrouble } = this.#options;
    // However it ends, nothing is asked for again without a pause unless something has changed.
    const lookIn = (waitMs: number): void => {
      this.#offered.set(task.id, { attempt: attemptOf(output), lookAt: night.clock.monotonic() + waitMs });
    };
    let taken: Taken | undefined;
    try {
      taken = await this.#rights.take(task.id);
    } catch (error) {
      onTrouble(error);
      lookIn(OFFER_AGAIN_MS);
      return;
    }
    if (taken === undefined) {
      // Another worker has it, or it ended a moment ago.
      lookIn(this.#leaseMs / 2);
      await night.takeNewest(task.id);
    } else if (!(await this.#land(batch, taken, deadlineMs(batch.accountOf(task).profile), signal))) {
      lookIn(OFFER_AGAIN_MS);
      if (this.#isShared) this.#offer(task.id);
    }
  }

  get #isShared(): boolean {
    return this.#isOpen && this.#options.hasOthers();
  }

  #hasRoom(batch: NightBatch, task: Pick<Task, 'account'>): boolean {
    return batch.downloads < batch.accountOf(task).profile.limits.downloads;
  }

  /** Whether files of a batch are left to other workers, because none could be placed from here a moment ago. */
  #isUnseen({ id }: NightBatch): boolean {
    return (
      this.#isShared &&
      (this.#unseen.get(id)?.until ?? Number.NEGATIVE_INFINITY) > this.#options.night.clock.monotonic()
    );
  }

  /**
   * Fetches what is due of a task, one output after the other, and gives the right back. False if nothing has changed.
   * @param deadline How long after its submit a fresh address is asked for; Infinity if only another process can ask.
   */
  async #land(batch: NightBatch, taken: Taken, deadline: number, signal: AbortSignal): Promise<boolean> {
    const { night, member } = this.#options;
    const { task: first, right } = taken;
    const stop = AbortSignal.any([signal, right.lost]);
    const passOn = (why: Failure): boolean => this.#passOn(batch, first, why);
    let hasChanged = false;
    this.#fetching.add(first.id);
    try {
      if ((night.active.get(first.id)?.revision ?? first.revision) !== first.revision) await night.takeNewest(first.id);
      for (let task: Task | undefined = first; task !== undefined && right.isHeld();) {
        const output = this.#dueOf(batch, task, deadline);
        if (output === undefined || stop.aborted) break;
        await landOutput(night, batch, task, output, { signal: stop, right, by: member.holder, passOn });
        const { revision }: Task = task;
        const newest = await night.store.task(task.id);
        if (newest?.outputs.find(({ index }) => index === output.index)?.state === 'verified') this.#seeAgain(batch);
        // A task that has not changed is not tried again under the same right.
        task = newest !== undefined && newest.revision > revision ? newest : undefined;
        hasChanged ||= task !== undefined;
      }
    } finally {
      this.#fetching.delete(first.id);
      await this.#rights.giveBack(right);
      if (night.ending.aborted && this.#isOpen) await member.queue?.offer([first.id]);
    }
    return hasChanged;
  }

  #mayFetchFrom(batch: NightBatch, account: NightAccount): boolean {
    return batch.mayDownloadFrom(account) && this.#options.night.keyFingerprint(account.account) !== undefined;
  }

  /**
   * What is to be fetched of a task now; undefined if there is nothing, or if the holder of its account has to ask for
   * an address first.
   */
  #dueOf(batch: NightBatch, task: Task, deadline: number): Output | undefined {
    if (!this.#mayFetchFrom(batch, batch.accountOf(task)) || this.#isUnseen(batch)) return undefined;
    const now = this.#options.night.clock.now();
    const action = nextAction(heedingClock(task, now), now, deadline);
    return action.kind === 'fetch' ? task.outputs.find(({ index }) => index === action.outputIndex) : undefined;
  }

  /** Whether a file that cannot be placed from here is left to the other workers. */
  #passOn(batch: NightBatch, task: Task, why: Failure): boolean {
    const { night, member } = this.#options;
    if (!this.#isShared) return false;
    const now = night.clock.monotonic();
    const known = this.#unseen.get(batch.id);
    if (known === undefined) member.onFolder?.(batch.record, why);
    // An old note says nothing about now: the others have not been asked since.
    const since = known === undefined || now > known.until + NOBODY_MS ? now : known.since;
    this.#unseen.set(batch.id, { since, until: now + LOOK_AGAIN_MS });
    // The next file checks the folder again.
    batch.isFolderSeen = false;
    const isOwn = batch.accountOf(task).right !== undefined;
    if (isOwn && now - since >= NOBODY_MS) return false;
    return true;
  }

  #seeAgain(batch: NightBatch): void {
    if (this.#unseen.delete(batch.id)) this.#options.member.onFolder?.(batch.record, undefined);
  }

  #offer(taskId: number): void {
    const { member, trackForAll } = this.#options;
    const isFirst = this.#toOffer.size === 0;
    this.#toOffer.add(taskId);
    if (!isFirst) return;
    const send = async (): Promise<void> => {
      // All downloads of one tick together.
      await Promise.resolve();
      const ids = [...this.#toOffer];
      this.#toOffer = new Set();
      await member.queue?.offer(ids);
    };
    trackForAll(send());
  }

  async #receive(): Promise<void> {
    const { member, night, trackForAll } = this.#options;
    for (const id of this.#offered.keys()) if (night.active.get(id) === undefined) this.#offered.delete(id);
    const room = this.#isShared ? this.#room() : 0;
    const ids = room > 0 ? ((await member.queue?.receive(room)) ?? []) : [];
    if (night.ending.aborted) return;
    for (const id of new Set(ids)) trackForAll(this.#takeUp(id));
    this.#receiveAlarm.set(RECEIVE_MS);
  }

  /** How many more files could be fetched at once, for the batch with the most room. */
  #room(): number {
    const { night } = this.#options;
    const rooms = [...night.batches.all.values()].flatMap((batch) =>
      this.#isUnseen(batch)
        ? []
        : batch.accounts
            .filter((account) => this.#mayFetchFrom(batch, account))
            .map(({ profile }) => profile.limits.downloads - batch.downloads),
    );
    return Math.max(0, ...rooms);
  }

  /** Takes up what was offered, if that is still to be done and nobody is doing it. */
  async #takeUp(taskId: number): Promise<void> {
    const { night, flights, member, onTrouble } = this.#options;
    if (flights.isUnderWay(taskId)) return;
    const taken = await this.#rights.take(taskId).catch(onTrouble);
    if (taken === undefined) return;
    const { task, right } = taken;
    const batch = night.batches.all.get(task.batchId);
    const isFree = batch !== undefined && !night.ending.aborted && !flights.isUnderWay(taskId);
    if (isFree && this.#dueOf(batch, task, ANOTHERS) !== undefined && this.#hasRoom(batch, task)) {
      flights.download(night, batch, taskId, async (signal) => void (await this.#land(batch, taken, ANOTHERS, signal)));
      return;
    }
    await this.#rights.giveBack(right);
    if (batch !== undefined && !this.#hasRoom(batch, task)) await member.queue?.offer([taskId]);
  }
}

function attemptOf({ index, tries, dueAt = 0 }: Output): string {
  return `${index} ${tries} ${dueAt}`;
}
