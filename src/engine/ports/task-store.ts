/** The durable state of all batches, as the night asks for it and changes it. */
import type {
  AccountStops,
  BatchPause,
  BatchRecord,
  BatchSettings,
  BatchState,
  SheetSettings,
  StateChange,
} from '../../shared/domain/task/batch.ts';
import type { Spending, SpendingLimits } from '../../shared/domain/task/spending.ts';
import type { NightRecord } from '../../shared/domain/task/night-record.ts';
import type { Family, OperationPath, OutputKind } from '../../shared/domain/operations/operations.ts';
import type { IdempotencyProof } from '../../shared/domain/task/key-probe.ts';
import type { LinkedField } from '../../shared/domain/cells/reference.ts';
import type { Row } from '../../shared/domain/sheet/row.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import type { Learned } from '../../shared/domain/gateway/learned/learned.ts';
import type { CountedStatus } from '../../shared/domain/gateway/seen-status.ts';
import type { Task, TaskStatus } from '../../shared/domain/task/task.ts';
import type { CanaryRule, HeldWhy } from '../../shared/domain/task/canary.ts';
import type { GatewayFacts, WaitingWork } from '../../shared/domain/task/forecast/run-facts.ts';
import type { ForecastRecord } from '../../shared/domain/task/forecast/forecast-record.ts';
import type { TaskEvent, TurnEvent } from '../../shared/domain/task/task-event.ts';
import type { RawAnswer } from './media-gateway.ts';
import type { Attempt, TaskChange, CommitOutcome } from './task-change.ts';

export interface NewBatch {
  readonly name: string;
  /** Where the sheet came from, for the user; absent if it was typed. */
  readonly sheetPath?: string;
  readonly headers: readonly string[];
  /** How to understand its cells; plain by default. */
  readonly sheet?: SheetSettings;
  readonly settings: BatchSettings;
  readonly createdAt: number;
  /** Every row of the sheet, including rows with errors and skipped rows. */
  readonly rows: Iterable<Row>;
  readonly problems: readonly SheetProblem[];
  /** As in a `CheckedSheet`. */
  readonly unusedCells?: ReadonlyMap<string, readonly number[]>;
}

/** Tasks by family and status. */
export type StatusCounts = Readonly<Record<Family, Readonly<Record<TaskStatus, number>>>>;

/** What is left to do in a batch. */
export interface WorkLeft {
  readonly counts: StatusCounts;
  /** See {@link TaskStore.submitsUsed}. */
  readonly submitsUsed: number;
  /** Earliest `dueAt` of its queued tasks, due or not; undefined if none may start. */
  readonly firstDueAt: number | undefined;
  /** The same for tasks that are not due yet. */
  readonly nextDueAt: number | undefined;
}

/** Which queued tasks a night wants to submit. */
export interface QueuedWanted {
  readonly batchId: string;
  /** In a batch with several accounts, the one to submit with: only tasks that may go there. */
  readonly account?: string;
  readonly family: Family;
  readonly limit: number;
  /** Of kinds that are not known to work, only the first task. */
  readonly canary?: CanaryRule;
  /** Leaves out these operations and these kinds (see `kindOf`). */
  readonly without?: readonly string[];
}

/** Rows by their keys, or all rows of a batch if `keys` is undefined; or rows by their own ids. */
export type RowsNamed = { readonly keys: readonly number[] | undefined } | { readonly ids: readonly string[] };

/** A kind of request of which all but the first wait for the user. */
export interface HeldKind {
  readonly requestKind: number;
  readonly why: HeldWhy;
  /** The first task of this kind. */
  readonly taskId: number;
  /** How many tasks wait. */
  readonly waiting: number;
}

/** A queued task with its request, as of one moment. */
export interface QueuedTask {
  readonly task: Task;
  /** The account that it was wanted for, in a batch with several; each of them may have wanted it. */
  readonly account?: string;
  /** The body from its row: UTF-8 JSON. */
  readonly body: Uint8Array;
  /** What the body takes from other rows. */
  readonly links: readonly LinkedField[];
}

/** What decides the names of a task's files, besides the task itself. */
export interface NamingFacts {
  /** Its row as it is in the sheet. */
  readonly row: Pick<Row, 'filename' | 'takes' | 'cells'> | undefined;
  /** The tasks with outputs that were ever made for a row with this id; `hasFile`: one of the outputs has a path. */
  readonly rendered: readonly { readonly id: number; readonly take: number; readonly hasFile: boolean }[];
  /** The body that was last sent for the task: UTF-8 JSON. */
  readonly sent: Uint8Array | undefined;
}

