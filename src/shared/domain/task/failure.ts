import type { Json } from '../base/json.ts';

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

/** What a failure stops, what happens next, and whether it uses up an attempt. */
export interface FailurePolicy {
  readonly stops: 'task' | 'row' | 'batch' | 'night';
  /**
   * `fail`: the row fails. `retry`: tried again by itself. `pause`: the night pauses until the cause is gone.
   * `ask`: waits for the user's decision. `bug`: to be reported.
   */
  readonly next: 'fail' | 'retry' | 'pause' | 'ask' | 'bug';
  readonly usesAttempt: boolean;
  /** A few words for a list. */
  readonly title: string;
  /** What the user can do about it. */
  readonly remedy: string;
}

/** One row for each code; the compiler checks that none is missing. */
export const FAILURE_POLICIES: Readonly<Record<FailureCode, FailurePolicy>> = {
  INPUT_INVALID: {
    stops: 'row',
    next: 'fail',
    usesAttempt: true,
    title: 'Refused by the gateway',
    remedy: 'Read the gateway’s words, correct the row in the sheet, and retry it.',
  },
  DEPENDENCY_FAILED: {
    stops: 'row',
    next: 'fail',
    usesAttempt: false,
    title: 'A row it needs did not give what it refers to',
    remedy:
      'Retry the row that it refers to, or change that row where it is done: this one then continues automatically. Where the reference is wrong, correct it in the sheet.',
  },
  REMOTE_FAILED: {
    stops: 'row',
    next: 'fail',
    usesAttempt: true,
    title: 'The gateway could not render it',
    remedy: 'Retry the row; that is a new paid rendering unless the gateway still has the result.',
  },
  MODERATED: {
    stops: 'row',
    next: 'fail',
    usesAttempt: true,
    title: 'Refused by moderation',
    remedy: 'Change the prompt; the same words will be refused again.',
  },
  NETWORK_NOT_SENT: {
    stops: 'task',
    next: 'retry',
    usesAttempt: false,
    title: 'Not sent',
    remedy: 'Nothing to do: it continues when the gateway can be reached.',
  },
  GATEWAY_UNAVAILABLE: {
    stops: 'task',
    next: 'retry',
    usesAttempt: false,
    title: 'The gateway did not answer',
    remedy: 'Nothing to do: Nocturne asks again automatically.',
  },
  DOWNLOAD_CORRUPT: {
    stops: 'task',
    next: 'retry',
    usesAttempt: true,
    title: 'A download was incomplete',
    remedy: 'Retry the row: it is downloaded again, not rendered again.',
  },
  RESULT_EXPIRED: {
    stops: 'task',
    next: 'retry',
    usesAttempt: true,
    title: 'The file’s address has expired',
    remedy: 'Retry the row: the gateway is asked for a fresh address.',
  },
  RATE_LIMITED: {
    stops: 'night',
    next: 'retry',
    usesAttempt: false,
    title: 'The gateway asks to slow down',
    remedy:
      'Nothing to do: it continues automatically after a wait, as long as the gateway asked for if it named a time.',
  },
  AUTH_REJECTED: {
    stops: 'night',
    next: 'pause',
    usesAttempt: false,
    title: 'The key was rejected',
    remedy: 'Check the key and the base URL, then resume.',
  },
  KEY_MISSING: {
    stops: 'night',
    next: 'pause',
    usesAttempt: false,
    title: 'No key for this gateway',
    remedy: 'Enter the key of that gateway, then resume.',
  },
  BALANCE_EXHAUSTED: {
    stops: 'night',
    next: 'pause',
    usesAttempt: false,
    title: 'The balance is used up',
    remedy: 'Top up the account at the gateway, then resume.',
  },
  CAP_REACHED: {
    stops: 'night',
    next: 'pause',
    usesAttempt: false,
    title: 'The request limit is reached',
    remedy: 'Raise the limit and resume, or leave the rest for another night.',
  },
  FUSE_BLOWN: {
    stops: 'night',
    next: 'pause',
    usesAttempt: false,
    title: 'Too much went wrong in a row',
    remedy: 'Look at the rows concerned, then resume.',
  },
  GATEWAY_PROTOCOL: {
    stops: 'night',
    next: 'pause',
    usesAttempt: false,
    title: 'The gateway answers in a way that is not understood',
    remedy: 'Compare the raw answer with the profile, correct the profile, then resume.',
  },
  PROFILE_INVALID: {
    stops: 'batch',
    next: 'pause',
    usesAttempt: false,
    title: 'The profile of this batch does not hold any more',
    remedy:
      'Nothing is sent with it. Look at the profile of this gateway in the settings, then resume: the batch takes it. On the command line: nocturne resume BATCH --profile FILE.',
  },
  STORE_RESTORED: {
    stops: 'night',
    next: 'pause',
    usesAttempt: false,
    title: 'The store is an older copy',
    remedy:
      'It does not know what was submitted since that copy was made. Compare it with the gateway, then resume; rows that were submitted since are paid for again.',
  },
  DISK_FULL: {
    stops: 'night',
    next: 'pause',
    usesAttempt: false,
    title: 'The disk is full',
    remedy: 'Free some space, then resume. Nothing that was rendered is lost.',
  },
  DISK_DENIED: {
    stops: 'night',
    next: 'pause',
    usesAttempt: false,
    title: 'The folder cannot be written',
    remedy: 'Make the folder writable again, then resume. Nothing that was rendered is lost.',
  },
  SUBMIT_OUTCOME_UNKNOWN: {
    stops: 'task',
    next: 'ask',
    usesAttempt: true,
    title: 'It is not known whether the gateway accepted it',
    remedy: 'Adopt its task code if the gateway shows one, resubmit it (it may be paid twice), or write it off.',
  },
  OUTPUT_UNVERIFIABLE: {
    stops: 'task',
    next: 'retry',
    usesAttempt: true,
    title: 'The file could not be verified',
    remedy:
      'Look at the file that was kept aside; retry the row to download it again. Nothing is rendered or paid again.',
  },
  OVERDUE: {
    stops: 'row',
    next: 'fail',
    usesAttempt: true,
    title: 'Not finished before the deadline',
    remedy: 'Retry the row: the gateway is asked again, nothing is paid again.',
  },
  WRITTEN_OFF: {
    stops: 'row',
    next: 'fail',
    usesAttempt: true,
    title: 'Written off',
    remedy: 'Retry the row to render it anew; it may have been paid for already.',
  },
  INTERNAL: {
    stops: 'task',
    next: 'bug',
    usesAttempt: false,
    title: 'A bug in Nocturne',
    remedy: 'Please report it, with the message.',
  },
};

/** What the user can do about a failure of a task in `status`: nothing where it is tried again by itself. */
export function remedyOf(code: FailureCode, status: string): string {
  const { next, remedy } = FAILURE_POLICIES[code];
  // Its file did not come, however often it was asked for.
  if (code === 'GATEWAY_UNAVAILABLE' && status === 'failed') {
    return 'Retry the row: the gateway is asked again, nothing is paid again.';
  }
  const isUnderWay = status === 'rendering' || status === 'downloading';
  if (!isUnderWay || next === 'pause' || next === 'bug') return remedy;
  return code === 'RESULT_EXPIRED'
    ? 'Nothing to do: the gateway is asked for a fresh address automatically.'
    : status === 'downloading'
      ? 'Nothing to do: the file is asked for again automatically, through the night; nothing is paid for that.'
      : 'Nothing to do: it is tried again automatically.';
}

/** A failure value. */
export function failure(code: FailureCode, message: string, data?: { readonly [key: string]: Json }): Failure {
  return data === undefined ? { code, message } : { code, message, data };
}
