/** What comes back from asking for a task, and what is remembered of it until the next time. */
import type { Failure } from '../task/failure.ts';

/**
 * A task's record as the gateway gave it (interface 2.3), read but not judged. All values are text, exactly as they
 * came: a number of 19 digits is not rounded. What was absent or null is empty.
 */
export interface ResultRecord {
  readonly status: string;
  readonly message: string;
  /** Every media address of the record, in its order, each once. */
  readonly urls: readonly string[];
  /** The JSON text of the whole `result`. */
  readonly document: string;
  readonly addTime: string;
  readonly endTime: string;
  /** May be the task code, or an id of the gateway's own. */
  readonly taskId: string;
  /** Identifiers that the result names (interface 2.5), such as `clip_id`, by their field; the first of each. */
  readonly ids: Readonly<Record<string, string>>;
}

/** What came back from asking for a task, before it is judged. */
export type PollAnswer =
  | { readonly kind: 'record'; readonly record: ResultRecord }
  /** The envelope says `failure`: its words, and what the profile takes them to mean. */
  | {
      readonly kind: 'refused';
      readonly means: 'auth' | 'balance' | 'rate' | 'not-found' | 'other';
      readonly failure: Failure;
      readonly retryAfterMs?: number;
    }
  /** Transport error, 408, 429, 5xx, empty, not JSON: nothing is learned about the task. */
  | { readonly kind: 'error'; readonly failure: Failure; readonly retryAfterMs?: number };

/** What is remembered of a task between polls, as far as it is needed to infer its outcome. Plain JSON. */
export interface PollMemory {
  readonly polls: number;
  /** The first status that was seen. */
  readonly firstStatus?: string;
  /** The gateway's own id of this task: a record with another one is another task's. */
  readonly taskId?: string;
  /** File names of the latest record's addresses, since when (epoch ms) they are these, and since when so many. */
  readonly files?: readonly string[];
  readonly filesSince?: number;
  readonly countSince?: number;
  /** Since when (epoch ms) the task looks finished without any media. */
  readonly emptySince?: number;
  /** Since when (epoch ms) it says, besides, in words that it has failed. */
  readonly refusedSince?: number;
  /** Refusals in a row. */
  readonly refusals?: number;
  /** Records in a row whose message reads like a failure, after the status has changed. */
  readonly failureLike?: number;
  /** How often, and when last (epoch ms), a download was tried without the gateway's word that it is finished. */
  readonly tries?: number;
  readonly triedAt?: number;
  /** It was not watched without a break: its times say nothing about how long renderings take. */
  readonly late?: true;
  /** Since when (epoch ms) an answer was due that has not come: nothing was seen of the rendering since. */
  readonly unseenSince?: number;
  /** As what it was counted last (see `seenKey`): as long as it looks the same it is not counted again. */
  readonly seen?: string;
}

export const FRESH_POLL_MEMORY: PollMemory = { polls: 0 };

/** Of a task that is asked about again after a time in which nobody did, or under a time that is not its submit's. */
export const UNWATCHED_POLL_MEMORY: PollMemory = { polls: 0, late: true };