/** The durable state of all batches. One process owns it. Every write is one transaction. */
export interface TaskStore {
  createBatch(batch: NewBatch): Promise<BatchRecord>;
  batches(): Promise<readonly BatchRecord[]>;
  batch(id: string): Promise<BatchRecord | undefined>;
  /**
   * Records the user's word on the turn of rows, whether or not they have takes: it holds for all takes that they get
   * later. Their present takes follow by an event each, which records the turn, too.
   */
  setTurn(batchId: string, rows: RowsNamed, event: TurnEvent): Promise<void>;
  /**
   * `before`: earlier changes that were not stored, oldest first; each counts with its own time. `stops`: all the
   * accounts that stand still from now on. `asRead`: the batch's revision when this was decided; nothing is written if
   * the batch has changed since, or is not finished by what the store has of it. `forAll`: see {@link StateChange}.
   * Resolves to the new revision; undefined if nothing was written.
   */
  setBatchState(
    id: string,
    state: BatchState,
    pause: BatchPause | undefined,
    at: number,
    before?: readonly StateChange[],
    stops?: AccountStops,
    asRead?: number,
    forAll?: true,
  ): Promise<number | undefined>;
  /** Also renames the batch if a name is given. `asRead` and the answer are as in {@link setBatchState}. */
  updateBatchSettings(id: string, settings: BatchSettings, name?: string, asRead?: number): Promise<number | undefined>;
  /**
   * Removes the rows of a deleted batch that can no longer be restored, with their history and evidence; what it has
   * paid is kept. False if the batch is not due at `now` (`removableFrom`), or if something of it is under way after
   * all.
   */
  removeBatch(id: string, now: number): Promise<boolean>;

  /** Makes the queued tasks of a batch that are due later than `latest` due at `now`. */
  makeDue(batchId: string, latest: number, now: number): Promise<void>;

  /** Undefined if it does not exist, or its batch was removed. */
  task(id: number): Promise<Task | undefined>;
  /** Those of the tasks with these ids that exist in batches that were not removed, in any order. */
  tasks(ids: readonly number[]): Promise<readonly Task[]>;
  tasksOfRow(batchId: string, rowId: string): Promise<readonly Task[]>;
  /** The same, including tasks that were made for earlier content of this row, oldest first: for evidence. */
  tasksEverOfRow(batchId: string, rowId: string): Promise<readonly Task[]>;
  namingFacts(task: Pick<Task, 'id' | 'batchId' | 'rowId'>): Promise<NamingFacts>;
  /** Another row of the task's batch that has an output at exactly this address. */
  rowWithUrl(task: Task, url: string): Promise<string | undefined>;
  /** The body of a task's request, from its row. */
  requestBody(taskId: number): Promise<Uint8Array>;
  /** The row of a task as it was in the sheet. */
  row(batchId: string, rowId: string): Promise<Row | undefined>;
  /** Whether takes of this row are made only when the user says so. */
  isDraft(batchId: string, rowId: string): Promise<boolean>;
  /** Tasks with any of these statuses, of all batches or of one, in order of line and take. */
  tasksByStatus(statuses: readonly TaskStatus[], batchId?: string): AsyncIterable<Task>;
  /**
   * Tasks of a batch that count as ended and may still succeed: inferred failures, and superseded tasks with late
   * results.
   */
  watchedTasks(batchId: string): Promise<readonly Task[]>;
  /**
   * Queued tasks that may start at `now`, by priority, line and take; never blocked or cancel-wanted ones. See {@link
   * QueuedWanted}.
   */
  nextQueued(
    batchId: string,
    family: Family,
    limit: number,
    now: number,
    without?: readonly string[],
  ): Promise<readonly Task[]>;
  /** Earliest `dueAt` of a batch's queued tasks that are not yet due. */
  nextQueuedDueAt(batchId: string, now: number): Promise<number | undefined>;
  /** For each of these, the first tasks as {@link nextQueued} gives them, with what is to be sent. */
  nextToSubmit(wanted: readonly QueuedWanted[], now: number): Promise<readonly QueuedTask[]>;
  /** The kinds of a batch whose tasks could start, but wait because of what became of the first one. */
  heldKinds(batchId: string, rule: CanaryRule, now: number): Promise<readonly HeldKind[]>;
  /** What a run of a batch would still send, or has at the gateway; `now` in milliseconds since the epoch. */
  waitingWork(batchId: string, now: number): Promise<WaitingWork>;
  /** What is known at `at` about the gateway with this base URL; about the built-in one, from all rehearsals. */
  gatewayFacts(baseUrl: string, isRehearsal: boolean, at: number): Promise<GatewayFacts>;
  /** Keeps the forecast for the run of a batch that begins now. */
  keepForecast(batchId: string, forecast: ForecastRecord): Promise<void>;
  /** By batch id. */
  workLeft(batchIds: readonly string[], now: number): Promise<ReadonlyMap<string, WorkLeft>>;
  /** Ids of the tasks that wait for a row, or failed because of it (see `Task.blockedBy`), in order of the sheet. */
  taskIdsBlockedBy(batchId: string, rowId: string): Promise<readonly number[]>;
  /** Ids of the rows for which {@link taskIdsBlockedBy} gives tasks. */
  rowsWaitedFor(batchId: string): Promise<readonly string[]>;
  /**
   * Ids of tasks that are done or downloading and have a file in place that gates flag or have not looked at; data has
   * none.
   */
  tasksForGates(batchId: string): Promise<readonly number[]>;
  counts(batchId: string): Promise<StatusCounts>;
  /** The kinds of output that tasks of a batch which have not ended may still give. */
  kindsLeft(batchId: string): Promise<readonly OutputKind[]>;
  /** Submits of a batch that were or may have been charged: all except those not sent, held or rejected. */
  submitsUsed(batchId: string): Promise<number>;
  /**
   * True if a task at the batch's gateway, or at that of its account (see `gatewayKey`), already has this task code.
   */
  isTaskCodeKnown(batchId: string, taskCode: string, account?: string): Promise<boolean>;
  /** The task at that gateway that has this task code. */
  taskByCode(batchId: string, taskCode: string, account?: string): Promise<Task | undefined>;

