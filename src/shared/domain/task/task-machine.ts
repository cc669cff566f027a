/**
 * The task's life as one pure function, total over status × event. The engine only carries out what it says. An event
 * whose cell in the table is empty is refused: a late or repeated answer changes nothing.
 */
import { failure as failureOf, isRetryFree, saidBy, type Failure } from '../base/failure.ts';
import { reason } from '../base/reason.ts';
import type { AskingAgain, NextAsk } from '../gateway/charges/asked-again.ts';
import { FRESH_POLL_MEMORY, UNWATCHED_POLL_MEMORY } from '../gateway/poll-answer.ts';
import { refusalsInWords } from '../gateway/retry.ts';
import { isOpen, triedAnew } from './outputs.ts';
import { assertNever, err, ok, present, type Result } from '../base/result.ts';
import { boundTo } from './accounts/account.ts';
import {
  isFailedByOther,
  isSuspectedFailure,
  isToMakeAgain,
  settlesItself,
  type Task,
  type TaskStatus,
} from './task.ts';
import { isOfWatch } from './task-event.ts';
import type {
  AnswerEvent,
  DecisionEvent,
  DependenceEvent,
  EventOf,
  TaskEvent,
  TaskEventKind,
  TurnEvent,
} from './task-event.ts';
import {
  applyDownload,
  applyFreshAddress,
  applyPoll,
  checked,
  failed,
  filed,
  hasVerified,
  reviewed,
  without,
} from './task-results.ts';

/** The event does not fit the task's status: nothing changes. */
export interface TransitionRefused {
  readonly status: TaskStatus;
  readonly event: TaskEventKind;
}

/** The task after `event` at `now`, one revision later; or a refusal if the event does not fit its status. */
export function transition(task: Task, event: TaskEvent, now: number): Result<Task, TransitionRefused> {
  const isLetGo = task.superseded === true && !isOfWatch(event.kind);
  const next = isLetGo ? undefined : apply(task, event, now);
  if (next === undefined) return err({ status: task.status, event: event.kind });
  return ok({ ...next, revision: task.revision + 1 });
}

function apply(task: Task, event: TaskEvent, now: number): Task | undefined {
  switch (event.kind) {
    case 'submit-started':
      return task.status === 'queued' &&
        !task.cancelWanted &&
        task.onHold !== true &&
        task.blockedBy === undefined &&
        mayGoTo(task, event.account)
        ? { ...without(task, 'failure'), status: 'submitting', dueAt: now, ...present({ account: event.account }) }
        : undefined;
    case 'accepted':
    case 'not-sent':
    case 'rate-limited':
    case 'held':
    case 'rejected':
    case 'outcome-unknown':
      return task.status === 'submitting' ? applyAnswer(task, event, now) : undefined;
    case 'asked-again':
      return settlesItself(task) ? { ...without(task, 'failure'), status: 'submitting', dueAt: now } : undefined;
    case 'still-unknown':
      return settlesItself(task) ? stillUnknown(task, event, now) : undefined;
    case 'code-offered':
      return offered(task, event);
    case 'answered-late':
      return settledLate(task, event, now);
    case 'adopted':
    case 'user-resubmit':
    case 'written-off':
      return task.status === 'submit-unknown' ? applyDecision(task, event, now) : undefined;
    case 'still-running':
    case 'poll-failed':
    case 'rendered':
    case 'remote-failed':
    case 'overdue':
      if (task.status === 'downloading') return applyFreshAddress(task, event, now);
      return task.status === 'rendering' || isSuspectedFailure(task) ? applyPoll(task, event, now) : undefined;
    case 'output-started':
    case 'output-placing':
    case 'output-verified':
    case 'url-expired':
    case 'download-failed':
    case 'unsound':
    case 'download-given-up':
    case 'unverifiable':
    case 'download-held':
      return task.status === 'downloading' ? applyDownload(task, event, now) : undefined;
    case 'file-checked':
      return checked(task, event);
    case 'made-again':
      return isToMakeAgain(task, Number.POSITIVE_INFINITY) ? { ...task, superseded: true } : undefined;
    case 'user-retry':
      return retried(task, now, event.isFree === true);
    case 'cancel-requested':
      return cancelled(task, now);
    case 'put-on-hold':
    case 'released':
    case 'put-first':
      return applyTurn(task, event, now);
    case 'blocked':
    case 'unblocked':
    case 'blocked-row-failed':
    case 'reference-unresolved':
    case 'file-awaited':
      return applyDependence(task, event, now);
    case 'reviewed':
      return reviewed(task, event);
    case 'file-moved':
    case 'file-deleted':
    case 'path-freed':
      return filed(task, event);
    default:
      return assertNever(event);
  }
}

