/**
 * The fuse of a gateway: after many failures in succession, something is wrong that no row is to blame for, and every
 * further request would be wasted. Pure. Unknown outcomes and lost answers have fuses of their own, which the night
 * counts for each account (`NightAccount`).
 */
import { failure, saidBy, type Failure, type FailureCode } from '../base/failure.ts';
import { reason, type Reason } from '../base/reason.ts';
import { assertNever } from '../base/result.ts';

/** How many failures of one kind in a row blow the fuse, unless a batch says otherwise; 0 switches it off. */
export const FUSE_LENGTH = 5;
/** No batch has a longer one. */
export const LONGEST_FUSE = 1000;
/** How many unknown outcomes in succession pause the batch (submit protocol, step 8). */
export const UNKNOWN_FUSE = 3;
/**
 * How many requests in succession, each sent again without an answer, show that the gateway is down or loses all of
 * them.
 */
export const UNANSWERED_FUSE = 3;
/** Of this many requests that have ended, no more than half may have failed. */
const RATE_WINDOW = 20;
/** Rows named in a message. */
const NAMED = 10;

/**
 * What the end of a request says about its gateway. `alike`: the same failure in succession points to the gateway, the
 * profile or the sheet as a whole, and each one costs a request or at least a place in the queue. `rate`: it may well
 * be the row's own fault several times in a row, as with prompts that moderation refuses, so it only counts towards the
 * share of failures. `nothing`: the user's own word, another row's failure, or what pauses the batch by itself.
 */
export function weightOf(code: FailureCode): 'alike' | 'rate' | 'nothing' {
  switch (code) {
    case 'INPUT_INVALID':
    case 'REMOTE_FAILED':
    case 'OUTPUT_UNVERIFIABLE':
    case 'DOWNLOAD_CORRUPT':
    case 'RESULT_EXPIRED':
    case 'OVERDUE':
    case 'GATEWAY_UNAVAILABLE':
      return 'alike';
    case 'MODERATED':
      return 'rate';
    case 'DEPENDENCY_FAILED':
    case 'LOCAL_FILE':
    case 'NETWORK_NOT_SENT':
    case 'RATE_LIMITED':
    case 'AUTH_REJECTED':
    case 'KEY_MISSING':
    case 'BALANCE_EXHAUSTED':
    case 'CAP_REACHED':
    case 'PRICE_UNKNOWN':
    case 'FUSE_BLOWN':
    case 'CANARY_FAILED':
    case 'FINISH_BY':
    case 'GATEWAY_PROTOCOL':
    case 'PROFILE_INVALID':
    case 'STORE_RESTORED':
    case 'DISK_FULL':
    case 'DISK_DENIED':
    case 'SUBMIT_OUTCOME_UNKNOWN':
    case 'WRITTEN_OFF':
    case 'INTERNAL':
      return 'nothing';
    default:
      return assertNever(code);
  }
}

/** A longer fuse looks at more: otherwise, a run of failures that it allows could be too large a share of them. */
function rateWindow(length: number): number {
  return Math.max(RATE_WINDOW, 2 * length);
}

/** A request that has ended: done, or failed with `failure`. */
export interface EndedRequest {
  readonly row: string;
  readonly failure?: Failure;
}

/** How a gateway's requests have ended since its batches were last started, the latest last. */
export type FuseMemory = readonly EndedRequest[];

/** The memory with one more request. It is that of all batches there: it goes back as far as any fuse may look. */
export function withEnd(memory: FuseMemory, ended: EndedRequest): FuseMemory {
  if (ended.failure !== undefined && weightOf(ended.failure.code) === 'nothing') return memory;
  return [...memory, ended].slice(-rateWindow(LONGEST_FUSE));
}

/** Why nothing more should be paid for; undefined while all is well. */
export function blownBy(memory: FuseMemory, length: number): Failure | undefined {
  return length === 0 ? undefined : (alikeInARow(memory, length) ?? tooManyOf(memory, rateWindow(length)));
}

function alikeInARow(memory: FuseMemory, length: number): Failure | undefined {
  const last = memory.filter(({ failure: why }) => why === undefined || weightOf(why.code) === 'alike').slice(-length);
  const why = last.at(-1)?.failure;
  if (why === undefined || last.length < length || last.some((one) => one.failure?.code !== why.code)) return undefined;
  return blown(reason('failedAlike', length, reason('failureTitle', why.code), saidBy(why)), last, why.code);
}

function tooManyOf(memory: FuseMemory, window: number): Failure | undefined {
  const last = memory.slice(-window);
  const failed = last.filter((one) => one.failure !== undefined);
  if (last.length < window || failed.length <= window / 2 || last.at(-1)?.failure === undefined) return undefined;
  return blown(reason('failedOfLast', failed.length, window), failed);
}

function blown(why: Reason, ended: readonly EndedRequest[], code?: FailureCode): Failure {
  const rows = [...new Set(ended.map(({ row }) => row))];
  const named = reason('rowsNamed', rows.slice(0, NAMED).join(', '), rows.length - NAMED);
  const data = { rows, ...(code === undefined ? {} : { of: code }) };
  return failure('FUSE_BLOWN', reason('both', why, named), data);
}
