import { domainWords } from '../../words/domain-words.ts';
import type { Json } from './json.ts';
import { inEnglish, reason, spoken, type Reason, type Saying } from './reason.ts';
import { mapRecord } from './result.ts';

/** Every expected failure, as a stable code. Nobody parses a message. */
export const FAILURE_CODES = [
  'INPUT_INVALID',
  'DEPENDENCY_FAILED',
  'LOCAL_FILE',
  'REMOTE_FAILED',
  'MODERATED',
  'NETWORK_NOT_SENT',
  'GATEWAY_UNAVAILABLE',
  'DOWNLOAD_CORRUPT',
  'RESULT_EXPIRED',
  'RATE_LIMITED',
  'AUTH_REJECTED',
  'KEY_MISSING',
  'BALANCE_EXHAUSTED',
  'CAP_REACHED',
  'PRICE_UNKNOWN',
  'FUSE_BLOWN',
  'CANARY_FAILED',
  'FINISH_BY',
  'GATEWAY_PROTOCOL',
  'PROFILE_INVALID',
  'STORE_RESTORED',
  'DISK_FULL',
  'DISK_DENIED',
  'SUBMIT_OUTCOME_UNKNOWN',
  'OUTPUT_UNVERIFIABLE',
  'OVERDUE',
  'WRITTEN_OFF',
  'INTERNAL',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** What the user does about a failure: the ledger groups by it. Money in doubt comes first. */
export const TO_DOS = [
  'check-charge',
  'correct',
  'retry',
  'download',
  'raise-limit',
  'enter-key',
  'top-up',
  'change-time',
  'free-disk',
  'check-settings',
  'look',
  'settle-other-row',
  'wait',
  'written-off',
] as const;
export type ToDo = (typeof TO_DOS)[number];

/** One thing that went wrong, with the words that explain it. */
export interface Failure {
  readonly code: FailureCode;
  /** What happened, and where; with the gateway's own words if it gave any, never shortened to a code. */
  readonly message: string;
  /**
   * Which text of the catalogue that is; absent if the text is somebody else’s, or was recorded by an earlier version.
   */
  readonly reason?: Reason;
  /** Inferred, not stated by the gateway: a later success overrides it (design: inferring an outcome, rules 5, 6). */
  readonly suspected?: boolean;
  /** Facts for the evidence view, such as an HTTP status. */
  readonly data?: { readonly [key: string]: Json };
}

/**
 * What a failure does, and what the user reads about it. Whatever follows from the code alone is decided here; what
 * follows from an answer, such as the pace or the fuses, depends on the kind of the outcome.
 */
export type FailurePolicy = FailureWords & FailureRules;
type FailureRules = { readonly toDo: ToDo } & (TaskPolicy | PausePolicy);

interface FailureWords {
  /** A few words for a list. */
  readonly title: string;
  /** What the user can do about it. */
  readonly remedy: string;
}

/** The failure concerns one task. */
interface TaskPolicy {
  /**
   * `fail`: the task fails. `retry`: Nocturne tries again for as long as it takes; a file, for one night at most.
   * `retry-then-fail`: Nocturne tries a limited number of times, then the task fails. `ask`: waits for the user's
   * decision.
   */
  readonly next: 'fail' | 'retry' | 'retry-then-fail' | 'ask';
  /** What the user's retry of the failed task does: ask for the result once more, or pay for a new one. */
  readonly userRetry: 'free' | 'paid';
}

/** The failure concerns more than one task: nothing new is sent until its cause is gone. Tasks keep their places. */
interface PausePolicy {
  /** `bug`: pauses as well, and the user should report it. */
  readonly next: 'pause' | 'bug';
  /**
   * Which batches pause: the one that met the failure, all with the same media folder, or all with the same gateway and
   * key. Nocturne keeps checking a folder: that pause ends by itself.
   */
  readonly pauses: 'batch' | 'folder' | 'gateway';
  /** What continues for tasks already paid for: polls and downloads, downloads only, or nothing. */
  readonly meanwhile: 'all' | 'downloads' | 'nothing';
  /** The user has to know about it: the pause stays until the user resumes, even if nothing is left to do. */
  readonly staysAtEnd: boolean;
  /** Where in the window the user can remove its cause. */
  readonly remedyAt?: 'limit' | 'price' | 'key' | 'profile' | 'canary' | 'when';
}

/** One entry for each code; the compiler checks that none is missing. */
const RULES: Readonly<Record<FailureCode, FailureRules>> = {
  INPUT_INVALID: {
    next: 'fail',
    userRetry: 'paid',
    toDo: 'correct',
  },
  DEPENDENCY_FAILED: {
    next: 'fail',
    userRetry: 'paid',
    toDo: 'settle-other-row',
  },
  LOCAL_FILE: {
    next: 'retry-then-fail',
    userRetry: 'paid',
    toDo: 'retry',
  },
  REMOTE_FAILED: {
    next: 'fail',
    userRetry: 'paid',
    toDo: 'retry',
  },
  MODERATED: {
    next: 'fail',
    userRetry: 'paid',
    toDo: 'correct',
  },
  NETWORK_NOT_SENT: {
    next: 'retry',
    userRetry: 'paid',
    toDo: 'wait',
  },
  GATEWAY_UNAVAILABLE: {
    next: 'retry',
    userRetry: 'free',
    toDo: 'download',
  },
  DOWNLOAD_CORRUPT: {
    next: 'retry-then-fail',
    userRetry: 'free',
    toDo: 'download',
  },
  RESULT_EXPIRED: {
    next: 'retry-then-fail',
    userRetry: 'free',
    toDo: 'download',
  },
  RATE_LIMITED: {
    next: 'retry',
    userRetry: 'paid',
    toDo: 'wait',
  },
  AUTH_REJECTED: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'downloads',
    staysAtEnd: false,
    remedyAt: 'key',
    toDo: 'enter-key',
  },
  KEY_MISSING: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'downloads',
    staysAtEnd: false,
    remedyAt: 'key',
    toDo: 'enter-key',
  },
  BALANCE_EXHAUSTED: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'all',
    staysAtEnd: false,
    toDo: 'top-up',
  },
  CAP_REACHED: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'limit',
    toDo: 'raise-limit',
  },
  PRICE_UNKNOWN: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'price',
    toDo: 'check-settings',
  },
  FUSE_BLOWN: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'all',
    staysAtEnd: false,
    toDo: 'look',
  },
  CANARY_FAILED: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'canary',
    toDo: 'look',
  },
  FINISH_BY: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'when',
    toDo: 'change-time',
  },
  GATEWAY_PROTOCOL: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'all',
    staysAtEnd: true,
    remedyAt: 'profile',
    toDo: 'check-settings',
  },
  PROFILE_INVALID: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'profile',
    toDo: 'check-settings',
  },
  STORE_RESTORED: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: true,
    toDo: 'look',
  },
  DISK_FULL: {
    next: 'pause',
    pauses: 'folder',
    meanwhile: 'nothing',
    staysAtEnd: false,
    toDo: 'free-disk',
  },
  DISK_DENIED: {
    next: 'pause',
    pauses: 'folder',
    meanwhile: 'nothing',
    staysAtEnd: false,
    toDo: 'free-disk',
  },
  SUBMIT_OUTCOME_UNKNOWN: {
    next: 'ask',
    userRetry: 'paid',
    toDo: 'check-charge',
  },
  OUTPUT_UNVERIFIABLE: {
    next: 'retry-then-fail',
    userRetry: 'free',
    toDo: 'download',
  },
  OVERDUE: {
    next: 'fail',
    userRetry: 'free',
    toDo: 'download',
  },
  WRITTEN_OFF: {
    next: 'fail',
    userRetry: 'paid',
    toDo: 'written-off',
  },
  INTERNAL: {
    next: 'bug',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: true,
    toDo: 'look',
  },
};

