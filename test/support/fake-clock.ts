import type { Clock } from '../../src/engine/ports/base.ts';
import { FAKE_CLOCK_HOUR } from './zone-at.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until a test moves it: timers fire in order, and what they set off has run before the next
 * one fires.
 */
export class FakeClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;
  #nextId = 1;
  /**
   * Whether something is under way that no timer waits for: the clock then waits for that before it goes on to the end.
   */
  isBusy: () => boolean = () => false;
  readonly #timers = new Map<number, Timer>();

  constructor(now = Date.UTC(2026, 0, 15, FAKE_CLOCK_HOUR, 0, 0)) {
    this.#nowMs = now;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const id = this.#nextId++;
    this.#timers.set(id, { at: this.#monotonicMs + Math.max(0, delayMs), callback });
    return () => {
      this.#timers.delete(id);
    };
  }

  /** How many timers are pending: with the real clock each would keep the process alive. */
  timers(): number {
    return this.#timers.size;
  }

  /** Forgets every timer, as the end of a process does. */
  forgetTimers(): void {
    this.#timers.clear();
  }

  /** Moves the wall clock alone, as a correction of the system's time does. */
  jump(ms: number): void {
    this.#nowMs += ms;
  }

  /** The process stands still for this long: timers that fall due meanwhile fire late, when the clock goes on. */
  standStill(ms: number): void {
    this.#passTo(this.#monotonicMs + ms);
  }

  /** Lets `ms` pass: every timer that falls due fires at its own time. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonicMs + ms;
    await settle();
    for (let next = this.#first(end); next !== undefined || this.isBusy(); next = this.#first(end)) {
      if (next !== undefined) this.#fire(next);
      await settle();
    }
    this.#passTo(end);
    await settle();
  }

  /** Lets time pass in steps until `condition` holds; fails the test when it does not within `limitMs`. */
  async advanceUntil(condition: () => boolean | Promise<boolean>, limitMs = 48 * 3_600_000): Promise<void> {
    const end = this.#monotonicMs + limitMs;
    await settle();
    while (!(await condition())) {
      const next = this.#first(end);
      if (next !== undefined) this.#fire(next);
      else if (!this.isBusy()) throw new Error(`Nothing more happens, and the condition does not hold.`);
      await settle();
    }
  }

  #fire([id, { at, callback }]: [number, Timer]): void {
    this.#timers.delete(id);
    this.#passTo(at);
    callback();
  }

  #first(end: number): [number, Timer] | undefined {
    let first: [number, Timer] | undefined;
    for (const entry of this.#timers) {
      if (entry[1].at <= end && (first === undefined || entry[1].at < first[1].at)) first = entry;
    }
    return first;
  }

  #passTo(at: number): void {
    const passed = Math.max(0, at - this.#monotonicMs);
    this.#monotonicMs += passed;
    this.#nowMs += passed;
  }
}

/** Lets everything run that is waiting for promises. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
