/** What a test of the connection to a gateway has shown, for whoever is about to trust it with a night. */

/**
 * `works`: a gateway of this kind answers and does not refuse the key. `key-missing`: the same, but there is no key to
 * try. `unclear`: something answers and cannot say more now.
 */
export const CONNECTION_RESULTS = [
  'works',
  'key-missing',
  'key-rejected',
  'unclear',
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

/** A report in a line, and what to do about it. */
export function connectionWords({ result, reason = 'other' }: ConnectionReport): {
  readonly title: string;
  readonly advice: string;
} {
  switch (result) {
    case 'works':
      return { title: 'The connection works', advice: 'The gateway answers and accepts the key. Nothing was paid.' };
    case 'key-missing':
      return {
        title: 'A gateway answers here',
        advice: 'Enter its key, then test again to see whether it is accepted.',
      };
    case 'key-rejected':
      return {
        title: 'The gateway rejects the key',
        advice: 'Copy the key again. It must belong to this gateway and still be valid.',
      };
    case 'unclear':
      return {
        title: 'Something answers, but it is in trouble',
        advice: 'The address may be right. Test again in a few minutes.',
      };
    case 'not-a-gateway':
      return {
        title: 'This is not a gateway that Nocturne understands',
        advice: 'Check the base URL, above all its path: it is the address before /musicgen and /videogen-b.',
      };
    case 'unreachable':
      return { title: 'The gateway cannot be reached', advice: UNREACHABLE_ADVICE[reason] };
  }
}

const UNREACHABLE_ADVICE: Readonly<Record<UnreachableReason, string>> = {
  name: 'Its name is not known to the network. Check the spelling, and whether this machine is online.',
  refused: 'Nothing listens at that address and port. Check the port, and whether the gateway runs.',
  certificate:
    'Its certificate does not prove that it is this gateway, so no key was sent. Check the address, the clock of this machine, and whether a proxy stands between.',
  'no-answer': 'No answer came in time. Check the address, and whether a firewall stands between.',
  other: 'Check the address and the network.',
};
