import { type Operation, RESULT_OPERATIONS } from '../shared/domain/operations/operations.ts';
import { type Answer, failureEnvelope, replyJson } from './routes/answers.ts';
import { type Behaviour, scoped } from './faults/behaviour.ts';
import type { ChargeLog } from './charge-log.ts';
import type { FaultBook } from './faults/fault-book.ts';
import type { RenderedFiles } from './media/render.ts';
import type { GatewayTask, TaskBook } from './tasks.ts';

/** Everything that one running gateway knows. Only `behaviour`, `faults` and the counters are ever replaced. */
export interface GatewayState {
  readonly seed: number;
  readonly now: () => number;
  readonly acceptKey: ((key: string) => boolean) | undefined;
  readonly tasks: TaskBook;
  readonly charges: ChargeLog;
  /** What was charged under a key of its own, by account and key. */
  readonly chargedKeys: Map<string, ChargedKey>;
  readonly limits: RateLimits;
  /** By key, if each account has limits of its own. */
  readonly accounts: Map<string, GatewayAccount>;
  readonly counters: Counters;
  readonly rendered: RenderedFiles;
  behaviour: Behaviour;
  faults: FaultBook;
  origin: string;
  otherOrigin: string;
}

/** A submit that was charged under a key. */
export interface ChargedKey {
  readonly task: GatewayTask;
  readonly bodySha256: string;
  readonly at: number;
}

export interface Counters {
  requests: number;
  submits: number;
  polls: number;
  downloads: number;
  keyLeaks: number;
  readonly rejections: string[];
}

/** The result operation for an operation, with its first slash. */
export function resultPathOf(behaviour: Behaviour, operation: Operation): string {
  const own = scoped(behaviour.resultPaths, operation.path);
  if (own !== undefined) return own;
  const usual = RESULT_OPERATIONS.find((result) => result.family === operation.family);
  if (!usual) throw new Error(`No result operation for ${operation.family}`);
  return `/${usual.path}`;
}

/** Refuses a request because of its key or its pace; undefined lets it through. */
export function refuseAccess(gateway: GatewayState, key: string | undefined): Answer | undefined {
  const { auth, envelope, limits } = gateway.behaviour;
  gateway.counters.requests += 1;
  const revoked = auth.revokedAfter !== null && gateway.counters.requests > auth.revokedAfter;
  if (revoked || !isKeyValid(gateway, key)) {
    return replyJson(auth.http, failureEnvelope(envelope, auth.code, auth.info));
  }
  const account = accountOf(gateway, key);
  account?.noteRequest(limits.requestsPerSecond, gateway.now());
  const earlyMs = (account ?? gateway).limits.takeRequest(limits, gateway.now());
  if (earlyMs > 0 && account !== undefined) account.refused += 1;
  return earlyMs > 0 ? refusePace(gateway, earlyMs) : undefined;
}

/** True if this gateway accepts the request's key. */
export function isKeyValid(gateway: GatewayState, key: string | undefined): boolean {
  if (!key) return false;
  if (gateway.acceptKey) return gateway.acceptKey(key);
  return gateway.behaviour.auth.keys?.includes(key) ?? true;
}

/** The answer to a request that came `earlyMs` too early. */
export function refusePace(gateway: GatewayState, earlyMs: number): Answer {
  const { limits, envelope } = gateway.behaviour;
  const waitSeconds = limits.retryAfterSeconds ?? Math.ceil(earlyMs / 1000);
  const headers: Record<string, string> = {};
  if (limits.retryAfter === 'seconds') headers['Retry-After'] = `${waitSeconds}`;
  if (limits.retryAfter === 'date') {
    headers['Retry-After'] = new Date(gateway.now() + waitSeconds * 1000).toUTCString();
  }
  return replyJson(limits.http, failureEnvelope(envelope, limits.code, limits.info), headers);
}

/** The account of an accepted key, if each account has limits of its own. */
export function accountOf({ behaviour, accounts }: GatewayState, key = ''): GatewayAccount | undefined {
  if (behaviour.limits.scope !== 'key') return undefined;
  const account = accounts.get(key) ?? new GatewayAccount();
  accounts.set(key, account);
  return account;
}

/** What the holder of one key has asked for. */
export class GatewayAccount {
  readonly limits = new RateLimits();
  requests = 0;
  charges = 0;
  /** Requests that came too early, and submits that found no place. */
  refused = 0;
  /** The most tasks of a family that were unfinished at once. */
  mostAtOnce = 0;
  /**
   * The most requests beyond the allowed pace that had come at any moment: with a limit of n per second, at most n,
   * because that many may come together.
   */
  mostAhead = 0;
  #ahead = 0;
  #notedAt = 0;

  noteRequest(perSecond: number | null, now: number): void {
    this.requests += 1;
    if (perSecond === null) return;
    this.#ahead = Math.max(0, this.#ahead - ((now - this.#notedAt) / 1000) * perSecond) + 1;
    this.#notedAt = now;
    this.mostAhead = Math.max(this.mostAhead, this.#ahead);
  }

  /** @param active How many tasks of its family are unfinished now. */
  noteCharge(active: number): void {
    this.charges += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, active);
  }
}

/** Counts requests and submits against the limits of a behaviour. */
export class RateLimits {
  #tokens = Number.POSITIVE_INFINITY;
  #refilledAt = 0;
  #submits: number[] = [];

  /** Takes one request: returns 0 if it is allowed, else how many milliseconds too early it came. */
  takeRequest(limits: Behaviour['limits'], now: number): number {
    if (limits.requestsPerSecond === null) return 0;
    const perMs = limits.requestsPerSecond / 1000;
    const capacity = Math.max(1, limits.requestsPerSecond);
    this.#tokens = Math.min(capacity, this.#tokens + (now - this.#refilledAt) * perMs);
    this.#refilledAt = now;
    if (this.#tokens < 1) return (1 - this.#tokens) / perMs;
    this.#tokens -= 1;
    return 0;
  }

  /**
   * Takes one submit: returns 0 if it is allowed, else how many milliseconds too early it came. `activeUntil` lists
   * when the family's unfinished tasks end, soonest first.
   */
  takeSubmit(limits: Behaviour['limits'], activeUntil: readonly number[], now: number): number {
    const over = limits.activePerFamily === null ? -1 : activeUntil.length - limits.activePerFamily;
    const freeAt = over < 0 ? undefined : activeUntil[over];
    if (freeAt !== undefined) return Math.max(1, freeAt - now);
    if (limits.submits === null) return 0;
    const since = now - limits.submits.seconds * 1000;
    this.#submits = this.#submits.filter((at) => at > since);
    const oldest = this.#submits[this.#submits.length - limits.submits.count];
    if (oldest !== undefined) return Math.max(1, oldest - since);
    this.#submits.push(now);
    return 0;
  }
}
