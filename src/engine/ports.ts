/** What the scheduler needs from outside. Adapters implement it, never import each other, and compose.ts wires them. */
import type {
  AccountStops,
  BatchPause,
  BatchRecord,
  BatchSettings,
  BatchState,
  SheetSettings,
  StateChange,
} from '../shared/domain/task/batch.ts';
import type { Failure } from '../shared/domain/base/failure.ts';
import type { Json } from '../shared/domain/base/json.ts';
import type { Money } from '../shared/domain/base/money.ts';
import type { Spending, SpendingLimits } from '../shared/domain/task/spending.ts';
import type { NightRecord } from '../shared/domain/task/night.ts';
import type { Family, OperationPath, OutputKind } from '../shared/domain/operations/operations.ts';
import type { SeenBalance } from '../shared/domain/gateway/charges/stated-amount.ts';
import type { IdempotencyProof } from '../shared/domain/task/key-probe.ts';
import type { AgainMeaning } from '../shared/domain/gateway/charges/asked-again.ts';
import type { PollAnswer } from '../shared/domain/gateway/poll-answer.ts';
import type { Profile } from '../shared/domain/gateway/profile.ts';
import type { Reason } from '../shared/domain/base/reason.ts';
import type { Result } from '../shared/domain/base/result.ts';
import type { LinkedField, PicturePart } from '../shared/domain/cells/reference.ts';
import type { LocalFile } from '../shared/domain/cells/local-file.ts';
import type { FilesPlace, PutFiles } from '../shared/domain/places/files-place.ts';
import type { Row } from '../shared/domain/sheet/row.ts';
import type { SheetProblem } from '../shared/domain/sheet/problems.ts';
import type { AnswerLook, Measure } from '../shared/domain/gateway/learned/answer-look.ts';
import type { Learned, LearnedCounts } from '../shared/domain/gateway/learned/learned.ts';
import type { CountedStatus, SeenStatus } from '../shared/domain/gateway/seen-status.ts';
import type { SubmitOutcome } from '../shared/domain/gateway/submit-outcome.ts';
import type { KeptFile, Task, TaskStatus } from '../shared/domain/task/task.ts';
import type { CanaryRule, HeldWhy } from '../shared/domain/task/canary.ts';
import type { MeasuredFile } from '../shared/domain/gates/measured-file.ts';
import type { GatewayFacts, WaitingWork } from '../shared/domain/task/forecast/run-facts.ts';
import type { ForecastRecord } from '../shared/domain/task/forecast/forecast-record.ts';
import type { TaskEvent, TurnEvent } from '../shared/domain/task/task-event.ts';
import type { Fence } from './fleet-ports.ts';

/** Time as a port, so that a night takes a millisecond in a test. */
export interface Clock {
  /** Wall time, milliseconds since the epoch: for everything stored or shown. */
  now(): number;
  /** Monotonic milliseconds: for deadlines and rates. */
  monotonic(): number;
  /** Calls back once after `delayMs`; returns a function that cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** Lets whoever waits for long work follow it and end it. Everything is optional: perhaps nobody is waiting. */
export interface WorkWatch {
  /**
   * Aborted once the work is no longer wanted. The work then throws the signal's reason, with nothing left half done.
   */
  readonly signal?: AbortSignal;
  /** How much is done, of how much there is to do; `detail` says it in words, where that says more. */
  readonly onProgress?: (done: number, of: number, detail?: string) => void;
  /** From here on, the work is carried to its end, whatever the signal says. */
  readonly onBound?: () => void;
}

/** Randomness as a port: a number in [0, 1). */
export interface Random {
  next(): number;
}

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

  task(id: number): Promise<Task | undefined>;
  /** The tasks with these ids that exist, in any order. */
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
  close(): Promise<void>;
}

/** A port as the thread that implements it sees it: it answers at once, without promises. */
export type AtOnce<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Answered<Answer>
    : Port[Name];
};

type Answered<Answer> =
  Answer extends Promise<infer Value> ? Value : Answer extends AsyncIterable<infer Item> ? Iterable<Item> : Answer;

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
  | 'commit'
  | 'close'
>;

