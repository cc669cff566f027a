import { FAMILIES, type Family } from '../../shared/domain/operations/operations.ts';
import type { StatusCounts } from '../ports/task-store.ts';
import { TERMINAL_STATUSES, type Task } from '../../shared/domain/task/task.ts';

/** The pace is taken from this many of a family's latest ends. */
const ENDS_KEPT = 40;

/** How fast the families of a batch finish, counted only since the batch last started or resumed. */
export class Pace {
  readonly #ends = new Map<Family, number[]>();
  #since: number;

  constructor(startedAt: number) {
    this.#since = startedAt;
  }

  /** After a pause, the idle time must not count. */
  restart(now: number): void {
    this.#ends.clear();
    this.#since = now;
  }

  /** A task of `family` has ended. */
  ended(family: Family, at: number): void {
    const ends = this.#ends.get(family) ?? [];
    ends.push(at);
    if (ends.length > ENDS_KEPT) ends.shift();
    this.#ends.set(family, ends);
  }

  /**
   * When the batch will end, or pause at its limit, at the present pace, in milliseconds since the epoch; undefined
   * while a family that still has tasks has too few ends for a guess.
   * @param submitsLeft Submits left within its limit.
   */
  expectedEnd(counts: StatusCounts, now: number, submitsLeft = Number.POSITIVE_INFINITY): number | undefined {
    const waiting = FAMILIES.reduce((sum, family) => sum + counts[family].queued, 0);
    // Which waiting tasks will still be submitted is unknown: each family gets its share of what is left.
    const share = waiting === 0 ? 0 : Math.min(1, Math.max(0, submitsLeft) / waiting);
    let end: number | undefined;
    for (const family of FAMILIES) {
      const { queued, submitting, rendering, downloading } = counts[family];
      const moving = submitting + rendering + downloading;
      const left = moving + Math.ceil(queued * share);
      if (left === 0) continue;
      const ends = this.#ends.get(family) ?? [];
      const first = ends.length >= ENDS_KEPT ? ends[0] : this.#since;
      // If the limit may be used up first, a family with nothing running says nothing about the pace.
      if (share < 1 && moving === 0 && ends.length < 2) continue;
      if (ends.length < 2 || first === undefined) return undefined;
      const perTaskMs = Math.max(1, now - first) / ends.length;
      end = Math.max(end ?? 0, now + left * perTaskMs);
    }
    return end === undefined ? undefined : Math.round(end);
  }
}

/**
 * Whether a change of a task should write the documents of its batch although the batch is not at rest: as soon as only
 * files that are retried for hours are left, and at each end after that. Anyone who opens the folder in the morning
 * then finds it complete except for these files.
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
