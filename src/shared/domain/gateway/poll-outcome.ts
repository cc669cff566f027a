import { errorMeaning } from './error-meaning.ts';
import { failure, type Failure } from '../base/failure.ts';
import { clockAheadMs, isPastTime } from './gateway-time.ts';
import { fileNameInUrl } from './media-url.ts';
import type { Operation } from '../operations/operations.ts';
import type { Profile } from './profile.ts';
import { readsLikeFailure, statusMeaning } from './status-meaning.ts';
import { reason } from '../base/reason.ts';
import { assertNever } from '../base/result.ts';
import type { PollAnswer, PollMemory, ResultRecord } from './poll-answer.ts';

/** The record has an end time and no result: Nocturne waits for it, but nothing is rendering any longer. */
export type EndedPhase = 'ended-in-words' | 'ended-empty';

/** What a poll says about the task. */
export type PollVerdict =
  | {
      readonly kind: 'running';
      readonly phase: 'queued' | 'running' | 'unmapped' | EndedPhase;
      /** When to ask again, if the reason to wait says so; otherwise the schedule decides. */
      readonly askAgainMs?: number;
    }
  | {
      readonly kind: 'rendered';
      readonly outputs: readonly { readonly url: string }[];
      /** Inferred, not mapped: if the download cannot be verified, the rendering is still running. */
      readonly provisional: boolean;
    }
  | { readonly kind: 'data'; readonly document: string }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly suspected: boolean }
  | { readonly kind: 'poll-error'; readonly failure: Failure; readonly retryAfterMs?: number }
  | { readonly kind: 'pause'; readonly failure: Failure };

/** Everything that a verdict depends on. Times are milliseconds since the epoch. */
export interface PollInput {
  readonly answer: PollAnswer;
  readonly memory: PollMemory;
  readonly operation: Operation;
  readonly profile: Profile;
  readonly now: number;
  readonly submittedAt: number;
  /** Whether one of the gateway's task ids is known to belong to another task. */
  readonly isOtherTasks?: (taskId: string) => boolean;
}

export interface Judgement {
  readonly verdict: PollVerdict;
  readonly memory: PollMemory;
}

/** Nocturne waits this long after the submit for a task that its gateway does not know yet (rule 2). */
const NOT_FOUND_GRACE_MS = 60_000;
const REFUSALS_BELIEVED = 3;
/** Nocturne tries addresses that stay the same this long (rule 4); a failed attempt doubles the next wait. */
const URLS_SETTLED_MS = 10_000;
const TRY_WAIT_MAX_MS = 10 * 60_000;
/** Finished without media: Nocturne keeps asking this long before it suspects a failure (rule 5). */
const EMPTY_GRACE_MS = 90_000;
/** The same if its message reads like a failure: long enough to hear it twice. */
const REFUSED_GRACE_MS = 10_000;
const FAILURE_LIKE_BELIEVED = 2;

/**
 * Infers what a poll says about its task: the seven rules of the gateway's design, first match wins. Pure; the verdict
 * includes what to remember for the next poll. The caller applies the deadline of rule 7.
 */
export function judgePoll(input: PollInput): Judgement {
  const memory: PollMemory = { ...input.memory, polls: input.memory.polls + 1 };
  const { answer } = input;
  switch (answer.kind) {
    case 'error':
      return { verdict: pollError(answer.failure, answer.retryAfterMs), memory };
    case 'refused':
      return judgeRefusal(answer, input, memory);
    case 'record':
      return judgeRecord(answer.record, input, memory);
    default:
      return assertNever(answer);
  }
}

function pollError(why: Failure, retryAfterMs: number | undefined): PollVerdict {
  return retryAfterMs === undefined
    ? { kind: 'poll-error', failure: why }
    : { kind: 'poll-error', failure: why, retryAfterMs };
}

/** Rule 2. Even a refusal that is believed is only an inference: the task may reappear later. */
function judgeRefusal(
  answer: Extract<PollAnswer, { kind: 'refused' }>,
  input: PollInput,
  memory: PollMemory,
): Judgement {
  const { means, failure: why, retryAfterMs } = answer;
  if (means === 'auth' || means === 'balance') return { verdict: { kind: 'pause', failure: why }, memory };
  if (means === 'rate') return { verdict: pollError(why, retryAfterMs), memory };
  if (means === 'not-found' && input.now - input.submittedAt < NOT_FOUND_GRACE_MS) {
    return { verdict: { kind: 'running', phase: 'unmapped' }, memory };
  }
  const refusals = (memory.refusals ?? 0) + 1;
  const counted = { ...memory, refusals };
  if (refusals < REFUSALS_BELIEVED) return { verdict: pollError(why, retryAfterMs), memory: counted };
  const code = why.code === 'MODERATED' ? 'MODERATED' : 'REMOTE_FAILED';
  return { verdict: { kind: 'failed', failure: { ...why, code }, suspected: true }, memory: counted };
}

