import { FAMILIES, type Family } from '../../shared/domain/operations/operations.ts';
import type { StatusCounts } from '../ports.ts';
import { TERMINAL_STATUSES, type Task } from '../../shared/domain/task/task.ts';

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
   * When the batch will be at its end, or pause at its limit, if it goes on like this, milliseconds since the epoch;
   * undefined while a family that still has tasks has not brought enough of them to an end for a guess.
   * @param submitsLeft Submits that its limit leaves.
   */
  expectedEnd(counts: StatusCounts, now: number, submitsLeft = Number.POSITIVE_INFINITY): number | undefined {
    const waiting = FAMILIES.reduce((sum, family) => sum + counts[family].queued, 0);
    // Which of those that wait will still be submitted is not known: each family gets its share of what is left.
    const share = waiting === 0 ? 0 : Math.min(1, Math.max(0, submitsLeft) / waiting);
    let end: number | undefined;
    for (const family of FAMILIES) {
      const { queued, submitting, rendering, downloading } = counts[family];
      const moving = submitting + rendering + downloading;
      const left = moving + Math.ceil(queued * share);
      if (left === 0) continue;
      const ends = this.#ends.get(family) ?? [];
      const first = ends.length >= ENDS_KEPT ? ends[0] : this.#since;
      // Where the limit may be used up before its turn, a family of which nothing runs tells nothing.
      if (share < 1 && moving === 0 && ends.length < 2) continue;
      if (ends.length < 2 || first === undefined) return undefined;
      const perTaskMs = Math.max(1, now - first) / ends.length;
      end = Math.max(end ?? 0, now + left * perTaskMs);
    }
    return end === undefined ? undefined : Math.round(end);
  }
}

/**
 * Says of every change of a task whether the documents of its batch are to be written although it is not at rest: when
 * nothing is left of it but files that are asked for again for hours, and at each end after that. Who looks into the
 * folder in the morning finds it complete but for these.
 */
export function almostDoneNotice(isLeftWithRetries: (batchId: string) => boolean): (task: Task) => boolean {
  const noticed = new Set<string>();
  return ({ batchId, status }) => {
    if (!isLeftWithRetries(batchId)) {
      noticed.delete(batchId);
      return false;
    }
    const isFirst = !noticed.has(batchId);
    noticed.add(batchId);
    return isFirst || TERMINAL_STATUSES.has(status);
  };
}
