import type { SteadyClock } from './steady-clock.ts';

/** A computer that is still awake this long after it was about to sleep does not sleep: somebody stopped it. */
const STAYED_AWAKE_MS = 120_000;
/** What is rendering is asked about first, but a gateway that does not answer holds nothing up for longer than this. */
const ASK_FIRST_MS = 60_000;
const LOOK_AGAIN_MS = 1_000;

export interface SleepGateOptions {
  readonly clock: SteadyClock;
  /** How many tasks at a gateway are due to be asked about, and not answered yet. */
  readonly toAsk: () => number;
  readonly wake: () => void;
}

/**
 * Nothing new is paid for while the computer goes to sleep, and after it not before the tasks that were due meanwhile
 * were asked about: connections are gone, the clock has leapt, and the gateway may be another's turn. A sleep that
 * nobody announced shows in the clock.
 */
export class SleepGate {
  readonly #options: SleepGateOptions;
  #leaps: number;
  #cancelDoubt: (() => void) | undefined;
  #isAsleep = false;
  /** Submits wait until then, by the monotonic clock, or until nothing is left to ask. */
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

  /** Whether submits may be started now, right after what is due was started. */
  isOpen(): boolean {
    const { clock, toAsk, wake } = this.#options;
    if (this.mayLeave()) return true;
    if (this.#isAsleep || this.#asksUntil === undefined) return false;
    if (toAsk() > 0 && clock.monotonic() < this.#asksUntil) return false;
    this.#asksUntil = undefined;
    // For what was held back before what is due was started.
    wake();
    return true;
  }

  /** Whether a paid request that was chosen before may still leave: the computer may have slept since. */
  mayLeave(): boolean {
    const { clock } = this.#options;
    clock.now();
    if (clock.leaps !== this.#leaps) this.#askFirst();
    return !this.#isAsleep && this.#asksUntil === undefined;
  }

  /** After how long to look again, if it is closed. */
  get againMs(): number {
    return this.#asksUntil === undefined ? Number.POSITIVE_INFINITY : LOOK_AGAIN_MS;
  }

  #askFirst(): void {
    const { clock } = this.#options;
    this.#leaps = clock.leaps;
    this.#asksUntil = clock.monotonic() + ASK_FIRST_MS;
  }
}