function judgeRecord(record: ResultRecord, input: PollInput, before: PollMemory): Judgement {
  if (isForeign(record, before, input.isOtherTasks)) {
    const why = failure('GATEWAY_PROTOCOL', reason('otherTasksRecord', record.taskId));
    return { verdict: pollError(why, undefined), memory: before };
  }
  const memory = remember(record, before, input.now);
  switch (statusMeaning(input.profile, input.operation, record.status)) {
    case 'queued':
      return stillRunning('queued', memory);
    case 'running':
      return stillRunning('running', memory);
    case 'failed':
      return { verdict: { kind: 'failed', failure: remoteFailure(record, input), suspected: false }, memory };
    case 'succeeded':
      return judgeSuccess(record, input, memory);
    case 'inferred':
    case undefined:
      return inferOutcome(record, input, memory);
  }
}

function isForeign(
  record: ResultRecord,
  memory: PollMemory,
  isOtherTasks: ((taskId: string) => boolean) | undefined,
): boolean {
  if (record.taskId === '' || record.taskId === memory.taskId) return false;
  return memory.taskId !== undefined || isOtherTasks?.(record.taskId) === true;
}

function remember(record: ResultRecord, before: PollMemory, now: number): PollMemory {
  const { refusals: _, files: filesBefore = [], filesSince, countSince, ...rest } = before;
  const files = record.urls.map(fileNameInUrl);
  const areSame = files.length === filesBefore.length && files.every((file, i) => file === filesBefore[i]);
  const isSameCount = files.length === filesBefore.length;
  const hasChanged = before.firstStatus !== undefined && before.firstStatus !== record.status;
  const seen = {
    files,
    filesSince: areSame ? (filesSince ?? now) : now,
    countSince: isSameCount ? (countSince ?? now) : now,
  };
  return {
    ...rest,
    firstStatus: before.firstStatus ?? record.status,
    ...(record.taskId === '' ? {} : { taskId: record.taskId }),
    ...(files.length === 0 ? {} : seen),
    failureLike: hasChanged && readsLikeFailure(record.message) ? (before.failureLike ?? 0) + 1 : 0,
  };
}

/** The profile says that this status is a success. */
function judgeSuccess(record: ResultRecord, input: PollInput, memory: PollMemory): Judgement {
  if (input.operation.output === 'data') return { verdict: { kind: 'data', document: record.document }, memory };
  if (record.urls.length === 0) return judgeEmpty(record, input, memory);
  const waitMs = canGiveSeveral(input.operation) ? waitForMoreMs(record, input, memory) : 0;
  if (waitMs > 0) return { verdict: { kind: 'running', phase: 'running', askAgainMs: waitMs }, memory };
  return { verdict: rendered(record, false), memory };
}

/** No table lists this status: rules 4 to 7. */
function inferOutcome(record: ResultRecord, input: PollInput, memory: PollMemory): Judgement {
  // The task was added when it was submitted: what the gateway says about that time shows where its clock is.
  const hasEnded = isPastTime(record.endTime, input.now + clockAheadMs(record.addTime, input.submittedAt));
  if (record.urls.length > 0) {
    return judgeUrls(record, input, withoutEnd(memory), hasEnded);
  }
  if (hasEnded) {
    return input.operation.output === 'data' && !(saysItFailed(record, input) && isOnlyWords(record))
      ? { verdict: { kind: 'data', document: record.document }, memory }
      : judgeEmpty(record, input, memory);
  }
  if ((memory.failureLike ?? 0) >= FAILURE_LIKE_BELIEVED) {
    return { verdict: { kind: 'failed', failure: remoteFailure(record, input), suspected: true }, memory };
  }
  return stillRunning('unmapped', memory);
}

/** A task that continues after it looked finished was not finished: its grace period restarts. */
function stillRunning(phase: 'queued' | 'running' | 'unmapped', before: PollMemory): Judgement {
  return { verdict: { kind: 'running', phase }, memory: withoutEnd(before) };
}

function withoutEnd(memory: PollMemory): PollMemory {
  const { emptySince: _, refusedSince: __, ...rest } = memory;
  return rest;
}

