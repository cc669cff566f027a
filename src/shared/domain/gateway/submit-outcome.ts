import { errorMeaning } from './error-meaning.ts';
import { failure, type Failure, type FailureCode } from '../base/failure.ts';
import type { ErrorMeaning, Profile } from './profile.ts';
import { reason, type Reason, type Saying } from '../base/reason.ts';
import { assertNever } from '../base/result.ts';
import { saysItWasTaken, statedRefusal } from './stated-refusal.ts';

/** What the answer to a submit means (submit protocol, step 6). */
export type SubmitOutcome =
  | { readonly kind: 'accepted'; readonly taskCode: string }
  /** No byte of the request left this machine: it cannot have been charged. */
  | { readonly kind: 'not-sent'; readonly failure: Failure }
  /** Refused for now because of the request rate; uses no attempt. */
  | {
      readonly kind: 'rate-limited';
      readonly failure: Failure;
      readonly retryAfterMs?: number;
      /** Neither HTTP 429 nor that code in the envelope says so: the words may mislead. */
      readonly byWordsAlone?: true;
    }
  /** Refused for a reason that concerns the whole night (key, balance): the row keeps its place, the night pauses. */
  | { readonly kind: 'held'; readonly failure: Failure }
  /** Refused for good. */
  | { readonly kind: 'rejected'; readonly failure: Failure }
  /** It may have been accepted and charged. `taskCode` if the answer held one that cannot be trusted. */
  | { readonly kind: 'unknown'; readonly failure: Failure; readonly taskCode?: string };

/** The envelope of an answer (interface 2.1), read but not judged. Absent flags are undefined, absent texts empty. */
export interface Envelope {
  /** As text; empty if absent. */
  readonly code: string;
  /** The gateway's own words: `info`, or what other gateways use instead. */
  readonly words: string;
  readonly success: boolean | undefined;
  readonly failure: boolean | undefined;
  /** Exact text of `result.taskCode`; empty if there is no usable one. */
  readonly taskCode: string;
}

/** As much of the answer to a submit as judging it needs. */
export interface SubmitAnswer {
  readonly httpStatus: number;
  /** Undefined if the body is incomplete or not a JSON object. */
  readonly envelope: Envelope | undefined;
  /** Why there is no envelope, in words that end a sentence: `an HTML page`. */
  readonly bodyIs: Saying;
  /** A task code found anywhere in the bytes, readable or not. */
  readonly seenTaskCode?: string;
  /** `result` holds more than an error's words: something came of the request. */
  readonly holdsResult?: boolean;
  readonly retryAfterMs?: number;
}

/**
 * Judges the answer to a submit that was sent. In doubt it is `unknown`: a false refusal would be paid twice, a false
 * acceptance would be lost.
 */
export function judgeSubmit(answer: SubmitAnswer, profile: Profile): SubmitOutcome {
  const { envelope, httpStatus } = answer;
  const hasTaskCode = taskCodeOf(answer) !== undefined;
  if (envelope !== undefined) {
    const isCodeGood = codeIsGood(profile, envelope.code);
    if (envelope.taskCode !== '' && envelope.failure !== true && isCodeGood) {
      return { kind: 'accepted', taskCode: envelope.taskCode };
    }
    const isRefusal = (envelope.failure === true || !isCodeGood) && envelope.success !== true;
    if (isRefusal && !hasTaskCode) return refusedByEnvelope(answer, envelope, profile);
  }
  if (!hasTaskCode && statesRefusal(profile, httpStatus)) return refusedByHttp(answer, profile);
  return unknown(answer, profile);
}

/** Whether the profile counts this `code` of an envelope as success; without a list every code counts. */
export function codeIsGood(profile: Profile, code: string): boolean {
  const { okCodes } = profile.envelope;
  return okCodes.length === 0 || okCodes.some((good) => String(good) === code);
}

/**
 * A failure that the envelope states. Signs that the request was taken anyway are believed first; and if the HTTP
 * status leaves the outcome open (408, 409, 5xx), only words that rule out a charge are.
 */
function refusedByEnvelope(answer: SubmitAnswer, envelope: Envelope, profile: Profile): SubmitOutcome {
  const { httpStatus } = answer;
  const { code, words } = envelope;
  if (!statesRefusal(profile, httpStatus)) {
    if (answer.holdsResult === true || saysItWasTaken(words)) return unknown(answer, profile);
    if (httpStatus === 408 || httpStatus === 409 || httpStatus >= 500) {
      const stated = statedRefusal(profile, code, words);
      return stated === undefined ? unknown(answer, profile) : refused(answer, stated);
    }
  }
  const byWords = errorMeaning(profile, code, words);
  if (byWords === undefined && isAddressWrong(httpStatus, words)) return heldForAddress(answer);
  return refused(answer, meaningWithHttp(byWords, httpStatus));
}

/** Whether the HTTP status alone says that nothing was accepted. */
function statesRefusal(profile: Profile, httpStatus: number): boolean {
  return profile.rejectedHttp.includes(httpStatus) || httpStatus === 402;
}