/**
 * A hold lasts until the release in every status from which a task may be sent again: so nothing of a held row leaves,
 * whatever becomes of its takes. Only waiting tasks can go first.
 */
function applyTurn(task: Task, event: TurnEvent, now: number): Task | undefined {
  switch (event.kind) {
    case 'put-on-hold':
      return task.status === 'done' || task.onHold === true ? undefined : { ...task, onHold: true };
    case 'released':
      return task.onHold === true ? letGo(task, now) : undefined;
    case 'put-first': {
      const released = task.onHold === true ? letGo(task, now) : task;
      if (task.status === 'queued') return { ...released, priority: event.priority };
      return task.onHold === true ? released : undefined;
    }
    default:
      return assertNever(event);
  }
}

/**
 * A task that waits for its turn is due at once: the clock may have been set while it was held, and its time may never
 * come.
 */
function letGo(task: Task, now: number): Task {
  const dueAt = task.status === 'queued' ? Math.min(task.dueAt, now) : task.dueAt;
  return { ...without(task, 'onHold'), dueAt };
}

/** Only a task that was not sent waits for another row: one that was paid for goes its own way. */
function applyDependence(task: Task, event: DependenceEvent, now: number): Task | undefined {
  const isQueued = task.status === 'queued';
  switch (event.kind) {
    case 'blocked': {
      const waits = { blockedBy: event.by, ...present({ awaitsPick: event.awaitsPick }) };
      if (isQueued) return { ...without(task, 'awaitsPick'), ...waits };
      return isFailedByOther(task) ? { ...without(requeued(task, now), 'awaitsPick'), ...waits } : undefined;
    }
    case 'unblocked':
      if (isQueued && task.blockedBy !== undefined)
        return follows({ ...without(task, 'blockedBy', 'awaitsPick'), dueAt: now }, event);
      // Another take was picked; the task is due when it was.
      if (isQueued) return mayFollow(task, event.account) ? follows(task, event) : undefined;
      return isFailedByOther(task) ? follows(without(requeued(task, now), 'blockedBy'), event) : undefined;
    case 'blocked-row-failed':
      return isQueued ? failed({ ...without(task, 'awaitsPick'), blockedBy: event.by }, event.failure, now) : undefined;
    case 'reference-unresolved':
      return isQueued && task.blockedBy === undefined ? failed(task, event.failure, now) : undefined;
    case 'file-awaited': {
      if (!isQueued || task.blockedBy !== undefined) return undefined;
      return { ...without(task, 'failure'), dueAt: event.dueAt, ...present({ failure: whyAwaited(task, event) }) };
    }
    default:
      return assertNever(event);
  }
}

/**
 * Why a task that waits for a file is not sent: what was last said about the file, or else about its requests. Refusals
 * that were only words stay counted: each of these requests may have been charged.
 */
function whyAwaited({ failure: before }: Task, { failure: why }: EventOf<'file-awaited'>): Failure | undefined {
  const inWordsAlone = refusalsInWords(before);
  if (why === undefined) return before?.code === 'LOCAL_FILE' && inWordsAlone === 0 ? undefined : before;
  return inWordsAlone === 0 ? why : failureOf(why.code, saidBy(why), { ...why.data, inWordsAlone });
}

/**
 * Undefined for an answer after which the task would be sent as a new request, although the first may have been
 * charged.
 */
