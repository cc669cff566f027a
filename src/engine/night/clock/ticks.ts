import { Alarm, type SteadyClock } from './steady-clock.ts';

/** What becomes due this soon after a tick waits for a moment: several steps in one tick cost little more than one. */
const TICK_MS = 25;

export interface TicksOptions {
  readonly clock: SteadyClock;
  /** Aborted when the night ends: no tick begins then. */
  readonly ending: AbortSignal;
  /** Checks everything that is due, and says with {@link Ticks.wakeSoon} when the next check is. */
  readonly look: () => Promise<void>;
  /** Starts what is due and waits for nothing. */
  readonly startDue: () => void;
  /** Keeps the night from ending before this work is done. */
  readonly untilDone: (work: Promise<void>) => Promise<void>;
}

/** When the night looks at everything: by its own timer or when it is woken, and one look at a time. */
export class Ticks {
  readonly #options: TicksOptions;
  readonly #alarm: Alarm;
  #ticking: Promise<void> | undefined;
  /** When the last tick began, by the monotonic clock. */
  #tickedAt = Number.NEGATIVE_INFINITY;
  /** A wake came during the tick: another tick follows. */
  #isTickWanted = false;

  constructor(options: TicksOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => void this.tick());
  }

  /** Looks now; if a look is under way, only starts what is due, and has another look follow. */
  tick(): Promise<void> {
    const { ending, startDue, untilDone } = this.#options;
    if (ending.aborted) return Promise.resolve();
    if (this.#ticking === undefined) {
      this.#ticking = untilDone(this.#tickOn());
    } else {
      startDue();
      this.#isTickWanted = true;
    }
    return this.#ticking;
  }

  async #tickOn(): Promise<void> {
    const { clock, ending, look } = this.#options;
    try {
      do {
        this.#isTickWanted = false;
        this.#alarm.stop();
        this.#tickedAt = clock.monotonic();
        await look();
      } while (this.#isTickWanted && !ending.aborted);
    } finally {
      this.#ticking = undefined;
    }
  }

  /** Checks everything again after this long, or sooner. */
  wake(delayMs = 0): void {
    if (!this.#options.ending.aborted) this.#alarm.set(delayMs);
  }

  /** The same, but not right after the last tick. */
  wakeSoon(delayMs = 0): void {
    this.wake(Math.max(delayMs, this.#tickedAt + TICK_MS - this.#options.clock.monotonic()));
  }

  /** No tick comes by itself any more. */
  stop(): void {
    this.#alarm.stop();
  }
}
