import type { Behaviour } from './behaviour.ts';

/** Counts requests and submits against the limits of a behaviour. */
export class RateLimits {
  #tokens = Number.POSITIVE_INFINITY;
  #refilledAt = 0;
  #submits: number[] = [];

  /** Takes one request: 0 where it is allowed, else how many milliseconds too early it came. */
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
   * Takes one submit, `activeUntil` being the ends of the family's unfinished tasks, soonest first: 0 where it is
   * allowed, else how many milliseconds too early it came.
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