  /** Writes a group of changes in one transaction; each is its own compare-and-set. */
  commit(changes: readonly TaskChange[]): Promise<readonly CommitOutcome[]>;

  /**
   * Every night, oldest first: one begins when a batch starts while none is running, and ends when none is running any
   * more.
   */
  nights(): Promise<readonly NightRecord[]>;
  /** What the user allows to be spent. */
  spendingLimits(): Promise<SpendingLimits>;
  setSpendingLimits(limits: SpendingLimits): Promise<void>;
  /**
   * What was or may have been charged so far in the night and in the month of `at`, without rehearsals, and in these
   * batches; and what is queued in them.
   */
  spending(at: number, batchIds: readonly string[]): Promise<Spending>;
  attempts(taskId: number): Promise<readonly Attempt[]>;
  /** Origins that a key was sent to, by the key's fingerprint (see `AttemptIntent`). */
  originsOfKey(keyFingerprint: string): Promise<readonly string[]>;
  /** When the latest recorded event happened; undefined in an empty store. */
  lastNotedAt(): Promise<number | undefined>;
  /** What is known about gateways that say that they keep keys of requests; one entry for each header of a gateway. */
  idempotencyProofs(): Promise<readonly IdempotencyProof[]>;
  pollAnswer(taskId: number): Promise<RawAnswer | undefined>;
  events(taskId: number): Promise<readonly { readonly at: number; readonly event: TaskEvent }[]>;
  /** The latest completion times of an operation and model at the gateway of a batch or its account, newest first, at most 64. */
  completions(batchId: string, operation: OperationPath, model: string, account?: string): Promise<readonly number[]>;
  /**
   * The statuses seen at a batch's gateway, at that of its account, or at all gateways; without rehearsals. At most
   * `SEEN_KEPT` per gateway, in order of gateway, operation and status.
   */
  seenStatuses(batchId?: string, account?: string): Promise<readonly CountedStatus[]>;
  /**
   * What the answers of gateways looked like, the numbers in them, and how long renderings took; answers of rehearsals
   * are left out. At most `LEARNED_KEPT` of each per gateway, in order of gateway and operation.
   */
  learned(): Promise<Learned>;
  /**
   * Records that the documents in a batch's folder do not say what the store says, or that they do again.
   * @param by Who says so, if that is one of several processes: each takes back its own word only.
   */
  markDocuments(batchId: string, isOutdated: boolean, by?: string): Promise<void>;
  /** The batches whose documents are marked as out of date, in order of their ids; once for each process that says so. */
  outdatedDocuments(): Promise<readonly DocumentMark[]>;
  /**
   * Counts how often the documents of a batch were written, by whichever process.
   * @param more 1 if they have just been written, or 0.
   */
  countDocuments(batchId: string, more: 0 | 1): Promise<number>;
  close(): Promise<void>;
}

/** A batch whose documents are out of date, and who says so. */
export interface DocumentMark {
  readonly batchId: string;
  readonly by?: string;
}

/** By which a process knows after a kill which documents the one before has left out of date. */
export type DocumentMarks = Pick<TaskStore, 'markDocuments' | 'outdatedDocuments'>;

/** By which a process knows that another has written the same documents meanwhile. */
export type DocumentCounts = Pick<TaskStore, 'countDocuments'>;

/** The part of a {@link TaskStore} for readers, who must not change it. */
export type TaskReader = Omit<
  TaskStore,
  | 'createBatch'
  | 'setTurn'
  | 'setBatchState'
  | 'updateBatchSettings'
  | 'removeBatch'
  | 'setSpendingLimits'
  | 'keepForecast'
  | 'markDocuments'
  | 'countDocuments'
  | 'commit'
  | 'close'
>;
