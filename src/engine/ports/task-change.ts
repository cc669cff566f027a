/** What is committed of a task: its next state, and the evidence that belongs to it. */
import type { Money } from '../../shared/domain/base/money.ts';
import type { IdempotencyProof } from '../../shared/domain/task/key-probe.ts';
import type { LearnedCounts } from '../../shared/domain/gateway/learned/learned.ts';
import type { SeenStatus } from '../../shared/domain/gateway/seen-status.ts';
import type { SubmitOutcome } from '../../shared/domain/gateway/submit-outcome.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import type { Fence } from './fleet.ts';
import type { RawAnswer, SentKey } from './media-gateway.ts';

/** One submit and its outcome: the evidence. */
export interface Attempt {
  readonly id: number;
  readonly taskId: number;
  readonly startedAt: number;
  readonly origin: string;
  /** A short one-way fingerprint, never the key. */
  readonly keyFingerprint: string;
  /** The account that it was sent with, by its name in a batch with several. */
  readonly account?: string;
  readonly body: Uint8Array;
  readonly bodySha256: string;
  /** The most that it may cost, by its batch's profile when it was sent; absent if the profile has no price for it. */
  readonly price?: Money;
  /** The night in which it was sent; absent for attempts from before nights were recorded. */
  readonly night?: number;
  readonly answeredAt?: number;
  /**
   * `asked-again`: the request of an earlier attempt, sent once more under its key; the earlier attempt has the outcome
   * of both. `charged`: it was refused, but still cost something, by the gateway's own words.
   */
  readonly outcome?: SubmitOutcome['kind'] | 'interrupted' | 'asked-again' | 'charged';
  readonly raw?: RawAnswer;
  readonly idempotency?: SentKey;
  /** What the gateway said this cost: in its answer, or later in a record. */
  readonly cost?: Money;
}

/** Committed before any byte leaves (submit protocol, step 3). */
export interface AttemptIntent extends Pick<
  Attempt,
  'startedAt' | 'origin' | 'keyFingerprint' | 'account' | 'body' | 'bodySha256' | 'price' | 'idempotency'
> {
  /** It sends the request of an earlier attempt once more, under its key: the two are one charge. */
  readonly isAgain?: true;
  /**
   * How many charges are reserved for it, one by default: until its outcome is known, it may be sent again at a gateway
   * that is not known to charge only once for a key.
   */
  readonly charges?: number;
}

/** Committed with the answer (submit protocol, step 5). Closes the task's open attempt. */
export interface AttemptAnswer {
  readonly answeredAt: number;
  readonly outcome: NonNullable<Attempt['outcome']>;
  readonly raw?: RawAnswer;
  readonly cost?: Money;
  /**
   * It was sent again under its key, and was or may have been charged once more: that charge is this attempt's, unknown
   * and at the price of the first. `outcome` is that of the first.
   */
  readonly isChargedAgain?: true;
  /** How many refusals of the task before this one were stated in words alone, and may have been charged after all. */
  readonly doubted?: number;
}

/** The answer to an attempt that was closed without one, or that nobody has closed yet. */
export interface LateAnswer {
  /** The attempt's {@link Attempt.id}. */
  readonly attempt: number;
  /**
   * Its outcome becomes the attempt's if it rules out a charge, and if the same request was not sent again under its
   * key.
   */
  readonly answer: AttemptAnswer;
}

/** A task as it was when it was read. */
export type TaskRevision = Pick<Task, 'id' | 'revision'>;

/** One task's next state and the event that led to it: one compare-and-set, with everything that belongs to it. */
export interface TaskChange {
  /** The revision that `next` was computed from; `next.revision` is one more. */
  readonly expectedRevision: number;
  readonly next: Task;
  readonly event: TaskEvent;
  readonly at: number;
  readonly openAttempt?: AttemptIntent;
  /** Other tasks from which the request was made: the change is stale if one of them has changed. */
  readonly basis?: readonly TaskRevision[];
  readonly closeAttempt?: AttemptAnswer;
  /** What came for an attempt that nobody waits for. */
  readonly lateAnswer?: LateAnswer;
  /** The latest answer to a poll, kept as evidence in place of the previous one. */
  readonly pollAnswer?: RawAnswer;
  /** What the task's last paid request cost, according to a record of the gateway. */
  readonly cost?: Money;
  /**
   * The time from the submit until the task was seen finished, once its files are verified: completion times are
   * learned from it.
   */
  readonly completionMs?: number;
  /** What the poll showed of the gateway's statuses, if the task was not counted before. */
  readonly seen?: SeenStatus;
  /** What answers looked like since this was last written: new looks at once, the rest now and then. */
  readonly learned?: LearnedCounts;
  /** What the answer shows about whether its gateway keeps its word about keys. */
  readonly proof?: IdempotencyProof;
  /**
   * The right under which it is made, if several processes share the store. The user's decisions need none. Once
   * another process has taken the account, nothing is written; and once the lease has ended, no paid request may be
   * intended.
   */
  readonly under?: Fence;
  /**
   * What a paid request relies on, if several processes share the store; it is refused if another process has changed
   * that.
   */
  readonly terms?: {
    /** The batch's revision when the request was chosen: the request is made with the settings of that moment. */
    readonly revision: number;
  };
}

/**
 * In every case but `committed`, nothing was written. `stale`: another change won. `path-taken`: an output's target
 * path belongs to another output (compared case-folded and NFC). `code-taken`: the task code belongs to another task of
 * the gateway (see `gatewayKey`). `attempt-open`: the take already has an open attempt. `lease-lost`: the right under
 * which the change was made is over (see {@link TaskChange.under}). `batch-changed`: what the request relies on has
 * changed (see {@link TaskChange.terms}). `over-limit`: what the request may cost does not fit into a limit.
 * `key-refuted`: the request would be sent again under its key at a gateway that was found to charge twice for one key.
 * `not-wanted`: nobody asks any more for the take to be rendered again (`made-again`).
 */
export type CommitOutcome =
  | ('committed' | 'stale' | 'path-taken' | 'code-taken' | 'attempt-open')
  | ('lease-lost' | 'batch-changed' | 'over-limit' | 'key-refuted' | 'not-wanted');