function applyAnswer(before: Task, event: AnswerEvent, now: number): Task | undefined {
  const isAgain = before.again !== undefined;
  const task: Task = without(before, 'again');
  // However often the request is sent again, it is the same attempt.
  const attempts = before.attempts + (isAgain ? 0 : 1);
  switch (event.kind) {
    case 'accepted': {
      const accepted: Task = {
        ...without(task, 'failure'),
        status: 'rendering',
        taskCode: event.taskCode,
        submittedAt: now,
        dueAt: event.dueAt,
        attempts,
        setbacks: 0,
        // The first sending shows when the rendering began; this answer does not.
        poll: isAgain ? UNWATCHED_POLL_MEMORY : FRESH_POLL_MEMORY,
      };
      return settleCancel(accepted, now);
    }
    case 'not-sent':
    case 'rate-limited': {
      if (isAgain) return undefined;
      const { failure, dueAt } = event;
      const refused = event.kind === 'not-sent' && event.unbinds === true ? without(task, 'account') : task;
      return settleCancel({ ...refused, status: 'queued', dueAt, failure, setbacks: task.setbacks + 1 }, now);
    }
    case 'held':
      if (isAgain) return undefined;
      return settleCancel({ ...task, status: 'queued', dueAt: now, failure: event.failure }, now);
    case 'rejected':
      return failed({ ...task, attempts }, event.failure, now);
    case 'outcome-unknown': {
      const offer = isAgain || event.taskCode !== undefined ? undefined : task.taskCode;
      return {
        ...task,
        status: 'submit-unknown',
        dueAt: event.again?.dueAt ?? now,
        failure: offer === undefined ? event.failure : withOffer(event.failure, offer),
        attempts,
        submittedAt: isAgain ? (task.submittedAt ?? now) : now,
        ...(event.taskCode === undefined ? {} : { taskCode: event.taskCode }),
        ...(event.again === undefined ? {} : { again: askingOf(event.again) }),
      };
    }
    default:
      return assertNever(event);
  }
}

function stillUnknown(task: Task, { failure, again }: EventOf<'still-unknown'>, now: number): Task {
  const ended: Task = { ...without(task, 'again'), dueAt: now, failure };
  return again === undefined ? ended : { ...ended, dueAt: again.dueAt, again: askingOf(again) };
}

/** In any other status, somebody has decided in the meantime: the code is then only noted. */
function offered(task: Task, { taskCode, isOpen }: EventOf<'code-offered'>): Task {
  // Whoever waits in vain for the answer makes the outcome unknown next, and the code stays.
  if (task.status === 'submitting') return isOpen === true ? { ...task, taskCode } : task;
  return task.status === 'submit-unknown' ? { ...task, taskCode, failure: withOffer(task.failure, taskCode) } : task;
}

function withOffer(why: Failure | undefined, taskCode: string): Failure {
  const late = reason('lateCode', taskCode);
  return failureOf('SUBMIT_OUTCOME_UNKNOWN', why ? reason('both', saidBy(why), late) : late, why?.data);
}

/**
 * In any other status, somebody has decided in the meantime, and a task code says otherwise: the answer is then only
 * noted.
 */
function settledLate(before: Task, { settles }: EventOf<'answered-late'>, now: number): Task {
  const isOpen = before.status === 'submit-unknown' && before.taskCode === undefined && before.superseded !== true;
  if (settles === undefined || !isOpen) return before;
  const { becomes, failure, dueAt } = settles;
  const task: Task = without(before, 'again', 'submittedAt');
  if (becomes === 'failed') return failed(task, failure, now);
  return settleCancel({ ...task, status: 'queued', dueAt, failure, setbacks: task.setbacks + 1 }, now);
}

function askingOf(next: NextAsk): AskingAgain {
  const { dueAt: _, ...again } = next;
  return again;
}

