const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waiting times after each setback, in milliseconds (design: limits; used when there is no `Retry-After`). */
const STEPS_MS = [5_000, 10_000, 20_000, 30_000] as const;

/** `Retry-After` is honoured up to this long. */
export const MAX_RETRY_AFTER_MS = 15 * 60_000;

/**
 * How long to wait after each failed attempt to fetch an output, in milliseconds: briefly at first, for passing
 * troubles, then through the night. Asking for a file again costs nothing; rendering it again would.
 */
const DOWNLOAD_WAITS_MS = [
  5 * SECOND_MS,
  10 * SECOND_MS,
  20 * SECOND_MS,
  MINUTE_MS,
  3 * MINUTE_MS,
  10 * MINUTE_MS,
  20 * MINUTE_MS,
  40 * MINUTE_MS,
  HOUR_MS,
  HOUR_MS,
  HOUR_MS,
  HOUR_MS,
] as const;

/** Attempts to fetch one output, over five and a quarter hours, before its task fails. */
export const MAX_DOWNLOAD_TRIES = DOWNLOAD_WAITS_MS.length + 1;

/** This many attempts come within seconds; after them an output waits for hours without holding up anything else. */
export const QUICK_DOWNLOAD_TRIES = 3;

/** Nocturne uses an address once more this long before it is known to expire. */
const BEFORE_EXPIRY_MS = 30 * SECOND_MS;

/**
 * How long to wait after the `setbacks`-th setback in succession (from 1), in milliseconds: 5, 10, 20, then 30 s, each
 * 100 % to 125 % so that tasks that failed together do not come back together. `random` is in [0, 1).
 */
export function backoffMs(setbacks: number, random: number): number {
  const step = STEPS_MS[Math.min(Math.max(setbacks, 1), STEPS_MS.length) - 1] ?? STEPS_MS[3];
  return Math.round(step * (1 + random / 4));
}

/** The wait that a gateway asked for, within reason; the backoff if it asked for none. */
export function retryDelayMs(retryAfterMs: number | undefined, setbacks: number, random: number): number {
  return retryAfterMs === undefined
    ? backoffMs(setbacks, random)
    : Math.min(Math.max(retryAfterMs, 0), MAX_RETRY_AFTER_MS);
}

/** What the wait before the next fetch depends on, besides the earlier attempts. */
export interface DownloadWait {
  /** The wait that the server asked for. */
  readonly retryAfterMs?: number | undefined;
  /** Time until the address is known to expire. */
  readonly expiresInMs?: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * How long to wait after the `tries`-th failed attempt (from 1) to fetch an output, in milliseconds: the schedule's
 * step, up to a twentieth longer so that files that failed together do not come back together. A longer `Retry-After`
 * is honoured. If the address expires within the wait, it is used once more before that, but never sooner than the
 * previous step: otherwise addresses that live for a minute would use up all attempts within minutes.
 */
export function downloadWaitMs(tries: number, { retryAfterMs, expiresInMs, random }: DownloadWait): number {
  const asked = retryAfterMs === undefined ? 0 : retryDelayMs(retryAfterMs, tries, random);
  const wait = Math.max(Math.round(downloadStepMs(tries) * (1 + random / 20)), asked);
  const lastUse = (expiresInMs ?? Number.POSITIVE_INFINITY) - BEFORE_EXPIRY_MS;
  return lastUse < wait && lastUse >= Math.max(downloadStepMs(tries - 1), asked) ? lastUse : wait;
}

function downloadStepMs(tries: number): number {
  const index = Math.min(Math.max(tries, 1), DOWNLOAD_WAITS_MS.length) - 1;
  return DOWNLOAD_WAITS_MS[index] ?? HOUR_MS;
}
