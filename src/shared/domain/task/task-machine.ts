/**
 * The task's life as one pure function, total over status × event. The engine only carries out what it says.
 * Where a cell of the table is empty, the event is refused: a late or doubled answer changes nothing.
 */
import { failure as failureOf, isRetryFree, type Failure } from './failure.ts';
import { FRESH_POLL_MEMORY, UNWATCHED_POLL_MEMORY, type EndedPhase, type PollMemory } from '../gateway/poll-outcome.ts';
import { urlExpiresAt } from '../files/media-url.ts';
import {
  firstDue,
  isOpen,
  outputsDueAt,
  triedAnew,
  triedInVain,
  whyWaiting,
  withFreshAddresses,
  withKnownAddresses,
  type FoundOutput,
} from '../files/outputs.ts';
import { assertNever, err, ok, type Result } from '../base/result.ts';
import { MAX_DOWNLOAD_TRIES, QUICK_DOWNLOAD_TRIES } from './retry.ts';
import { isFailedByOther, isSuspectedFailure, type KeptFile, type Output, type Task, type TaskStatus } from './task.ts';

/** Where a verified output lies. */
export interface PlacedFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** What happens to a task. `dueAt` is when the engine looks at it next, milliseconds since the epoch. */
export type TaskEvent =
  | { readonly kind: 'submit-started' }
  | { readonly kind: 'accepted'; readonly taskCode: string; readonly dueAt: number }
  | { readonly kind: 'not-sent'; readonly failure: Failure; readonly dueAt: number }
  | { readonly kind: 'rate-limited'; readonly failure: Failure; readonly dueAt: number }
  /** Refused for a reason that stops the night: the task keeps its place and no attempt is used. */
  | { readonly kind: 'held'; readonly failure: Failure }
  | { readonly kind: 'rejected'; readonly failure: Failure }
  | { readonly kind: 'outcome-unknown'; readonly failure: Failure; readonly taskCode?: string }
  | { readonly kind: 'adopted'; readonly taskCode: string }
  | { readonly kind: 'user-resubmit' }
  | { readonly kind: 'written-off' }
  | {
      readonly kind: 'still-running';
      readonly dueAt: number;
      readonly poll: PollMemory;
      /** It has ended without a result, and it is not certain yet what that means. */
      readonly ended?: EndedPhase;
    }
  | { readonly kind: 'poll-failed'; readonly failure: Failure; readonly dueAt: number; readonly poll: PollMemory }
  | {
      readonly kind: 'rendered';
      readonly outputs: readonly FoundOutput[];
      readonly provisional: boolean;
      readonly poll: PollMemory;
      /** Another row of the batch with an output at the same address. */
      readonly sameAddressAs?: string;
    }
  /** `dueAt` is when a suspected failure is asked about once more; it means nothing for one that the gateway states. */
  | { readonly kind: 'remote-failed'; readonly failure: Failure; readonly dueAt: number; readonly poll: PollMemory }
  | { readonly kind: 'overdue'; readonly failure: Failure }
  | {
      readonly kind: 'output-started';
      readonly index: number;
      readonly generation: number;
      readonly validator: string | undefined;
    }
  | { readonly kind: 'output-placing'; readonly index: number; readonly placement: PlacedFile }
  /** The last one to be verified makes the task done: the design's `files-verified`. */
  | { readonly kind: 'output-verified'; readonly index: number; readonly placement: PlacedFile }
  | { readonly kind: 'url-expired'; readonly index: number; readonly failure: Failure; readonly dueAt: number }
  /** `likeness`: see `VainTry` in outputs.ts. */
  | {
      readonly kind: 'download-failed';
      readonly index: number;
      readonly failure: Failure;
      readonly dueAt: number;
      readonly likeness?: string;
    }
  /** What came is no sound file: the gateway is asked for a fresh address, and it is fetched again at `dueAt`. */
  | {
      readonly kind: 'unsound';
      readonly index: number;
      readonly failure: Failure;
      readonly dueAt: number;
      readonly likeness?: string;
      readonly kept?: KeptFile;
    }
  /** No more tries for this output; its task fails when no other output is left to fetch. */
  | { readonly kind: 'download-given-up'; readonly index: number; readonly failure: Failure }
  /** The same, and what came last lies at `path`. */
  | {
      readonly kind: 'unverifiable';
      readonly index: number;
      readonly failure: Failure;
      readonly path?: string;
      readonly kept?: KeptFile;
    }
  /** The disk failed, not the download: no try is used. */
  | { readonly kind: 'download-held'; readonly failure: Failure; readonly dueAt: number }
  | { readonly kind: 'user-retry' }
  | { readonly kind: 'cancel-requested' }
  /** Refers to another row (`by` is its id) that is not done yet; also when that one is on its way again. */
  | { readonly kind: 'blocked'; readonly by: string }
  /** Every row that it refers to is done. */
  | { readonly kind: 'unblocked' }
  /** The row that it refers to (`by` is its id) came to its end without a result. */
  | { readonly kind: 'blocked-row-failed'; readonly by: string; readonly failure: Failure }
  /** What it refers to is not among what the other row gave, or may not be sent: nothing was sent. */
  | { readonly kind: 'reference-unresolved'; readonly failure: Failure };