function applyDecision(before: Task, event: DecisionEvent, now: number): Task {
  const task: Task = without(before, 'again');
  switch (event.kind) {
    case 'adopted':
      return {
        ...without(task, 'failure'),
        status: 'rendering',
        taskCode: event.taskCode,
        cancelWanted: false,
        dueAt: now,
        setbacks: 0,
        // However long ago the task was sent: the gateway has just shown that it knows it.
        submittedAt: now,
        poll: UNWATCHED_POLL_MEMORY,
      };
    case 'user-resubmit':
      return requeued(task, now);
    case 'written-off':
      return failed(task, failureOf('WRITTEN_OFF', reason('writtenOff')), now);
    default:
      return assertNever(event);
  }
}

/**
 * Where a failed or cancelled task continues on retry: never with a new paid rendering while the old one may still be
 * had.
 */
function retried(task: Task, now: number, isFree: boolean): Task | undefined {
  if (task.status !== 'failed' && task.status !== 'cancelled') return undefined;
  if (!mayBeHad(task)) return isFree ? undefined : sentAnew(requeued(task, now));
  const outputs = task.outputs.map(triedAnew);
  return {
    ...without(task, 'failure', 'finishedAt'),
    // Asked again first: an address from the time of the failure rarely still works when the user comes back.
    status: outputs.some(isOpen) && !task.provisional ? 'downloading' : 'rendering',
    cancelWanted: false,
    dueAt: now,
    setbacks: 0,
    submittedAt: now,
    // The task was already counted with the status it still seems to have.
    poll: { ...UNWATCHED_POLL_MEMORY, ...present({ seen: task.poll.seen }) },
    outputs,
  };
}

/** The gateway may still have what an ended task was paid for: a retry only asks for it. */
export function mayBeHad(task: Task): boolean {
  if (task.taskCode === undefined) return false;
  const isTold = task.failure !== undefined && isRetryFree(task.failure.code);
  return task.status === 'cancelled' || hasVerified(task) || isSuspectedFailure(task) || isTold;
}

function cancelled(task: Task, now: number): Task | undefined {
  switch (task.status) {
    case 'queued':
    case 'rendering':
    case 'downloading':
      return { ...task, status: 'cancelled', cancelWanted: false, dueAt: now, finishedAt: now };
    case 'submitting':
      return task.cancelWanted ? undefined : { ...task, cancelWanted: true };
    case 'submit-unknown':
    case 'done':
    case 'failed':
    case 'cancelled':
      return undefined;
    default:
      return assertNever(task.status);
  }
}

function settleCancel(task: Task, now: number): Task {
  return task.cancelWanted ? (cancelled(task, now) ?? task) : task;
}

/** A new request that the user pays for goes where the row now says; if it says nothing, it stays where it was. */
function sentAnew(task: Task): Task {
  return task.account === undefined || task.pin === undefined ? task : { ...task, account: task.pin };
}

/** Whatever the reason: what was sent with one account is never sent with another. */
function mayGoTo(task: Task, account: string | undefined): boolean {
  if (account === undefined) return task.account === undefined;
  const bound = boundTo(task);
  return bound === undefined || bound === account;
}

/** What another row gave is only known where it was made; a row that was never sent and names no account goes there. */
function follows(task: Task, { account }: EventOf<'unblocked'>): Task {
  return account !== undefined && mayFollow(task, account) ? { ...task, account } : task;
}

/** Whether a task may still be moved to another account than its present one: where what it refers to was made. */
export function mayFollow(task: Task, account: string | undefined): boolean {
  const isUnsent = task.account === undefined || (task.attempts === 0 && task.setbacks === 0);
  return account !== undefined && account !== task.account && task.pin === undefined && isUnsent;
}

/** Back to the start, as if never submitted; what was recorded of earlier attempts stays recorded. */
function requeued(task: Task, now: number): Task {
  return {
    ...without(task, 'failure', 'finishedAt', 'taskCode', 'sameAddressAs', 'submittedAt', 'renderedAt'),
    status: 'queued',
    cancelWanted: false,
    dueAt: now,
    setbacks: 0,
    poll: FRESH_POLL_MEMORY,
    provisional: false,
    outputs: [],
  };
}
