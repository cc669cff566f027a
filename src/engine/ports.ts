/** What the scheduler needs of the world. Adapters implement these and never import each other; compose.ts wires them. */
import type { BatchPause, BatchRecord, BatchSettings, BatchState, SheetSettings } from '../shared/domain/task/batch.ts';
import type { Failure } from '../shared/domain/task/failure.ts';
import type { Json } from '../shared/domain/base/json.ts';
import type { Family, OperationPath, OutputKind } from '../shared/domain/operations/operations.ts';
import type { PollAnswer } from '../shared/domain/gateway/poll-answer.ts';
import type { Profile } from '../shared/domain/gateway/profile.ts';
import type { Row } from '../shared/domain/sheet/row.ts';
import type { SheetProblem } from '../shared/domain/sheet/problems.ts';
import type { CountedStatus, SeenStatus } from '../shared/domain/gateway/seen-status.ts';
import type { SubmitOutcome } from '../shared/domain/gateway/submit-outcome.ts';
import type { KeptFile, Task, TaskStatus } from '../shared/domain/task/task.ts';
import type { TaskEvent } from '../shared/domain/task/task-event.ts';

/** Time as a port, so that a night passes in a millisecond in a test. */
export interface Clock {
  /** Wall time, milliseconds since the epoch: for what is stored and shown. */
  now(): number;
  /** Monotonic milliseconds: for deadlines and rates. */
  monotonic(): number;
  /** Calls back once after `delayMs`; returns what cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** Randomness as a port: a number in [0, 1). */
export interface Random {
  next(): number;
}

/**
 * An HTTP answer for evidence: as it came, but without its content encoding and without the key. The body is cut at 1 MiB.
 */
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
}

export interface SubmitReport {
  readonly outcome: SubmitOutcome;
  /** Absent when no answer came. */
  readonly raw?: RawAnswer;
}

export interface PollReport {
  readonly answer: PollAnswer;
  readonly raw?: RawAnswer;
}

/** The gateway of one profile. Never throws for what the network or the gateway does; `signal` gives a call up. */
export interface MediaGateway {
  /** Sends one POST, once: no retry, no redirect (submit protocol, step 4). */
  submit(call: SubmitCall, signal?: AbortSignal): Promise<SubmitReport>;
  /** Asks once for a task's record. */
  poll(operation: OperationPath, taskCode: string, signal?: AbortSignal): Promise<PollReport>;
  /** The record in an answer to a poll that was kept, with every digit as it came; undefined where it holds none. */
  resultOf(answer: RawAnswer): Json | undefined;
  /** Origin of the base URL, recorded with every attempt. */
  readonly origin: string;
  close(): Promise<void>;
}

/** One submit as it was meant and what came of it: the evidence. */
export interface Attempt {
  readonly id: number;
  readonly taskId: number;
  readonly startedAt: number;
  readonly origin: string;
  /** A short one-way fingerprint, never the key. */
  readonly keyFingerprint: string;
  readonly body: Uint8Array;
  readonly bodySha256: string;
  readonly answeredAt?: number;
  readonly outcome?: SubmitOutcome['kind'] | 'interrupted';
  readonly raw?: RawAnswer;
}

/** What is committed before any byte leaves (submit protocol, step 3). */
export type AttemptIntent = Pick<Attempt, 'startedAt' | 'origin' | 'keyFingerprint' | 'body' | 'bodySha256'>;

/** What is committed with the answer (submit protocol, step 5). Closes the task's open attempt. */
export interface AttemptAnswer {
  readonly answeredAt: number;
  readonly outcome: NonNullable<Attempt['outcome']>;
  readonly raw?: RawAnswer;
}

/** One task's next state and the event that led to it: one compare-and-set with everything that belongs to it. */
export interface TaskChange {
  /** The revision that `next` was computed from; `next.revision` is one more. */
  readonly expectedRevision: number;
  readonly next: Task;
  readonly event: TaskEvent;
  readonly at: number;
  readonly openAttempt?: AttemptIntent;
  readonly closeAttempt?: AttemptAnswer;
  /** The latest answer to a poll, kept as evidence in place of the one before. */
  readonly pollAnswer?: RawAnswer;
  /** From submit to seen finished, of a task whose files are verified: feeds what is learned of completion times. */
  readonly completionMs?: number;
  /** What the poll has shown of the gateway's statuses, where the task was not counted so before. */
  readonly seen?: SeenStatus;
}

