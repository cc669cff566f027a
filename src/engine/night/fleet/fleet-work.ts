/**
 * A night that shares its store with other processes: it takes its part of the accounts, and hears what the others
 * change. Its accounts decide which tasks are in flight here.
 */
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import type { Fence, FleetMember, AskingPace } from '../../ports/fleet.ts';
import { Alarm } from '../clock/steady-clock.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Flights } from '../flights.ts';
import { laneName, type Lane, type LaneRight } from '../lanes.ts';
import { leftInFlight } from '../left-in-flight.ts';
import type { Night } from '../night.ts';
import { FleetDownloads } from './fleet-downloads.ts';
import { LaneLeases } from './lane-leases.ts';
import { settleUnawaited } from './unawaited.ts';

/**
 * Changes by other processes are known after this long; a pause of theirs holds from its commit on, see
 * `TaskChange.terms`.
 */
const HEARD_EVERY_MS = 1_000;
/** The lease of an account for which nobody has a key any more is only taken to settle what is left there. */
const SETTLING_MS = 30_000;

export interface FleetWorkOptions {
  readonly member: FleetMember;
  readonly night: Night;
  readonly flights: Flights;
  /** Looks again at everything in a batch that waits for rows. */
  readonly noteLinks: (batchId: string) => Promise<void>;
  /** Checks files of a batch that the former holders of its accounts no longer checked. */
  readonly checkFiles: (batch: NightBatch) => void;
  /** Reloads tasks that other processes have changed, and returns them. */
  readonly takeNewest: (taskIds: readonly number[]) => Promise<readonly Task[]>;
  /** Takes a batch into the night. */
  readonly attach: (batchId: string) => Promise<void>;
  /** Why something could not be done now; it is tried again. */
  readonly onTrouble: (error: unknown) => void;
  readonly trackForAll: (work: Promise<void>) => void;
}

export class FleetWork {
  readonly #options: FleetWorkOptions;
  readonly #leases: LaneLeases;
  /** Only if this process takes accounts. */
  readonly downloads: FleetDownloads | undefined;
  readonly #alarm: Alarm;
  #seen: number | undefined;
  /** Tasks that were reported while an account was being looked into. */
  #heardMeanwhile = new Set<number>();
  #lookingInto = 0;
  /** Batches that have ended, with the accounts at which nothing of them is left. */
  readonly #over = new Map<string, Set<Lane>>();
  #isClosed = false;

