import type { Json } from '../../shared/domain/base/json.ts';
import {
  type SubmitAnswer,
  type Envelope,
  codeIsGood,
  gatewaySays,
  meaningWithHttp,
} from '../../shared/domain/gateway/submit-outcome.ts';
import { type ReadBody, type UnreadBody, isObject, WORD_FIELDS } from './envelope.ts';
import { errorMeaning } from '../../shared/domain/gateway/error-meaning.ts';
import { saysNotFound } from '../../shared/domain/gateway/status-meaning.ts';
import { failure, type FailureCode } from '../../shared/domain/base/failure.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import type { Operation } from '../../shared/domain/operations/operations.ts';
import type { PollAnswer } from '../../shared/domain/gateway/poll-answer.ts';
import type { ErrorMeaning, Profile } from '../../shared/domain/gateway/profile.ts';
import { present } from '../../shared/domain/base/result.ts';
import { readRecord } from './read-record.ts';

export interface SubmitResponse {
  readonly httpStatus: number;
  readonly body: ReadBody | UnreadBody;
  readonly retryAfterMs: number | undefined;
}

/** What an answer to a submit says, before judging it. `sent` is the request's body: an echo of it is not evidence. */
export function readSubmitAnswer({ httpStatus, body, retryAfterMs }: SubmitResponse, sent: Uint8Array): SubmitAnswer {
  const isRead = 'envelope' in body;
  const seen = body.seenTaskCode();
  const isEcho = seen !== undefined && new TextDecoder().decode(sent).includes(JSON.stringify(seen));
  return {
    httpStatus,
    envelope: isRead ? body.envelope : undefined,
    bodyIs: isRead ? '' : body.bodyIs,
    ...(seen === undefined || isEcho ? {} : { seenTaskCode: seen }),
    ...(isRead && saysMoreThanWords(body.result) ? { holdsResult: true } : {}),
    ...present({ retryAfterMs }),
  };
}

/** True for a result that contains anything besides the words of an error. */
function saysMoreThanWords(result: Json): boolean {
  if (!isObject(result)) return !isBlank(result);
  return Object.entries(result).some(([name, value]) => !WORD_FIELDS.has(name) && !isBlank(value));
}

function isBlank(value: Json): boolean {
  if (typeof value === 'string') return value.trim() === '';
  if (typeof value !== 'object') return value === 0 || value === false;
  return value === null || Object.keys(value).length === 0;
}

export interface PollResponse {
  readonly httpStatus: number;
  readonly body: ReadBody | UnreadBody;
  readonly retryAfterMs: number | undefined;
}

/**
 * What an answer to a poll says, before it is judged (rules 1 and 2 of the inference distinguish the two bad kinds).
 */
export function readPollAnswer(response: PollResponse, operation: Operation, profile: Profile): PollAnswer {
  const { httpStatus, body } = response;
  const envelope = 'envelope' in body ? body.envelope : undefined;
  // Checked only after an error: most answers report success, and the patterns cost more than reading them.
  const byWords = () => (envelope === undefined ? undefined : errorMeaning(profile, envelope.code, envelope.words));
  if (httpStatus === 401) return refusal(response, 'auth', 'AUTH_REJECTED');
  if (httpStatus === 402 || (httpStatus === 429 && byWords() === 'balance')) {
    return refusal(response, 'balance', 'BALANCE_EXHAUSTED');
  }
  if (httpStatus === 429) return pollError(response, 'RATE_LIMITED');
  if (httpStatus === 408 || httpStatus >= 500) return pollError(response, 'GATEWAY_UNAVAILABLE');
  // Asking again gives the same answer: after a few times Nocturne believes it, as it does other refusals.
  if ('isTooDeep' in body && body.isTooDeep) return refusal(response, 'other', 'REMOTE_FAILED');
  if (!('envelope' in body) || (httpStatus >= 300 && httpStatus < 400)) return pollError(response, 'GATEWAY_PROTOCOL');
  const isRefused =
    httpStatus >= 400 ||
    body.envelope.failure === true ||
    !codeIsGood(profile, body.envelope.code) ||
    (body.envelope.success === false && !hasRecord(body));
  return isRefused
    ? refusedByWords(response, body, refusalMeaning(response, body.envelope, profile))
    : { kind: 'record', record: readRecord(body, operation) };
}

/**
 * As for a submit, except for a code 403 in the envelope whose words are about what this task asks for: it must not
 * stop the polls of all other tasks.
 */
function refusalMeaning(
  { httpStatus }: PollResponse,
  { code, words }: Envelope,
  profile: Profile,
): ErrorMeaning | undefined {
  const meaning = meaningWithHttp(errorMeaning(profile, code, words), httpStatus);
  const isOfTaskAlone = code === '403' && httpStatus !== 403 && errorMeaning(profile, '', words) === 'invalid';
  return meaning === 'auth' && isOfTaskAlone ? 'invalid' : meaning;
}

function hasRecord({ result }: ReadBody): boolean {
  return Array.isArray(result) ? result.length > 0 : isObject(result) && Object.keys(result).length > 0;
}

function refusedByWords(response: PollResponse, body: ReadBody, meaning: ErrorMeaning | undefined): PollAnswer {
  switch (meaning) {
    case 'auth':
      return refusal(response, 'auth', 'AUTH_REJECTED');
    case 'balance':
      return refusal(response, 'balance', 'BALANCE_EXHAUSTED');
    case 'rate':
      return refusal(response, 'rate', 'RATE_LIMITED');
    case 'moderation':
      return refusal(response, 'other', 'MODERATED');
    case 'invalid':
    case 'upstream':
    case undefined: {
      const isUnknownTask = response.httpStatus === 404 || saysNotFound(body.envelope.words);
      return refusal(response, isUnknownTask ? 'not-found' : 'other', 'GATEWAY_UNAVAILABLE');
    }
  }
}

type Refusal = Extract<PollAnswer, { kind: 'refused' }>;

function refusal(response: PollResponse, means: Refusal['means'], code: FailureCode): PollAnswer {
  return { kind: 'refused', means, failure: because(response, code), ...retryOf(response) };
}

function pollError(response: PollResponse, code: FailureCode): PollAnswer {
  return { kind: 'error', failure: because(response, code), ...retryOf(response) };
}

function because({ httpStatus, body }: PollResponse, code: FailureCode) {
  const envelope = 'envelope' in body ? body.envelope : undefined;
  const bodyIs = 'bodyIs' in body ? body.bodyIs : '';
  const says = gatewaySays({ httpStatus, envelope, bodyIs });
  const isRedirect = httpStatus >= 300 && httpStatus < 400;
  return failure(code, isRedirect ? reason('both', says, reason('redirects')) : says, {
    httpStatus,
  });
}

function retryOf({ retryAfterMs }: PollResponse): { readonly retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