/** One entry for each code, with its words in the language in use when somebody reads them. */
export const FAILURE_POLICIES: Readonly<Record<FailureCode, FailurePolicy>> = mapRecord(RULES, (code, rules) => ({
  ...rules,
  get title() {
    return domainWords.nights.failures[code].title;
  },
  get remedy() {
    return domainWords.nights.failures[code].remedy;
  },
}));

/**
 * What the user can do about a failure of a task in `status`: nothing while Nocturne is trying again by itself.
 * @param nights The words, if not those of the language in use.
 */
export function remedyOf(code: FailureCode, status: string, nights = domainWords.nights): string {
  const policy: FailurePolicy = FAILURE_POLICIES[code];
  const { remedy } = nights.failures[code];
  if ('pauses' in policy) return remedy;
  // The wait was in vain: the file did not arrive, however often Nocturne asked.
  if (status === 'failed' && policy.next === 'retry' && policy.userRetry === 'free')
    return nights.failures.OVERDUE.remedy;
  if (status !== 'downloading' && status !== 'rendering') return remedy;
  return whileRetriedOf(code, nights) ?? nights.retried[status];
}

/** The remedy while Nocturne is trying again by itself, if the general sentence is not good enough. */
export function whileRetriedOf(code: FailureCode, nights = domainWords.nights): string | undefined {
  const told: { readonly title: string; readonly whileRetried?: string } = nights.failures[code];
  return told.whileRetried;
}

