import type { Random } from '../../src/engine/ports/base.ts';

/** Numbers that follow from a seed and a name alone, so that one stream never affects another. */
export class Stream implements Random {
  #state: number;

  constructor(seed: number, name: string) {
    this.#state = hashOf(`${seed}/${name}`);
  }

  /** In [0, 1). Source: splitmix32. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(part: number): boolean {
    return this.next() < part;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Few are common, many are rare: each further one has the probability `part`. */
  few(part: number, most: number): number {
    let count = 0;
    while (count < most && this.chance(part)) count += 1;
    return count;
  }

  /** With mean 0 and deviation 1. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return radius * Math.cos(2 * Math.PI * this.next());
  }
}

/** FNV-1a. */
export function hashOf(text: string, from = 0x811c9dc5): number {
  let hash = from;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
