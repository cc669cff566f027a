/** The gateway, as the night asks it. */
import type { Json } from '../../shared/domain/base/json.ts';
import type { Money } from '../../shared/domain/base/money.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import type { SeenBalance } from '../../shared/domain/gateway/charges/stated-amount.ts';
import type { AgainMeaning } from '../../shared/domain/gateway/charges/asked-again.ts';
import type { PollAnswer } from '../../shared/domain/gateway/poll-answer.ts';
import type { AnswerLook, Measure } from '../../shared/domain/gateway/learned/answer-look.ts';
import type { SubmitOutcome } from '../../shared/domain/gateway/submit-outcome.ts';

/** An HTTP answer as evidence: as it came, but without its content encoding and the key. The body is cut at 1 MiB. */
export interface RawAnswer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/** One paid call, frozen before it is sent. */
export interface SubmitCall {
  readonly operation: OperationPath;
  /** The exact bytes of the body. */
  readonly body: Uint8Array;
  /** The key under which it is sent, for a gateway that does not charge twice for one key. */
  readonly idempotency?: IdempotencyKey;
  /** Set if it was sent under that key before. Nothing is sent from `until` on, in milliseconds since the epoch. */
  readonly again?: { readonly until: number };
  /** Asked once there is a connection, right before the first byte: if it says no, nothing is sent. */
  readonly mayLeave?: () => boolean;
}

/** The key of one paid request, and the header in which it is sent. */
export interface IdempotencyKey {
  readonly header: string;
  readonly key: string;
}

/** A key that was sent, and where to: at another address, even of the same origin, it may be unknown. */
export interface SentKey extends IdempotencyKey {
  /** The base URL; missing in attempts from before it was recorded. */
  readonly baseUrl?: string;
}

/** What an answer looked like, and the numbers it named: only counted; nothing of what it said is kept. */
export interface AnswerSight {
  readonly look: AnswerLook;
  readonly measures: readonly Measure[];
}

export interface SubmitReport {
  readonly outcome: SubmitOutcome;
  /** Absent if no answer came. */
  readonly raw?: RawAnswer;
  readonly sight?: AnswerSight;
  /** What the gateway says this cost, if the profile says how to read that. */
  readonly cost?: Money;
  /** What the answer to a request that was sent again proves. */
  readonly again?: AgainMeaning;
  /** A task code anywhere in the answer; not set if the request was accepted. */
  readonly seenTaskCode?: string;
  /** The wait that the gateway asked for. */
  readonly retryAfterMs?: number;
}

export interface PollReport {
  readonly answer: PollAnswer;
  readonly raw?: RawAnswer;
  readonly sight?: AnswerSight;
  /** What the gateway now says the task cost. */
  readonly cost?: Money;
}

/** The gateway of one profile. Never throws for what the network or the gateway does; `signal` aborts a call. */
export interface MediaGateway {
  /** Sends one POST, once: no retry, no redirect (submit protocol, step 4). */
  submit(call: SubmitCall, signal?: AbortSignal): Promise<SubmitReport>;
  /** Asks once for a task's record. */
  poll(
    operation: OperationPath,
    taskCode: string,
    signal?: AbortSignal,
    mayLeave?: SubmitCall['mayLeave'],
  ): Promise<PollReport>;
  /** Asks once for the account's balance; only for a profile that says where to ask. */
  balance(signal?: AbortSignal): Promise<Omit<SeenBalance, 'at'>>;
  /** The record in a stored answer to a poll, with every digit as it came; undefined if the answer holds none. */
  resultOf(answer: RawAnswer): Json | undefined;
  /** Origin of the base URL, recorded with every attempt. */
  readonly origin: string;
  close(): Promise<void>;
}
