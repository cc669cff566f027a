import { present } from '../../shared/domain/base/result.ts';
import type { Failure } from '../../shared/domain/base/failure.ts';
import type { Account } from '../../shared/domain/task/accounts/account.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { QueueFront } from '../../shared/domain/gateway/queue-front.ts';
import type { FuseMemory } from '../../shared/domain/task/fuse.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import type { Fence, FleetMember, AskingPace } from '../ports/fleet.ts';
import type { Attempt, AttemptIntent } from '../ports/task-change.ts';
import type { Clock } from '../ports/base.ts';
import type { MediaGateway } from '../ports/media-gateway.ts';
import { MAX_RETRY_AFTER_MS, retryDelayMs } from '../../shared/domain/gateway/retry.ts';

/**
 * The right of this process to use an account: to submit, ask and fetch with it, from the moment it was taken until it
 * is lost. Taking an account again gives another right, so work that was begun under the first one cannot use the
 * second.
 */
export interface LaneRight {
  /** What every write under the right names; absent if this process has the store to itself. */
  readonly fence?: Fence;
  /** Whether the right holds now. It ends by itself, even while nothing of this process runs. */
  readonly isHeld: () => boolean;
}

/** The right of a process that has the store to itself: every account is always its own. */
export const OWN: LaneRight = { isHeld: () => true };

/**
 * One account at one gateway, by origin and key: its limits and its pace are the gateway's, so all batches that go
 * there share them, whatever else their profiles say.
 */
export interface Lane {
  /** The account's name in leases, see {@link laneName}. */
  readonly name: string;
  /** The right to use the account; undefined while another process has it, or nobody does. */
  right: LaneRight | undefined;
  readonly budget: RequestBudget;
  /** The gateway's queue for each operation. */
  readonly fronts: Map<OperationPath, QueueFront>;
  /** Why the gateway is not answering; undefined while it answers. */
  trouble: Failure | undefined;
  /** When the wait that the gateway asked for ends, in milliseconds since the epoch; may be in the past. */
  heldUntil: number | undefined;
  /** Taking the account, while that is under way: a look at what is left there, which ends with a right. */
  taking: Promise<void> | undefined;
  /**
   * Tasks whose paid requests are being committed, or were sent and have no recorded answer yet, each with the number
   * of its earlier attempts.
   */
  readonly unanswered: Map<number, number>;
  /** Intents that the store has not confirmed, by their tasks: nothing was sent. */
  readonly unsent: Map<number, IntentTraits>;
  /** How its requests have ended since one of its batches was last started. */
  ends: FuseMemory;
}

/**
 * The answer to a task's request is recorded, or never will be. Another request of the same task that was sent since
 * still waits.
 */
export function noLongerAwaits({ unanswered }: Lane, { id, attempts }: Pick<Task, 'id' | 'attempts'>): void {
  if (unanswered.get(id) === attempts) unanswered.delete(id);
}

/** What distinguishes an intent from any other of its task. */
export type IntentTraits = Pick<AttemptIntent, 'startedAt' | 'keyFingerprint' | 'bodySha256' | 'idempotency'>;

export function traitsOf({ startedAt, keyFingerprint, bodySha256, idempotency }: AttemptIntent): IntentTraits {
  return { startedAt, keyFingerprint, bodySha256, ...present({ idempotency }) };
}

/** Whether an attempt comes from an intent. */
export function isSent(
  attempt: Attempt,
  { startedAt, bodySha256, keyFingerprint, idempotency }: IntentTraits,
): boolean {
  const isSame =
    attempt.startedAt === startedAt && attempt.bodySha256 === bodySha256 && attempt.keyFingerprint === keyFingerprint;
  return isSame && attempt.idempotency?.key === idempotency?.key;
}

export interface LanesOptions {
  readonly clock: Clock;
  readonly gatewayFor: (access: Access) => MediaGateway;
  /** A short one-way fingerprint of the key for a gateway; undefined if no key was given. */
  readonly keyFingerprint: (access: Access) => string | undefined;
  /** Absent if this process has the store to itself. */
  readonly fleet?: FleetMember;
}

/** An account as every process names it: the origin of its gateway and the fingerprint of its key. */
export function laneName(origin: string, keyFingerprint: string | undefined): string {
  return `${origin} ${keyFingerprint ?? ''}`;
}

/** A gateway, and which of its keys. */
export type Access = Pick<Account, 'profile' | 'keyName'>;