  constructor(options: FleetWorkOptions) {
    this.#options = options;
    const { member, night, flights, onTrouble, trackForAll } = options;
    this.#leases = new LaneLeases({
      member,
      clock: night.clock,
      wanted: () => this.#wanted(),
      onTaken: (lane, right, pace) => this.#begin(lane, right, pace),
      onLost: (lane) => this.#end(lane),
      onTrouble,
      track: trackForAll,
    });
    const hasOthers = (): boolean => this.#leases.hasOthers;
    this.downloads = member.takesAccounts
      ? new FleetDownloads({ member, night, flights, hasOthers, onTrouble, trackForAll })
      : undefined;
    this.#alarm = new Alarm(night.clock, () => trackForAll(this.#hear()));
  }

  /** Begins to hear from the others, and to take accounts. */
  async join(): Promise<void> {
    await this.#hear();
    await this.downloads?.join();
    if (this.#options.member.takesAccounts) await this.#leases.turn();
  }

  /** Hears and takes nothing new. */
  close(): void {
    this.#isClosed = true;
    this.#alarm.stop();
    this.#leases.close();
    this.downloads?.close();
  }

  /** Gives all accounts back, once nothing more is written. */
  async leave(): Promise<void> {
    if (!this.#options.member.takesAccounts) return;
    await this.#leases.release().catch((error: unknown) => this.#options.onTrouble(error));
    await this.downloads?.leave();
  }

  /** The store has refused a write under this right. */
  lose(fence: Fence): void {
    this.#leases.lose(fence);
    this.downloads?.lose(fence);
  }

  /** Loads what is in flight of a batch that has just joined the night, at accounts that this process already has. */
  async takeUp(batch: NightBatch): Promise<void> {
    batch.holds += 1;
    try {
      for (const lane of new Set(batch.accounts.map((account) => account.lane))) {
        const { right } = lane;
        const found = right === undefined ? [] : await this.#leftAt(lane, right, batch);
        if (right !== undefined && lane.right === right) for (const task of found) this.#options.flights.take(task);
      }
    } finally {
      batch.holds -= 1;
    }
  }

  /** Accounts of the night's batches for which this process has the key, as long as there is something to do. */
  #wanted(): readonly Lane[] {
    const { night, onTrouble } = this.#options;
    const lanesOf = (batch: NightBatch): readonly Lane[] =>
      batch.record.state === 'ready'
        ? []
        : batch.accounts
            .filter(({ account }) => night.keyFingerprint(account) !== undefined)
            .map(({ lane }) => lane)
            .filter((lane) => !this.#isOver(batch, lane));
    const lanes = [...night.batches.all.values()].flatMap((batch) => {
      try {
        return lanesOf(batch);
      } catch (error) {
        // The accounts of all others are renewed all the same.
        onTrouble(error);
        return [];
      }
    });
    return [...new Set(lanes)];
  }

  /** Whether it has ended, and this process, which has the account, has found nothing of it there since. */
  #isOver(batch: NightBatch, lane: Lane): boolean {
    const { active } = this.#options.night;
    const over = this.#over.get(batch.id) ?? new Set();
    if (batch.record.state !== 'finished') {
      this.#over.delete(batch.id);
      return false;
    }
    const isKnown = lane.right !== undefined && lane.unanswered.size === 0 && batch.holds === 0;
    if (isKnown && !active.ofBatch(batch.id).some((task) => batch.accountOf(task).lane === lane))
      this.#over.set(batch.id, over.add(lane));
    return over.has(lane);
  }

  /** What is left there is known before anything is sent: a limit counts it from the first look on. */
  async #begin(lane: Lane, right: LaneRight, pace: AskingPace | undefined): Promise<void> {
    const { night, flights, noteLinks, checkFiles, takeNewest } = this.#options;
    this.#lookingInto += 1;
    const found: Task[] = [];
    const known = new Set<NightBatch>();
    try {
      for (;;) {
        const next = [...night.batches.all.values()].find(
          (batch) => !known.has(batch) && batch.accounts.some((account) => account.lane === lane),
        );
        if (next === undefined) break;
        known.add(next);
        found.push(...(await this.#leftAt(lane, right, next)));
        await noteLinks(next.id);
      }
      // The previous holder may have found out that the gateway charges twice.
      await night.keyTrust.learn();
      if (!right.isHeld()) return;
      // No await between these.
      lane.right = right;
      lane.budget.takeOver(night.clock.monotonic(), pace);
      for (const task of found) flights.take(task);
      for (const { id } of known) night.batches.work.outdate(id);
      if (pace !== undefined && pace.waitMs > 0) night.batches.noteHold(lane, night.clock.now() + pace.waitMs);
      await takeNewest([...this.#heardMeanwhile]);
      for (const batch of known) if (batch.record.state === 'running') checkFiles(batch);
    } finally {
      this.#lookingInto -= 1;
      if (this.#lookingInto === 0) this.#heardMeanwhile = new Set();
    }
    night.wake();
  }

  #leftAt(lane: Lane, right: LaneRight, batch: NightBatch): Promise<readonly Task[]> {
    return leftInFlight(this.#options.night, batch, {
      isOf: (task) => batch.accountOf(task).lane === lane,
      isInterrupted: (task) => this.#isInterrupted(lane, task),
      under: right.fence,
    });
  }

  /** It was sent with another key, and whoever has the account of that key may be waiting for the answer. */
  async #isInterrupted(lane: Lane, task: Task): Promise<boolean> {
    const { member, night } = this.#options;
    // This process itself waits for the answer, and records it under whatever right it has then.
    if (night.batches.awaits(task)) return false;
    const sent = (await night.store.attempts(task.id)).at(-1);
    const name = sent === undefined ? lane.name : laneName(sent.origin, sent.keyFingerprint);
    if (name === lane.name) return true;
    if (this.#leases.has(name)) return false;
    const fence = await member.leases.take(member.holder, name, SETTLING_MS);
    if (fence !== undefined) await member.leases.release(member.holder, [fence]);
    return fence !== undefined;
  }

  #end(lane: Lane): void {
    const { night, flights } = this.#options;
    lane.right = undefined;
    lane.unsent.clear();
    for (const task of night.active.all()) {
      if (night.batches.all.get(task.batchId)?.accountOf(task).lane !== lane) continue;
      // Files are fetched under a right of their own.
      if (this.downloads?.isFetching(task.id) !== true) flights.giveUp(task.id);
      flights.letGo(task.id);
    }
    night.wake();
  }

  async #hear(): Promise<void> {
    try {
      await this.#takeNews();
    } catch (error) {
      this.#options.onTrouble(error);
    } finally {
      if (!this.#isClosed) this.#alarm.set(HEARD_EVERY_MS);
    }
  }

  async #takeNews(): Promise<void> {
    const { member, night, takeNewest } = this.#options;
    const changes = await member.leases.changesSince(this.#seen);
    const { seen, taskIds, revisions } = changes;
    if (this.#lookingInto > 0) for (const id of taskIds) this.#heardMeanwhile.add(id);
    await Promise.all([night.limits.readAgain(), night.keyTrust.learn()]);
    for (const batch of night.batches.all.values()) {
      const revision = revisions.get(batch.id);
      if (revision === undefined) await this.#letGoOfRemoved(batch);
      else if (revision !== batch.record.revision) await night.batches.readAgain(batch);
    }
    // Whatever has become of its rows, the batch may have to be looked after once more.
    for (const { batchId } of await takeNewest(taskIds)) this.#over.delete(batchId);
    await member.onHeard?.(changes);
    // Only now does it count as heard: if something fails before, it is asked for again.
    this.#seen = seen;
    await settleUnawaited(night, (lane, task) => this.#isInterrupted(lane, task));
    await this.#attachAll(revisions.keys());
  }

  /** Lets go of a batch that another process has removed, once nothing of it is under way here. */
  async #letGoOfRemoved(batch: NightBatch): Promise<void> {
    const { night } = this.#options;
    // A batch that joined the night after the others were asked is not among those that they have.
    if ((await night.store.batch(batch.id)) !== undefined) return;
    if (batch.holds === 0 && night.active.ofBatch(batch.id).length === 0) night.batches.letGo(batch);
  }

  /** A batch that others have started is part of this night, too, if this process may do something for it. */
  async #attachAll(batchIds: Iterable<string>): Promise<void> {
    const { member, night, attach, onTrouble, trackForAll } = this.#options;
    if (!member.takesAccounts) return;
    let hasNew = false;
    for (const id of batchIds) {
      if (night.batches.all.has(id) || this.#isClosed) continue;
      try {
        const record = await night.store.batch(id);
        if (record === undefined || !isAtWork(record)) continue;
        await member.onFound?.(record);
        await attach(id);
        hasNew = true;
      } catch (error) {
        // The other batches join the night all the same; this one is tried again.
        onTrouble(error);
      }
    }
    if (hasNew && !this.#isClosed) trackForAll(this.#leases.turn());
  }
}

function isAtWork({ state }: BatchRecord): boolean {
  return state === 'running' || state === 'paused';
}
