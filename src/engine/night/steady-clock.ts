import type { Clock } from '../ports.ts';

/** Corrections of the system's time by less than this are followed: they delay nothing that matters. */
const FOLLOWED_BACK_MS = 1000;
/** A leap forward by more than this is a sleep of the machine, or a clock that was wrong. */
const LEAP_MS = 60_000;

/**
 * The clock of a night: its wall time never goes back. Due times are wall times, so a clock that is set back by a day
 * would keep everything waiting for a day; here it goes on from where it was until the system's time has caught up.
 * A leap forward is followed, because after a sleep everything is due, and noticed.
 */
export class SteadyClock implements Clock {
  readonly #clock: Clock;
  #lastNow: number;
  #lastMonotonic: number;
  #leaptAt: number;

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
    if (wall > steady + LEAP_MS) this.#leaptAt = monotonic;
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

  /** How long time has passed without a leap: since the last one, or since this clock was made. */
  steadyMs(): number {
    return this.#clock.monotonic() - this.#leaptAt;
  }
}
