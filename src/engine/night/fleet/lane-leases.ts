import { present } from '../../../shared/domain/base/result.ts';
import type { Fence, Fleet, FleetMember, AskingPace, PacedFence, WorkerWord } from '../../ports/fleet.ts';
import type { Clock } from '../../ports/base.ts';
import { Alarm } from '../clock/steady-clock.ts';
import type { Lane, LaneRight } from '../lanes.ts';
import { holdsStill, leaseTimes, type HeldUntil, type LeaseTimes } from './lease-times.ts';

/** An account that nobody has taken for this many turns is taken by whoever can, even beyond its share. */
const LEFT_FREE_TURNS = 2;
/**
 * A worker whose clock differs from the store's by more than this takes no accounts: what gateways remember depends on
 * the time.
 */
const CLOCK_OFF_MS = 30_000;

interface Held extends HeldUntil {
  readonly lane: Lane;
  readonly fence: Fence;
  readonly right: LaneRight;
  /** The lease is lost or given up: nothing is done under it any more. */
  isOver: boolean;
}

export interface LaneLeasesOptions {
  readonly member: FleetMember;
  readonly clock: Clock;
  /** The accounts for which there is something to do, and whose keys this process has. */
  readonly wanted: () => readonly Lane[];
  /** An account was taken: what is left in flight there is read, and then the lane gets its right. */
  readonly onTaken: (lane: Lane, right: LaneRight, pace: AskingPace | undefined) => Promise<void>;
  /** The right is over: nothing is begun under it, and what is under way is given up, except paid requests. */
  readonly onLost: (lane: Lane) => void;
  readonly onTrouble: (error: unknown) => void;
  readonly track: (work: Promise<void>) => void;
}

/**
 * The accounts that one of several workers has: taken while they are free and the worker's share allows, renewed in
 * time, and given up for another worker that has fewer. The duration of a right is counted from before the store was
 * asked, so that the right is over here before it is over there.
 */
export class LaneLeases {
  readonly #options: LaneLeasesOptions;
  readonly #times: LeaseTimes;
  readonly #held = new Map<string, Held>();
  /** Since when nobody has had an account, by the monotonic clock. */
  readonly #freeSince = new Map<string, number>();
  readonly #turnAlarm: Alarm;
  readonly #endAlarm: Alarm;
  #turning: Promise<void> | undefined;
  /** Accounts of workers with more than their share, for which this one has room; as of the last turn. */
  #wishes: readonly string[] = [];
  /** As of the last turn. */
  #clockAheadMs: WorkerWord['clockAheadMs'];
  /** Only what the worker has is renewed. */
  #isEnding = false;
  #isClosed = false;
  #hasOthers = false;

  constructor(options: LaneLeasesOptions) {
    this.#options = options;
    this.#times = leaseTimes(options.member);
    this.#turnAlarm = new Alarm(options.clock, () => options.track(this.turn()));
    this.#endAlarm = new Alarm(options.clock, () => this.#endOver());
  }

