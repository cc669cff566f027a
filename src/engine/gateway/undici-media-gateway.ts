import { type Dispatcher, Pool } from 'undici';
import { failure, spokenMessage, type Failure } from '../../shared/domain/base/failure.ts';
import { reason, say } from '../../shared/domain/base/reason.ts';
import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { retryAfterMs } from '../../shared/domain/gateway/gateway-time.ts';
import type { Json } from '../../shared/domain/base/json.ts';
import { lookOf, type Measure, measuresIn } from '../../shared/domain/gateway/learned/answer-look.ts';
import { operationOf, type Operation, type OperationPath } from '../../shared/domain/operations/operations.ts';
import type { PollAnswer } from '../../shared/domain/gateway/poll-answer.ts';
import { resultPathFor, type Profile } from '../../shared/domain/gateway/profile.ts';
import { meaningOfAgain } from '../../shared/domain/gateway/charges/asked-again.ts';
import { statedBalance, statedCost, type SeenBalance } from '../../shared/domain/gateway/charges/stated-amount.ts';
import { gatewaySays, judgeSubmit } from '../../shared/domain/gateway/submit-outcome.ts';
import type { Money } from '../../shared/domain/base/money.ts';
import { keyMissing } from '../../shared/domain/task/accounts/account.ts';
import { present } from '../../shared/domain/base/result.ts';
import { trimEnd } from '../../shared/domain/base/text.ts';
import type {
  AnswerSight,
  MediaGateway,
  PollReport,
  RawAnswer,
  SubmitCall,
  SubmitReport,
} from '../ports/media-gateway.ts';
import type { Clock } from '../ports/base.ts';
import { readEnvelope, type ReadBody, type UnreadBody } from './envelope.ts';
import { exchange, type Exchange, gatewayConnector } from './exchange.ts';
import { inflateAnswer, withoutKey } from './inflate-answer.ts';
import { readPollAnswer, readSubmitAnswer } from './read-answer.ts';
import { readResult } from './read-record.ts';
import { RecordOwners, type TaskCodeWay, TaskCodeWays, pollTarget } from './task-codes.ts';

/** More sockets cost more and gain nothing. */
const MAX_SOCKETS = 32;
/** A submit on a socket that the server is about to close would end as unknown; an idle one is closed before that. */
const SUBMIT_IDLE_MS = 1500;

export interface MediaGatewayOptions {
  /** Must have a base URL: a missing one is the caller's mistake. */
  readonly profile: Profile;
  /** The key for the profile's origin, requested with each call and stored nowhere. */
  readonly key: () => string;
  /** Which of the keys for its origin, if there are several. */
  readonly keyName?: string | undefined;
  /** Called right before the key leaves, on a socket connected to the gateway; if it throws, nothing is sent. */
  readonly beforeKeyIsSent?: () => void;
  /** Finds every key that answers must not bring in. */
  readonly keyFinder: () => KeyFinder;
  readonly clock: Clock;
  /** Carries every request; by default the network, over sockets of this gateway's own. */
  readonly network?: Dispatcher;
}

/** The gateway of a profile over HTTP/1.1. Submits and polls use separate sockets; nothing is resent or redirected. */
export function createMediaGateway(options: MediaGatewayOptions): MediaGateway {
  return new UndiciMediaGateway(options);
}

/** As much of an answer as could be read, without the key. */
interface Reading {
  readonly raw: RawAnswer;
  readonly body: ReadBody | UnreadBody;
  readonly retryAfterMs: number | undefined;
  /** What the call cost, if the answer says so where the profile has it. */
  readonly cost: Money | undefined;
  readonly sight: AnswerSight;
}

class UndiciMediaGateway implements MediaGateway {
  readonly origin: string;
  readonly #prefix: string;
  readonly #profile: Profile;
  readonly #key: () => string;
  readonly #keyName: string | undefined;
  readonly #beforeKeyIsSent: () => void;
  readonly #keyFinder: () => KeyFinder;
  readonly #clock: Clock;
  readonly #network: Dispatcher | undefined;
  #submits: Dispatcher;
  readonly #polls: Dispatcher;
  /** Abandoned sockets, which no further submit uses, until they are closed. */
  readonly #left = new Set<Promise<void>>();
  readonly #ways: TaskCodeWays;
  readonly #owners = new RecordOwners();
  #closing: Promise<unknown> | undefined;