export type TaskEventKind = TaskEvent['kind'];

/** The event does not belong to the task's status: nothing changes. */
export interface TransitionRefused {
  readonly status: TaskStatus;
  readonly event: TaskEventKind;
}

/** The task after `event` at `now`, one revision later; or a refusal where the event does not apply to its status. */
export function transition(task: Task, event: TaskEvent, now: number): Result<Task, TransitionRefused> {
  const isLetGo = task.superseded === true && !isOfWatch(event.kind);
  const next = isLetGo ? undefined : apply(task, event, now);
  if (next === undefined) return err({ status: task.status, event: event.kind });
  return ok({ ...next, revision: task.revision + 1 });
}

function apply(task: Task, event: TaskEvent, now: number): Task | undefined {
  switch (event.kind) {
    case 'submit-started':
      return task.status === 'queued' && !task.cancelWanted && task.blockedBy === undefined
        ? { ...withoutFailure(task), status: 'submitting', dueAt: now }
        : undefined;
    case 'accepted':
    case 'not-sent':
    case 'rate-limited':
    case 'held':
    case 'rejected':
    case 'outcome-unknown':
      return task.status === 'submitting' ? applyAnswer(task, event, now) : undefined;
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
    case 'user-retry':
      return retried(task, now);
    case 'cancel-requested':
      return cancelled(task, now);
    case 'blocked':
    case 'unblocked':
    case 'blocked-row-failed':
    case 'reference-unresolved':
      return applyDependence(task, event, now);
    default:
      return assertNever(event);
  }
}

/** What happens to a superseded task: what the gateway may still give of it is asked for and fetched, and nothing else. */
export function isOfWatch(kind: TaskEventKind): boolean {
  switch (kind) {
    case 'still-running':
    case 'poll-failed':
    case 'rendered':
    case 'remote-failed':
    case 'overdue':
    case 'output-started':
    case 'output-placing':
    case 'output-verified':
    case 'url-expired':
    case 'download-failed':
    case 'unsound':
    case 'download-given-up':
    case 'unverifiable':
    case 'download-held':
      return true;
    case 'submit-started':
    case 'accepted':
    case 'not-sent':
    case 'rate-limited':
    case 'held':
    case 'rejected':
    case 'outcome-unknown':
    case 'adopted':
    case 'user-resubmit':
    case 'written-off':
    case 'user-retry':
    case 'cancel-requested':
    case 'blocked':
    case 'unblocked':
    case 'blocked-row-failed':
    case 'reference-unresolved':
      return false;
    default:
      return assertNever(kind);
  }
}

type Of<K extends TaskEventKind> = Extract<TaskEvent, { kind: K }>;

