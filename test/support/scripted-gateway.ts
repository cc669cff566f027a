import { readResult } from '../../src/engine/gateway/read-record.ts';
import type {
  MediaGateway,
  PollReport,
  RawAnswer,
  SubmitCall,
  SubmitReport,
} from '../../src/engine/ports/media-gateway.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import type { SeenBalance } from '../../src/shared/domain/gateway/charges/stated-amount.ts';
import type { ResultRecord } from '../../src/shared/domain/gateway/poll-answer.ts';

/** What a scripted gateway was asked. */
export interface SubmitSeen {
  readonly operation: OperationPath;
  readonly body: string;
  /** The key with which it came. */
  readonly key?: string;
}

export const RUNNING: PollReport = { answer: { kind: 'record', record: record({ status: '1' }) } };

/** A record as a gateway gives it, with the differences that a test needs. */
export function record(different: Partial<ResultRecord> = {}): ResultRecord {
  return {
    status: '1',
    message: '',
    urls: [],
    document: '{}',
    addTime: '',
    endTime: '',
    taskId: '',
    ids: {},
    ...different,
  };
}

/** An answer as it is kept: the envelope with this `result`, written as JSON. */
export function answerWith(result: string): RawAnswer {
  const body = new TextEncoder().encode(`{"code":200,"info":"","success":true,"failure":false,"result":${result}}`);
  return { httpStatus: 200, headers: {}, body, truncated: false };
}

/** A record of a task that is rendered, with these addresses. */
export function rendered(...urls: string[]): PollReport {
  return { answer: { kind: 'record', record: record({ status: '2', urls, endTime: '2026-01-15 22:01:00' }) } };
}

/**
 * A gateway in memory that answers as a test says: it notes what it is asked, and the test decides the rest. By default
 * every submit is accepted under a code of its own and every task is rendered at once.
 */
export class ScriptedGateway implements MediaGateway {
  readonly origin: string;
  readonly submits: SubmitSeen[] = [];
  readonly polls: string[] = [];
  onSubmit: (seen: SubmitSeen, nth: number) => SubmitReport | Promise<SubmitReport> = (_, nth) =>
    accepted(`code-${nth}`);
  onPoll: (taskCode: string, nth: number) => PollReport | Promise<PollReport> = (taskCode) =>
    rendered(`https://media.example/${taskCode}.mp3`);

  constructor(origin = 'https://gateway.example') {
    this.origin = origin;
  }

  /** Resolves when a submit has a connection. */
  onConnect: (() => Promise<void>) | undefined;
  /** Resolves when a poll has one. */
  onPollConnect: (() => Promise<void>) | undefined;

  async submit(call: SubmitCall): Promise<SubmitReport> {
    if (this.onConnect !== undefined) await this.onConnect();
    if (call.mayLeave?.() === false) return notSent();
    const { operation, idempotency } = call;
    const key = idempotency === undefined ? {} : { key: idempotency.key };
    const seen = { operation, body: new TextDecoder().decode(call.body), ...key };
    this.submits.push(seen);
    return this.onSubmit(seen, this.submits.length);
  }

  async poll(
    _operation: OperationPath,
    taskCode: string,
    _signal?: AbortSignal,
    mayLeave?: () => boolean,
  ): Promise<PollReport> {
    if (this.onPollConnect !== undefined) await this.onPollConnect();
    if (mayLeave?.() === false) {
      return { answer: { kind: 'error', failure: failure('GATEWAY_UNAVAILABLE', 'it was no longer wanted') } };
    }
    this.polls.push(taskCode);
    return this.onPoll(taskCode, this.polls.length);
  }

  balances = 0;
  onBalance: (nth: number) => Omit<SeenBalance, 'at'> = () => ({ balance: { amount: 10, currency: 'credits' } });

  balance(): Promise<Omit<SeenBalance, 'at'>> {
    this.balances += 1;
    return Promise.resolve(this.onBalance(this.balances));
  }

  resultOf(answer: RawAnswer) {
    return readResult(answer);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export function accepted(taskCode: string): SubmitReport {
  return { outcome: { kind: 'accepted', taskCode } };
}

export function notSent(): SubmitReport {
  return { outcome: { kind: 'not-sent', failure: failure('NETWORK_NOT_SENT', 'refused') } };
}

export function unknownOutcome(): SubmitReport {
  return { outcome: { kind: 'unknown', failure: failure('SUBMIT_OUTCOME_UNKNOWN', 'the connection was reset') } };
}
