/** How far a take has come, and in which group of the ledger it is if it has not come to the end. */
import { FAILURE_POLICIES, isRetryFree, pauseOf, TO_DOS, type FailureCode, type ToDo } from '../base/failure.ts';
import { assertNever } from '../base/result.ts';
import { mayAskAgain, refusalOfDisk, type BatchRecord } from '../task/batch.ts';
import type { IdleStatus } from '../task/row-status.ts';
import type { TaskStatus } from '../task/task.ts';

/** The stages of a take, in order: a take that has reached one has passed all the stages before it. */
export const STAGES = ['planned', 'submitted', 'accepted', 'rendered', 'downloaded', 'verified'] as const;
export type Stage = (typeof STAGES)[number];

/**
 * The groups of takes that are not verified, by what to do about them; the group that needs the user most comes first.
 */
export const LEDGER_GROUPS = [
  ...TO_DOS.filter((toDo) => toDo !== 'settle-other-row' && toDo !== 'wait' && toDo !== 'written-off'),
  'resume',
  'start',
  'held',
  'pick',
  'drafts',
  'invalid',
  'settle-other-row',
  'wait-hours',
  'wait',
  'written-off',
  'deleted',
  'cancelled',
  'skipped',
] as const;
export type LedgerGroup = (typeof LEDGER_GROUPS)[number];

/** What decides the stage and the group of a take. */
export interface TakeFacts {
  /** The status of its task, or of its row if the take has no task. */
  readonly status: TaskStatus | IdleStatus;
  /** Why the take failed, if it did. */
  readonly code?: FailureCode;
  /** The failure was inferred, and the gateway is still being asked. */
  readonly isSuspected: boolean;
  /** A request for it has left, where its status does not already say so. */
  readonly wasSent: boolean;
  readonly hasTaskCode: boolean;
  readonly isRendered: boolean;
  /** All its files have been received, verified or not. */
  readonly isDownloaded: boolean;
  /** Its unknown outcome settles itself: see `settlesItself`. */
  readonly isSettling?: true;
  /** It waits for another row. */
  readonly waitsForRow: boolean;
  /** The other row is rendered, and the user has to pick one of its files. */
  readonly awaitsPick?: true;
  /** It waits, and the user holds its row. */
  readonly isHeld: boolean;
}

/** What decides the groups of a batch's takes. */
export interface StandingBatch extends Pick<BatchRecord, 'state' | 'pause'> {
  /** A process works on the batch: without one, nothing continues by itself. */
  readonly isAtWork: boolean;
  /** The user has deleted it. */
  readonly isDeleted?: true;
  /**
   * Until when its schedule lets nothing new be sent, in milliseconds since the epoch; absent if something may be sent
   * now.
   */
  readonly waitsUntil?: number;
}

/** The last stage that a take has reached. A retry begins at the first stage again. */
export function stageOf(take: TakeFacts): Stage {
  switch (take.status) {
    case 'draft':
    case 'invalid':
    case 'skipped':
    case 'queued':
      return 'planned';
    case 'submitting':
    case 'submit-unknown':
      return 'submitted';
    case 'rendering':
      return 'accepted';
    case 'downloading':
      return take.isDownloaded ? 'downloaded' : 'rendered';
    case 'done':
      return 'verified';
    case 'failed':
    case 'cancelled':
      return stageOfEnded(take);
    default:
      return assertNever(take.status);
  }
}

function stageOfEnded({ code, wasSent, hasTaskCode, isRendered, isDownloaded }: TakeFacts): Stage {
  if (isRendered) return isDownloaded ? 'downloaded' : 'rendered';
  if (hasTaskCode) return 'accepted';
  // Only another row or a file can fail a take for which nothing was sent; an earlier request for it does not count.
  return wasSent && code !== 'DEPENDENCY_FAILED' && code !== 'LOCAL_FILE' ? 'submitted' : 'planned';
}

