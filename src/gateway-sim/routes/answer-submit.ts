import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../shared/domain/base/json.ts';
import type { Operation } from '../../shared/domain/operations/operations.ts';
import { assertNever } from '../../shared/domain/base/result.ts';
import type { Answer } from './answers.ts';
import { codeJson, failureEnvelope, replyJson, successEnvelope, WEB_PAGE } from './answers.ts';
import { readSubmitBody } from './body-check.ts';
import type { FaultAt, FaultRule } from '../faults/fault-rules.ts';
import type { GatewayState } from '../gateway-state.ts';
import { accountOf, refuseAccess, refusePace } from '../gateway-state.ts';
import type { GatewayTask } from '../tasks.ts';

/** One submit as it arrived. */
export interface SubmitRequest {
  readonly operation: Operation;
  readonly key: string | undefined;
  readonly contentType: string | undefined;
  /** As its header gives it; undefined without one. */
  readonly idempotencyKey?: string | undefined;
  /** `too-large` if the body exceeded the limit and was not read to its end. */
  readonly body: Buffer | 'too-large';
}

const REJECTIONS_KEPT = 100;

/**
 * Answers a submit. Checks in this order: key and pace, body, the submit's own key, balance, moderation, faults. A
 * refused submit is not charged; each fault says whether it strikes before or after the charge.
 */
export function answerSubmit(gateway: GatewayState, request: SubmitRequest): Answer {
  gateway.counters.submits += 1;
  const { operation } = request;
  const now = gateway.now();
  const refused = refuseAccess(gateway, request.key);
  if (refused) return refused;
  const { limits, balance, moderation, envelope } = gateway.behaviour;
  const account = accountOf(gateway, request.key);
  const active = gateway.tasks.activeUntil(ownerOf(gateway, request.key), operation.family, now);
  const earlyMs = (account ?? gateway).limits.takeSubmit(limits, active, now);
  if (earlyMs > 0 && account !== undefined) account.refused += 1;
  if (earlyMs > 0) return refusePace(gateway, earlyMs);
  if (!isJsonType(request.contentType)) return reject(gateway, 'Content-Type must be application/json');
  if (request.body === 'too-large') return reject(gateway, `the body is larger than ${limits.bodyMaxBytes} bytes`);
  const read = readSubmitBody(operation, request.body);
  if (!read.ok) return reject(gateway, read.error);
  const repeated = answerRepeated(gateway, request, request.body);
  if (repeated !== undefined) return repeated;
  if (balance.submits !== null && gateway.charges.entries.length >= balance.submits) {
    return replyJson(balance.http, failureEnvelope(envelope, balance.code, balance.info));
  }
  const word = forbiddenWord(read.value, moderation.words);
  if (word !== undefined && moderation.at === 'submit') return reject(gateway, `${moderation.info}: ${word}`);
  const moderated = word === undefined ? undefined : `${moderation.info}: ${word}`;
  return meetFault(gateway, request, read.value, request.body, moderated);
}

/** The answer to a submit whose own key was charged before; undefined for any other. A fault may strike it as well. */
function answerRepeated(gateway: GatewayState, request: SubmitRequest, bytes: Buffer): Answer | undefined {
  const { idempotency, envelope, taskCode } = gateway.behaviour;
  const { onDuplicate, http, code, info, keepHours } = idempotency;
  const known = gateway.chargedKeys.get(chargedKeyOf(request) ?? '');
  const isKept = known !== undefined && gateway.now() - known.at < keepHours * HOUR_MS;
  if (!isKept || onDuplicate === 'ignored') return undefined;
  if (sha256(bytes) !== known.bodySha256) {
    return reject(gateway, 'the idempotency key was used with a different request');
  }
  const { operation } = request;
  const fault = gateway.faults.draw('submit', operation, `${known.task.code}/again/${gateway.counters.submits}`);
  if (fault) return brokenAnswer(gateway, fault, known.task);
  if (onDuplicate === 'replay') return accepted(gateway, known.task.code);
  const named = codeJson(taskCode.form, known.task.code);
  const refusal = failureEnvelope({ ...envelope, emptyResult: 'object' }, code, info);
  return replyJson(http, onDuplicate === 'reject' ? refusal : refusal.replace('{}', `{"taskCode":${named}}`));
}

const HOUR_MS = 3_600_000;

