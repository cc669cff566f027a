import type { Json } from '../base/json.ts';
import { assertNever } from '../base/result.ts';

/** Everything that is expected to go wrong, as stable codes. Nobody parses a message. */
export const FAILURE_CODES = [
  'INPUT_INVALID',
  'DEPENDENCY_FAILED',
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
  'FUSE_BLOWN',
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

/** One thing that went wrong, with the words that explain it. */
export interface Failure {
  readonly code: FailureCode;
  /** What happened, where; the gateway's own words where it said any, never shortened to a code. */
  readonly message: string;
  /** Inferred, not stated by the gateway: a later success overturns it (design: inferring an outcome, rules 5 and 6). */
  readonly suspected?: boolean;
  /** Facts for the evidence view, such as an HTTP status. */
  readonly data?: { readonly [key: string]: Json };
}

/**
 * What a failure does, and what is said of it. Whatever follows from a code alone is decided here and asked here; what
 * follows from an answer, such as the pace or the fuses, is decided by the kind of its outcome.
 */
export type FailurePolicy = FailureWords & (TaskPolicy | PausePolicy);

interface FailureWords {
  /** A few words for a list. */
  readonly title: string;
  /** What the user can do about it. */
  readonly remedy: string;
  /** The same while it is tried again by itself, where there is something better to say than that. */
  readonly whileRetried?: string;
}

/** It concerns one task. */
interface TaskPolicy {
  /**
   * `fail`: the task fails. `retry`: tried again by itself for as long as it takes; a file for a night at most.
   * `retry-then-fail`: tried again by itself so often, then the task fails. `ask`: waits for the user's decision.
   */
  readonly next: 'fail' | 'retry' | 'retry-then-fail' | 'ask';
  /** What the user's retry does where a task failed of it: it asks for the result once more, or pays for a new one. */
  readonly userRetry: 'free' | 'paid';
}

/** It concerns more than one task: nothing new is sent until its cause is gone. Tasks keep their places. */
interface PausePolicy {
  /** `bug`: it pauses, too, and is to be reported. */
  readonly next: 'pause' | 'bug';
  /**
   * Which batches pause: the one that met it, every one with the same media folder, or every one with the same gateway
   * and key. A folder is looked at again and again: that pause ends by itself.
   */
  readonly pauses: 'batch' | 'folder' | 'gateway';
  /** What goes on meanwhile of what was paid for: the gateway is asked and files are fetched, only the latter, or nothing. */
  readonly meanwhile: 'all' | 'downloads' | 'nothing';
  /** It says something that the user has to know: the pause stays until the user's word, also where nothing is left to do. */
  readonly staysAtEnd: boolean;
  /** Where in the window its cause can be removed. */
  readonly remedyAt?: 'limit' | 'key' | 'settings';
}

/** One row for each code; the compiler checks that none is missing. */
export const FAILURE_POLICIES: Readonly<Record<FailureCode, FailurePolicy>> = {
  INPUT_INVALID: {
    next: 'fail',
    userRetry: 'paid',
    title: 'Refused by the gateway',
    remedy: 'Read the gateway’s words, correct the row in the sheet, and retry it.',
  },
  DEPENDENCY_FAILED: {
    next: 'fail',
    userRetry: 'paid',
    title: 'A row it needs did not give what it refers to',
    remedy:
      'Retry the row that it refers to, or change that row where it is done: this one then continues automatically. Where the reference is wrong, correct it in the sheet.',
  },
  REMOTE_FAILED: {
    next: 'fail',
    userRetry: 'paid',
    title: 'The gateway could not render it',
    remedy: 'Retry the row; that is a new paid rendering unless the gateway still has the result.',
  },
  MODERATED: {
    next: 'fail',
    userRetry: 'paid',
    title: 'Refused by moderation',
    remedy: 'Change the prompt; the same words will be refused again.',
  },
  NETWORK_NOT_SENT: {
    next: 'retry',
    userRetry: 'paid',
    title: 'Not sent',
    remedy: 'Nothing to do: it continues when the gateway can be reached.',
  },
  GATEWAY_UNAVAILABLE: {
    next: 'retry',
    userRetry: 'free',
    title: 'The gateway did not answer',
    remedy: 'Nothing to do: Nocturne asks again automatically.',
  },
  DOWNLOAD_CORRUPT: {
    next: 'retry-then-fail',
    userRetry: 'free',
    title: 'A download was incomplete',
    remedy: 'Retry the row: it is downloaded again, not rendered again.',
  },
  RESULT_EXPIRED: {
    next: 'retry-then-fail',
    userRetry: 'free',
    title: 'The file’s address has expired',
    remedy: 'Retry the row: the gateway is asked for a fresh address.',
    whileRetried: 'Nothing to do: the gateway is asked for a fresh address automatically.',
  },
  RATE_LIMITED: {
    next: 'retry',
    userRetry: 'paid',
    title: 'The gateway asks to slow down',
    remedy:
      'Nothing to do: it continues automatically after a wait, as long as the gateway asked for if it named a time.',
  },
  AUTH_REJECTED: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'downloads',
    staysAtEnd: false,
    remedyAt: 'key',
    title: 'The key was rejected',
    remedy: 'Check the key and the base URL, then resume.',
  },
  KEY_MISSING: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'downloads',
    staysAtEnd: false,
    remedyAt: 'key',
    title: 'No key for this gateway',
    remedy: 'Enter the key of that gateway, then resume.',
  },
  BALANCE_EXHAUSTED: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'all',
    staysAtEnd: false,
    title: 'The balance is used up',
    remedy: 'Top up the account at the gateway, then resume.',
  },
  CAP_REACHED: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'limit',
    title: 'The request limit is reached',
    remedy: 'Raise the limit and resume, or leave the rest for another night.',
  },
  FUSE_BLOWN: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'all',
    staysAtEnd: false,
    title: 'Too much went wrong in a row',
    remedy: 'Look at the rows concerned, then resume.',
  },
  GATEWAY_PROTOCOL: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'all',
    staysAtEnd: true,
    remedyAt: 'settings',
    title: 'The gateway answers in a way that is not understood',
    remedy: 'Compare the raw answer with the profile, correct the profile, then resume.',
  },
  PROFILE_INVALID: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'settings',
    title: 'The profile of this batch does not hold any more',
    remedy:
      'Nothing is sent with it. Look at the profile of this gateway in the settings, then resume: the batch takes it. On the command line: nocturne resume BATCH --profile FILE.',
  },
  STORE_RESTORED: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: true,
    title: 'The store is an older copy',
    remedy:
      'It does not know what was submitted since that copy was made. Compare it with the gateway, then resume; rows that were submitted since are paid for again.',
  },
  DISK_FULL: {
    next: 'pause',
    pauses: 'folder',
    meanwhile: 'nothing',
    staysAtEnd: false,
    title: 'The disk is full',
    remedy: 'Free some space, then resume. Nothing that was rendered is lost.',
  },
  DISK_DENIED: {
    next: 'pause',
    pauses: 'folder',
    meanwhile: 'nothing',
    staysAtEnd: false,
    title: 'The folder cannot be written',
    remedy: 'Make the folder writable again, then resume. Nothing that was rendered is lost.',
  },
  SUBMIT_OUTCOME_UNKNOWN: {
    next: 'ask',
    userRetry: 'paid',
    title: 'It is not known whether the gateway accepted it',
    remedy: 'Adopt its task code if the gateway shows one, resubmit it (it may be paid twice), or write it off.',
  },
  OUTPUT_UNVERIFIABLE: {
    next: 'retry-then-fail',
    userRetry: 'free',
    title: 'The file could not be verified',
    remedy:
      'Look at the file that was kept aside; retry the row to download it again. Nothing is rendered or paid again.',
  },
  OVERDUE: {
    next: 'fail',
    userRetry: 'free',
    title: 'Not finished before the deadline',
    remedy: 'Retry the row: the gateway is asked again, nothing is paid again.',
  },
  WRITTEN_OFF: {
    next: 'fail',
    userRetry: 'paid',
    title: 'Written off',
    remedy: 'Retry the row to render it anew; it may have been paid for already.',
  },
  INTERNAL: {
    next: 'bug',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: true,
    title: 'A bug in Nocturne',
    remedy: 'Please report it, with the message.',
  },
};

