import { failure, pauseOf } from '../../shared/domain/base/failure.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import { operationOf } from '../../shared/domain/operations/operations.ts';
import { judgePoll, type PollVerdict } from '../../shared/domain/gateway/poll-outcome.ts';
import type { PollMemory } from '../../shared/domain/gateway/poll-answer.ts';
import { nextPollDelayMs } from '../../shared/domain/gateway/poll-schedule.ts';
import { assertNever, present } from '../../shared/domain/base/result.ts';
import { seenKey, seenStatus } from '../../shared/domain/gateway/seen-status.ts';
import { retryDelayMs } from '../../shared/domain/gateway/retry.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import { crashPoint } from '../crash-point.ts';
import type { PollReport } from '../ports/media-gateway.ts';
import { countPoll } from './polls/count-answer.ts';
import type { Lane } from './lanes.ts';
import type { Night } from './night.ts';
import type { NightBatch } from './batches/night-batch.ts';
import type { Entry } from './task-journal.ts';

/**
 * Nocturne asks again about a suspected failure after this part of its age, within these bounds: often enough to
 * overturn it within the night.
 */
const SUSPICION_PART = 0.25;
const SUSPICION_POLL_MS = 30_000;
const SUSPICION_POLL_MAX_MS = 60 * 60_000;
/**
 * How long after a rejected key to poll again, if the batch has ended or is paused for another reason: nothing else
 * holds the poll back.
 */
const REFUSED_POLL_MS = 5 * 60_000;
/** A poll later than this, and than this part of the time since the submit, says little about the rendering. */
const LATE_MS = 2000;
const LATE_PART = 0.25;
/** The same for tasks that are already being fetched, and only asked about in between. */
const LATE_PART_FETCHED = 1;

/** Asks the gateway once about a task and records the answer. The caller has taken the request from the budget. */
export async function pollTask(night: Night, batch: NightBatch, task: Task): Promise<void> {
  const { taskCode } = task;
  if (taskCode === undefined) return;
  const account = batch.accountOf(task);
  const { lane, right } = account;
  if (right === undefined) return;
  const [askedAt, askedMonotonic] = [night.clock.now(), night.clock.monotonic()];
  // While the connection was made, another worker may have taken the account: the budget is then that worker's.
  const report = await account.gateway.poll(task.operation, taskCode, night.ending, () => right.isHeld());
  // A poll aborted because the night ends says nothing about the gateway; and what another process has, it asks about
  // itself.
  if (night.ending.aborted || !right.isHeld()) return;
  crashPoint('poll.answered');
  const record = report.answer.kind === 'record' ? report.answer.record : undefined;
  const isOthers = await isOtherTasks(night, task, record?.taskId);
  const now = night.clock.now();
  // If the clock leapt or the machine slept before the answer came, the gateway counts as asked that much later.
  const leaptMs = Math.max(0, now - askedAt - (night.clock.monotonic() - askedMonotonic));
  const { verdict, memory } = judgePoll({
    answer: report.answer,
    memory: task.poll,
    operation: operationOf(task.operation),
    profile: account.profile,
    now,
    submittedAt: task.submittedAt ?? now,
    isOtherTasks: () => isOthers,
  });
  night.fronts.answered(task.id, verdict);
  const seen = seenStatus(task.operation, record, verdict);
  const key = seen === undefined ? task.poll.seen : seenKey(seen);
  const poll = { ...watched(task, askedAt + leaptMs, verdict, memory), ...present({ seen: key }) };
  const learned = countPoll(night, batch, task, report, verdict.kind);
  const found = await entryOf(night, batch, task, verdict, poll, report);
  const entry = { ...found, ...learned, ...present({ under: right.fence }) };
  const { event } = entry;
  // Nobody needs to know that the task is still running before the gateway is asked again.
  const neededMs = event.kind === 'still-running' ? event.dueAt - night.clock.now() : 0;
  await night.journal.record(seen === undefined || key === task.poll.seen ? entry : { ...entry, seen }, neededMs);
  crashPoint('poll.committed');
  if (verdict.kind === 'pause') {
    account.unaskedAt = night.clock.monotonic();
    night.batches.pause(batch, verdict.failure, account);
  }
  noteAnswer(night, lane, report);
  night.wake();
}

