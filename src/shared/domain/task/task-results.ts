/** What polls and downloads do to a task: the part of its life from `rendering` to its end. */
import { failure as failureOf, type Failure } from '../base/failure.ts';
import { reason } from '../base/reason.ts';
import type { PollMemory } from '../gateway/poll-answer.ts';
import { urlExpiresAt } from '../gateway/media-url.ts';
import {
  firstDue,
  isHad,
  isOpen,
  outputsDueAt,
  triedInVain,
  whyWaiting,
  withFreshAddresses,
  withKnownAddresses,
} from './outputs.ts';
import { assertNever, present } from '../base/result.ts';
import { isRejectedPath, REJECTED_FOLDER, withVerdictChange } from '../review/verdict.ts';
import { MAX_DOWNLOAD_TRIES, QUICK_DOWNLOAD_TRIES } from '../gateway/retry.ts';
import type { Output, Task } from './task.ts';
import type { DownloadEvent, EventOf, FilingEvent, PollEvent, TaskEventKind } from './task-event.ts';

/** What a poll says about a task that is rendering, or whose failure was inferred. */
export function applyPoll(task: Task, event: PollEvent, now: number): Task {
  switch (event.kind) {
    case 'still-running':
      // A suspicion outlives a poll that brings nothing new; only a success ends it.
      return task.status === 'failed'
        ? { ...task, dueAt: event.dueAt, setbacks: 0, poll: event.poll }
        : { ...without(task, 'failure'), dueAt: event.dueAt, setbacks: 0, poll: event.poll };
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
      // A task that gave a file did not fail, whatever a record says: Nocturne keeps asking about it.
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

/** Whether a take is rendered: by the gateway's own word, or as far as could be inferred. */
export type Rendered = 'no' | 'inferred' | 'yes';

/**
 * Whether a take is still rendered after an answer. What was only inferred is taken back if the task is still
 * rendering, or if it failed by the gateway's word before any of its files arrived.
 */
export function renderedAfterAnswer(
  rendered: Rendered,
  {
    kind,
    provisional,
    failure,
  }: Partial<Pick<EventOf<'rendered'>, 'provisional'>> & {
    readonly kind: TaskEventKind;
    readonly failure?: Failure;
  },
  hasFile: boolean,
): Rendered {
  if (kind === 'rendered') return provisional === true && rendered !== 'yes' ? 'inferred' : 'yes';
  const isTakenBack = kind === 'still-running' || (kind === 'remote-failed' && failure?.suspected !== true && !hasFile);
  return isTakenBack && rendered === 'inferred' ? 'no' : rendered;
}

/**
 * Nocturne asked for a fresh address of a finished rendering. Unless the answer holds another address, the file, which
 * was paid for, is fetched from its old one; except if Nocturne only inferred that the rendering had finished.
 */
export function applyFreshAddress(task: Task, event: PollEvent, now: number): Task | undefined {
  const asKnown = (poll: PollMemory): Task =>
    waiting({ ...task, setbacks: 0, poll, outputs: withKnownAddresses(task.outputs, now) }, now);
  const rendered = renderedAfterAnswer(task.provisional ? 'inferred' : 'yes', event, hasVerified(task));
  switch (event.kind) {
    case 'rendered':
      return downloading(task, { ...event, provisional: rendered === 'inferred' }, now);
    case 'still-running':
      return rendered === 'no'
        ? applyPoll({ ...without(task, 'renderedAt'), status: 'rendering' }, event, now)
        : asKnown(event.poll);
    case 'remote-failed':
      return rendered === 'no' ? applyPoll(task, event, now) : asKnown(event.poll);
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

/** After this many answers in succession without a record, Nocturne fetches the file anyway. */
const ANSWERS_IN_VAIN = 2;
/** A requested wait of this length does not hold the file back either. */
const LONG_WAIT_MS = 60_000;

/**
 * Whether to fetch due files from their old addresses because the gateway's answers are of no use. Nocturne waits for a
 * gateway that cannot be reached, before a last attempt, and for what may still be rendering.
 */
function goesOnWithoutAddress(
  { outputs, provisional, setbacks }: Task,
  { failure, dueAt }: EventOf<'poll-failed'>,
  now: number,
): boolean {
  const output = firstDue(outputs);
  const isAway = failure.code === 'GATEWAY_UNAVAILABLE' && failure.data?.['httpStatus'] === undefined;
  if (output === undefined || isAway || output.tries + 1 >= MAX_DOWNLOAD_TRIES) return false;
  if (provisional && output.alike !== undefined) return false;
  const isKnownGood = (urlExpiresAt(output.url ?? '') ?? dueAt) > now;
  return setbacks + 1 >= ANSWERS_IN_VAIN || (isKnownGood && dueAt - now >= LONG_WAIT_MS);
}

function downloading(task: Task, event: EventOf<'rendered'>, now: number): Task {
  const found: Task = {
    ...without(task, 'finishedAt'),
    status: 'downloading',
    setbacks: 0,
    poll: event.poll,
    provisional: event.provisional,
    ...(event.sameAddressAs === undefined ? {} : { sameAddressAs: event.sameAddressAs }),
    // A rendering inferred to be finished may have continued until the gateway confirmed its end.
    renderedAt: task.provisional && !event.provisional ? now : (task.renderedAt ?? now),
    outputs: withFreshAddresses(task.outputs, event.outputs, now),
  };
  return waiting(found, now);
}

/** The task waits for the first of its open outputs, and says why. */
function waiting(task: Task, now: number): Task {
  const why = whyWaiting(task.outputs);
  const rest = { ...without(task, 'failure'), dueAt: outputsDueAt(task.outputs, now) };
  return why === undefined ? rest : { ...rest, failure: why };
}

/** What happens to an output on its way to the media folder. */
export function applyDownload(task: Task, event: DownloadEvent, now: number): Task | undefined {
  if (event.kind === 'download-held') return { ...task, dueAt: event.dueAt, failure: event.failure };
  const output = task.outputs.find((o) => o.index === event.index);
  if (output === undefined || isHad(output)) return undefined;
  const replace = (changed: Output): Task => ({
    ...task,
    outputs: task.outputs.map((o) => (o.index === event.index ? changed : o)),
  });
  switch (event.kind) {
    case 'output-started':
      return replace({ ...started(output, event.generation, event.validator), state: 'pending' });
    case 'output-placing': {
      const { generation, validator, placement } = event;
      const before = generation === undefined ? output : started(output, generation, validator);
      return replace({ ...before, ...placement, state: 'placing' });
    }
    case 'output-verified': {
      const { failure: _, dueAt: _due, isStale: _stale, alike: _alike, ...rest } = output;
      return settleOutputs(replace({ ...rest, ...event.placement, state: 'verified' }), now);
    }
    case 'url-expired':
    case 'unsound':
      return waiting(replace(triedInVain(output, { ...event, askFirst: true })), now);
    case 'download-failed': {
      // After a few attempts, the address may be at fault. An unfinished rendering gives a new address each time.
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

/** Records what the user says about a file; only about one that is verified, whatever became of its task. */
export function reviewed(task: Task, { index, change }: EventOf<'reviewed'>): Task | undefined {
  const output = task.outputs.find((one) => one.index === index);
  if (output?.state !== 'verified') return undefined;
  const { verdict, ...rest } = output;
  const changed: Output = { ...rest, ...present({ verdict: withVerdictChange(verdict, change) }) };
  return { ...task, outputs: task.outputs.map((one) => (one === output ? changed : one)) };
}

/**
 * Moves a take's file to another path, or marks it as deleted for good, as the user wants; undefined if the file is not
 * as it was seen, or if something at an earlier path of it has to go first.
 */
export function filed(task: Task, event: FilingEvent): Task | undefined {
  const output = task.outputs.find(({ index }) => index === event.index);
  const changed = output && filedOutput(output, event);
  return changed && { ...task, outputs: task.outputs.map((one) => (one === output ? changed : one)) };
}

function filedOutput(output: Output, event: FilingEvent): Output | undefined {
  const { home, leftover, ...rest } = output;
  switch (event.kind) {
    case 'file-moved': {
      const { from, to } = event;
      if (output.state !== 'verified' || output.path !== from) return undefined;
      if (leftover !== undefined && leftover !== to) return undefined;
      return { ...rest, path: to, leftover: from, ...(isRejectedPath(to) ? { home: from } : {}) };
    }
    case 'file-deleted': {
      const isMeant = output.path === event.path && leftover === undefined && output.verdict?.kept === false;
      return output.state === 'verified' && isMeant ? { ...output, state: 'deleted' } : undefined;
    }
    case 'path-freed': {
      if (leftover === event.path) return { ...rest, ...present({ home }) };
      if (output.state !== 'deleted' || output.path !== event.path) return undefined;
      const { path: _, ...gone } = rest;
      return gone;
    }
    default:
      return assertNever(event);
  }
}

/** Where the file of an output belongs by the user's word; undefined if it is there, or if there is no file. */
export function wantedPath({ state, path, verdict, home }: Output): string | undefined {
  if (state !== 'verified' || path === undefined) return undefined;
  const isRejected = verdict?.kept === false;
  if (isRejected === isRejectedPath(path)) return undefined;
  return isRejected ? `${REJECTED_FOLDER}/${path.slice(path.lastIndexOf('/') + 1)}` : home;
}

/** A verified file with what the gates say about it, in every status of its task. */
export function checked(task: Task, { index, flags, print }: EventOf<'file-checked'>): Task | undefined {
  if (task.outputs.find((output) => output.index === index)?.state !== 'verified') return undefined;
  const outputs = task.outputs.map((output) =>
    output.index === index ? { ...output, flags, ...present({ print }) } : output,
  );
  return { ...task, outputs };
}

/** The output with a new body. */
function started(output: Output, generation: number, validator: string | undefined): Output {
  const { validator: _, seconds: _seconds, ...rest } = output;
  return { ...rest, ...(validator === undefined ? {} : { validator }), generation };
}

/** Done when every output is verified; failed when none is left to fetch and at least one could not be had. */
function settleOutputs(task: Task, now: number): Task {
  if (task.outputs.some(isOpen)) return waiting(task, now);
  const lost = task.outputs.find((o) => !isHad(o));
  if (lost === undefined)
    return { ...without(task, 'failure'), status: 'done', dueAt: now, finishedAt: now, setbacks: 0 };
  return failed(task, lost.failure ?? failureOf('INTERNAL', reason('outputLost')), now);
}

/** Whether one of its files has already arrived. */
export function hasVerified({ outputs }: Task): boolean {
  return outputs.some(isHad);
}

/** The task at its end without a result. */
export function failed(task: Task, failure: Failure, now: number): Task {
  return { ...task, status: 'failed', cancelWanted: false, dueAt: now, finishedAt: task.finishedAt ?? now, failure };
}

type Absent =
  | 'account'
  | 'pin'
  | 'again'
  | 'onHold'
  | 'failure'
  | 'blockedBy'
  | 'awaitsPick'
  | 'taskCode'
  | 'sameAddressAs'
  | 'askedAnew'
  | 'submittedAt'
  | 'renderedAt'
  | 'finishedAt';

/** The task without these optional fields. */
export function without<K extends Absent>(task: Task, ...keys: readonly K[]): Omit<Task, K> {
  const rest = { ...task };
  for (const key of keys) delete rest[key];
  return rest;
}
