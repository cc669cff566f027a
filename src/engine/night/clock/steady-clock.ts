import type { Clock } from '../../ports/base.ts';

/** Smaller corrections of the system's time are followed: they delay nothing that matters. */
const FOLLOWED_BACK_MS = 1000;
/** A larger leap forward means that the machine slept, or that the clock was wrong. */
const LEAP_MS = 60_000;

/**
 * The clock of a night: its wall time never goes back. Due times are wall times, so a clock set back by a day would
 * keep everything waiting for a day; this clock continues from where it was until the system's time has caught up. It
 * follows and reports a leap forward, because after a sleep everything is due.
 */
export class SteadyClock implements Clock {
  readonly #clock: Clock;
  #lastNow: number;
  #lastMonotonic: number;
  #leaptAt: number;
  #leaps = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastNow = clock.now();
    this.#lastMonotonic = clock.monotonic();
    this.#leaptAt = this.#lastMonotonic;
  }

  now(): number {
    const wall = this.#clock.now();
    const monotonic = this.#clock.monotonic();
    const steady = this.#lastNow + monotonic - this.#lastMonotonic;
    if (wall > steady + LEAP_MS) {
      this.#leaptAt = monotonic;
      this.#leaps += 1;
    }
    this.#lastNow = wall < steady - FOLLOWED_BACK_MS ? Math.round(steady) : wall;
    this.#lastMonotonic = monotonic;
    return this.#lastNow;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    return this.#clock.setTimer(delayMs, callback);
  }

  /** How often the time has leapt forward. */
  get leaps(): number {
    return this.#leaps;
  }

  /** How long time has passed without a leap: since the last leap, or since this clock was created. */
  steadyMs(): number {
    return this.#clock.monotonic() - this.#leaptAt;
  }
}

/** A timer that is this late is no longer waited for. A busy process may delay it by less. */
const LATE_MS = 1000;

/** Rings once, at the earliest of the times it was set to. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  set(delayMs: number): void {
    const now = this.#clock.monotonic();
    // A timer that stood still while time went on, as during a sleep, must not hold up what comes now.
    const isLate = now - this.#at > LATE_MS;
    const at = isLate ? now : now + delayMs;
    if (at >= this.#at && !isLate) return;
    this.stop();
    this.#at = at;
    this.#cancel = this.#clock.setTimer(at - now, () => {
      this.stop();
      this.#ring();
    });
  }

  /** Does not ring until it is set again. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#at = Number.POSITIVE_INFINITY;
  }
}