/** Records that a task was not finished before its deadline. */
export async function declareOverdue(night: Night, batch: NightBatch, task: Task): Promise<void> {
  const { profile, right } = batch.accountOf(task);
  const hours = profile.deadlines.taskHours;
  await night.journal.record({
    taskId: task.id,
    ...present({ under: right?.fence }),
    event: {
      kind: 'overdue',
      failure: failure('OVERDUE', reason('overdue', hours)),
    },
  });
  night.wake();
}

/** Whether a record names the task code of another task. */
async function isOtherTasks(night: Night, { batchId, account, taskCode, poll }: Task, named = ''): Promise<boolean> {
  if (named === '' || named === taskCode || named === poll.taskId) return false;
  return night.store.isTaskCodeKnown(batchId, named, account);
}

async function entryOf(
  night: Night,
  batch: NightBatch,
  task: Task,
  verdict: PollVerdict,
  poll: PollMemory,
  report: PollReport,
): Promise<Entry> {
  const event = await eventOf(night, batch, task, verdict, poll);
  const answeredAt = night.clock.now();
  const entry: Entry = { taskId: task.id, event, ...present({ pollAnswer: report.raw, cost: report.cost }) };
  if (verdict.kind !== 'rendered' && verdict.kind !== 'data') return entry;
  const outputs = verdict.kind === 'rendered' ? verdict.outputs : [];
  const completed = async (): Promise<Pick<Entry, 'event'>> => ({
    event: {
      ...event,
      ...(await sameAddressIfKnown(night, task, outputs)),
      ...heldUp(poll, night.clock.now() - answeredAt),
    },
  });
  return { ...entry, completed };
}

/**
 * If the disk refused the answer for a while, or the machine slept, the answer has the time of its recording, not of
 * its arrival.
 */
function heldUp(poll: PollMemory, forMs: number): { poll?: PollMemory } {
  return forMs > LATE_MS ? { poll: { ...poll, late: true } } : {};
}

/**
 * The machine slept, the night was paused, or the budget was short: the rendering finished long before Nocturne asked.
 * If that time were learned as its duration, every later task would wait as long.
 */
function isLate(submittedAt: number | undefined, dueAt: number, askedAt: number, part: number): boolean {
  return askedAt - dueAt > Math.max(LATE_MS, (dueAt - (submittedAt ?? dueAt)) * part);
}

/** Notes whether the rendering is watched without interruption: a poll without an answer has seen nothing of it. */
function watched(
  { status, provisional, submittedAt, renderedAt, dueAt, poll }: Task,
  askedAt: number,
  verdict: PollVerdict,
  after: PollMemory,
): PollMemory {
  // A task that is being fetched is due when its files are, whenever that is: what counts is when it was last seen.
  const isFetched = status === 'downloading';
  const unseenSince = poll.unseenSince ?? (isFetched ? (poll.lookedAt ?? renderedAt ?? dueAt) : dueAt);
  const { unseenSince: _, ...memory } = after;
  // That it is running after all has been seen just now, however late.
  const isRendering = !isFetched || (provisional && verdict.kind !== 'running');
  const part = isFetched ? LATE_PART_FETCHED : LATE_PART;
  // A suspected failure is polled too rarely to tell when the task was done.
  const isUnwatched = status === 'failed' || (isRendering && isLate(submittedAt, unseenSince, askedAt, part));
  const late = isUnwatched ? ({ late: true } as const) : {};
  const isUnseen = verdict.kind === 'poll-error' || verdict.kind === 'pause';
  return { ...memory, ...late, ...(isUnseen ? { unseenSince } : isFetched ? { lookedAt: askedAt } : {}) };
}

