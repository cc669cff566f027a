import { failure, saidBy, type Failure } from '../base/failure.ts';
import { reason } from '../base/reason.ts';
import type { SubmitOutcome } from './submit-outcome.ts';

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

/**
 * The wait that a gateway asked for, within reason; the backoff if it asked for none. A date that has passed, by a clock
 * that is wrong, and a zero are none: a row would be asked about as often as requests are allowed, all night.
 */
export function retryDelayMs(retryAfterMs: number | undefined, setbacks: number, random: number): number {
  return retryAfterMs === undefined || retryAfterMs < SECOND_MS
    ? backoffMs(setbacks, random)
    : Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
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

// Rate refusals that only words show: neither HTTP 429 nor that code in the envelope says so. The gateway may have
// accepted and charged each of these requests after all, so Nocturne does not repeat them through the night.

/** This many for one task are too many; with the waits below, the last one comes after more than ten minutes. */
const MOST_REFUSALS = 8;
const FIRST_WAIT_MS = 5000;

/** How many refusals in words alone a task has met since its last conclusive submit, from its latest failure. */
export function refusalsInWords(latest: Failure | undefined): number {
  const count = latest?.data?.['inWordsAlone'];
  return typeof count === 'number' ? count : 0;
}

/**
 * Counts an outcome after `before` refusals in words alone, and turns one too many into an unknown one. Other outcomes
 * that Nocturne resends (429, not sent) keep the count: the words between them may mislead as well.
 */
export function countedRefusal(outcome: SubmitOutcome, before: number): SubmitOutcome {
  if (outcome.kind !== 'rate-limited' && outcome.kind !== 'not-sent') return outcome;
  const isInWords = outcome.kind === 'rate-limited' && outcome.byWordsAlone === true;
  const inWordsAlone = isInWords ? before + 1 : before;
  if (inWordsAlone === 0) return outcome;
  const { code, data } = outcome.failure;
  const says = saidBy(outcome.failure);
  if (inWordsAlone < MOST_REFUSALS) return { ...outcome, failure: failure(code, says, { ...data, inWordsAlone }) };
  const doubt = reason('both', says, reason('refusedInWords', MOST_REFUSALS));
  return { kind: 'unknown', failure: failure('SUBMIT_OUTCOME_UNKNOWN', doubt, data) };
}

/** The minimum wait after this many refusals in words alone, in milliseconds: 5 s, then doubling. */
export function refusedWaitMs(refusals: number): number {
  return refusals === 0 ? 0 : FIRST_WAIT_MS * 2 ** (refusals - 1);
}