  /** Renews the worker's accounts and takes free ones; then again every few seconds. */
  turn(): Promise<void> {
    this.#turning ??= this.#turn().finally(() => {
      this.#turning = undefined;
      if (!this.#isClosed) this.#turnAlarm.set(this.#times.turnMs);
    });
    return this.#turning;
  }

  /** Whether other workers were alive when the store was last asked. */
  get hasOthers(): boolean {
    return this.#hasOthers;
  }

  /** Whether this worker has an account, by the account's name. */
  has(account: string): boolean {
    return this.#held.has(account);
  }

  /** Another process turned out to have taken an account, or the account's lease to have ended. */
  lose({ account, epoch }: Fence): void {
    const held = this.#held.get(account);
    if (held?.fence.epoch !== epoch) return;
    this.#end(held);
    this.#held.delete(account);
  }

  /**
   * Takes nothing any more. The worker's accounts are renewed until {@link release}: answers that were paid for may
   * still come.
   */
  close(): void {
    this.#isEnding = true;
  }

  /** Gives everything back: at the end, when nothing more is written. */
  async release(): Promise<void> {
    this.#isClosed = true;
    this.#turnAlarm.stop();
    this.#endAlarm.stop();
    await this.#turning?.catch(() => undefined);
    const { leases, holder } = this.#options.member;
    const fences = this.#pacedFences();
    for (const held of this.#held.values()) this.#end(held);
    this.#held.clear();
    await leases.release(holder, fences);
    await leases.leave(holder);
  }

  async #turn(): Promise<void> {
    const { member, clock } = this.#options;
    this.#endOver();
    const wanted = new Map(this.#options.wanted().map((lane) => [lane.name, lane]));
    const [asked, askedWall] = [clock.monotonic(), clock.now()];
    let fleet: Fleet;
    try {
      fleet = await member.leases.renew(member.holder, this.#pacedFences(), this.#times.leaseMs, {
        wishes: this.#wishes,
        clockAheadMs: this.#clockAheadMs,
      });
    } catch (error) {
      // What is not renewed in time ends by itself.
      this.#options.onTrouble(error);
      member.onTurn?.({ problem: error });
      return;
    }
    this.#confirm(fleet, asked, askedWall);
    this.#hasOthers = fleet.workers.some(({ holder }) => holder !== member.holder);
    const tookMs = clock.monotonic() - asked;
    const aheadMs = clock.now() - fleet.at;
    const isClockOff = Math.abs(aheadMs) > CLOCK_OFF_MS + tookMs;
    this.#clockAheadMs = isClockOff ? aheadMs : undefined;
    if (!this.#isEnding) await this.#share(fleet, wanted, isClockOff);
    this.#setEndAlarm();
    const held = [...this.#held.values()].filter(({ isOver }) => !isOver).map(({ fence }) => fence);
    member.onTurn?.({ held, tookMs, aheadMs, isClockOff });
  }

  /** Gives up and takes accounts, depending on what the other workers have. */
  async #share(fleet: Fleet, wanted: ReadonlyMap<string, Lane>, isClockOff: boolean): Promise<void> {
    const { member } = this.#options;
    const others = fleet.leases.filter(({ holder }) => holder !== member.holder);
    const accounts = new Set([...wanted.keys(), ...fleet.leases.map(({ account }) => account)]);
    const share = isClockOff ? 0 : Math.ceil(accounts.size / Math.max(1, fleet.workers.length));
    const wishedFor = new Set(fleet.workers.flatMap((one) => (one.holder === member.holder ? [] : one.wishes)));
    await this.#giveUp((account) => isClockOff || !wanted.has(account) || wishedFor.has(account), wanted, share);
    const taken = new Map(others.map((lease) => [lease.account, lease.holder]));
    if (!isClockOff && !this.#isEnding) await this.#take([...wanted.values()], taken, share);
    this.#wishes = isClockOff ? [] : this.#wishedOf(wanted, taken, share);
  }

  #pacedFences(): readonly PacedFence[] {
    const now = this.#options.clock.monotonic();
    return [...this.#held.values()].map((held) => pacedFence(held, now));
  }

  #wishedOf(wanted: ReadonlyMap<string, Lane>, taken: ReadonlyMap<string, string>, share: number): readonly string[] {
    const counts = new Map<string, number>();
    for (const holder of taken.values()) counts.set(holder, (counts.get(holder) ?? 0) + 1);
    const wishes: string[] = [];
    for (const [account, holder] of taken) {
      const count = counts.get(holder) ?? 0;
      if (wishes.length + this.#held.size >= share || count <= share || !wanted.has(account)) continue;
      counts.set(holder, count - 1);
      wishes.push(account);
    }
    return wishes;
  }

  /** Leases that the store has confirmed hold longer; the others are lost. */
  #confirm({ leases }: Fleet, asked: number, askedWall: number): void {
    const epochs = new Map(leases.map(({ account, holder, epoch }) => [account, { holder, epoch }]));
    for (const [account, held] of this.#held) {
      const now = epochs.get(account);
      if (now?.holder === this.#options.member.holder && now.epoch === held.fence.epoch) {
        held.until = asked + this.#times.rightMs;
        held.untilWall = askedWall + this.#times.rightMs;
      } else {
        this.#end(held);
        this.#held.delete(account);
      }
    }
  }

  /**
   * Gives up accounts that are no longer wanted and, beyond the worker's share, those that others wish for, once their
   * answers are recorded.
   */
  async #giveUp(
    isWished: (account: string) => boolean,
    wanted: ReadonlyMap<string, Lane>,
    share: number,
  ): Promise<void> {
    let kept = [...this.#held.values()].filter(({ isOver }) => !isOver).length;
    for (const [account, held] of this.#held) {
      const isExcess = !wanted.has(account) || (kept > share && isWished(account));
      if (!held.isOver && isExcess) {
        this.#end(held);
        kept -= 1;
      }
      if (held.isOver && held.lane.unanswered.size === 0) await this.#giveBack(account, held);
    }
  }

  async #giveBack(account: string, held: Held): Promise<void> {
    const { leases, holder } = this.#options.member;
    const now = this.#options.clock.monotonic();
    this.#held.delete(account);
    // Whoever comes first has it: this worker leaves it to the others for a while.
    this.#freeSince.set(account, now);
    await leases.release(holder, [pacedFence(held, now)]).catch((error: unknown) => this.#options.onTrouble(error));
  }

  async #take(wanted: readonly Lane[], taken: ReadonlyMap<string, string>, share: number): Promise<void> {
    const { member, clock } = this.#options;
    for (const lane of wanted) {
      if (this.#held.has(lane.name) || taken.has(lane.name)) {
        this.#freeSince.delete(lane.name);
        continue;
      }
      const now = clock.monotonic();
      const since = this.#freeSince.get(lane.name) ?? now;
      this.#freeSince.set(lane.name, since);
      if (this.#held.size >= share && now - since < LEFT_FREE_TURNS * this.#times.turnMs) continue;
      const nowWall = clock.now();
      let fence: PacedFence | undefined;
      try {
        fence = await member.leases.take(member.holder, lane.name, this.#times.leaseMs);
      } catch (error) {
        this.#options.onTrouble(error);
        return;
      }
      if (fence !== undefined) this.#begin(lane, fence, now, nowWall);
    }
  }

  #begin(lane: Lane, { pace, ...fence }: PacedFence, asked: number, askedWall: number): void {
    const { clock, onTaken, onTrouble, track } = this.#options;
    const isHeld = (): boolean => !held.isOver && holdsStill(clock, held);
    const held: Held = {
      lane,
      fence,
      right: { isHeld, ...present({ fence }) },
      until: asked + this.#times.rightMs,
      untilWall: askedWall + this.#times.rightMs,
      isOver: false,
    };
    this.#held.set(lane.name, held);
    this.#freeSince.delete(lane.name);
    this.#setEndAlarm();
    const taken = onTaken(lane, held.right, pace).catch((error: unknown) => {
      // The account was not looked into, so nothing may be sent there: another worker tries, or this one at its next
      // turn.
      this.#end(held);
      onTrouble(error);
    });
    lane.taking = taken;
    track(
      taken.finally(() => {
        if (lane.taking === taken) lane.taking = undefined;
      }),
    );
  }

  #end(held: Held): void {
    if (held.isOver) return;
    held.isOver = true;
    this.#options.onLost(held.lane);
  }

  /** What was not renewed in time is over here, whether or not the store could be asked. */
  #endOver(): void {
    for (const [account, held] of this.#held) {
      if (!held.isOver && held.right.isHeld()) continue;
      this.#end(held);
      if (this.#options.clock.monotonic() >= held.until) this.#held.delete(account);
    }
    this.#setEndAlarm();
  }

  #setEndAlarm(): void {
    const ends = [...this.#held.values()].map(({ until }) => until);
    if (ends.length > 0) this.#endAlarm.set(Math.max(0, Math.min(...ends) - this.#options.clock.monotonic()));
  }
}

function pacedFence({ fence, lane: { budget } }: Held, now: number): PacedFence {
  return { ...fence, pace: budget.paceAt(now) };
}
