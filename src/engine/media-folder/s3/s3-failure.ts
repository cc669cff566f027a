/** What an S3 server's refusals mean, in words for the user. Its own message is not shown: it may name the access key. */
import { failure, type Failure } from '../../../shared/domain/base/failure.ts';

/** An answer of the server that is not the one that was hoped for. */
export interface S3Refusal {
  readonly status: number;
  /** The `Code` of its XML; undefined for an answer without a body. */
  readonly code: string | undefined;
  /** `x-amz-bucket-region`. */
  readonly region: string | undefined;
}

/** The server may answer otherwise in a moment. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'InternalError',
  'RequestTimeout',
  'RequestTimeoutException',
  'TooManyRequests',
  'Throttling',
  'ThrottlingException',
  'OperationAborted',
  'ConditionalRequestConflict',
]);
/** What arrived is not what was sent. */
const DAMAGED: ReadonlySet<string> = new Set(['BadDigest', 'XAmzContentSHA256Mismatch', 'XAmzContentChecksumMismatch']);
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** True if the same request may succeed in a moment. */
export function isPassing({ status, code }: S3Refusal): boolean {
  const isByCode = code !== undefined && (PASSING_CODES.has(code) || DAMAGED.has(code));
  return isByCode || PASSING_STATUSES.has(status);
}

const FULL_CODES: ReadonlySet<string> = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage']);

const RIGHTS = 'Its rights must include s3:GetObject, s3:PutObject and s3:ListBucket.';
const CREDENTIALS =
  'Nocturne takes them as AWS’s own tools do, from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE.';

/** In words by the server's code: what is wrong, and what to do about it. */
const WORDS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket at this server. Make it, or correct its name or AWS_ENDPOINT_URL.',
  AccessDenied: `the access key may not do that. ${RIGHTS}`,
  AllAccessDisabled: `nobody may use it. ${RIGHTS}`,
  AccountProblem: 'its account has a problem that its provider has to settle.',
  InvalidAccessKeyId: `the server does not know the access key. ${CREDENTIALS}`,
  SignatureDoesNotMatch: `the secret key does not belong to the access key. ${CREDENTIALS}`,
  ExpiredToken: `the credentials have expired. ${CREDENTIALS}`,
  InvalidToken: `the session token is not valid. ${CREDENTIALS}`,
  RequestTimeTooSkewed: 'the clock of this computer and that of the server differ too much. Set this one.',
  NotImplemented:
    'the server does not know what Nocturne needs: conditional writes (If-None-Match), so that nothing is ever replaced.',
  InvalidObjectState: 'the file is archived, and has to be restored before it can be read.',
  EntityTooLarge: 'a file is larger than the server allows.',
  BadDigest: 'what arrived is not what was sent, several times. Is something between here and the server changing it?',
  KeyTooLongError: 'a name is longer than the server allows. Give a shorter path in the bucket.',
};

/** Another region or another address has the bucket. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'IncorrectEndpoint',
]);

/** The failure for an answer that says no. `what` is a whole address; `doing` what was tried, such as `writing`. */
export function refusalFailure(what: string, doing: string, refusal: S3Refusal): Failure {
  const { status, code, region } = refusal;
  const data = { httpStatus: status, ...(code === undefined ? {} : { code }) };
  if ((code !== undefined && FULL_CODES.has(code)) || status === 507)
    return failure('DISK_FULL', `There is no room left at ${what}: the server’s quota is used up.`, data);
  const known = code === undefined ? undefined : WORDS[DAMAGED.has(code) ? 'BadDigest' : code];
  const words = known ?? otherWords(refusal, region);
  return failure('DISK_DENIED', `${what} cannot be used (${doing}): ${words}`, data);
}

function otherWords(refusal: S3Refusal, region: string | undefined): string {
  const { status, code } = refusal;
  if ((code !== undefined && ELSEWHERE.has(code)) || status === 301 || status === 307) {
    const where = region === undefined ? 'another region' : `the region ${region}`;
    return `the bucket is in ${where}. Set AWS_REGION to it, and AWS_ENDPOINT_URL to an address of it.`;
  }
  if (isPassing(refusal)) return `the server asks to come back later (${named(refusal)}).`;
  if (status === 403) return WORDS['AccessDenied'] ?? '';
  if (status === 401) return `the server does not accept the credentials. ${CREDENTIALS}`;
  return `the server refused it (${named(refusal)}).`;
}

/** A code of the server's as it may be shown: letters and digits. */
function named({ status, code }: S3Refusal): string {
  const plain = code?.replaceAll(/[^A-Za-z0-9._-]/gu, '').slice(0, 60) ?? '';
  return plain === '' ? `HTTP ${status}` : `HTTP ${status}, ${plain}`;
}

/** The failure for a server that was not reached, or whose answer broke off. */
export function unreachable(what: string, endpoint: string, reason: string): Failure {
  const message = `${what} cannot be used: ${endpoint} does not answer (${reason}). Is the network there, and is the address right?`;
  return failure('DISK_DENIED', message);
}
