import { FAMILIES, type Family } from '../../shared/domain/operations.ts';
import type { StatusCounts } from '../ports.ts';

/** The pace is judged by this many of the latest ends of a family. */
const ENDS_KEPT = 40;

/** How fast the families of a batch come to their ends; only since the batch was last set going. */
export class Pace {
  readonly #ends = new Map<Family, number[]>();
  #since: number;

  constructor(startedAt: number) {
    this.#since = startedAt;
  }

  /** After a pause, the time that nothing happened must not count. */
  restart(now: number): void {
    this.#ends.clear();
    this.#since = now;
  }

  /** A task of `family` has come to its end. */
  ended(family: Family, at: number): void {
    const ends = this.#ends.get(family) ?? [];
    ends.push(at);
    if (ends.length > ENDS_KEPT) ends.shift();
    this.#ends.set(family, ends);
  }

  /**
   * When the batch will be at its end if it goes on like this, milliseconds since the epoch; undefined while a family
   * that still has tasks has not brought enough of them to an end for a guess.
   */
  expectedEnd(counts: StatusCounts, now: number): number | undefined {
    let end: number | undefined;
    for (const family of FAMILIES) {
      const { queued, submitting, rendering, downloading } = counts[family];
      const left = queued + submitting + rendering + downloading;
      if (left === 0) continue;
      const ends = this.#ends.get(family) ?? [];
      const first = ends.length >= ENDS_KEPT ? ends[0] : this.#since;
      if (ends.length < 2 || first === undefined) return undefined;
      const perTaskMs = Math.max(1, now - first) / ends.length;
      end = Math.max(end ?? 0, now + left * perTaskMs);
    }
    return end === undefined ? undefined : Math.round(end);
  }
}
