import { MAX_RETRY_AFTER_MS, retryDelayMs } from '../../shared/domain/task/retry.ts';

/** A burst is at most what a second allows, and at least one request. */
const BURST_SECONDS = 1;
/** The rate never falls below this share of what the profile allows. */
const SLOWEST_SHARE = 1 / 16;
/** After this long without a complaint the rate grows by a half, until it is the profile's again. */
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

  constructor(perSecond: number, now: number) {
    this.#allowedPerSecond = perSecond;
    this.#perSecond = perSecond;
    this.#tokens = Math.max(1, perSecond * BURST_SECONDS);
    this.#filledAt = now;
    this.#calmSince = now;
  }

  /** Changes what is allowed at most, at once; a pace that a complaint has slowed down stays as slow in proportion. */
  allow(perSecond: number, now: number): void {
    if (perSecond === this.#allowedPerSecond) return;
    this.#refill(now);
    this.#perSecond *= perSecond / this.#allowedPerSecond;
    this.#allowedPerSecond = perSecond;
    this.#tokens = Math.min(this.#tokens, Math.max(1, this.#perSecond * BURST_SECONDS));
  }

  /** Takes the right to send one request; false when there is none now. */
  tryTake(now: number): boolean {
    this.#refill(now);
    if (now < this.#holdUntil || this.#tokens < 1) {
      this.#isShort = true;
      return false;
    }
    this.#tokens -= 1;
    return true;
  }

  /** How many requests may be sent at once now. */
  available(now: number): number {
    this.#refill(now);
    const available = now < this.#holdUntil ? 0 : Math.floor(this.#tokens);
    if (available === 0) this.#isShort = true;
    return available;
  }

  /** Gives back a right that was taken and not used. */
  giveBack(): void {
    this.#tokens += 1;
  }

  /** How long until the next request may be sent; 0 when it may be sent now. */
  waitMs(now: number): number {
    this.#refill(now);
    const forToken = this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1000;
    return Math.ceil(Math.max(forToken, this.#holdUntil - now, 0));
  }

  /**
   * How long whoever was refused since the last call should wait before asking again; undefined when nobody was. A
   * refusal counts even where a right has become free since: nothing else would bring the refused one back.
   */
  takeRetryMs(now: number): number | undefined {
    if (!this.#isShort) return undefined;
    this.#isShort = false;
    return Math.max(1, this.waitMs(now));
  }

  /** The gateway asked to slow down, or could not be reached: nothing is sent for a while, and more slowly then. */
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
    const most = Math.max(1, this.#perSecond * BURST_SECONDS);
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#filledAt) / 1000) * this.#perSecond);
    this.#filledAt = now;
  }
}