/** The HTTP status says that the request was refused. */
function refusedByHttp(answer: SubmitAnswer, profile: Profile): SubmitOutcome {
  const { httpStatus, envelope } = answer;
  const byWords = envelope === undefined ? undefined : errorMeaning(profile, envelope.code, envelope.words);
  if (byWords === undefined && isAddressWrong(httpStatus, envelope?.words ?? '')) return heldForAddress(answer);
  return refused(answer, meaningWithHttp(byWords, httpStatus));
}

/** Whether an answer is about the address, not about a missing thing that the row refers to. */
function isAddressWrong(httpStatus: number, words: string): boolean {
  if (httpStatus === 405) return true;
  return (
    httpStatus === 404 &&
    /^\s*(?:(?:error|404)[: ]*)?not found[.!]?\s*$|^\s*$|\b(?:path|route|endpoint|url|page|handler)\b|接口|路径|路由/iu.test(
      words,
    )
  );
}

/** An address that is wrong for one row is wrong for all: the night pauses, and no row fails because of it. */
function heldForAddress(answer: SubmitAnswer): SubmitOutcome {
  const { httpStatus } = answer;
  const says = reason('both', gatewaySays(answer), reason('noSuchOperation'));
  return { kind: 'held', failure: failure('GATEWAY_PROTOCOL', says, { httpStatus }) };
}

/** Words about the balance override every status; a status with a single meaning overrides other words. */
export function meaningWithHttp(byWords: ErrorMeaning | undefined, httpStatus: number): ErrorMeaning | undefined {
  if (byWords === 'balance') return 'balance';
  switch (httpStatus) {
    case 401:
      return 'auth';
    case 402:
      return 'balance';
    case 429:
      return 'rate';
    case 403:
      return byWords === 'moderation' || byWords === 'rate' ? byWords : 'auth';
    default:
      return byWords;
  }
}

function refused(answer: SubmitAnswer, meaning: ErrorMeaning | undefined): SubmitOutcome {
  const because = (code: FailureCode) => failure(code, gatewaySays(answer), { httpStatus: answer.httpStatus });
  switch (meaning) {
    case 'auth':
      return { kind: 'held', failure: because('AUTH_REJECTED') };
    case 'balance':
      return { kind: 'held', failure: because('BALANCE_EXHAUSTED') };
    case 'rate':
      return {
        kind: 'rate-limited',
        failure: because('RATE_LIMITED'),
        ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
        ...(isStated429(answer) ? {} : { byWordsAlone: true }),
      };
    case 'moderation':
      return { kind: 'rejected', failure: because('MODERATED') };
    case 'upstream':
      return { kind: 'rejected', failure: because('REMOTE_FAILED') };
    case 'invalid':
    case undefined:
      return { kind: 'rejected', failure: because('INPUT_INVALID') };
    default:
      return assertNever(meaning);
  }
}

function isStated429({ httpStatus, envelope }: SubmitAnswer): boolean {
  return httpStatus === 429 || (httpStatus < 400 && envelope?.code === '429');
}

function unknown(answer: SubmitAnswer, profile: Profile): SubmitOutcome {
  const taskCode = taskCodeOf(answer);
  const says = reason('both', gatewaySays(answer), whyUnknown(answer, profile));
  const why = failure('SUBMIT_OUTCOME_UNKNOWN', says, { httpStatus: answer.httpStatus });
  return taskCode === undefined ? { kind: 'unknown', failure: why } : { kind: 'unknown', failure: why, taskCode };
}

function taskCodeOf(answer: SubmitAnswer): string | undefined {
  return answer.envelope?.taskCode || answer.seenTaskCode;
}

function whyUnknown(answer: SubmitAnswer, profile: Profile): Reason {
  const { envelope, httpStatus } = answer;
  if (envelope === undefined) return reason('mayBeCharged');
  if (envelope.failure === true && envelope.success === true) return reason('saysBoth');
  if (taskCodeOf(answer) !== undefined) {
    const isFailure = envelope.failure === true || !codeIsGood(profile, envelope.code) || httpStatus >= 400;
    return reason(isFailure ? 'namesBoth' : 'codeElsewhere');
  }
  if (answer.holdsResult === true) return reason('holdsResult');
  if (saysItWasTaken(envelope.words)) return reason('saysAccepted');
  return reason('noTaskCode');
}

/** The gateway's own words with its code and the HTTP status, as far as they say something. */
export function gatewaySays(answer: Pick<SubmitAnswer, 'httpStatus' | 'envelope' | 'bodyIs'>): Reason {
  const { envelope, httpStatus } = answer;
  if (envelope === undefined) return reason('unansweredBody', httpStatus, answer.bodyIs);
  const facts = [`HTTP ${httpStatus}`, ...(envelope.code === '' ? [] : [`code ${envelope.code}`])].join(', ');
  return envelope.words === ''
    ? reason('saidNothing', httpStatus, envelope.code)
    : reason('words', `${envelope.words} (${facts})`);
}