/** Rule 4: try an address when the task has ended, or when it stays the same; a single one waits for others. */
function judgeUrls(record: ResultRecord, input: PollInput, memory: PollMemory, hasEnded: boolean): Judgement {
  const { now, operation } = input;
  const sameForMs = now - (memory.filesSince ?? now);
  const waitMs = Math.max(
    hasEnded ? waitForMoreMs(record, input, memory) : URLS_SETTLED_MS - sameForMs,
    tryAgainAt(memory) - now,
  );
  if (waitMs > 0) return { verdict: { kind: 'running', phase: 'unmapped', askAgainMs: waitMs }, memory };
  if (operation.output === 'data') return { verdict: { kind: 'data', document: record.document }, memory };
  return { verdict: rendered(record, true), memory: { ...memory, tries: (memory.tries ?? 0) + 1, triedAt: now } };
}

function tryAgainAt({ tries = 0, triedAt = 0 }: PollMemory): number {
  return tries === 0 ? 0 : triedAt + Math.min(URLS_SETTLED_MS * 2 ** Math.min(tries - 1, 10), TRY_WAIT_MAX_MS);
}

/** Songs come in pairs and images in any number, one after another; everything else comes alone. */
function canGiveSeveral(operation: Operation): boolean {
  return operation.path === 'musicgen/music/generate' || operation.output === 'image';
}

/**
 * How long to wait for further outputs, in milliseconds: one more interval after the first output, and after each later
 * one. Several that were there from the start count as all.
 */
function waitForMoreMs(record: ResultRecord, input: PollInput, memory: PollMemory): number {
  const { now, submittedAt } = input;
  const hadSome = (input.memory.files?.length ?? 0) > 0;
  if (record.urls.length > 1 && !hadSome) return 0;
  const intervalMs = Math.min(Math.max((now - submittedAt) / 10, 1000), URLS_SETTLED_MS);
  return Math.round(intervalMs - (now - (memory.countSince ?? now)));
}

/**
 * Rule 5: it looks finished, but there is no media. The address may come a little later, which is less likely if the
 * task itself says that it failed. Inferring too early costs nothing: Nocturne keeps asking about the task.
 */
function judgeEmpty(record: ResultRecord, input: PollInput, before: PollMemory): Judgement {
  const { now } = input;
  const emptySince = before.emptySince ?? now;
  const refusedSince = saysItFailed(record, input) ? (before.refusedSince ?? now) : undefined;
  const memory = { ...withoutEnd(before), emptySince, ...(refusedSince === undefined ? {} : { refusedSince }) };
  const isOver = now - emptySince >= EMPTY_GRACE_MS || now - (refusedSince ?? now) >= REFUSED_GRACE_MS;
  if (isOver) return { verdict: { kind: 'failed', failure: remoteFailure(record, input), suspected: true }, memory };
  const phase = record.message.trim() === '' ? 'ended-empty' : 'ended-in-words';
  return { verdict: { kind: 'running', phase, askAgainMs: URLS_SETTLED_MS }, memory };
}

/** Only its words say so: no status does, and none reports success. */
function saysItFailed({ status, message }: ResultRecord, { profile, operation }: PollInput): boolean {
  if (statusMeaning(profile, operation, status) === 'succeeded') return false;
  return readsLikeFailure(message) || errorMeaning(profile, '', message) !== undefined;
}

/** Fields of a record that are about the task, not about what the task gave. */
const ABOUT_THE_TASK: ReadonlySet<string> = new Set([
  'taskId',
  'taskCode',
  'id',
  'status',
  'message',
  'addTime',
  'endTime',
]);
/** A result written into the message, such as lyrics, has several lines or is longer. */
const WORDS_LENGTH = 200;

/** Whether it holds at most one short line that could be the result. */
function isOnlyWords({ message, document }: ResultRecord): boolean {
  const line = message.trim();
  if (line.length > WORDS_LENGTH || /[\n\r]|^[[{]/u.test(line)) return false;
  const result = parsed(document);
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return false;
  return Object.entries(result).every(([field, value]) => ABOUT_THE_TASK.has(field) || holdsNothing(value));
}

function parsed(document: string): unknown {
  try {
    return JSON.parse(document);
  } catch {
    // Including no message at all.
    return undefined;
  }
}

/** Blank, a number or a boolean: lyrics, tags and times are texts and lists. */
function holdsNothing(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0;
}

function rendered(record: ResultRecord, provisional: boolean): PollVerdict {
  return { kind: 'rendered', outputs: record.urls.map((url) => ({ url })), provisional };
}

/** The gateway's own words for a failed task. */
function remoteFailure(record: ResultRecord, { profile, operation }: PollInput): Failure {
  const words = record.message.trim();
  const code = errorMeaning(profile, '', words) === 'moderation' ? 'MODERATED' : 'REMOTE_FAILED';
  const says = words === '' ? reason('nothingGiven', operation.output) : record.message;
  return failure(code, says, { status: record.status });
}
