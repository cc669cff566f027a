import type { Profile } from '../../shared/domain/gateway/profile.ts';
import type { Clock } from '../ports/base.ts';

/** One way to pass a task code to a result operation. */
export type TaskCodeWay = { readonly in: 'query'; readonly name: string } | { readonly in: 'path' };

const QUERY_NAMES = ['taskCode', 'taskId', 'task_id', 'id'] as const;

/** After a search that found nothing, the next one waits this long: the gateway may simply not know the task yet. */
const SEARCH_PAUSE_MS = 60_000;

/**
 * The target of a poll, fully encoded: whatever the code contains, it stays one parameter or one segment. Undefined if
 * that is impossible: `.` and `..` are not segments, and half a character cannot be sent.
 */
export function pollTarget(resultPath: string, way: TaskCodeWay, taskCode: string): string | undefined {
  if (/\p{Surrogate}/u.test(taskCode) || (way.in === 'query' && /\p{Surrogate}/u.test(way.name))) return undefined;
  const code = encodeURIComponent(taskCode);
  if (way.in === 'query') return `${resultPath}?${encodeURIComponent(way.name)}=${code}`;
  return /^\.{0,2}$/.test(code) ? undefined : `${resultPath}/${code}`;
}

/** Knows how this gateway wants the code: from the profile, or, if that says "detect", from what has worked. */
export class TaskCodeWays {
  readonly #ways: readonly TaskCodeWay[];
  readonly #clock: Clock;
  #current: TaskCodeWay;
  #isSettled: boolean;
  #isSearching = false;
  #searchAgainAt = Number.NEGATIVE_INFINITY;

  constructor(taskCode: Profile['taskCode'], clock: Clock) {
    const first: TaskCodeWay = taskCode.in === 'path' ? { in: 'path' } : { in: 'query', name: taskCode.name };
    const names = QUERY_NAMES.filter((name) => first.in === 'path' || name !== first.name);
    this.#ways = [first, ...names.map((name): TaskCodeWay => ({ in: 'query', name })), { in: 'path' }];
    this.#current = first;
    this.#isSettled = taskCode.in !== 'detect';
    this.#clock = clock;
  }

  get current(): TaskCodeWay {
    return this.#current;
  }

  /** A record came back this way: it is the gateway's. */
  worked(way: TaskCodeWay): void {
    this.#current = way;
    this.#isSettled = true;
  }

  /**
   * Tries the other ways with `attempt`, one after another, until it says to stop. Only one search runs at a time, and
   * none once a way has worked.
   */
  async search(attempt: (way: TaskCodeWay) => Promise<'next' | 'stop'>): Promise<void> {
    const now = this.#clock.monotonic();
    if (this.#isSettled || this.#isSearching || now < this.#searchAgainAt) return;
    this.#isSearching = true;
    this.#searchAgainAt = now + SEARCH_PAUSE_MS;
    for (const way of this.#ways) {
      if (way === this.#current) continue;
      if ((await attempt(way)) === 'stop') break;
    }
    this.#isSearching = false;
  }
}

/** How many codes are remembered; a longer night forgets its oldest. */
const MAX_CODES = 20_000;

/**
 * Recognises records of another task than the requested one. A record's `taskId` may be the task code or the gateway's
 * own id, so it belongs to another task only if it is that task's code, or if this result operation has been seen to
 * repeat the code.
 */
export class RecordOwners {
  readonly #codes = new Set<string>();
  readonly #repeating = new Set<string>();

  /** Whether the record that came for `taskCode` belongs to another task. */
  isForeign(resultPath: string, taskCode: string, taskId: string): boolean {
    this.#codes.delete(taskCode);
    this.#codes.add(taskCode);
    if (this.#codes.size > MAX_CODES) {
      for (const oldest of this.#codes) {
        this.#codes.delete(oldest);
        break;
      }
    }
    if (taskId === '') return false;
    if (taskId === taskCode) {
      this.#repeating.add(resultPath);
      return false;
    }
    return this.#repeating.has(resultPath) || this.#codes.has(taskId);
  }
}
