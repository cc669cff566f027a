import type { Json } from './json.ts';
import { assertNever } from './result.ts';

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
  /** What happened, where; with the gateway's own words if it gave any, never shortened to a code. */
  readonly message: string;
  /** Inferred, not stated by the gateway: a later success overrides it (design: inferring an outcome, rules 5, 6). */
  readonly suspected?: boolean;
  /** Facts for the evidence view, such as an HTTP status. */
  readonly data?: { readonly [key: string]: Json };
}

/**
 * What a failure does, and what the user reads about it. Whatever follows from the code alone is decided here; what
 * follows from an answer, such as the pace or the fuses, depends on the kind of the outcome.
 */
export type FailurePolicy = FailureWords & (TaskPolicy | PausePolicy);

interface FailureWords {
  /** A few words for a list. */
  readonly title: string;
  /** What the user can do about it. */
  readonly remedy: string;
  /** The remedy while Nocturne is trying again by itself, if the general sentence is not good enough. */
  readonly whileRetried?: string;
  /** In which group of the ledger its takes are. */
  readonly toDo: ToDo;
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
export const FAILURE_POLICIES: Readonly<Record<FailureCode, FailurePolicy>> = {
  INPUT_INVALID: {
    next: 'fail',
    userRetry: 'paid',
    toDo: 'correct',
    title: 'Refused by the gateway',
    remedy: 'Read the gateway’s message, correct the row in the sheet, then retry it.',
  },
  DEPENDENCY_FAILED: {
    next: 'fail',
    userRetry: 'paid',
    toDo: 'settle-other-row',
    title: 'A row that it refers to did not give what it needs',
    remedy:
      'Retry the row that it refers to, or change that row if it is done: this row then continues automatically. If the reference itself is wrong, correct it in the sheet.',
  },
  LOCAL_FILE: {
    next: 'retry-then-fail',
    userRetry: 'paid',
    toDo: 'retry',
    title: 'A file on this computer could not be put where the gateway can read it',
    remedy: 'Nothing was sent for it. Settle what is said about the file or its place, then retry the row.',
    whileRetried: 'Nothing to do: Nocturne tries again automatically.',
  },
  REMOTE_FAILED: {
    next: 'fail',
    userRetry: 'paid',
    toDo: 'retry',
    title: 'The gateway could not render it',
    remedy: 'Retry the row. That is a new paid request, unless the gateway still has the result.',
  },
  MODERATED: {
    next: 'fail',
    userRetry: 'paid',
    toDo: 'correct',
    title: 'Refused by moderation',
    remedy: 'Change the prompt: the gateway would refuse the same words again.',
  },
  NETWORK_NOT_SENT: {
    next: 'retry',
    userRetry: 'paid',
    toDo: 'wait',
    title: 'Not sent',
    remedy: 'Nothing to do: Nocturne sends it as soon as the gateway can be reached.',
  },
  GATEWAY_UNAVAILABLE: {
    next: 'retry',
    userRetry: 'free',
    toDo: 'download',
    title: 'The gateway did not answer',
    remedy: 'Nothing to do: Nocturne asks again automatically.',
  },
  DOWNLOAD_CORRUPT: {
    next: 'retry-then-fail',
    userRetry: 'free',
    toDo: 'download',
    title: 'A download was incomplete',
    remedy: 'Retry the row: the file is downloaded again, not rendered again.',
  },
  RESULT_EXPIRED: {
    next: 'retry-then-fail',
    userRetry: 'free',
    toDo: 'download',
    title: 'The file’s address has expired',
    remedy: 'Retry the row: Nocturne asks the gateway for a fresh address.',
    whileRetried: 'Nothing to do: Nocturne asks the gateway for a fresh address automatically.',
  },
  RATE_LIMITED: {
    next: 'retry',
    userRetry: 'paid',
    toDo: 'wait',
    title: 'The gateway asks to slow down',
    remedy:
      'Nothing to do: Nocturne waits as long as the gateway asked, or briefly if it named no time, then continues.',
  },
  AUTH_REJECTED: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'downloads',
    staysAtEnd: false,
    remedyAt: 'key',
    toDo: 'enter-key',
    title: 'The key was rejected',
    remedy: 'Check the key and the base URL, then resume.',
  },
  KEY_MISSING: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'downloads',
    staysAtEnd: false,
    remedyAt: 'key',
    toDo: 'enter-key',
    title: 'No key for this gateway',
    remedy: 'Enter the key for this gateway, then resume.',
  },
  BALANCE_EXHAUSTED: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'all',
    staysAtEnd: false,
    toDo: 'top-up',
    title: 'The balance is used up',
    remedy: 'Top up your account at the gateway, then resume.',
  },
  CAP_REACHED: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'limit',
    toDo: 'raise-limit',
    title: 'A limit is reached',
    remedy: 'Raise the limit and resume, or leave the rest for another night.',
  },
  PRICE_UNKNOWN: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'price',
    toDo: 'check-settings',
    title: 'A limit in money cannot be held without a price',
    remedy:
      'Add the price to this gateway’s profile in the settings, or remove the limit in money, then resume. On the command line: nocturne resume BATCH --profile FILE, or with --max-cost off; the limits of nights and months are lifted by nocturne limits.',
  },
  FUSE_BLOWN: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'all',
    staysAtEnd: false,
    toDo: 'look',
    title: 'Too many requests went wrong one after another',
    remedy: 'Look at the rows that went wrong, then resume.',
  },
  CANARY_FAILED: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'canary',
    toDo: 'look',
    title: 'The first row of a kind was not verified',
    remedy:
      'Correct the rows or the profile, then resume: one row of that kind goes first again. Or send the rest anyway; on the command line: nocturne resume BATCH --no-canary.',
  },
  FINISH_BY: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'when',
    toDo: 'change-time',
    title: 'It could not all be done by the time to finish by',
    remedy:
      'Change when it runs, then resume. On the command line: nocturne resume BATCH --finish-by TIME. Nothing that was submitted is lost.',
  },
  GATEWAY_PROTOCOL: {
    next: 'pause',
    pauses: 'gateway',
    meanwhile: 'all',
    staysAtEnd: true,
    remedyAt: 'profile',
    toDo: 'check-settings',
    title: 'Nocturne does not understand the gateway’s answers',
    remedy: 'Compare the raw answer with the profile, correct the profile, then resume.',
  },
  PROFILE_INVALID: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: false,
    remedyAt: 'profile',
    toDo: 'check-settings',
    title: 'The profile of this batch is no longer valid',
    remedy:
      'Nocturne sends nothing with it. Correct this gateway’s profile in the settings, then resume: the batch then uses that one. On the command line: nocturne resume BATCH --profile FILE.',
  },
  STORE_RESTORED: {
    next: 'pause',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: true,
    toDo: 'look',
    title: 'The store is an older copy',
    remedy:
      'It does not know the paid requests made since that copy. Compare its rows with the gateway before you start or resume: rows submitted since then would be paid for again. What was paid since counts in no limit of this night or month.',
  },
  DISK_FULL: {
    next: 'pause',
    pauses: 'folder',
    meanwhile: 'nothing',
    staysAtEnd: false,
    toDo: 'free-disk',
    title: 'The disk is full',
    remedy: 'Free some space, then resume. Nothing that was rendered is lost.',
  },
  DISK_DENIED: {
    next: 'pause',
    pauses: 'folder',
    meanwhile: 'nothing',
    staysAtEnd: false,
    toDo: 'free-disk',
    title: 'Nocturne cannot write to the folder',
    remedy: 'Make the folder writable again, then resume. Nothing that was rendered is lost.',
  },
  SUBMIT_OUTCOME_UNKNOWN: {
    next: 'ask',
    userRetry: 'paid',
    toDo: 'check-charge',
    title: 'Nocturne does not know whether the gateway accepted it',
    remedy:
      'If the gateway shows a task code for it, adopt that code; otherwise resubmit it (you may pay twice) or write it off.',
  },
  OUTPUT_UNVERIFIABLE: {
    next: 'retry-then-fail',
    userRetry: 'free',
    toDo: 'download',
    title: 'The file could not be verified',
    remedy:
      'Check the file that was kept aside, or retry the row to download it again. Nothing is rendered or paid for again.',
  },
  OVERDUE: {
    next: 'fail',
    userRetry: 'free',
    toDo: 'download',
    title: 'Not finished before the deadline',
    remedy: 'Retry the row: Nocturne asks the gateway again. Nothing is paid for again.',
  },
  WRITTEN_OFF: {
    next: 'fail',
    userRetry: 'paid',
    toDo: 'written-off',
    title: 'Written off',
    remedy: 'Retry the row to render it with a new paid request. The first request may have been charged as well.',
  },
  INTERNAL: {
    next: 'bug',
    pauses: 'batch',
    meanwhile: 'all',
    staysAtEnd: true,
    toDo: 'look',
    title: 'A bug in Nocturne',
    remedy: 'Please report it and include the message.',
  },
};

