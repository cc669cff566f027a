import type { Clock } from '../../src/engine/ports.ts';

/** A real clock that runs faster than the machine's, and whose wall time can be set by hand. */
export class FastClock implements Clock {
  readonly #speed: number;
  readonly #startedAt = Date.now();
  readonly #startedMonotonic = performance.now();
  #jumpedMs = 0;

  /** At a speed of 30 a minute passes in two seconds. */
  constructor(speed: number) {
    this.#speed = speed;
  }

  now(): number {
    return Math.round(this.#startedAt + this.#jumpedMs + this.monotonic());
  }

  monotonic(): number {
    return (performance.now() - this.#startedMonotonic) * this.#speed;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs) / this.#speed, 2_147_483_647));
    return () => clearTimeout(timer);
  }

  /** Moves the wall clock alone, as a correction of the system's time does. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
  }

  /** Resolves when so much of this clock's time has passed. */
  passed(ms: number): Promise<void> {
    return new Promise((resolve) => this.setTimer(ms, resolve));
  }
}
