/**
 * Refusals for the rate that only words tell: neither HTTP 429 nor that code in the envelope. A request behind each of
 * them may have been accepted and charged after all, so that they are not repeated through the night.
 */
import { failure } from '../task/failure.ts';
import type { Failure } from '../task/failure.ts';
import type { SubmitOutcome } from './submit-outcome.ts';

/** So many of one task are too many; with the waits below the last comes after more than ten minutes. */
const MOST_REFUSALS = 8;
const FIRST_WAIT_MS = 5000;

/** How many refusals in words alone a task has met since its last submit that came to an end, as its latest failure says. */
export function refusalsInWords(latest: Failure | undefined): number {
  const count = latest?.data?.['inWordsAlone'];
  return typeof count === 'number' ? count : 0;
}

/**
 * Counts an outcome after `before` refusals in words alone, and turns one too many into an unknown one. What else is
 * sent again by itself (429, not sent) keeps the count: between them the words may deceive as well.
 */
export function countedRefusal(outcome: SubmitOutcome, before: number): SubmitOutcome {
  if (outcome.kind !== 'rate-limited' && outcome.kind !== 'not-sent') return outcome;
  const isInWords = outcome.kind === 'rate-limited' && outcome.byWordsAlone === true;
  const inWordsAlone = isInWords ? before + 1 : before;
  if (inWordsAlone === 0) return outcome;
  const { code, message, data } = outcome.failure;
  if (inWordsAlone < MOST_REFUSALS) return { ...outcome, failure: failure(code, message, { ...data, inWordsAlone }) };
  const doubt = `It was refused ${MOST_REFUSALS} times in words alone, without HTTP 429: each time it may have been accepted and charged.`;
  return { kind: 'unknown', failure: failure('SUBMIT_OUTCOME_UNKNOWN', `${message} ${doubt}`, data) };
}

/** The least wait after so many refusals in words alone, in milliseconds: 5 s, then twice as long each time. */
export function refusedWaitMs(refusals: number): number {
  return refusals === 0 ? 0 : FIRST_WAIT_MS * 2 ** (refusals - 1);
}