/** The submit's own key, with the account: undefined if it has none. */
function chargedKeyOf({ key, idempotencyKey }: SubmitRequest): string | undefined {
  return idempotencyKey === undefined ? undefined : JSON.stringify([key, idempotencyKey]);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function reject(gateway: GatewayState, info: string): Answer {
  const { rejection, envelope } = gateway.behaviour;
  const { rejections } = gateway.counters;
  rejections.push(info);
  if (rejections.length > REJECTIONS_KEPT) rejections.shift();
  return replyJson(rejection.http, failureEnvelope(envelope, rejection.code, info));
}

function isJsonType(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

/** The first of the words that any text in the body contains. */
function forbiddenWord(value: Json, words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const text = JSON.stringify(value).toLowerCase();
  return words.find((word) => text.includes(word.toLowerCase()));
}

/** Whose places a task takes: those shared by all, or those of its account. */
function ownerOf({ behaviour }: GatewayState, key = ''): string {
  return behaviour.limits.scope === 'key' ? key : '';
}

type SubmitFault = FaultAt<'submit'>;

function meetFault(
  gateway: GatewayState,
  request: SubmitRequest,
  body: JsonObject,
  bytes: Buffer,
  moderated: string | undefined,
): Answer {
  const { operation, key = '' } = request;
  const bodySha256 = sha256(bytes);
  const identity = `${operation.path}/${bodySha256}/${gateway.tasks.timesSeen(operation, bodySha256)}`;
  const fault: SubmitFault | undefined = gateway.faults.draw('submit', operation, identity);
  if (fault && isBeforeCharge(fault)) return brokenAnswer(gateway, fault, undefined);
  const failure = fault?.kind === 'remote-failure' ? fault.message : moderated;
  const isBlack = fault?.kind === 'black';
  const now = gateway.now();
  const owner = ownerOf(gateway, request.key);
  const task = gateway.tasks.add({ operation, body, bodySha256, now, failure, isBlack, owner }, gateway.behaviour);
  accountOf(gateway, request.key)?.noteCharge(gateway.tasks.activeUntil(owner, operation.family, now).length);
  const keyLast4 = key.length >= 8 ? key.slice(-4) : '****';
  const { idempotencyKey } = request;
  const charge = { taskCode: task.code, operation: operation.path, bodySha256, body, at: now, keyLast4 };
  gateway.charges.append(idempotencyKey === undefined ? charge : { ...charge, idempotencyKey });
  const chargedKey = chargedKeyOf(request);
  if (chargedKey !== undefined) gateway.chargedKeys.set(chargedKey, { task, bodySha256, at: now });
  return fault ? brokenAnswer(gateway, fault, task) : accepted(gateway, task.code);
}

function isBeforeCharge(fault: SubmitFault): boolean {
  if (fault.kind === 'rejected' || fault.kind === 'redirect') return true;
  return 'charged' in fault && !fault.charged;
}

function accepted(gateway: GatewayState, code: string): Answer {
  const { envelope, taskCode, cost } = gateway.behaviour;
  const { name, amount } = cost;
  const stated = cost.in === 'submit' ? `,${JSON.stringify(name)}:${JSON.stringify(amount)}` : '';
  const result = `{"taskCode":${codeJson(taskCode.form, code)}${stated}}`;
  return replyJson(200, successEnvelope(envelope, result), cost.in === 'header' ? { [name]: `${amount}` } : {});
}

/** The answer to a submit with a fault; `task` is the charged task, if there is one. */
function brokenAnswer(gateway: GatewayState, fault: SubmitFault, task: GatewayTask | undefined): Answer {
  const { envelope } = gateway.behaviour;
  const right = accepted(gateway, task?.code ?? '');
  switch (fault.kind) {
    case 'lost':
      return { kind: 'cut' };
    case 'silent':
      return { kind: 'silent' };
    case 'slow':
      return { kind: 'later', delayMs: fault.delayMs, then: right };
    case 'http':
      return httpFault(gateway, fault);
    case 'html':
      return { kind: 'reply', status: 200, headers: { 'Content-Type': 'text/html' }, body: WEB_PAGE };
    case 'empty':
      return replyJson(200, '');
    case 'not-json':
      return replyJson(200, right.kind === 'reply' ? right.body.slice(0, -20) : '');
    case 'redirect':
      return redirect(gateway, fault);
    case 'rejected':
      return replyJson(200, failureEnvelope(envelope, fault.code, fault.info));
    case 'both-flags':
      return replyJson(200, right.kind === 'reply' ? right.body.replace('"failure":false', '"failure":true') : '');
    case 'no-task-code':
      return replyJson(200, successEnvelope(envelope, '{}'));
    case 'repeated-task-code':
      return accepted(gateway, gateway.tasks.at((task?.seq ?? 1) - 1)?.code ?? task?.code ?? '');
    case 'remote-failure':
    case 'black':
      return right;
    default:
      return assertNever(fault);
  }
}

/** An HTTP error as its rule describes it. */
export function httpFault(gateway: GatewayState, fault: Extract<FaultRule, { kind: 'http' }>): Answer {
  const headers: Record<string, string> = fault.retryAfter === undefined ? {} : { 'Retry-After': fault.retryAfter };
  if (fault.body !== undefined) {
    return {
      kind: 'reply',
      status: fault.status,
      headers: { 'Content-Type': 'text/html', ...headers },
      body: fault.body,
    };
  }
  const { envelope } = gateway.behaviour;
  return replyJson(fault.status, failureEnvelope(envelope, envelope.failureCode, fault.info), headers);
}

/** A redirect as its rule describes it. */
export function redirect(gateway: GatewayState, fault: Extract<FaultRule, { kind: 'redirect' }>): Answer {
  const location = fault.location ?? `${gateway.otherOrigin}/elsewhere`;
  return { kind: 'reply', status: fault.status, headers: { Location: location }, body: '' };
}