/** What to do about a take; undefined for one that is verified. */
export function groupOf(take: TakeFacts, batch: StandingBatch): LedgerGroup | undefined {
  const group = groupOfThere(take, batch);
  // A user who deletes a batch wants nothing more from it. A batch with requests that may have been charged cannot be
  // deleted, except a rehearsal, which is free.
  return batch.isDeleted === true && group !== undefined ? 'deleted' : group;
}

/** The same for a batch that is not deleted. */
function groupOfThere(take: TakeFacts, batch: StandingBatch): LedgerGroup | undefined {
  const { status } = take;
  switch (status) {
    case 'done':
      return undefined;
    case 'draft':
      return 'drafts';
    case 'invalid':
    case 'skipped':
    case 'cancelled':
      return status;
    case 'submit-unknown':
      if (take.isSettling !== true) return 'check-charge';
      if (take.isHeld) return 'held';
      return batch.isAtWork && mayAskAgain(batch) ? 'wait' : groupOfOpen('new', batch);
    case 'failed':
      return take.code === undefined ? 'retry' : groupOfFailed(take.code, isInferred(take) && take.isRendered);
    case 'queued':
      if (batch.state === 'ready') return 'start';
      if (take.isHeld) return 'held';
      if (take.waitsForRow) return take.awaitsPick === true ? 'pick' : 'settle-other-row';
      return batch.isAtWork && batch.waitsUntil !== undefined ? 'wait-hours' : groupOfOpen('new', batch);
    case 'submitting':
      // Its answer is awaited, whatever holds the others.
      return batch.isAtWork ? 'wait' : groupOfOpen('new', batch);
    case 'rendering':
      return groupOfOpen('poll', batch);
    case 'downloading':
      return groupOfOpen('download', batch);
    default:
      return assertNever(status);
  }
}

/** Whether a failure was only inferred: the gateway is still asked, and a retry asks it before anything is paid. */
export function isInferred({ status, isSuspected, hasTaskCode }: TakeFacts): boolean {
  return status === 'failed' && isSuspected && hasTaskCode;
}

/**
 * @param hadFile Whether the gateway has named a file of the take: it may still have the file, so whatever it says now,
 * there is one to fetch.
 */
function groupOfFailed(code: FailureCode, hadFile: boolean): ToDo {
  if (hadFile) return 'download';
  const { toDo } = FAILURE_POLICIES[code];
  // Something that usually holds a batch, or is only waited for, has failed a take all the same: trying again helps.
  if (pauseOf(code) === undefined && toDo !== 'wait') return toDo;
  return isRetryFree(code) ? 'download' : 'retry';
}

/** What a take needs next. */
type Need = 'new' | 'poll' | 'download';

function groupOfOpen(need: Need, batch: StandingBatch): LedgerGroup {
  const { state, pause, isAtWork } = batch;
  if (state === 'ready') return 'start';
  // After its end, a batch sends nothing new by itself; what comes late is still fetched.
  if (state === 'finished') return isAtWork && need !== 'new' ? 'wait' : 'resume';
  if (state === 'running' || pause === undefined) return isAtWork ? 'wait' : 'resume';
  const disk = refusalOfDisk(batch);
  if (need === 'download' && disk !== undefined) return FAILURE_POLICIES[disk.code].toDo;
  if (pause.by === 'user') return need !== 'new' && isAtWork ? 'wait' : 'resume';
  const { code } = pause.failure;
  return isAtWork && goesOn(need, code) ? 'wait' : FAILURE_POLICIES[code].toDo;
}

/** Whether what a take needs is done during a pause. */
function goesOn(need: Need, code: FailureCode): boolean {
  const meanwhile = pauseOf(code)?.meanwhile ?? 'nothing';
  switch (meanwhile) {
    case 'all':
      return need !== 'new';
    case 'downloads':
      return need === 'download';
    case 'nothing':
      return false;
    default:
      return assertNever(meanwhile);
  }
}
