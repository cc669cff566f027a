import { assertNever } from '../shared/domain/base/result.ts';
import { spreadHashOf } from '../shared/domain/base/text.ts';
import type { DurationLaw } from './faults/behaviour.ts';

/** A 32-bit hash of the parts: the same parts give the same number. */
export function hash32(...parts: readonly (string | number)[]): number {
  return spreadHashOf(parts.map((part) => `${part}\0`).join(''));
}

/** A stream of numbers that depends only on its seed (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(...seed: readonly (string | number)[]) {
    this.#state = hash32(...seed);
  }

  /** At least 0 and below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** An integer, at least 0 and below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** At least `low` and below `high`. */
  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error('Nothing to pick from');
    return picked;
  }
}

/** Draws a duration from its distribution, in seconds. */
export function drawSeconds(law: DurationLaw, random: SeededRandom): number {
  switch (law.law) {
    case 'fixed':
      return law.seconds;
    case 'uniform':
      return random.between(law.minSeconds, law.maxSeconds);
    case 'lognormal': {
      const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
      return law.medianSeconds * Math.exp(law.sigma * radius * Math.cos(2 * Math.PI * random.next()));
    }
    default:
      return assertNever(law);
  }
}
