import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Clock } from '../../src/engine/ports/base.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * By then, what has just happened has sent its request; if something takes longer, it merely finds the clock one timer
 * further on.
 */
const QUIET_MS = 4;
const LOOK_MS = 2;
const ENDS = ['undici:request:trailers', 'undici:request:error'] as const;

/**
 * A clock that leaps to its next timer whenever no request is under way: what a night waits hours for happens in
 * seconds, and no answer comes too late. It takes account of the requests of the whole process.
 */
export class LeapingClock implements Clock {
  #nowMs: number;
  #quietMs = 0;
  #requests = 0;
  readonly #timers = new Set<Timer>();
  readonly #looking: NodeJS.Timeout;

  /** @param now When its night begins, in milliseconds since the epoch. */
  constructor(now: number) {
    this.#nowMs = now;
    subscribe('undici:request:create', this.#began);
    for (const end of ENDS) subscribe(end, this.#ended);
    this.#looking = setInterval(() => this.#look(), LOOK_MS);
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#nowMs + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    this.#quietMs = 0;
    return () => this.#timers.delete(timer);
  }

  stop(): void {
    clearInterval(this.#looking);
    unsubscribe('undici:request:create', this.#began);
    for (const end of ENDS) unsubscribe(end, this.#ended);
  }

  readonly #began = (): void => void (this.#requests += 1);
  readonly #ended = (): void => void (this.#requests -= 1);

  #look(): void {
    this.#quietMs = this.#requests > 0 ? 0 : this.#quietMs + LOOK_MS;
    const next = [...this.#timers].toSorted((a, b) => a.at - b.at)[0];
    if (next === undefined || (next.at > this.#nowMs && this.#quietMs < QUIET_MS)) return;
    this.#quietMs = 0;
    this.#nowMs = Math.max(this.#nowMs, next.at);
    this.#timers.delete(next);
    next.callback();
  }
}
