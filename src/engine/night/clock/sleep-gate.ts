import type { SteadyClock } from './steady-clock.ts';

/** A computer that is still awake this long after it was about to sleep will not sleep: somebody stopped it. */
const STAYED_AWAKE_MS = 120_000;
/**
 * What is rendering is asked about first, but a gateway that does not answer holds everything up for no longer than
 * this.
 */
const ASK_FIRST_MS = 60_000;
const LOOK_AGAIN_MS = 1_000;

export interface SleepGateOptions {
  readonly clock: SteadyClock;
  /** How many tasks at a gateway are due to be asked about and have not been answered yet. */
  readonly toAsk: () => number;
  readonly wake: () => void;
}

/**
 * Nothing new is paid for while the computer goes to sleep, nor afterwards until the tasks that came due in the
 * meantime were asked about: connections are gone, the clock has leapt, and another process may have the gateway. A
 * sleep that nobody announced shows in the clock.
 */
export class SleepGate {
  readonly #options: SleepGateOptions;
  #leaps: number;
  #cancelDoubt: (() => void) | undefined;
  #isAsleep = false;
  /** Submits wait until this time, by the monotonic clock, or until nothing is left to ask about. */
  #asksUntil: number | undefined;

  constructor(options: SleepGateOptions) {
    this.#options = options;
    this.#leaps = options.clock.leaps;
  }

  sleep(): void {
    this.#isAsleep = true;
    this.#cancelDoubt?.();
    this.#cancelDoubt = this.#options.clock.setTimer(STAYED_AWAKE_MS, () => this.wake());
  }

  wake(): void {
    this.#cancelDoubt?.();
    this.#cancelDoubt = undefined;
    this.#isAsleep = false;
    this.#askFirst();
    this.#options.wake();
  }

  /** Leaves no timer behind. */
  close(): void {
    this.#cancelDoubt?.();
  }

  /** Whether submits may be started now, right after everything due was started. */
  isOpen(): boolean {
    const { clock, toAsk, wake } = this.#options;
    if (this.mayLeave()) return true;
    if (this.#isAsleep || this.#asksUntil === undefined) return false;
    if (toAsk() > 0 && clock.monotonic() < this.#asksUntil) return false;
    this.#asksUntil = undefined;
    // For what was held back before everything due was started.
    wake();
    return true;
  }

  /** Whether a paid request that was chosen earlier may still leave: the computer may have slept since. */
  mayLeave(): boolean {
    const { clock } = this.#options;
    clock.now();
    if (clock.leaps !== this.#leaps) this.#askFirst();
    return !this.#isAsleep && this.#asksUntil === undefined;
  }

  /** When to look again if the gate is closed, in milliseconds from now. */
  get againMs(): number {
    return this.#asksUntil === undefined ? Number.POSITIVE_INFINITY : LOOK_AGAIN_MS;
  }

  #askFirst(): void {
    const { clock } = this.#options;
    this.#leaps = clock.leaps;
    this.#asksUntil = clock.monotonic() + ASK_FIRST_MS;
  }
}