/**
 * `stale`: another change won, nothing was written. `path-taken`: an output's target path belongs to another output
 * (compared case-folded and NFC); nothing was written. `code-taken`: the task code belongs to another task of the gateway
 * (see `gatewayKey`); nothing was written. `attempt-open`: the take has an open attempt already.
 */
export type CommitOutcome = 'committed' | 'stale' | 'path-taken' | 'code-taken' | 'attempt-open';

export interface NewBatch {
  readonly name: string;
  /** Where the sheet came from, for the user; absent when it was typed. */
  readonly sheetPath?: string;
  readonly headers: readonly string[];
  /** How its cells are understood; plain where nothing is said. */
  readonly sheet?: SheetSettings;
  readonly settings: BatchSettings;
  readonly createdAt: number;
  /** Every row of the sheet, also those with errors or marked to be skipped. */
  readonly rows: Iterable<Row>;
  readonly problems: readonly SheetProblem[];
  /** As in a `CheckedSheet`. */
  readonly unusedCells?: ReadonlyMap<string, readonly number[]>;
}

/** Tasks by family and status. */
export type StatusCounts = Readonly<Record<Family, Readonly<Record<TaskStatus, number>>>>;

/** The durable state of all batches. One owner process. Every write is one transaction. */
export interface TaskStore {
  createBatch(batch: NewBatch): BatchRecord;
  batches(): readonly BatchRecord[];
  batch(id: string): BatchRecord | undefined;
  setBatchState(id: string, state: BatchState, pause: BatchPause | undefined, at: number): void;
  /** And renames it, where a name is given. */
  updateBatchSettings(id: string, settings: BatchSettings, name?: string): void;

  task(id: number): Task | undefined;
  tasksOfRow(batchId: string, rowId: string): readonly Task[];
  /** The same with those that were made for what rows of this id asked for earlier, oldest first: for evidence. */
  tasksEverOfRow(batchId: string, rowId: string): readonly Task[];
  /** Another row of the task's batch that has an output at exactly this address. */
  rowWithUrl(task: Task, url: string): string | undefined;
  /** Body of the request of a task, from its row. */
  requestBody(taskId: number): Uint8Array;
  /** The row of a task as the sheet had it. */
  row(batchId: string, rowId: string): Row | undefined;
  /** Tasks with any of these statuses, over all batches or of one, in order of line and take. */
  tasksByStatus(statuses: readonly TaskStatus[], batchId?: string): Iterable<Task>;
  /**
   * Tasks of a batch that have counted as ended and may still succeed: failures that were only inferred, and superseded
   * tasks of which something comes late.
   */
  watchedTasks(batchId: string): readonly Task[];
  /** Queued tasks that may start at `now`, best first: priority, then line, then take. Blocked and cancel-wanted ones never. */
  nextQueued(batchId: string, family: Family, limit: number, now: number): readonly Task[];
  /** Earliest `dueAt` of the queued tasks of a batch that are not yet due. */
  nextQueuedDueAt(batchId: string, now: number): number | undefined;
  /** Ids of the tasks that wait for a row of their batch, or that it failed (see `Task.blockedBy`), in order of the sheet. */
  taskIdsBlockedBy(batchId: string, rowId: string): readonly number[];
  /** Ids of the rows for which {@link taskIdsBlockedBy} gives tasks. */
  rowsWaitedFor(batchId: string): readonly string[];
  counts(batchId: string): StatusCounts;
  /** Submits of a batch that were or may have been charged: every attempt but those that were not sent, held or rejected. */
  submitsUsed(batchId: string): number;
  /** True when a task of the batch's gateway (see `gatewayKey`) has this task code already. */
  isTaskCodeKnown(batchId: string, taskCode: string): boolean;
  /** The task of the batch's gateway that has this task code. */
  taskByCode(batchId: string, taskCode: string): Task | undefined;

  /** Writes a group of changes in one transaction; each is a compare-and-set of its own. */
  commit(changes: readonly TaskChange[]): readonly CommitOutcome[];