/** What the user can do about a failure of a task in `status`: nothing while Nocturne is trying again by itself. */
export function remedyOf(code: FailureCode, status: string): string {
  const policy: FailurePolicy = FAILURE_POLICIES[code];
  if ('pauses' in policy) return policy.remedy;
  // The wait was in vain: the file did not arrive, however often Nocturne asked.
  if (status === 'failed' && policy.next === 'retry' && policy.userRetry === 'free')
    return FAILURE_POLICIES.OVERDUE.remedy;
  if (status === 'downloading') {
    return (
      policy.whileRetried ??
      'Nothing to do: Nocturne keeps trying to download the file through the night, at no charge.'
    );
  }
  if (status !== 'rendering') return policy.remedy;
  return policy.whileRetried ?? 'Nothing to do: Nocturne tries again automatically.';
}

/** What a batch waits for meanwhile, in a few words. */
export function troubleTitle({ code, data }: Pick<Failure, 'code' | 'data'>): string {
  if (code === 'OUTPUT_UNVERIFIABLE') return 'No files are arriving';
  return data?.['httpStatus'] === undefined ? 'The gateway does not answer' : 'The gateway answers with an error';
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
  switch (next) {
    case 'fail':
      return 'The row fails.';
    case 'retry':
      return 'It is retried automatically.';
    case 'retry-then-fail':
      return 'It is retried automatically. If no retry succeeds, the row fails.';
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

export function failure(code: FailureCode, message: string, data?: { readonly [key: string]: Json }): Failure {
  return data === undefined ? { code, message } : { code, message, data };
}

/** A failure in the user's words, with what to do about it. */
export function failureText({ code, message }: Failure): string {
  const { title, remedy } = FAILURE_POLICIES[code];
  return `${title}: ${message} ${remedy}`;
}

/** Whether the gateway would refuse the same request again: only other words help. */
export function isRefusedAsItIs(code: string): boolean {
  return FAILURE_CODES.some((known) => known === code && FAILURE_POLICIES[known].toDo === 'correct');
}