  constructor({ profile, key, keyName, beforeKeyIsSent, keyFinder, clock, network }: MediaGatewayOptions) {
    const base = new URL(profile.baseUrl);
    this.origin = base.origin;
    this.#prefix = trimEnd(base.pathname, (char) => char === '/');
    this.#profile = profile;
    this.#key = key;
    this.#keyName = keyName;
    this.#beforeKeyIsSent = beforeKeyIsSent ?? (() => undefined);
    this.#keyFinder = keyFinder;
    this.#clock = clock;
    this.#network = network;
    this.#submits = network ?? this.#openSubmits();
    this.#polls = network ?? new Pool(base.origin, poolOptions(profile));
    this.#ways = new TaskCodeWays(profile.taskCode, clock);
  }

  async submit(call: SubmitCall, signal?: AbortSignal): Promise<SubmitReport> {
    const key = this.#key();
    if (!isSendableKey(key)) return { outcome: { kind: 'held', failure: this.#unsendable(key) } };
    let used: Dispatcher;
    let came: Exchange;
    do {
      used = this.#submits;
      came = await this.#exchangeSubmit(call, key, used, signal);
      // The submit was only waiting for a socket, and its sockets were abandoned meanwhile: it gets a new one.
    } while (isUnsent(came) && used !== this.#submits && this.#key() === key);
    if (came.kind === 'unanswered') return unansweredSubmit(came);
    // Before the answer is read, which may take a while: its socket is free already.
    if (came.raw.httpStatus >= 500) this.#leaveSockets(used);
    const { raw, cost, sight, ...rest } = await this.#read(came, '');
    const { retryAfterMs } = rest;
    const answer = readSubmitAnswer({ httpStatus: raw.httpStatus, ...rest }, call.body);
    const outcome = judgeSubmit(answer, this.#profile);
    if (outcome.kind === 'unknown') this.#leaveSockets(used);
    if (call.again === undefined) return { outcome, raw, sight, ...present({ cost }) };
    const { seenTaskCode } = answer;
    const again = meaningOfAgain(answer, outcome, this.#profile);
    return { outcome, raw, sight, again, ...present({ cost, seenTaskCode, retryAfterMs }) };
  }

  /** Sends it once, or not at all if `sockets` were abandoned before it got one. */
  #exchangeSubmit(call: SubmitCall, key: string, sockets: Dispatcher, signal?: AbortSignal): Promise<Exchange> {
    return exchange(
      {
        method: 'POST',
        path: `${this.#prefix}/${call.operation}`,
        headers: [...this.#headers(key), 'Content-Type', 'application/json', ...headersOf(call)],
        body: call.body,
      },
      {
        dispatcher: sockets,
        clock: this.#clock,
        deadlineMs: this.#profile.deadlines.submitSeconds * 1000,
        signal,
        beforeSent: () => {
          if (sockets !== this.#submits) throw new Error('another request got no clear answer');
          const { until = Number.POSITIVE_INFINITY } = call.again ?? {};
          if (this.#clock.now() >= until) throw new Error('the gateway no longer knows its key');
          if (call.mayLeave?.() === false) throw new Error('it was no longer wanted');
          this.#beforeKeyIsSent();
        },
      },
    );
  }

  async poll(
    operation: OperationPath,
    taskCode: string,
    signal?: AbortSignal,
    mayLeave: () => boolean = () => true,
  ): Promise<PollReport> {
    const way = this.#ways.current;
    const once = (one: TaskCodeWay): Promise<PollReport> =>
      this.#pollOnce(operationOf(operation), taskCode, one, mayLeave, signal);
    let best = await once(way);
    if (isWrongWay(best)) {
      await this.#ways.search(async (other) => {
        const report = await once(other);
        if (report.answer.kind === 'record') best = report;
        return isWrongWay(report) ? 'next' : 'stop';
      });
    }
    return best;
  }

  async balance(signal?: AbortSignal): Promise<Omit<SeenBalance, 'at'>> {
    const place = this.#profile.balance;
    const key = this.#key();
    if (place === undefined) return { problem: say(reason('balanceNowhere')) };
    if (!isSendableKey(key)) return { problem: spokenMessage(this.#unsendable(key)) };
    const came = await exchange(
      { method: 'GET', path: `${this.#prefix}${place.path}`, headers: this.#headers(key) },
      {
        dispatcher: this.#polls,
        clock: this.#clock,
        deadlineMs: this.#profile.deadlines.pollSeconds * 1000,
        signal,
        beforeSent: this.#beforeKeyIsSent,
      },
    );
    if (came.kind === 'unanswered') return { problem: say(reason('noAnswer', came.reason)) };
    const { raw, body } = await this.#read(came, '');
    const envelope = 'envelope' in body ? body.envelope : undefined;
    const isRefused = raw.httpStatus < 200 || raw.httpStatus >= 300 || envelope?.failure === true;
    const balance = isRefused || !('whole' in body) ? undefined : statedBalance(place, body.whole);
    if (balance !== undefined) return { balance };
    const says = gatewaySays({ httpStatus: raw.httpStatus, envelope, bodyIs: 'bodyIs' in body ? body.bodyIs : '' });
    return { problem: say(isRefused ? says : reason('noAmount', place.field)) };
  }

  resultOf(answer: RawAnswer): Json | undefined {
    return readResult(answer);
  }

  async close(): Promise<void> {
    this.#closing ??= Promise.all([this.#submits.close(), this.#polls.destroy(), ...this.#left]);
    await this.#closing;
  }

  #openSubmits(): Dispatcher {
    return new Pool(this.origin, {
      ...poolOptions(this.#profile),
      keepAliveTimeout: SUBMIT_IDLE_MS,
      keepAliveMaxTimeout: SUBMIT_IDLE_MS,
    });
  }

  /**
   * After an answer that settles nothing, such as a proxy's, the real one may still come on the same socket, and the
   * next request there would take it for its own. Requests under way end on the sockets they have.
   */
  #leaveSockets(used: Dispatcher): void {
    if (used !== this.#submits || this.#network !== undefined || this.#closing !== undefined) return;
    const closed = this.#submits.close().finally(() => this.#left.delete(closed));
    this.#left.add(closed);
    this.#submits = this.#openSubmits();
  }

  async #pollOnce(
    operation: Operation,
    taskCode: string,
    way: TaskCodeWay,
    mayLeave: () => boolean,
    signal?: AbortSignal,
  ): Promise<PollReport> {
    const key = this.#key();
    if (!isSendableKey(key)) return { answer: { kind: 'refused', means: 'auth', failure: this.#unsendable(key) } };
    const resultPath = resultPathFor(this.#profile, operation);
    const target = pollTarget(resultPath, way, taskCode);
    if (target === undefined) return { answer: unsendableCode() };
    const came = await exchange(
      { method: 'GET', path: `${this.#prefix}${target}`, headers: this.#headers(key) },
      {
        dispatcher: this.#polls,
        clock: this.#clock,
        deadlineMs: this.#profile.deadlines.pollSeconds * 1000,
        signal,
        beforeSent: () => {
          if (!mayLeave()) throw new Error('it was no longer wanted');
          this.#beforeKeyIsSent();
        },
      },
    );
    if (came.kind === 'unanswered') {
      const why = failure('GATEWAY_UNAVAILABLE', reason('noAnswer', came.reason));
      return { answer: { kind: 'error', failure: why } };
    }
    const { raw, body, retryAfterMs, cost, sight } = await this.#read(came, way.in === 'path' ? '/' : way.name);
    const answer = readPollAnswer({ httpStatus: raw.httpStatus, body, retryAfterMs }, operation, this.#profile);
    const own = this.#ownRecord(answer, resultPath, taskCode, way);
    return { answer: own, raw, sight, ...(own.kind === 'record' ? present({ cost }) : {}) };
  }

  /** A record of this task, or a poll error instead: another task's result is never used. */
  #ownRecord(answer: PollAnswer, resultPath: string, taskCode: string, way: TaskCodeWay): PollAnswer {
    if (answer.kind !== 'record') return answer;
    const { taskId } = answer.record;
    if (this.#owners.isForeign(resultPath, taskCode, taskId)) {
      return { kind: 'error', failure: failure('GATEWAY_PROTOCOL', reason('otherTasksRecord', taskId)) };
    }
    this.#ways.worked(way);
    return answer;
  }

  #unsendable(key: string): Failure {
    if (key === '') return keyMissing(this.origin, { keyName: this.#keyName });
    return failure('AUTH_REJECTED', reason('keyUnsendable'));
  }

  #headers(key: string): string[] {
    return ['aiKey', key, 'Accept', 'application/json, */*', 'User-Agent', this.#profile.userAgent];
  }

  /** `way`: how the request passed the task code, as an `AnswerLook` says it. */
  async #read(came: Extract<Exchange, { kind: 'answered' }>, way: string): Promise<Reading> {
    const inflated = await inflateAnswer(came.raw);
    const raw = withoutKey(inflated.raw, this.#keyFinder());
    const body = readEnvelope(raw.body, raw.truncated);
    const whole = 'whole' in body ? body.whole : undefined;
    const cost = statedCost(this.#profile.cost, raw.headers, whole);
    const why = came.brokenBy ?? inflated.brokenBy;
    return {
      raw,
      body: why !== undefined && 'bodyIs' in body ? { ...body, bodyIs: reason('bodyBecause', body.bodyIs, why) } : body,
      retryAfterMs: retryAfterMs(raw.headers['retry-after'], this.#clock.now()),
      cost,
      sight: { look: lookOf(raw.headers, whole, way), measures: this.#measures(raw.headers, whole, cost) },
    };
  }

  /** The numbers that an answer names; the cost from where the profile has it, if it says where. */
  #measures(headers: RawAnswer['headers'], whole: Json | undefined, cost: Money | undefined): readonly Measure[] {
    const { cost: place } = this.#profile;
    const found = measuresIn(headers, whole, this.#clock.now());
    if (place === undefined) return found;
    const at = place.in === 'body' ? place.path : place.name;
    const others = found.filter((measure) => measure.kind !== 'cost');
    return cost === undefined ? others : [...others, { kind: 'cost', at, value: cost.amount }];
  }
}

function headersOf({ idempotency }: SubmitCall): readonly string[] {
  return idempotency === undefined ? [] : [idempotency.header, idempotency.key];
}

function poolOptions(profile: Profile): Pool.Options {
  return {
    connections: MAX_SOCKETS,
    pipelining: 1,
    allowH2: false,
    connect: gatewayConnector(profile),
  };
}

function isUnsent(came: Exchange): boolean {
  return came.kind === 'unanswered' && !came.wasSent;
}

function unansweredSubmit(came: Extract<Exchange, { kind: 'unanswered' }>): SubmitReport {
  if (!came.wasSent) {
    return { outcome: { kind: 'not-sent', failure: failure('NETWORK_NOT_SENT', reason('notReached', came.reason)) } };
  }
  const why = failure('SUBMIT_OUTCOME_UNKNOWN', reason('noAnswerToSubmit', came.reason));
  return { outcome: { kind: 'unknown', failure: why } };
}

/** What a gateway answers when it expects the code to be passed in another way. */
function isWrongWay({ answer, raw }: PollReport): boolean {
  return answer.kind !== 'record' && raw !== undefined && WRONG_WAY_HTTP.has(raw.httpStatus);
}

const WRONG_WAY_HTTP: ReadonlySet<number> = new Set([400, 404, 405]);

/** True for a key that can go into a header unchanged. */
function isSendableKey(key: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(key);
}

function unsendableCode(): PollAnswer {
  return { kind: 'error', failure: failure('GATEWAY_PROTOCOL', reason('codeUnsendable')) };
}
