import type { Json } from '../../shared/domain/base/json.ts';
import { RESULT_OPERATIONS } from '../../shared/domain/operations/operations.ts';
import { assertNever } from '../../shared/domain/base/result.ts';
import type { Answer } from './answers.ts';
import { codeJson, failureEnvelope, replyJson, successEnvelope, WEB_PAGE } from './answers.ts';
import type { Behaviour } from '../faults/behaviour.ts';
import { scoped, statusTableOf } from '../faults/behaviour.ts';
import { dataResultOf } from '../media/data-results.ts';
import type { FaultAt } from '../faults/fault-rules.ts';
import type { GatewayState } from '../gateway-state.ts';
import { refuseAccess, resultPathOf } from '../gateway-state.ts';
import { outputUrl, outputsOf } from '../media/planned-outputs.ts';
import { httpFault, redirect } from './answer-submit.ts';
import type { GatewayTask, TaskState } from '../tasks.ts';
import { stateOf } from '../tasks.ts';

/** One poll as it arrived. */
export interface PollRequest {
  /** The result operation's path, with its first slash. */
  readonly resultPath: string;
  readonly key: string | undefined;
  /** Undefined if the code is missing or was not sent in this gateway's way. */
  readonly taskCode: string | undefined;
}

type PollFault = FaultAt<'poll'>;

/** Answers a poll with the task's current record. */
export function answerPoll(gateway: GatewayState, request: PollRequest): Answer {
  gateway.counters.polls += 1;
  const refused = refuseAccess(gateway, request.key);
  if (refused) return refused;
  const { taskCode, envelope } = gateway.behaviour;
  if (!request.taskCode) {
    return replyJson(
      taskCode.missingHttp,
      failureEnvelope(envelope, taskCode.missingHttp, `${taskCode.name} is required`),
    );
  }
  const task = gateway.tasks.find(request.taskCode);
  if (!task || resultPathOf(gateway.behaviour, task.operation) !== request.resultPath) return notFound(gateway);
  task.polls += 1;
  const fault: PollFault | undefined = gateway.faults.draw('poll', task.operation, `${task.seed}/${task.polls}`);
  return fault ? brokenAnswer(gateway, task, request, fault) : rightAnswer(gateway, task, request);
}

function notFound(gateway: GatewayState): Answer {
  const { taskCode, envelope } = gateway.behaviour;
  return replyJson(taskCode.unknownHttp, failureEnvelope(envelope, 404, 'task not found'));
}

type Twist = (record: Record<string, Json>) => void;

function rightAnswer(gateway: GatewayState, task: GatewayTask, request: PollRequest, twist?: Twist): Answer {
  return recordAnswer(gateway, task, request, stateOf(task, gateway.now()), twist);
}

function recordAnswer(
  gateway: GatewayState,
  task: GatewayTask,
  request: PollRequest,
  state: TaskState,
  twist?: Twist,
): Answer {
  const { envelope, taskCode } = gateway.behaviour;
  const record = recordOf(gateway, task, request.resultPath, state);
  twist?.(record);
  // The code may be a number with more digits than JavaScript holds, so it is inserted as text.
  const text = `{"taskId":${codeJson(taskCode.form, task.code)},${JSON.stringify(record).slice(1)}`;
  return replyJson(200, successEnvelope(envelope, text));
}

/** The record of the interface (2.3), without `taskId`. */
function recordOf(
  gateway: GatewayState,
  task: GatewayTask,
  resultPath: string,
  state: TaskState,
): Record<string, Json> {
  const { behaviour } = gateway;
  const { results, times, cost } = behaviour;
  const data = state === 'succeeded' ? dataResultOf(task) : undefined;
  const dataText = data === undefined ? undefined : JSON.stringify(data);
  const ended = state === 'succeeded' || state === 'failed';
  const record: Record<string, Json> = {
    status: statusTableOf(behaviour, task.operation.path)[state],
    message: results.data === 'message' && dataText !== undefined ? dataText : messageOf(task, state),
  };
  const media = results.data === 'media-field' && dataText !== undefined ? dataText : mediaOf(gateway, task, state);
  putOrBlank(record, mediaFieldOf(resultPath, task), media, results.blank);
  record['addTime'] = timeText(task.submittedAt, times);
  putOrBlank(record, 'endTime', ended ? timeText(task.finishesAt, times) : undefined, results.blank);
  if (results.data === 'beside' && data !== undefined) record['data'] = data;
  if (cost.in === 'poll') record[cost.name] = cost.amount;
  return record;
}

function messageOf(task: GatewayTask, state: TaskState): string {
  switch (state) {
    case 'queued':
      return 'waiting in the queue';
    case 'running':
      return 'rendering';
    case 'succeeded':
      return 'finished';
    case 'failed':
      return task.failure ?? 'failed';
    default:
      return assertNever(state);
  }
}

