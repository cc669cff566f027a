import type { Clock } from '../../src/engine/ports/base.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A real clock that runs faster than the machine's, can be stopped, and whose wall time can be set by hand. */
export class FastClock implements Clock {
  readonly #speed: number;
  readonly #startedAt = Date.now();
  readonly #timers = new Map<Timer, NodeJS.Timeout>();
  /** What had passed when the clock was last set going, and when that was; undefined while it stands. */
  #passedMs = 0;
  #goingSince: number | undefined = performance.now();
  #jumpedMs = 0;

  /** At a speed of 30 a minute passes in two seconds. */
  constructor(speed: number) {
    this.#speed = speed;
  }

  now(): number {
    return Math.round(this.#startedAt + this.#jumpedMs + this.monotonic());
  }

  monotonic(): number {
    const going = this.#goingSince === undefined ? 0 : performance.now() - this.#goingSince;
    return this.#passedMs + going * this.#speed;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer: Timer = { at: this.monotonic() + Math.max(0, delayMs), callback };
    this.#arm(timer);
    return () => {
      clearTimeout(this.#timers.get(timer));
      this.#timers.delete(timer);
    };
  }

  /** Moves the wall clock alone, as a correction of the system's time does. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
  }

  /** Resolves when so much of this clock's time has passed. */
  passed(ms: number): Promise<void> {
    return new Promise((resolve) => this.setTimer(ms, resolve));
  }

  /** Stands still while something is done that takes the machine longer than a night should notice. */
  async stoppedFor(work: () => Promise<void>): Promise<void> {
    this.#passedMs = this.monotonic();
    this.#goingSince = undefined;
    for (const handle of this.#timers.values()) clearTimeout(handle);
    try {
      await work();
    } finally {
      this.#goingSince = performance.now();
      for (const timer of this.#timers.keys()) this.#arm(timer);
    }
  }

  /** Timers that are set while the clock stands wait until it goes. */
  #arm(timer: Timer): void {
    const realMs = Math.min(Math.max(0, timer.at - this.monotonic()) / this.#speed, 2_147_483_647);
    const fire = (): void => {
      this.#timers.delete(timer);
      timer.callback();
    };
    this.#timers.set(timer, setTimeout(fire, realMs));
    if (this.#goingSince === undefined) clearTimeout(this.#timers.get(timer));
  }
}
