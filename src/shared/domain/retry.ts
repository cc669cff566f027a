/** Steps of the waiting time after a setback, in milliseconds (design: limits; used where no `Retry-After` was given). */
const STEPS_MS = [5_000, 10_000, 20_000, 30_000] as const;

/** `Retry-After` is honoured up to this long. */
export const MAX_RETRY_AFTER_MS = 15 * 60_000;

/** Times a failed download of one output is tried again before its task fails. */
export const MAX_DOWNLOAD_TRIES = 6;

/**
 * How long to wait after the `setbacks`-th setback in a row (from 1), in milliseconds: 5, 10, 20, then 30 s, each
 * between 100 % and 125 % so that tasks that failed together do not come back together. `random` is in [0, 1).
 */
export function backoffMs(setbacks: number, random: number): number {
  const step = STEPS_MS[Math.min(Math.max(setbacks, 1), STEPS_MS.length) - 1] ?? STEPS_MS[3];
  return Math.round(step * (1 + random / 4));
}

/** The wait that a gateway asked for, kept within reason; the backoff where it asked for none. */
export function retryDelayMs(retryAfterMs: number | undefined, setbacks: number, random: number): number {
  return retryAfterMs === undefined
    ? backoffMs(setbacks, random)
    : Math.min(Math.max(retryAfterMs, 0), MAX_RETRY_AFTER_MS);
}
