/** How much was asked of an account at once and over time, by all workers together, as its gateway saw it. */
import { LIMITS, rowOfCharge, takeLongestStall, type WatchedAccount } from './accounts.ts';
import type { StoredTask } from './audit.ts';

export interface LimitsSeen {
  /** The most requests at an account beyond its pace and its burst, and how many are allowed. */
  readonly beyondPace: number;
  readonly mayBeBeyond: number;
  /** The most places beyond its own: none are allowed. */
  readonly beyondPlaces: number;
  /** The accounts at which more was asked for. */
  readonly broken: readonly string[];
}

/**
 * A request counts for the pace of an account when it leaves, but is seen when it arrives: on busy processors up to
 * this much later, and later still if the gateway stood still, so that requests that left apart may arrive together.
 */
const COMES_WITHIN_MS = 200;
/** A worker that is stopped between its last look and the first byte sends that one request once it goes on. */
const UNDER_THE_PEN = 1;
/** However late requests may be: if each worker had a budget of its own, they would be ahead by a whole budget. */
const MOST_BEYOND = LIMITS.requestsPerSecond - 1;

/** Judges a night that began at `since`; places exactly, and the pace as far as it can be seen. */
export function judgeLimits(
  accounts: readonly WatchedAccount[],
  tasks: readonly StoredTask[],
  since: number,
): LimitsSeen {
  const lateMs = COMES_WITHIN_MS + Math.round(takeLongestStall());
  const mayBeBeyond = Math.min(MOST_BEYOND, UNDER_THE_PEN + (lateMs / 1000) * LIMITS.requestsPerSecond);
  const seen = accounts.map((account) => ({
    name: account.name,
    pace: beyondPace(account, since),
    places: beyondPlaces(account, tasks, since),
  }));
  return {
    beyondPace: Math.max(...seen.map(({ pace }) => pace)),
    mayBeBeyond,
    beyondPlaces: Math.max(...seen.map(({ places }) => places)),
    broken: seen.flatMap(({ name, pace, places }) => [
      ...(pace > mayBeBeyond ? [`${name}: ${pace.toFixed(1)} requests beyond its pace; seen late: ${lateMs} ms`] : []),
      ...(places > 0 ? [`${name}: ${places} places beyond its ${LIMITS.places}`] : []),
    ]),
  };
}

/** How many requests of all workers came to an account beyond its pace and its burst, in the worst stretch of time. */
function beyondPace({ arrivals }: WatchedAccount, since: number): number {
  const { requestsPerSecond } = LIMITS;
  const times = arrivals.filter(({ at, kind }) => at >= since && kind !== 'media').map(({ at }) => at);
  let most = 0;
  let run = 0;
  let before = since;
  for (const at of times) {
    run = Math.max(0, run - ((at - before) / 1000) * requestsPerSecond) + 1;
    before = at;
    most = Math.max(most, run);
  }
  return most - requestsPerSecond;
}

/**
 * How many places an account had beyond its own at once. A task that was unknown at some time takes none: nobody knows
 * that it is there.
 */
function beyondPlaces({ gateway }: WatchedAccount, tasks: readonly StoredTask[], since: number): number {
  const unknown = new Set(tasks.filter(({ wasUnknown }) => wasUnknown).map(({ row }) => row));
  const charges = gateway.chargeLog().filter((charge) => charge.at >= since && !unknown.has(rowOfCharge(charge)));
  return Math.max(
    ...['musicgen/', 'videogen-b/'].map((family) => {
      const own = charges.filter(({ operation }) => operation.startsWith(family));
      const steps = own.flatMap(({ at, taskCode }) => [
        { at, by: 1 },
        { at: gateway.finishesAt(taskCode) ?? at, by: -1 },
      ]);
      let now = 0;
      let most = 0;
      for (const { by } of steps.toSorted((a, b) => a.at - b.at || a.by - b.by)) most = Math.max(most, (now += by));
      return most - LIMITS.places;
    }),
  );
}