/** The gateways of a night and the lanes to them, created on first use. */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  /** By profile, because paths, status values and deadlines differ, and by the name of the key. */
  readonly #gateways = new Map<string, MediaGateway>();
  readonly #gatewayOf = new WeakMap<Access, MediaGateway>();
  /** With the key that the lane was for: lanes are asked for many times in each tick. */
  readonly #laneOf = new WeakMap<Access, { readonly key: string | undefined; readonly lane: Lane }>();

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /** The gateway that a profile describes, asked with the key of an account. */
  gatewayOf(access: Access): MediaGateway {
    const known = this.#gatewayOf.get(access);
    if (known !== undefined) return known;
    const text = JSON.stringify([access.profile, access.keyName]);
    const gateway = this.#gateways.get(text) ?? this.#options.gatewayFor(access);
    this.#gateways.set(text, gateway);
    this.#gatewayOf.set(access, gateway);
    return gateway;
  }

  /** The lane for an account's requests, with its present key. */
  laneOf(access: Access): Lane {
    const key = this.#options.keyFingerprint(access);
    const known = this.#laneOf.get(access);
    if (known !== undefined && known.key === key) return known.lane;
    const lane = this.#findLane(access);
    this.#laneOf.set(access, { key, lane });
    return lane;
  }

  #findLane(access: Access): Lane {
    const { clock, keyFingerprint } = this.#options;
    const name = laneName(this.gatewayOf(access).origin, keyFingerprint(access));
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const budget = new RequestBudget(access.profile.limits.requestsPerSecond, clock.monotonic());
    const right = this.#options.fleet === undefined ? OWN : undefined;
    const lane: Lane = {
      name,
      right,
      budget,
      fronts: new Map(),
      trouble: undefined,
      heldUntil: undefined,
      taking: undefined,
      unanswered: new Map(),
      unsent: new Map(),
      ends: [],
    };
    this.#lanes.set(name, lane);
    return lane;
  }

  /**
   * Sets the pace of every lane to what all profiles that use it allow: the most cautious one is right about the
   * gateway.
   */
  keepPaces(all: Iterable<Access>): void {
    const paces = new Map<Lane, number>();
    for (const access of all) {
      const lane = this.laneOf(access);
      paces.set(lane, Math.min(paces.get(lane) ?? Number.POSITIVE_INFINITY, access.profile.limits.requestsPerSecond));
    }
    for (const [lane, perSecond] of paces) lane.budget.allow(perSecond, this.#options.clock.monotonic());
  }

  /** Every request that this process waits for, whoever pays for its task by now: see {@link Lane.unanswered}. */
  unanswered(): ReadonlyMap<number, number> {
    return new Map([...this.#lanes.values()].flatMap(({ unanswered }) => [...unanswered]));
  }

  /** Whether this process waits for the answer to a task's latest request, with whatever key that was sent. */
  awaits({ id, attempts }: Pick<Task, 'id' | 'attempts'>): boolean {
    return [...this.#lanes.values()].some(({ unanswered }) => unanswered.get(id) === attempts);
  }

  /** It does no longer: see {@link noLongerAwaits}. */
  noLongerAwaits(task: Pick<Task, 'id' | 'attempts'>): void {
    for (const lane of this.#lanes.values()) noLongerAwaits(lane, task);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#gateways.values()].map((gateway) => gateway.close()));
  }
}

/** A burst is at most one second's worth, and at least one request. */
const BURST_SECONDS = 1;
/** The rate never falls below this share of what the profile allows. */
const SLOWEST_SHARE = 1 / 16;
/** After this long without a complaint the rate grows by half, up to the profile's rate. */
const RECOVERY_MS = 30_000;

/**
 * The budget of requests to one gateway, shared by submits and polls: a token bucket that halves its rate when the
 * gateway asks to slow down and recovers by itself. Times are monotonic milliseconds.
 */
export class RequestBudget {
  #allowedPerSecond: number;
  #perSecond: number;
  #tokens: number;
  #filledAt: number;
  #holdUntil = 0;
  #complaints = 0;
  #calmSince: number;
  #isShort = false;
  /** Requests whose rights were taken, but which have not left yet. */
  #held = 0;
  /** How many of them were given back before their hold ended. */
  #spared = 0;

  constructor(perSecond: number, now: number) {
    this.#allowedPerSecond = perSecond;
    this.#perSecond = perSecond;
    this.#tokens = Math.max(1, perSecond * BURST_SECONDS);
    this.#filledAt = now;
    this.#calmSince = now;
  }

  /** Changes the allowed rate at once; a pace that a complaint has slowed stays proportionally slow. */
  allow(perSecond: number, now: number): void {
    if (perSecond === this.#allowedPerSecond) return;
    this.#refill(now);
    this.#perSecond *= perSecond / this.#allowedPerSecond;
    this.#allowedPerSecond = perSecond;
    this.#tokens = Math.min(this.#tokens, Math.max(1, this.#perSecond * BURST_SECONDS));
  }

  /** What the next process with the account goes on with. */
  paceAt(now: number): AskingPace {
    return { waitMs: Math.max(0, this.#holdUntil - now), share: this.#perSecond / this.#allowedPerSecond };
  }

  /**
   * Another process may have sent as much as it may until now, so this one begins with nothing.
   * @param pace What the other process has heard from the gateway; undefined if there was no complaint.
   */
  takeOver(now: number, pace?: AskingPace): void {
    this.#tokens = -this.#held;
    this.#filledAt = now;
    if (pace === undefined) return;
    this.#holdUntil = Math.max(this.#holdUntil, now + Math.min(pace.waitMs, MAX_RETRY_AFTER_MS));
    this.#perSecond = Math.min(this.#perSecond, this.#allowedPerSecond * Math.max(pace.share, SLOWEST_SHARE));
    this.#calmSince = Math.max(now, this.#holdUntil);
  }

  /**
   * Takes the right to send one request; false if none is available.
   * @param left How many of those that are available the caller may still have.
   */
  tryTake(now: number, left = Number.POSITIVE_INFINITY): boolean {
    this.#refill(now);
    if (now < this.#holdUntil || this.#tokens < 1 || left < 1) {
      this.#isShort = true;
      return false;
    }
    this.#tokens -= 1;
    return true;
  }

  /**
   * Holds rights that were taken while their requests wait for something, such as the commit of an intent. New rights
   * get only the room that is left beside them: otherwise, these requests would leave together with as many others.
   * @returns Ends the hold, once the requests leave or are given back; further calls do nothing.
   */
  hold(count: number): (now: number) => void {
    let held = count;
    this.#held += held;
    return (now) => {
      this.#refill(now);
      const spared = Math.min(held, this.#spared);
      this.#spared -= spared;
      this.#held -= held - spared;
      held = 0;
    };
  }

  /** Returns a held right that was not used: it is available at once, and no longer takes up room. */
  spare(): void {
    if (this.#held > 0) {
      this.#held -= 1;
      this.#spared += 1;
    }
    this.#tokens += 1;
  }

  /** How many requests may be sent at once now. */
  available(now: number): number {
    this.#refill(now);
    const available = now < this.#holdUntil ? 0 : Math.max(0, Math.floor(this.#tokens));
    if (available === 0) this.#isShort = true;
    return available;
  }

  /** Returns a right that was not used. */
  giveBack(): void {
    this.#tokens += 1;
  }

  /** How long until the next request may be sent; 0 if it may be sent now. */
  waitMs(now: number): number {
    this.#refill(now);
    const forToken = this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1000;
    return Math.ceil(Math.max(forToken, this.#holdUntil - now, 0));
  }

  /**
   * How long a caller that was refused since the last call should wait before asking again; undefined if none was. A
   * refusal counts even if a right is free by now: nothing else would bring the refused caller back.
   */
  takeRetryMs(now: number): number | undefined {
    if (!this.#isShort) return undefined;
    this.#isShort = false;
    return Math.max(1, this.waitMs(now));
  }

  /** The gateway asked to slow down or could not be reached: nothing is sent for a while, and then more slowly. */
  slowDown(now: number, retryAfterMs: number | undefined, random: number): void {
    this.#complaints += 1;
    const delay = Math.min(retryDelayMs(retryAfterMs, this.#complaints, random), MAX_RETRY_AFTER_MS);
    this.#holdUntil = Math.max(this.#holdUntil, now + delay);
    this.#perSecond = Math.max(this.#perSecond / 2, this.#allowedPerSecond * SLOWEST_SHARE);
    this.#tokens = Math.min(this.#tokens, 1);
    this.#calmSince = this.#holdUntil;
  }

  /** The gateway answered without complaint. */
  calm(now: number): void {
    if (now < this.#holdUntil) return;
    this.#complaints = 0;
    if (this.#perSecond < this.#allowedPerSecond && now - this.#calmSince >= RECOVERY_MS) {
      this.#perSecond = Math.min(this.#allowedPerSecond, this.#perSecond * 1.5);
      this.#calmSince = now;
    }
  }

  #refill(now: number): void {
    const most = Math.max(1, this.#perSecond * BURST_SECONDS) - this.#held;
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#filledAt) / 1000) * this.#perSecond);
    this.#filledAt = now;
  }
}
