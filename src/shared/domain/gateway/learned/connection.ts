/** What a test of the connection to a gateway has shown, for a user who is about to trust it with a night. */
import { domainWords } from '../../../words/domain-words.ts';

/**
 * `works`: a gateway of this kind answers and does not refuse the key. `key-missing`: the same, but there is no key to
 * try. `path-unclear`: it answers 404, which a right path and a wrong one may mean. `wrong-path`: it says that it does
 * not know the path. `unclear`: something answers and cannot say more now.
 */
export const CONNECTION_RESULTS = [
  'works',
  'key-missing',
  'key-rejected',
  'path-unclear',
  'unclear',
  'wrong-path',
  'not-a-gateway',
  'unreachable',
] as const;
export type ConnectionResult = (typeof CONNECTION_RESULTS)[number];

/** Why no answer came. */
export const UNREACHABLE_REASONS = ['name', 'refused', 'certificate', 'no-answer', 'other'] as const;
export type UnreachableReason = (typeof UNREACHABLE_REASONS)[number];

export interface ConnectionReport {
  readonly result: ConnectionResult;
  /** Only if it is unreachable. */
  readonly reason?: UnreachableReason | undefined;
  /** What was asked: a GET of this address, which costs nothing. */
  readonly asked: string;
  /** What came, in the gateway's or the network's own words. */
  readonly came: string;
  /** The beginning of the answer's body, without the key; absent if no answer came. */
  readonly body?: string | undefined;
}

/** Why a request without an answer failed, from what the network said. */
export function unreachableReason(said: string): UnreachableReason {
  if (/ENOTFOUND|EAI_AGAIN|EAI_NODATA/u.test(said)) return 'name';
  if (/ECONNREFUSED/u.test(said)) return 'refused';
  if (/CERT|certificate|SSL|TLS|EPROTO/iu.test(said)) return 'certificate';
  if (/deadline|TIMEDOUT|TIMEOUT|timed? ?out/iu.test(said)) return 'no-answer';
  return 'other';
}

/** A report in one line, and what to do about it. */
export function connectionWords({ result, reason = 'other' }: ConnectionReport): {
  readonly title: string;
  readonly advice: string;
} {
  const { results, unreachable } = domainWords.operations.connection;
  return result === 'unreachable' ? { title: unreachable.title, advice: unreachable.advice[reason] } : results[result];
}