/** What a batch waits for at the moment, in a few words. */
export function troubleTitle({ code, data }: Pick<Failure, 'code' | 'data'>): string {
  const { trouble } = domainWords.nights;
  if (code === 'OUTPUT_UNVERIFIABLE') return trouble.noFiles;
  // There was an answer, such as the record of another task.
  const isAnswered = code === 'GATEWAY_PROTOCOL' || data?.['httpStatus'] !== undefined;
  return isAnswered ? trouble.errors : trouble.noAnswer;
}

/** How a failure pauses batches; undefined if it concerns only its task. */
export function pauseOf(code: FailureCode): PausePolicy | undefined {
  const policy = FAILURE_POLICIES[code];
  return 'pauses' in policy ? policy : undefined;
}

/** Whether Nocturne tries again by itself. */
export function isRetriedByItself(code: FailureCode): boolean {
  const { next } = FAILURE_POLICIES[code];
  return next === 'retry' || next === 'retry-then-fail';
}

/** Whether the user's retry of a task with this failure asks for the result again instead of paying for a new one. */
export function isRetryFree(code: FailureCode): boolean {
  const policy = FAILURE_POLICIES[code];
  return 'userRetry' in policy && policy.userRetry === 'free';
}

/** What a failure leads to, as a sentence before its remedy. */
export function whatFollows(code: FailureCode): string {
  const { next } = FAILURE_POLICIES[code];
  return domainWords.nights.follows[next];
}

/** @param said What happened: a text of the catalogue, which is recorded in English, or somebody else’s words. */
export function failure(code: FailureCode, said: Saying, data?: Failure['data']): Failure {
  const facts = data === undefined ? {} : { data };
  const isForeign = typeof said === 'string' || said.text === 'words';
  return { code, message: inEnglish(said), ...(isForeign ? {} : { reason: said }), ...facts };
}

/** What happened, for use inside another text. */
export function saidBy({ message, reason: known }: Pick<Failure, 'message' | 'reason'>): Reason {
  return known ?? reason('words', message);
}

/** What happened, in the language of this process if it knows how to say it. */
export function spokenMessage({ message, reason: known }: Pick<Failure, 'message' | 'reason'>): string {
  return (known && spoken(known)) ?? message;
}

/** A failure in the user's words, with what to do about it. */
export function failureText(failed: Failure): string {
  const { title, remedy } = FAILURE_POLICIES[failed.code];
  return domainWords.nights.failureText(title, spokenMessage(failed), remedy);
}

/** Whether the gateway would refuse the same request again: only other words help. */
export function isRefusedAsItIs(code: string): boolean {
  return FAILURE_CODES.some((known) => known === code && FAILURE_POLICIES[known].toDo === 'correct');
}