async function eventOf(
  night: Night,
  batch: NightBatch,
  task: Task,
  verdict: PollVerdict,
  poll: PollMemory,
): Promise<TaskEvent> {
  const now = night.clock.now();
  switch (verdict.kind) {
    case 'running': {
      const dueAt = now + (verdict.askAgainMs ?? (await pollDelayMs(night, batch, task, poll)));
      const { phase } = verdict;
      const hasEnded = phase === 'ended-in-words' || phase === 'ended-empty';
      return { kind: 'still-running', dueAt, poll, ...(hasEnded ? { ended: phase } : {}) };
    }
    case 'rendered':
      return {
        kind: 'rendered',
        outputs: verdict.outputs,
        provisional: verdict.provisional,
        poll,
      };
    case 'data':
      return { kind: 'rendered', outputs: [{ document: verdict.document }], provisional: false, poll };
    case 'failed': {
      const why = verdict.suspected ? { ...verdict.failure, suspected: true } : verdict.failure;
      return { kind: 'remote-failed', failure: why, dueAt: now + suspicionDelayMs(task, now), poll };
    }
    case 'poll-error': {
      const retryMs = retryDelayMs(verdict.retryAfterMs, task.setbacks + 1, night.random.next());
      // A missing answer does not make rare polls more frequent.
      const dueAt = now + (task.status === 'failed' ? Math.max(retryMs, suspicionDelayMs(task, now)) : retryMs);
      return { kind: 'poll-failed', failure: verdict.failure, dueAt, poll };
    }
    case 'pause': {
      // The pause that follows holds the poll until the pause ends, if it holds polls at all.
      const { poll: mayPoll } = batch.allowedAt(batch.accountOf(task));
      const follows = batch.record.state === 'running' && pauseOf(verdict.failure.code)?.meanwhile !== 'all';
      const dueAt = follows || !mayPoll ? now : now + REFUSED_POLL_MS;
      return { kind: 'poll-failed', failure: verdict.failure, dueAt, poll };
    }
    default:
      return assertNever(verdict);
  }
}

/** Nocturne accepts one address for two rows, as the gateway gave it, and warns: one row may have the wrong file. */
async function sameAddress(
  night: Night,
  task: Task,
  outputs: readonly { readonly url: string }[],
): Promise<{ sameAddressAs?: string }> {
  const stored = await Promise.all(outputs.map(({ url }) => night.store.rowWithUrl(task, url)));
  const other = stored.find((rowId) => rowId !== undefined) ?? rowRecordedBefore(night, task, outputs);
  return present({ sameAddressAs: other });
}

/** This is only a note: the answer that it is committed with was paid for, and must not wait for a query that fails. */
async function sameAddressIfKnown(...asked: Parameters<typeof sameAddress>): ReturnType<typeof sameAddress> {
  try {
    return await sameAddress(...asked);
  } catch {
    return {};
  }
}

/** Another row with an output at one of these addresses, committed together with this task's outputs. */
function rowRecordedBefore(night: Night, task: Task, outputs: readonly { readonly url: string }[]): string | undefined {
  const urls = new Set(outputs.map(({ url }) => url));
  for (const { taskId, event } of night.journal.waiting) {
    if (taskId === task.id) return undefined;
    const isSame = event.kind === 'rendered' && event.outputs.some((output) => 'url' in output && urls.has(output.url));
    const other = isSame ? night.active.get(taskId) : undefined;
    if (other !== undefined && other.batchId === task.batchId && other.rowId !== task.rowId) return other.rowId;
  }
  return undefined;
}

async function pollDelayMs(night: Night, batch: NightBatch, task: Task, poll: PollMemory): Promise<number> {
  if (task.status === 'failed') return suspicionDelayMs(task, night.clock.now());
  const longestMs = night.fronts.longestMs(task);
  if (longestMs !== undefined) return longestMs;
  return nextPollDelayMs({
    operation: operationOf(task.operation),
    completions: await night.times.of(batch, batch.accountOf(task), task),
    submittedAgoMs: night.clock.now() - (task.submittedAt ?? night.clock.now()),
    polls: poll.polls,
    setbacks: 0,
    random: night.random.next(),
  });
}

function suspicionDelayMs({ finishedAt }: Task, now: number): number {
  const sinceMs = now - (finishedAt ?? now);
  return Math.min(Math.max(sinceMs * SUSPICION_PART, SUSPICION_POLL_MS), SUSPICION_POLL_MAX_MS);
}

/** What an answer to a poll says about its gateway: whether it answers, and how fast it may be asked. */
export function noteAnswer(night: Night, lane: Lane, { raw, answer }: PollReport): void {
  const { budget } = lane;
  const monotonic = night.clock.monotonic();
  const isRate = raw?.httpStatus === 429 || (answer.kind === 'refused' && answer.means === 'rate');
  // A gateway that asks to slow down does answer.
  night.batches.noteTrouble(lane, answer.kind === 'error' && !isRate ? answer.failure : undefined);
  if (isRate && answer.kind !== 'record') {
    budget.slowDown(monotonic, answer.retryAfterMs, night.random.next());
    night.batches.noteHold(lane, night.clock.now() + budget.waitMs(monotonic));
  } else if (answer.kind !== 'error') {
    budget.calm(monotonic);
  }
}