/** Only what was not sent waits for another row: a task that was paid for goes its own way. */
function applyDependence(
  task: Task,
  event: Of<'blocked' | 'unblocked' | 'blocked-row-failed' | 'reference-unresolved'>,
  now: number,
): Task | undefined {
  const isQueued = task.status === 'queued';
  switch (event.kind) {
    case 'blocked':
      if (isQueued) return { ...task, blockedBy: event.by };
      return isFailedByOther(task) ? { ...requeued(task, now), blockedBy: event.by } : undefined;
    case 'unblocked':
      if (isQueued && task.blockedBy !== undefined) return { ...withoutBlock(task), dueAt: now };
      return isFailedByOther(task) ? withoutBlock(requeued(task, now)) : undefined;
    case 'blocked-row-failed':
      return isQueued ? failed({ ...task, blockedBy: event.by }, event.failure, now) : undefined;
    case 'reference-unresolved':
      return isQueued && task.blockedBy === undefined ? failed(task, event.failure, now) : undefined;
    default:
      return assertNever(event);
  }
}

function applyAnswer(
  task: Task,
  event: Of<'accepted' | 'not-sent' | 'rate-limited' | 'held' | 'rejected' | 'outcome-unknown'>,
  now: number,
): Task {
  switch (event.kind) {
    case 'accepted': {
      const accepted: Task = {
        ...withoutFailure(task),
        status: 'rendering',
        taskCode: event.taskCode,
        submittedAt: now,
        dueAt: event.dueAt,
        attempts: task.attempts + 1,
        setbacks: 0,
        poll: FRESH_POLL_MEMORY,
      };
      return settleCancel(accepted, now);
    }
    case 'not-sent':
    case 'rate-limited': {
      const { failure, dueAt } = event;
      return settleCancel({ ...task, status: 'queued', dueAt, failure, setbacks: task.setbacks + 1 }, now);
    }
    case 'held':
      return settleCancel({ ...task, status: 'queued', dueAt: now, failure: event.failure }, now);
    case 'rejected':
      return failed({ ...task, attempts: task.attempts + 1 }, event.failure, now);
    case 'outcome-unknown':
      return {
        ...task,
        status: 'submit-unknown',
        dueAt: now,
        failure: event.failure,
        attempts: task.attempts + 1,
        submittedAt: now,
        ...(event.taskCode === undefined ? {} : { taskCode: event.taskCode }),
      };
    default:
      return assertNever(event);
  }
}

function applyDecision(task: Task, event: Of<'adopted' | 'user-resubmit' | 'written-off'>, now: number): Task {
  switch (event.kind) {
    case 'adopted':
      return {
        ...withoutFailure(task),
        status: 'rendering',
        taskCode: event.taskCode,
        cancelWanted: false,
        dueAt: now,
        setbacks: 0,
        poll: UNWATCHED_POLL_MEMORY,
      };
    case 'user-resubmit':
      return requeued(task, now);
    case 'written-off':
      return failed(task, failureOf('WRITTEN_OFF', 'Written off by the user; it may have been charged.'), now);
    default:
      return assertNever(event);
  }
}

function applyPoll(
  task: Task,
  event: Of<'still-running' | 'poll-failed' | 'rendered' | 'remote-failed' | 'overdue'>,
  now: number,
): Task {
  switch (event.kind) {
    case 'still-running':
      // A suspicion outlives a poll that brings nothing new; only a success ends it.
      return task.status === 'failed'
        ? { ...task, dueAt: event.dueAt, setbacks: 0, poll: event.poll }
        : { ...withoutFailure(task), dueAt: event.dueAt, setbacks: 0, poll: event.poll };
    case 'poll-failed':
      return {
        ...task,
        dueAt: event.dueAt,
        poll: event.poll,
        setbacks: task.setbacks + 1,
        failure: task.status === 'failed' && task.failure ? task.failure : event.failure,
      };
    case 'rendered':
      return downloading(task, event, now);
    case 'remote-failed':
      // What gave a file did not fail, whatever a record says: it is asked about on.
      return {
        ...failed(task, hasVerified(task) ? { ...event.failure, suspected: true } : event.failure, now),
        dueAt: event.dueAt,
        poll: event.poll,
      };
    case 'overdue':
      return failed(task, event.failure, now);
    default:
      return assertNever(event);
  }
}

/**
 * The gateway was asked for a fresh address of what it has rendered already. Whatever it says but another address, a
 * file that was paid for is fetched where it was; unless the rendering was only inferred to be finished.
 */
