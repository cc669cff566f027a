/** The answer to asking about a task, and what Nocturne remembers of it until the next time. */
import type { Failure } from '../base/failure.ts';

/** No task has more outputs than this; a list of a million addresses is not a result. */
export const MOST_OUTPUTS = 100;

/**
 * A task's record as the gateway gave it (interface 2.3), read but not judged. All values are text, exactly as
 * received: a 19-digit number is not rounded. Absent and null values are empty.
 */
export interface ResultRecord {
  readonly status: string;
  readonly message: string;
  /** Every media address of the record, in order, each once, up to {@link MOST_OUTPUTS}. */
  readonly urls: readonly string[];
  /** The JSON text of the whole `result`. */
  readonly document: string;
  readonly addTime: string;
  readonly endTime: string;
  /** May be the task code, or the gateway's own id. */
  readonly taskId: string;
  /** Identifiers in the result (interface 2.5), such as `clip_id`, by field; the first of each. */
  readonly ids: Readonly<Record<string, string>>;
}

/** The answer to asking about a task, before it is judged. */
export type PollAnswer =
  | { readonly kind: 'record'; readonly record: ResultRecord }
  /** The envelope says `failure`: its words, and their meaning according to the profile. */
  | {
      readonly kind: 'refused';
      readonly means: 'auth' | 'balance' | 'rate' | 'not-found' | 'other';
      readonly failure: Failure;
      readonly retryAfterMs?: number;
    }
  /** Transport error, 408, 429, 5xx, empty, not JSON: it says nothing about the task. */
  | { readonly kind: 'error'; readonly failure: Failure; readonly retryAfterMs?: number };

/** What Nocturne remembers of a task between polls, as far as it needs it to infer the outcome. Plain JSON. */
export interface PollMemory {
  readonly polls: number;
  /** The first status seen. */
  readonly firstStatus?: string;
  /** The gateway's own id of this task: a record with a different one belongs to another task. */
  readonly taskId?: string;
  /** File names of the latest record's addresses, since when (epoch ms) they are these, and since when this many. */
  readonly files?: readonly string[];
  readonly filesSince?: number;
  readonly countSince?: number;
  /** Since when (epoch ms) the task has looked finished without any media. */
  readonly emptySince?: number;
  /** Since when (epoch ms) its message has also said that it failed. */
  readonly refusedSince?: number;
  /** Refusals in succession. */
  readonly refusals?: number;
  /** Records in succession whose message reads like a failure, after the status has changed. */
  readonly failureLike?: number;
  /** How often, and when last (epoch ms), a download was tried before the gateway said that the task had finished. */
  readonly tries?: number;
  readonly triedAt?: number;
  /** Watching was interrupted: its times say nothing about how long renderings take. */
  readonly late?: true;
  /** Since when (epoch ms) an answer has been overdue: nothing was seen of the rendering since. */
  readonly unseenSince?: number;
  /** When (epoch ms) it was last seen while its files were already tried. */
  readonly lookedAt?: number;
  /** How it was last counted (see `seenKey`): while it looks the same it is not counted again. */
  readonly seen?: string;
}

export const FRESH_POLL_MEMORY: PollMemory = { polls: 0 };

/** For a task that is asked about again after a gap, or whose `submittedAt` is not the time of its submit. */
export const UNWATCHED_POLL_MEMORY: PollMemory = { polls: 0, late: true };