/** What the user can do about a failure of a task in `status`: nothing while it is tried again by itself. */
export function remedyOf(code: FailureCode, status: string): string {
  const policy: FailurePolicy = FAILURE_POLICIES[code];
  if ('pauses' in policy) return policy.remedy;
  // What is waited for was waited for in vain: its file did not come, however often it was asked for.
  if (status === 'failed' && policy.next === 'retry' && policy.userRetry === 'free')
    return FAILURE_POLICIES.OVERDUE.remedy;
  if (status === 'downloading') {
    return (
      policy.whileRetried ??
      'Nothing to do: the file is asked for again automatically, through the night; nothing is paid for that.'
    );
  }
  if (status !== 'rendering') return policy.remedy;
  return policy.whileRetried ?? 'Nothing to do: it is tried again automatically.';
}

/** How a failure pauses batches; undefined where it concerns its task alone. */
export function pauseOf(code: FailureCode): PausePolicy | undefined {
  const policy = FAILURE_POLICIES[code];
  return 'pauses' in policy ? policy : undefined;
}

/** Whether it is tried again by itself. */
export function isRetriedByItself(code: FailureCode): boolean {
  const { next } = FAILURE_POLICIES[code];
  return next === 'retry' || next === 'retry-then-fail';
}

/** Whether the user's retry of a task that failed of it asks for the result once more instead of paying for a new one. */
export function isRetryFree(code: FailureCode): boolean {
  const policy = FAILURE_POLICIES[code];
  return 'userRetry' in policy && policy.userRetry === 'free';
}

/** What follows from a failure, as a sentence before its remedy. */
export function whatFollows(code: FailureCode): string {
  const { next } = FAILURE_POLICIES[code];
  switch (next) {
    case 'fail':
      return 'The row fails.';
    case 'retry':
      return 'It is retried automatically.';
    case 'retry-then-fail':
      return 'It is retried automatically. If that is in vain, the row fails.';
    case 'pause':
      return 'The batch pauses; nothing is lost.';
    case 'ask':
      return 'It waits for your decision.';
    case 'bug':
      return 'The batch pauses.';
    default:
      return assertNever(next);
  }
}

/** A failure value. */
export function failure(code: FailureCode, message: string, data?: { readonly [key: string]: Json }): Failure {
  return data === undefined ? { code, message } : { code, message, data };
}

/** A failure in the user's words, with what to do about it. */
export function failureText({ code, message }: Failure): string {
  const { title, remedy } = FAILURE_POLICIES[code];
  return `${title}: ${message} ${remedy}`;
}
