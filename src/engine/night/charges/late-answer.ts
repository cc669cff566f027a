import { assertNever, present } from '../../../shared/domain/base/result.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import type { AnswerEvent, LateOutcome, TaskEvent } from '../../../shared/domain/task/task-event.ts';
import type { Attempt, AttemptAnswer } from '../../ports/task-change.ts';
import { isSent, type IntentTraits } from '../lanes.ts';
import type { Night } from '../night.ts';
import type { Entry, Recorded } from '../task-journal.ts';

/** How long a late answer waits, again and again, for the outcome of its request to count as unknown. */
const UNSETTLED_MS = 1_000;
/** Others change the task at the same time, but not for ever. */
const MOST_TRIES = 20;

/** The answer to a paid request whose account another process has taken in the meantime. */
export interface Late extends Pick<Entry, 'learned' | 'proof'> {
  readonly sent: IntentTraits;
  /** What the answer would have meant in time. */
  readonly event: AnswerEvent;
  readonly answer: AttemptAnswer;
}

/**
 * Notes an answer that nobody waits for any more: as evidence, with its task code for the user to adopt, and as the
 * outcome itself if it is certain. Without a code, it settles the task only if nothing was sent for the task since. It
 * waits in the journal from the first moment, so that no task code goes unreported because the store is away or the
 * night ends.
 * @param task The task as it was sent.
 */
export async function noteLate(night: Night, task: Task, late: Late): Promise<void> {
  const { id: taskId } = task;
  night.batches.noLongerAwaits(task);
  // Without a code, there is something to settle only once whoever has the account has made the outcome unknown.
  if (!('taskCode' in late.event)) await untilSettled(night, task);
  let isCodeTaken = false;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { kind } = await night.journal.record(entryOf(night, task, late, isCodeTaken));
    if (kind === 'committed' || night.journal.isClosed) return;
    isCodeTaken ||= kind === 'code-taken';
    if (!isPassing(kind)) return;
    // If it cannot be read now, the next commit waits for it.
    await night.takeNewest(taskId).catch(() => undefined);
  }
}

async function untilSettled({ store, clock, ending }: Night, task: Task): Promise<void> {
  while (!ending.aborted && isStillSent(task, await store.task(task.id).catch(() => task)))
    await new Promise<void>((resolve) => void clock.setTimer(UNSETTLED_MS, resolve));
}

function isPassing(kind: Recorded['kind']): boolean {
  return kind === 'stale' || kind === 'refused' || kind === 'code-taken';
}

function entryOf(night: Night, asRead: Task, late: Late, isCodeTaken: boolean): Entry {
  const { event, learned, proof } = late;
  const { id: taskId } = asRead;
  return {
    taskId,
    event: lateEventOf(event, { isCodeTaken }),
    asRead,
    ...present({ learned, proof }),
    completed: () => readFor(night, taskId, late, isCodeTaken),
  };
}

/** What an entry says, judging by what the store has of its task. */
async function readFor(
  { store, active }: Night,
  taskId: number,
  { sent, event, answer }: Late,
  isCodeTaken: boolean,
): Promise<Pick<Entry, 'event' | 'asRead' | 'isWanted' | 'lateAnswer'>> {
  const asRead = await store.task(taskId);
  // Read second: a request that was sent in the meantime changes the task, too.
  const attempts = await store.attempts(taskId);
  const own = attempts.findLast((attempt) => isSent(attempt, sent));
  const last = attempts.at(-1);
  // An attempt whose request was sent again under its key says nothing about the time before.
  const isLast = own !== undefined && own === last && own.outcome !== 'asked-again';
  const isOpen = own !== undefined && (own === last || isSameKey(own, last));
  return {
    event: lateEventOf(event, { isCodeTaken, isOpen, settles: isLast ? lateOutcomeOf(event, answer) : undefined }),
    // The decision rests on what was read.
    isWanted: () => asRead !== undefined && (active.get(taskId) ?? asRead).revision === asRead.revision,
    ...present({ asRead, lateAnswer: own && { attempt: own.id, answer } }),
  };
}

function isSameKey({ idempotency }: Attempt, other: Attempt | undefined): boolean {
  return idempotency !== undefined && idempotency.key === other?.idempotency?.key;
}

/** What a late answer means, depending on what has become of its request. */
interface LateMeaning {
  /** Another task has its code. */
  readonly isCodeTaken: boolean;
  /** Nothing was sent since, except the same request under its key. */
  readonly isOpen?: boolean;
  readonly settles?: LateOutcome | undefined;
}

function lateEventOf(event: AnswerEvent, { isCodeTaken, isOpen = false, settles }: LateMeaning): TaskEvent {
  const { taskCode } = 'taskCode' in event ? event : {};
  if (taskCode !== undefined && !isCodeTaken) return { kind: 'code-offered', taskCode, ...(isOpen && { isOpen }) };
  return { kind: 'answered-late', ...present({ settles }) };
}

/** Undefined if the request may have been charged all the same. */
function lateOutcomeOf(event: AnswerEvent, { answeredAt }: AttemptAnswer): LateOutcome | undefined {
  switch (event.kind) {
    case 'not-sent':
    case 'rate-limited':
      return { becomes: 'queued', failure: event.failure, dueAt: event.dueAt };
    case 'held':
      return { becomes: 'queued', failure: event.failure, dueAt: answeredAt };
    case 'rejected':
      return { becomes: 'failed', failure: event.failure, dueAt: answeredAt };
    case 'accepted':
    case 'outcome-unknown':
      return undefined;
    default:
      return assertNever(event);
  }
}

function isStillSent({ attempts }: Task, now: Task | undefined): boolean {
  return now?.status === 'submitting' && now.attempts === attempts;
}