function applyFreshAddress(
  task: Task,
  event: Of<'still-running' | 'poll-failed' | 'rendered' | 'remote-failed' | 'overdue'>,
  now: number,
): Task | undefined {
  const asKnown = (poll: PollMemory): Task =>
    waiting({ ...task, setbacks: 0, poll, outputs: withKnownAddresses(task.outputs, now) }, now);
  switch (event.kind) {
    case 'rendered':
      return downloading(task, { ...event, provisional: task.provisional && event.provisional }, now);
    case 'still-running':
      return task.provisional
        ? applyPoll({ ...withoutRendered(task), status: 'rendering' }, event, now)
        : asKnown(event.poll);
    case 'remote-failed':
      return task.provisional && event.failure.suspected !== true && !hasVerified(task)
        ? applyPoll(task, event, now)
        : asKnown(event.poll);
    case 'poll-failed':
      return goesOnWithoutAddress(task, event, now)
        ? asKnown(event.poll)
        : { ...task, dueAt: event.dueAt, poll: event.poll, setbacks: task.setbacks + 1 };
    case 'overdue':
      return undefined;
    default:
      return assertNever(event);
  }
}

/** A gateway that answers, but with no record, so often in a row keeps no file back. */
const ANSWERS_IN_VAIN = 2;
/** Nor one that asks for a wait as long as this. */
const LONG_WAIT_MS = 60_000;

/**
 * Whether what is due is fetched where it was because the gateway's answers are of no use. One that cannot be reached at all
 * is waited for; so is it with the last try, and with what may still be rendering.
 */
function goesOnWithoutAddress(
  { outputs, provisional, setbacks }: Task,
  { failure, dueAt }: Of<'poll-failed'>,
  now: number,
): boolean {
  const output = firstDue(outputs);
  const isAway = failure.code === 'GATEWAY_UNAVAILABLE' && failure.data?.['httpStatus'] === undefined;
  if (output === undefined || isAway || output.tries + 1 >= MAX_DOWNLOAD_TRIES) return false;
  if (provisional && output.alike !== undefined) return false;
  const isKnownGood = (urlExpiresAt(output.url ?? '') ?? dueAt) > now;
  return setbacks + 1 >= ANSWERS_IN_VAIN || (isKnownGood && dueAt - now >= LONG_WAIT_MS);
}

function downloading(task: Task, event: Of<'rendered'>, now: number): Task {
  const found: Task = {
    ...withoutFinish(task),
    status: 'downloading',
    setbacks: 0,
    poll: event.poll,
    provisional: event.provisional,
    ...(event.sameAddressAs === undefined ? {} : { sameAddressAs: event.sameAddressAs }),
    // What was inferred to be finished may have been rendering until the gateway itself says so.
    renderedAt: task.provisional && !event.provisional ? now : (task.renderedAt ?? now),
    outputs: withFreshAddresses(task.outputs, event.outputs, now),
  };
  return waiting(found, now);
}

/** Waits for the first of its open outputs, and says why. */
function waiting(task: Task, now: number): Task {
  const why = whyWaiting(task.outputs);
  const rest = { ...withoutFailure(task), dueAt: outputsDueAt(task.outputs, now) };
  return why === undefined ? rest : { ...rest, failure: why };
}

