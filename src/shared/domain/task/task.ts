import type { Failure } from './failure.ts';
import type { Family, OperationPath, OutputKind } from '../operations/operations.ts';
import type { PollMemory } from '../gateway/poll-answer.ts';

export const TASK_STATUSES = [
  'queued',
  'submitting',
  'submit-unknown',
  'rendering',
  'downloading',
  'done',
  'failed',
  'cancelled',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Statuses in which a task ends, unless the user says otherwise. */
export const TERMINAL_STATUSES: ReadonlySet<TaskStatus> = new Set<TaskStatus>(['done', 'failed', 'cancelled']);

/** Statuses in which the engine still has something to do for a task. */
export const ACTIVE_STATUSES: ReadonlySet<TaskStatus> = new Set<TaskStatus>([
  'queued',
  'submitting',
  'rendering',
  'downloading',
]);

/** Where a file stands on its way to the media folder (the download protocol, step 7). */
export type OutputState = 'pending' | 'placing' | 'verified' | 'set-aside' | 'failed';

/** One file, or one JSON document, that a task gave. */
export interface Output {
  /** Position in the gateway's list, from 1. */
  readonly index: number;
  /** Where it is fetched from; absent for a JSON document, whose text is in `document`. */
  readonly url?: string;
  /** The JSON document as it will be written, for results that are data. */
  readonly document?: string;
  readonly state: OutputState;
  /** Counts the full bodies begun so far; part files carry it in their names. */
  readonly generation: number;
  /** The strong ETag that the current part belongs to. */
  readonly validator?: string;
  /** Path inside the media folder, with `/`; set from `placing` on (or when set aside). */
  readonly path?: string;
  readonly sha256?: string;
  readonly bytes?: number;
  readonly mediaType?: string;
  /** Tries to fetch it that brought no sound file; the user's word to retry counts from 0 again. */
  readonly tries: number;
  /** Not fetched again before this time, milliseconds since the epoch. */
  readonly dueAt?: number;
  /** The gateway is asked for a fresh address first. */
  readonly isStale?: true;
  /** What the latest tries that can be compared had in common, see `likeness` in the events, and how many they were. */
  readonly alike?: { readonly likeness: string; readonly times: number };
  /** Versions of it that could not be verified, kept as evidence: see {@link mayKeep}. */
  readonly kept?: readonly KeptFile[];
  /** Why it is set aside or failed, or why the latest try was in vain. */
  readonly failure?: Failure;
}

/** The name of one output in the whole store; its part files carry it. */
export function outputIdOf(taskId: number, index: number): string {
  return `${taskId}-${index}`;
}

/** The task and the position that an output's id names; undefined for any other text. */
export function parseOutputId(outputId: string): { readonly taskId: number; readonly index: number } | undefined {
  const parts = /^([1-9]\d{0,14})-([1-9]\d{0,8})$/.exec(outputId);
  return parts ? { taskId: Number(parts[1]), index: Number(parts[2]) } : undefined;
}

/** A file that could not be verified, kept aside. */
export interface KeptFile {
  /** Inside the media folder, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

const KEPT_VERSIONS = 8;
const KEPT_BYTES = 256 << 20;

/** Whether one more version of an output, of so many bytes, is kept beside those that are: 8 in all, 256 MiB; the first always. */
export function mayKeep(kept: readonly KeptFile[], bytes: number): boolean {
  const sum = kept.reduce((total, file) => total + file.bytes, bytes);
  return kept.length === 0 || (kept.length < KEPT_VERSIONS && sum <= KEPT_BYTES);
}

/**
 * The distance between the positions of two neighbouring rows when a sheet is brought in: so many rows can be put between
 * them, one by one at the worst place 20 times, before positions have to be given anew.
 */
export const ROW_GAP = 2 ** 20;

/** What the gateway makes of one take: one submit, one task code. Times are milliseconds since the epoch, UTC. */
export interface Task {
  readonly id: number;
  readonly batchId: string;
  /** The row's own id in its sheet. */
  readonly rowId: string;
  /** Where the row stands among those of its batch, see {@link ROW_GAP}: tasks start in this order. */
  readonly position: number;
  /** From 1. */
  readonly take: number;
  readonly operation: OperationPath;
  readonly family: Family;
  readonly kind: OutputKind;
  /** The `model` field of the body, for what is learned of completion times; empty where there is none. */
  readonly model: string;
  readonly priority: number;
  readonly status: TaskStatus;
  /** Incremented by every change; a change made from an older revision is refused. */
  readonly revision: number;
  /** Nothing happens to the task before this time. */
  readonly dueAt: number;
  /** The user wants it cancelled; honoured as soon as its outcome is known. */
  readonly cancelWanted: boolean;
  /** The row that this one waits for; kept when that one failed it, so that it waits again once that one goes on. */
  readonly blockedBy?: string;
  /** Submits that count as tries of this take. */
  readonly attempts: number;
  /** Failures in a row that only cost time (not sent, poll errors); sets the backoff. */
  readonly setbacks: number;
  readonly taskCode?: string;
  readonly submittedAt?: number;
  readonly renderedAt?: number;
  readonly finishedAt?: number;
  readonly failure?: Failure;
  readonly poll: PollMemory;
  /** The outputs were found by inference alone: when they cannot be verified, the rendering is taken to go on. */
  readonly provisional: boolean;
  readonly outputs: readonly Output[];
  /**
   * It was made for what its row asked for earlier: it counts no more and is never submitted. Where its failure was only
   * inferred the gateway is still asked, and what it gives late is fetched: it was paid for.
   */
  readonly superseded?: true;
  /** Another row of the batch whose output has the very same address: one of the two may have the wrong file. */
  readonly sameAddressAs?: string;
}

/** A failure that was inferred: the gateway is still asked, and a late success overturns it. */
export function isSuspectedFailure(task: Pick<Task, 'status' | 'failure' | 'taskCode'>): boolean {
  return task.status === 'failed' && task.failure?.suspected === true && task.taskCode !== undefined;
}

/** Nothing but another row failed it; it waits again as soon as that row is on its way again. */
export function isFailedByOther(task: Task): boolean {
  return task.status === 'failed' && task.failure?.code === 'DEPENDENCY_FAILED' && task.blockedBy !== undefined;
}

/** The gateway may still give something of what was paid for. */
export function mayStillGive(task: Pick<Task, 'status' | 'failure' | 'taskCode'>): boolean {
  return task.status === 'rendering' || task.status === 'downloading' || isSuspectedFailure(task);
}

/**
 * A take as the user saw it before saying what shall become of it. Where it was submitted since, its `attempts` are others:
 * what was said is not about that.
 */
export type ShownTake = Pick<Task, 'id' | 'attempts'>;

/** What the user decides about a submit whose outcome is unknown (submit protocol, step 8). */
export type Decision =
  /** The gateway accepted it under this code; asked once before it is believed. */
  | { readonly kind: 'adopt'; readonly taskCode: string }
  /** Send it again, knowing that it may be charged twice. */
  | { readonly kind: 'resubmit' }
  | { readonly kind: 'write-off' };