/** A picture that is made from a finished file. */
export interface MadePicture {
  readonly part: PicturePart;
  /** Absolute path of the media folder. */
  readonly folder: string;
  /** The file's path in it, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly mediaType: string;
}

/** Makes pictures of finished files. */
export interface PictureMaker {
  /**
   * Writes the picture to an absolute path in a folder of our own; waits for other films. An aborted signal ends it.
   * The error says why there is no picture.
   */
  make(picture: MadePicture, to: string, signal: AbortSignal): Promise<Result<void, Reason>>;
}

/** A file on this computer that a row names, and where it is to be put. */
export interface FileOrder {
  readonly file: LocalFile;
  /** If set, the file to put is made from this; `file` then says how the row names it. */
  readonly picture?: MadePicture;
  readonly place: FilesPlace;
  /** The folder of the sheet's file, from which relative paths start; undefined for a sheet that was typed. */
  readonly folder: string | undefined;
}

/** Where a gateway can read such a file. */
export type FileAnswer =
  | { readonly kind: 'there'; readonly address: string }
  /** It is being put; `arrived` resolves once there is another answer. */
  | { readonly kind: 'coming'; readonly arrived: Promise<void> }
  /** It is tried again after this many milliseconds. */
  | { readonly kind: 'later'; readonly failure: Failure; readonly waitMs: number }
  /** Only the user can help. */
  | { readonly kind: 'refused'; readonly failure: Failure };

/**
 * The user's own places for files of this computer. Each content is put once, and its address is not given before it is
 * there.
 */
export interface FilePlaces {
  addressOf(order: FileOrder): Promise<FileAnswer>;
  /**
   * Notes that a batch is about to send a body: the files that the body names by such addresses stay there until the
   * batch is over. Durable when it resolves. False: some of them are being deleted, or were deleted since their
   * addresses were given; they have to be asked for again.
   */
  noteUse(batchId: string, body: Uint8Array): Promise<boolean>;
  /** What has become of the files that were put for a batch at a place. */
  putFor(batchId: string, place: FilesPlace): Promise<PutFiles>;
  /** Deletes, in the background, the files that were put for batches that are over, if their place says so. */
  deleteUnneeded(): void;
  /** Resolves when no such deletion is under way or about to be tried again. */
  deleted(): Promise<void>;
  /** The user of this computer names a place: what a store says about any other place counts for nothing. */
  allow(place: FilesPlace): Promise<void>;
  close(): Promise<void>;
}

/** A file to fetch and place (download protocol). */
export interface FetchRequest {
  /** Unique in the store; names the part file. */
  readonly outputId: string;
  readonly url: string;
  /** Absolute path of the media folder. */
  readonly folder: string;
  readonly kind: OutputKind;
  /** File name without extension, already safe; gets a number if it is taken. */
  readonly stem: string;
  readonly generation: number;
  readonly validator?: string;
  /** Versions of the file that are already kept aside. */
  readonly kept?: readonly KeptFile[];
  /**
   * SHA-256 of the task's other files, as far as they exist: a second copy of one of them is not what was asked for.
   */
  readonly others?: readonly string[];
  /** What to verify and place if an earlier run ended in between: see {@link Placement}. */
  readonly placement?: Placement;
}

/** Where a verified part is about to be moved; committed before the move. */
export interface Placement {
  /** Inside the media folder, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** How long a song or a film plays, if that is known. */
  readonly seconds?: number;
}

/**
 * The body that is about to be received for an output, and the validator with which the rest of it can be requested.
 */
export interface StartedGeneration {
  readonly generation: number;
  readonly validator?: string;
}

/** What the download protocol commits along the way. Rejects if the commit was lost: the download then stops. */
export interface OutputJournal {
  /** Before the first byte of a new body is on the disk. */
  generationStarted(generation: number, validator: string | undefined): Promise<void>;
  /**
   * Before the file gets its name. False: the path belongs to another output, so choose another path. `started`:
   * nothing of the body is on the disk, and its generation starts with this commit.
   */
  placing(placement: Placement, started?: StartedGeneration): Promise<boolean>;
}

export type FetchOutcome =
  | { readonly kind: 'verified'; readonly placement: Placement }
  /** 401, 403, 404, 410, or an address that itself says that it has expired. */
  | { readonly kind: 'url-expired'; readonly failure: Failure }
  /** `likeness`: what further tries without a better result have in common, see `VainTry` in outputs.ts. */
  | {
      readonly kind: 'download-failed';
      readonly failure: Failure;
      readonly retryAfterMs?: number;
      readonly likeness?: string;
    }
  /** The received bytes are kept at `path` (inside the media folder) as evidence; `kept` if this try put them there. */
  | {
      readonly kind: 'unverifiable';
      readonly failure: Failure;
      readonly path?: string;
      readonly kept?: KeptFile;
      readonly likeness?: string;
      /** Another try would give the same result. */
      readonly isFinal?: true;
    }
  | { readonly kind: 'disk-failed'; readonly failure: Failure }
  | { readonly kind: 'interrupted' };

/** A file of a batch that was verified and placed. */
export type RecordedFile = Pick<Placement, 'path' | 'bytes'>;

/** What is known about the folder of a batch, so that another folder in its place is noticed. */
export interface FolderKnown {
  /**
   * The identity that the folder carries, from wherever it is seen: see {@link MediaFolder.prepare}. Absent before it
   * was first seen.
   */
  readonly identity?: string;
  /** Some of the files in the folder: they show that a folder without an identity is the batch's. */
  readonly files?: () => Promise<readonly RecordedFile[]>;
}

/** What a folder is prepared for. */
export interface FolderNeeds extends FolderKnown {
  /**
   * A missing folder is created. Otherwise, a missing folder means that its disk was unplugged or somebody removed it.
   */
  readonly mayMake: boolean;
  /** Another folder in place of the one known or prepared before is accepted from now on. */
  readonly mayReplace: boolean;
  /** The files that are going to be placed there. */
  readonly kinds?: readonly OutputKind[];
}

/** The media folder: fetches, verifies and places files, and never replaces any. */
export interface MediaFolder {
  /**
   * Makes sure that files can be placed in a folder: that it is the batch's, exists, is writable and has room. The
   * failure says what is wrong. The value is the identity that the folder itself carries: it is the same on every
   * machine, and after a restart.
   */
  prepare(folder: string, needs: FolderNeeds): Promise<Result<string, Failure>>;
  fetch(request: FetchRequest, profile: Profile, journal: OutputJournal, signal: AbortSignal): Promise<FetchOutcome>;
  /** Writes a JSON document with the same care as a download. */
  writeDocument(
    request: Omit<FetchRequest, 'url' | 'validator'> & { readonly document: string },
    journal: OutputJournal,
  ): Promise<FetchOutcome>;
  /**
   * Removes part files that nobody needs; asks `isWanted` right before removing each one. `worker`: the worker whose
   * part it is, if that is another worker of the same store.
   */
  sweep(folder: string, isWanted: (outputId: string, worker?: string) => boolean | Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

/** A verified file of a media folder. */
export interface FileToMeasure {
  readonly folder: string;
  /** Inside the folder, with `/`. */
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Measures files for the gates (see `askGates`). */
export interface FileMeasurer {
  /**
   * Takes as long as decoding does, and waits for other files; an aborted signal ends it. Says what could not be
   * measured.
   */
  measure(file: FileToMeasure, signal: AbortSignal): Promise<MeasuredFile>;
}

/** How a song sounds, for display. */
export interface SongSound {
  readonly seconds: number;
  /** The loudest moment in each of several equal parts, relative to the loudest of all: from 0 to 1. */
  readonly levels: readonly number[];
  /** Loudness by EBU R128, in LUFS; absent if the song is silent, or too short to be measured. */
  readonly lufs?: number;
  /** The loudest sample, in dB relative to full scale; absent if the song is silent. */
  readonly peakDb?: number;
}

/** What is shown in place of a file. */
export type Preview =
  | { readonly kind: 'picture'; readonly jpeg: Uint8Array }
  | { readonly kind: 'sound'; readonly sound: SongSound }
  /** It was tried, but nothing can be shown. */
  | { readonly kind: 'none' };

/** Makes small pictures of files in a media folder, and for songs shows how they sound. */
export interface PreviewMaker {
  /**
   * Waits for other files; undefined if nothing was tried: there is no ffmpeg or no such file, or the signal ended it.
   */
  make(file: FileToMeasure, signal: AbortSignal): Promise<Preview | undefined>;
}
