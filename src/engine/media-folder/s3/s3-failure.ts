/**
 * What an S3 server's refusals mean, in words for the user. Its own message is not shown: it may name the access key.
 */
import { failure, type Failure } from '../../../shared/domain/base/failure.ts';
import { reason, type Saying } from '../../../shared/domain/base/reason.ts';
import { reasonsWords } from '../../../shared/words/en/reasons.ts';

/** An answer that reports a failure. */
export interface S3Refusal {
  readonly status: number;
  /** The `Code` of its XML; undefined for an answer without a body. */
  readonly code: string | undefined;
  /** `x-amz-bucket-region`. */
  readonly region: string | undefined;
}

/** The server may answer differently in a moment. */
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

/** Another region or another address has the bucket. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'IncorrectEndpoint',
]);

/** The failure for a refusal. `what` is a whole address; `doing` is what was tried, such as `writing`. */
export function refusalFailure(what: string, doing: string, refusal: S3Refusal): Failure {
  const { status, code, region } = refusal;
  const data = { httpStatus: status, ...(code === undefined ? {} : { code }) };
  if ((code !== undefined && FULL_CODES.has(code)) || status === 507)
    return failure('DISK_FULL', reason('bucketFull', what), data);
  return failure('DISK_DENIED', reason('bucketRefused', what, doing, wordsOf(refusal, region)), data);
}

function isNamed(code: string): code is keyof typeof reasonsWords.bucket {
  return Object.hasOwn(reasonsWords.bucket, code);
}

function wordsOf(refusal: S3Refusal, region: string | undefined): Saying {
  const { status, code } = refusal;
  if (code !== undefined && DAMAGED.has(code)) return reason('bucket.BadDigest');
  if (code !== undefined && isNamed(code)) return reason(`bucket.${code}`);
  if ((code !== undefined && ELSEWHERE.has(code)) || status === 301 || status === 307) {
    return reason('bucketElsewhere', region ?? '');
  }
  if (isPassing(refusal)) return reason('bucketLater', named(refusal));
  if (status === 403) return reason('bucket.AccessDenied');
  if (status === 401) return reason('bucketCredentials');
  return reason('bucketOther', named(refusal));
}

/** The server's code in a form that may be shown: letters and digits. */
function named({ status, code }: S3Refusal): string {
  const plain = code?.replaceAll(/[^A-Za-z0-9._-]/gu, '').slice(0, 60) ?? '';
  return plain === '' ? `HTTP ${status}` : `HTTP ${status}, ${plain}`;
}

/** The failure for a server that could not be reached, or whose answer broke off. */
export function unreachable(what: string, endpoint: string, why: string): Failure {
  return failure('DISK_DENIED', reason('bucketSilent', what, endpoint, why));
}