  attempts(taskId: number): readonly Attempt[];
  /** Origins that a key was sent to, by its fingerprint (see `AttemptIntent`). */
  originsOfKey(keyFingerprint: string): readonly string[];
  pollAnswer(taskId: number): RawAnswer | undefined;
  events(taskId: number): readonly { readonly at: number; readonly event: TaskEvent }[];
  /** The latest completion times of an operation and model at the batch's gateway, newest first, at most 64. */
  completions(batchId: string, operation: OperationPath, model: string): readonly number[];
  /**
   * How the statuses of a batch's gateway were seen, or of all gateways; rehearsals are not counted. At most
   * `SEEN_KEPT` for a gateway, in order of gateway, operation and status.
   */
  seenStatuses(batchId?: string): readonly CountedStatus[];
  close(): void;
}

/** What may be asked of a {@link TaskStore} by those who must not change it. */
export type TaskReader = Omit<TaskStore, 'createBatch' | 'setBatchState' | 'updateBatchSettings' | 'commit' | 'close'>;

/** A file to be fetched and placed (download protocol). */
export interface FetchRequest {
  /** Unique over the store; names the part file. */
  readonly outputId: string;
  readonly url: string;
  /** Absolute path of the media folder. */
  readonly folder: string;
  readonly kind: OutputKind;
  /** File name without extension, already safe; a number is added when it is taken. */
  readonly stem: string;
  readonly generation: number;
  readonly validator?: string;
  /** Versions of it that are kept aside already. */
  readonly kept?: readonly KeptFile[];
  /** SHA-256 of the task's other files, as far as they are there: one of them once more is not what was asked for. */
  readonly others?: readonly string[];
  /** What to verify and place if a former run ended between the two: see {@link Placement}. */
  readonly placement?: Placement;
}

/** Where a verified part is about to go; committed before it goes there. */
export interface Placement {
  /** Inside the media folder, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** What the download protocol commits on the way. Rejects when the commit was lost: the download stops then. */
export interface OutputJournal {
  /** Before the first byte of a new body. */
  generationStarted(generation: number, validator: string | undefined): Promise<void>;
  /** Before the part gets its name. False: the path belongs to another output, choose another. */
  placing(placement: Placement): Promise<boolean>;
}

export type FetchOutcome =
  | { readonly kind: 'verified'; readonly placement: Placement }
  /** 401, 403, 404, 410, or an address that says itself that it has expired. */
  | { readonly kind: 'url-expired'; readonly failure: Failure }
  /** `likeness`: what another try has in common that was no better, see `VainTry` in outputs.ts. */
  | {
      readonly kind: 'download-failed';
      readonly failure: Failure;
      readonly retryAfterMs?: number;
      readonly likeness?: string;
    }
  /** What came lies at `path` (inside the media folder) as evidence, `kept` where it was put there now. */
  | {
      readonly kind: 'unverifiable';
      readonly failure: Failure;
      readonly path?: string;
      readonly kept?: KeptFile;
      readonly likeness?: string;
      /** Another try would bring nothing else. */
      readonly isFinal?: true;
    }
  | { readonly kind: 'disk-failed'; readonly failure: Failure }
  | { readonly kind: 'interrupted' };

/** The media folder: fetches, verifies, places and never replaces. */
export interface MediaFolder {
  /**
   * Makes sure that files can be placed there: it exists, is writable, has room. The failure says what is wrong. With
   * `mayMake` a missing folder is made; without, it is missing because its disk was unplugged or somebody removed it.
   * With `mayReplace` another folder in the place of the one that was prepared before is taken for it from now on.
   */
  prepare(
    folder: string,
    allowed: { readonly mayMake: boolean; readonly mayReplace: boolean },
  ): Promise<Failure | undefined>;
  fetch(request: FetchRequest, profile: Profile, journal: OutputJournal, signal: AbortSignal): Promise<FetchOutcome>;
  /** Writes a JSON document with the same care as a download. */
  writeDocument(
    request: Omit<FetchRequest, 'url' | 'validator'> & { readonly document: string },
    journal: OutputJournal,
  ): Promise<FetchOutcome>;
  /** Removes part files that nobody wants any more; `isWanted` is asked right before each is removed. */
  sweep(folder: string, isWanted: (outputId: string) => boolean): Promise<void>;
  close(): Promise<void>;
}