function applyDownload(
  task: Task,
  event: Of<
    | 'output-started'
    | 'output-placing'
    | 'output-verified'
    | 'url-expired'
    | 'download-failed'
    | 'unsound'
    | 'download-given-up'
    | 'unverifiable'
    | 'download-held'
  >,
  now: number,
): Task | undefined {
  if (event.kind === 'download-held') return { ...task, dueAt: event.dueAt, failure: event.failure };
  const output = task.outputs.find((o) => o.index === event.index);
  if (output === undefined || output.state === 'verified') return undefined;
  const replace = (changed: Output): Task => ({
    ...task,
    outputs: task.outputs.map((o) => (o.index === event.index ? changed : o)),
  });
  switch (event.kind) {
    case 'output-started': {
      const { validator: _, ...rest } = output;
      const validator = event.validator === undefined ? {} : { validator: event.validator };
      return replace({ ...rest, ...validator, state: 'pending', generation: event.generation });
    }
    case 'output-placing':
      return replace({ ...output, ...event.placement, state: 'placing' });
    case 'output-verified': {
      const { failure: _, dueAt: _due, isStale: _stale, alike: _alike, ...rest } = output;
      return settleOutputs(replace({ ...rest, ...event.placement, state: 'verified' }), now);
    }
    case 'url-expired':
    case 'unsound':
      return waiting(replace(triedInVain(output, { ...event, askFirst: true })), now);
    case 'download-failed': {
      // After a few tries it may be the address that is at fault. What is not finished has another one each time.
      const askFirst = task.provisional || output.tries + 1 >= QUICK_DOWNLOAD_TRIES;
      return waiting(replace(triedInVain(output, { ...event, askFirst })), now);
    }
    case 'download-given-up':
      return settleOutputs(replace({ ...triedInVain(output, event), state: 'failed' }), now);
    case 'unverifiable': {
      const path = event.path === undefined ? {} : { path: event.path };
      return settleOutputs(replace({ ...triedInVain(output, event), ...path, state: 'set-aside' }), now);
    }
    default:
      return assertNever(event);
  }
}

/** Done when every output is verified; failed when none is left to fetch and one could not be had. */
function settleOutputs(task: Task, now: number): Task {
  if (task.outputs.some(isOpen)) return waiting(task, now);
  const lost = task.outputs.find((o) => o.state !== 'verified');
  if (lost === undefined) return { ...withoutFailure(task), status: 'done', dueAt: now, finishedAt: now, setbacks: 0 };
  return failed(task, lost.failure ?? failureOf('INTERNAL', 'An output was lost without a reason.'), now);
}

function hasVerified({ outputs }: Task): boolean {
  return outputs.some(({ state }) => state === 'verified');
}

/** Where a failed or cancelled task goes on at the user's word: never a new paid rendering while the old may be had. */
function retried(task: Task, now: number): Task | undefined {
  if (task.status !== 'failed' && task.status !== 'cancelled') return undefined;
  const stillThere =
    task.taskCode !== undefined &&
    (task.status === 'cancelled' ||
      hasVerified(task) ||
      isSuspectedFailure(task) ||
      (task.failure !== undefined && isRetryFree(task.failure.code)));
  if (!stillThere) return requeued(task, now);
  const outputs = task.outputs.map(triedAnew);
  return {
    ...withoutFailure(withoutFinish(task)),
    // Asked again first: an address that was good when the task failed is rarely good when the user comes back.
    status: outputs.some(isOpen) && !task.provisional ? 'downloading' : 'rendering',
    cancelWanted: false,
    dueAt: now,
    setbacks: 0,
    submittedAt: now,
    poll: UNWATCHED_POLL_MEMORY,
    outputs,
  };
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

function failed(task: Task, failure: Failure, now: number): Task {
  return { ...task, status: 'failed', cancelWanted: false, dueAt: now, finishedAt: task.finishedAt ?? now, failure };
}

/** Back to the start, as if it had never been submitted; what was recorded of earlier attempts stays recorded. */
function requeued(task: Task, now: number): Task {
  const {
    taskCode: _code,
    sameAddressAs: _same,
    submittedAt: _submitted,
    renderedAt: _rendered,
    ...rest
  } = withoutFailure(withoutFinish(task));
  return {
    ...rest,
    status: 'queued',
    cancelWanted: false,
    dueAt: now,
    setbacks: 0,
    poll: FRESH_POLL_MEMORY,
    provisional: false,
    outputs: [],
  };
}

function withoutFailure(task: Task): Task {
  const { failure: _, ...rest } = task;
  return rest;
}

function withoutBlock(task: Task): Task {
  const { blockedBy: _, ...rest } = task;
  return rest;
}

function withoutRendered(task: Task): Task {
  const { renderedAt: _, ...rest } = task;
  return rest;
}

function withoutFinish(task: Task): Task {
  const { finishedAt: _, ...rest } = task;
  return rest;
}
