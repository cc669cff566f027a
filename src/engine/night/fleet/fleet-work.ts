/**
 * A night that shares its store with other processes: it takes part of their accounts, and hears of what they change. Which
 * tasks are in flight here follows from the accounts that it has.
 */
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import type { Fence, FleetMember, AskingPace } from '../../fleet-ports.ts';
import { Alarm } from '../clock/steady-clock.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Flights } from '../flights.ts';
import { laneName, type Lane, type LaneRight } from '../lanes.ts';
import { leftInFlight } from '../left-in-flight.ts';
import type { Night } from '../night.ts';
import { FleetDownloads } from './fleet-downloads.ts';
import { LaneLeases } from './lane-leases.ts';
import { settleUnawaited } from './unawaited.ts';

/** What others have changed is known after this long; a pause of theirs holds from its commit on, see `TaskChange.terms`. */
const HEARD_EVERY_MS = 1_000;
/** The lease of an account that nobody has a key for any more is only taken to settle what is left there. */
const SETTLING_MS = 30_000;

export interface FleetWorkOptions {
  readonly member: FleetMember;
  readonly night: Night;
  readonly flights: Flights;
  /** Everything in a batch that waits for rows is looked at again. */
  readonly noteLinks: (batchId: string) => Promise<void>;
  /** Files of a batch that whoever had its accounts did not look at any more are looked at here. */
  readonly checkFiles: (batch: NightBatch) => void;
  /** Reloads tasks that others have changed, and returns them. */
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
  /** Only where this process takes accounts. */
  readonly downloads: FleetDownloads | undefined;
  readonly #alarm: Alarm;
  #seen: number | undefined;
  /** Tasks that were heard of while an account was being looked into. */
  #heardMeanwhile = new Set<number>();
  #lookingInto = 0;
  /** Batches that have ended, with their accounts at which nothing of them is left. */
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

  /** Begins to hear of the others, and to take accounts. */
  async join(): Promise<void> {
    await this.#hear();
    await this.downloads?.join();
    if (this.#options.member.takesAccounts) await this.#leases.turn();
  }

  /** Nothing new is heard of or taken. */
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

  /** Loads what is in flight of a batch that has just come into the night, at accounts that are already this process's. */
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

  /** Accounts of batches in the night of which this process has the key, as long as there is something to do. */
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

  /** It has ended, and this process, having the account, has found nothing of it there since. */
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
      // Whoever had it may have found out that its gateway charges twice.
      await night.keyTrust.learn();
      if (!right.isHeld()) return;
      // No wait between these.
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

  /** It was sent with another key, and whoever has the account of that one may wait for the answer. */
  async #isInterrupted(lane: Lane, { id, attempts }: Task): Promise<boolean> {
    const { member, night } = this.#options;
    // This process itself waits for its answer, which is recorded under whatever right it has by then.
    if (lane.unanswered.get(id) === attempts) return false;
    const sent = (await night.store.attempts(id)).at(-1);
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
      // Files are fetched by a right of their own.
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
    // What somebody has made of its rows may have to be looked after once more.
    for (const { batchId } of await takeNewest(taskIds)) this.#over.delete(batchId);
    await member.onHeard?.(changes);
    // Heard of once it is known here: what fails before is asked for again.
    this.#seen = seen;
    await settleUnawaited(night, (lane, task) => this.#isInterrupted(lane, task));
    await this.#attachAll(revisions.keys());
  }

  /** Lets go of a batch that another process has removed, once nothing here is under way with it. */
  async #letGoOfRemoved(batch: NightBatch): Promise<void> {
    const { night } = this.#options;
    // What has come into the night since the others were asked is not among what they have.
    if ((await night.store.batch(batch.id)) !== undefined) return;
    if (batch.holds === 0 && night.active.ofBatch(batch.id).length === 0) night.batches.letGo(batch);
  }

  /** What others have started is part of this night, too, if it may do something for it. */
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
        // The others come into the night all the same; this one is tried again.
        onTrouble(error);
      }
    }
    if (hasNew && !this.#isClosed) trackForAll(this.#leases.turn());
  }
}

function isAtWork({ state }: BatchRecord): boolean {
  return state === 'running' || state === 'paused';
}