function mediaFieldOf(resultPath: string, task: GatewayTask): string {
  const result =
    RESULT_OPERATIONS.find((candidate) => `/${candidate.path}` === resultPath) ??
    RESULT_OPERATIONS.find((candidate) => candidate.family === task.operation.family);
  return result?.mediaField ?? 'videoUrl';
}

function mediaOf(gateway: GatewayState, task: GatewayTask, state: TaskState): Json | undefined {
  const { results } = gateway.behaviour;
  const early = results.earlyUrl && state === 'running' && task.failure === undefined;
  if (state !== 'succeeded' && !early) return undefined;
  const now = gateway.now();
  const sinceMs = Math.max(0, now - task.finishesAt);
  const shown = results.gapSeconds > 0 ? 1 + Math.floor(sinceMs / (results.gapSeconds * 1000)) : undefined;
  const urls = outputsOf(task, gateway.behaviour)
    .slice(0, shown)
    .map((output) => outputUrl(gateway, task, output));
  if (urls.length === 0) return undefined;
  return shaped(urls, scoped(results.shapeOf, task.operation.path) ?? results.shape);
}

function shaped(urls: readonly string[], shape: Behaviour['results']['shape']): Json {
  switch (shape) {
    case 'plain':
      return urls.join(',');
    case 'first':
      return urls[0] ?? '';
    case 'array':
      return urls;
    case 'json':
      return JSON.stringify(urls);
    case 'json-twice':
      return JSON.stringify(JSON.stringify(urls));
    default:
      return assertNever(shape);
  }
}

function putOrBlank(
  record: Record<string, Json>,
  field: string,
  value: Json | undefined,
  blank: Behaviour['results']['blank'],
): void {
  if (value !== undefined) record[field] = value;
  else if (blank === 'empty') record[field] = '';
  else if (blank === 'null') record[field] = null;
}

/** A time as this gateway writes it. */
function timeText(atMs: number, times: Behaviour['times']): string {
  switch (times.format) {
    case 'iso':
      return new Date(atMs).toISOString();
    case 'seconds':
      return `${Math.floor(atMs / 1000)}`;
    case 'milliseconds':
      return `${Math.floor(atMs)}`;
    case 'local': {
      const local = new Date(atMs + times.utcOffsetMinutes * 60_000).toISOString();
      return `${local.slice(0, 10)} ${local.slice(11, 19)}`;
    }
    default:
      return assertNever(times.format);
  }
}

function brokenAnswer(gateway: GatewayState, task: GatewayTask, request: PollRequest, fault: PollFault): Answer {
  const right = (twist?: Twist) => rightAnswer(gateway, task, request, twist);
  switch (fault.kind) {
    case 'lost':
      return { kind: 'cut' };
    case 'silent':
      return { kind: 'silent' };
    case 'slow':
      return { kind: 'later', delayMs: fault.delayMs, then: right() };
    case 'http':
      return httpFault(gateway, fault);
    case 'redirect':
      return redirect(gateway, fault);
    case 'html':
      return { kind: 'reply', status: 200, headers: { 'Content-Type': 'text/html' }, body: WEB_PAGE };
    case 'empty':
      return replyJson(200, '');
    case 'not-json':
      return replyJson(200, '{"code":200,"info":"success","result":{"taskId":');
    case 'not-found':
      return notFound(gateway);
    case 'foreign-record':
      return foreignRecord(gateway, task, request);
    case 'running-again':
      return recordAnswer(gateway, task, request, 'running');
    case 'without-url':
      return right((record) =>
        putOrBlank(record, mediaFieldOf(request.resultPath, task), undefined, gateway.behaviour.results.blank),
      );
    case 'unknown-status':
      return right((record) => (record['status'] = fault.status));
    case 'oversized':
      return right((record) => (record['message'] = 'x'.repeat(fault.bytes)));
    case 'deep':
      return deepAnswer(gateway, fault.levels);
    default:
      return assertNever(fault);
  }
}

function deepAnswer(gateway: GatewayState, levels: number): Answer {
  return replyJson(
    200,
    successEnvelope(gateway.behaviour.envelope, `{"message":${'['.repeat(levels)}${']'.repeat(levels)}}`),
  );
}

/** The record of a neighbour; without one, the task's own record under an unassigned code. */
function foreignRecord(gateway: GatewayState, task: GatewayTask, request: PollRequest): Answer {
  const neighbour = gateway.tasks.at(task.seq - 1) ?? gateway.tasks.at(task.seq + 1);
  return rightAnswer(gateway, neighbour ?? { ...task, code: '1000000000000000001' }, request);
}
