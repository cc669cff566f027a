import type { Failure } from '../base/failure.ts';
import { groupBy } from '../base/result.ts';
import { foldRowId } from '../sheet/sheet-row-ids.ts';
import type { Family, OperationPath, OutputKind } from '../operations/operations.ts';
import type { GateFlag } from '../gates/ask-gates.ts';
import type { AskingAgain } from '../gateway/charges/asked-again.ts';
import type { PollMemory } from '../gateway/poll-answer.ts';
import type { Verdict } from '../review/verdict.ts';

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

/** Statuses in which the engine still has work to do for a task. */
export const ACTIVE_STATUSES: ReadonlySet<TaskStatus> = new Set<TaskStatus>([
  'queued',
  'submitting',
  'rendering',
  'downloading',
]);

/** Where a file stands on its way to the media folder (the download protocol, step 7). */
export type OutputState =
  | 'pending'
  | 'placing'
  | 'verified'
  | 'set-aside'
  | 'failed'
  /** It was verified, and the user had it deleted for good. It keeps a path until its file is gone. */
  | 'deleted';

/** One file, or one JSON document, that a task gave. */
export interface Output {
  /** Position in the gateway's list, from 1. */
  readonly index: number;
  /** Where to fetch it from; absent for a JSON document, whose text is in `document`. */
  readonly url?: string;
  /** The JSON document to write, for results that are data. */
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
  /** How long a song or a film plays, if its verification could tell. */
  readonly seconds?: number;
  /** Failed attempts to fetch it; the user's retry restarts the count at 0. */
  readonly tries: number;
  /** Not fetched again before this time, milliseconds since the epoch. */
  readonly dueAt?: number;
  /** Nocturne asks the gateway for a fresh address first. */
  readonly isStale?: true;
  /** What the latest comparable attempts had in common (see `likeness` in the events), and how many there were. */
  readonly alike?: { readonly likeness: string; readonly times: number };
  /** Versions of it that could not be verified, kept as evidence: see {@link mayKeep}. */
  readonly kept?: readonly KeptFile[];
  /** What the gates of its batch say about it; empty if nothing, absent while they have not looked. */
  readonly flags?: readonly GateFlag[];
  /** What its picture looks like: see `DecodedFile`. */
  readonly print?: string;
  /** Why it is set aside or failed, or why the latest attempt failed. */
  readonly failure?: Failure;
  /** What the user says about its file. */
  readonly verdict?: Verdict;
  /** The path of its file before it was rejected: the file goes back there. */
  readonly home?: string;
  /** The path that its file had until it was moved; something may still lie there. */
  readonly leftover?: string;
}

/** The name of one output, unique in the store; its part files carry it. */
export function outputIdOf(taskId: number, index: number): string {
  return `${taskId}-${index}`;
}

/** The task and the position in an output's id; undefined for any other text. */
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

/** Whether to keep one more version of an output, of this many bytes: 8 in all, 256 MiB; the first always. */
export function mayKeep(kept: readonly KeptFile[], bytes: number): boolean {
  const sum = kept.reduce((total, file) => total + file.bytes, bytes);
  return kept.length === 0 || (kept.length < KEPT_VERSIONS && sum <= KEPT_BYTES);
}

/**
 * The distance between the positions of neighbouring rows at import: this many rows fit between them, or in the worst
 * case 20 inserted one by one, before positions must be renumbered.
 */
export const ROW_GAP = 2 ** 20;

/** What the gateway makes of one take: one submit, one task code. Times are milliseconds since the epoch, UTC. */
export interface Task {
  readonly id: number;
  readonly batchId: string;
  /** The row's own id in its sheet. */
  readonly rowId: string;
  /** The row's position in its batch, see {@link ROW_GAP}: tasks start in this order. */
  readonly position: number;
  /** From 1. */
  readonly take: number;
  readonly operation: OperationPath;
  readonly family: Family;
  readonly kind: OutputKind;
  /** The `model` field of the body, for learning completion times; empty if absent. */
  readonly model: string;
  /** See `requestKindOf`; 0 for a task from before there were kinds. */
  readonly requestKind: number;
  readonly priority: number;
  readonly status: TaskStatus;
  /** Incremented by every change; a change based on an older revision is refused. */
  readonly revision: number;
  /** Nothing happens to the task before this time. */
  readonly dueAt: number;
  /** The user wants it cancelled; honoured as soon as its outcome is known. */
  readonly cancelWanted: boolean;
  /**
   * The user holds its row: the task is not submitted, whatever else happens to it, until they release the row. It
   * means nothing for a task that is done.
   */
  readonly onHold?: true;
  /**
   * The row that this task waits for; kept if the task failed because of that row, and it waits again once the row
   * continues.
   */
  readonly blockedBy?: string;
  /** That row is rendered, but the user has to pick one of its files. */
  readonly awaitsPick?: true;
  /** Submits that count as attempts of this take. */
  readonly attempts: number;
  /** Failures in succession that only cost time (not sent, poll errors); sets the backoff. */
  readonly setbacks: number;
  /**
   * The account, by name, that the task was first sent with: it stays there. Absent until then, and in a batch with one
   * account.
   */
  readonly account?: string;
  /** The account that its row names. */
  readonly pin?: string;
  readonly taskCode?: string;
  readonly submittedAt?: number;
  readonly renderedAt?: number;
  readonly finishedAt?: number;
  readonly failure?: Failure;
  readonly poll: PollMemory;
  /** Nocturne only inferred the outputs: if they cannot be verified, it assumes that the rendering continues. */
  readonly provisional: boolean;
  readonly outputs: readonly Output[];
  /**
   * Made for an earlier content of its row: it no longer counts and is never submitted. If its failure was only
   * inferred, Nocturne still asks the gateway and fetches what comes late: it was paid for.
   */
  readonly superseded?: true;
  /** Superseded so that its row is rendered again. */
  readonly askedAnew?: AskedAnew;
  /** Its paid request has an unknown outcome, and is sent again under its key until that is settled. */
  readonly again?: AskingAgain;
  /** Another row of the batch whose output has exactly the same address: one of the two may have the wrong file. */
  readonly sameAddressAs?: string;
  /** How many renderings of its take came before it that had files flagged by gates. Absent for the first. */
  readonly madeAgain?: number;
}

/** The user's wish to have a row rendered again, as its earlier takes remember it. */
export interface AskedAnew {
  /** The number of what the row asked for then (see `requestKey`). */
  readonly request: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What the time of a rendering depends on: operation and model, as one text. */
export function kindOf({ operation, model }: Pick<Task, 'operation' | 'model'>): string {
  return `${operation} ${model}`;
}

/** An inferred failure: Nocturne still asks the gateway, and a late success overrides it. */
export function isSuspectedFailure(task: Pick<Task, 'status' | 'failure' | 'taskCode'>): boolean {
  return task.status === 'failed' && task.failure?.suspected === true && task.taskCode !== undefined;
}

/** Its unknown outcome settles itself or is given up in time: Nocturne asks again under the key of the request. */
export function settlesItself({ status, again, superseded }: Pick<Task, 'status' | 'again' | 'superseded'>): boolean {
  return status === 'submit-unknown' && again !== undefined && superseded !== true;
}

/** Its unknown outcome would settle itself, but its row is held: if the first request never arrived, the next is charged. */
export function isAskHeld({ onHold, again }: Pick<Task, 'onHold' | 'again'>): boolean {
  return onHold === true && again !== undefined && again.isTaken !== true;
}

/** It failed only because another row did; it waits again as soon as that row runs again. */
export function isFailedByOther(task: Task): boolean {
  return task.status === 'failed' && task.failure?.code === 'DEPENDENCY_FAILED' && task.blockedBy !== undefined;
}

/**
 * Of takes that have failed, those that did so only because of one of these rows, directly or not: once it runs, they
 * wait for it again by themselves.
 */
export function failedBehind(failed: readonly Task[], rowIds: readonly string[]): readonly Task[] {
  const behind = groupBy(failed.filter(isFailedByOther), ({ blockedBy = '' }) => foldRowId(blockedBy));
  const found: Task[] = [];
  const ids = new Set(rowIds.map(foldRowId));
  // Iterating over a set includes the members that are added on the way.
  for (const id of ids) {
    for (const task of behind.get(id) ?? []) {
      ids.add(foldRowId(task.rowId));
      if (task.onHold !== true) found.push(task);
    }
  }
  return found;
}

/**
 * A gate flags a file of it, and the user has not said anything about its files yet: the user judges what they have
 * looked at.
 * @param again How often a take may be rendered again.
 */
export function isToMakeAgain({ status, outputs, madeAgain = 0 }: Task, again: number): boolean {
  if (status !== 'done' || madeAgain >= again || outputs.some(({ verdict }) => verdict !== undefined)) return false;
  return outputs.some(({ flags = [] }) => flags.length > 0);
}

/** The gateway may still give something that was paid for. */
export function mayStillGive(task: Pick<Task, 'status' | 'failure' | 'taskCode'>): boolean {
  return task.status === 'rendering' || task.status === 'downloading' || isSuspectedFailure(task);
}

/**
 * How long the gateway took for a finished task, in milliseconds from its submit to the poll that found it finished.
 * Undefined if that is not known: watching was interrupted, or the end was only inferred and there was no valid file
 * yet.
 */
export function renderingMs({ submittedAt, renderedAt, poll, provisional, outputs }: Task): number | undefined {
  if (submittedAt === undefined || renderedAt === undefined || poll.late === true) return undefined;
  if (provisional && outputs.some(({ tries }) => tries > 0)) return undefined;
  return Math.max(0, renderedAt - submittedAt);
}

/** A take as the user saw it when deciding. If it was submitted since, `attempts` differs and the decision is void. */
export type ShownTake = Pick<Task, 'id' | 'attempts'>;

/** What the user decides about a submit whose outcome is unknown (submit protocol, step 8). */
export type Decision =
  /** The gateway accepted it under this code; Nocturne asks the gateway once before believing it. */
  | { readonly kind: 'adopt'; readonly taskCode: string }
  /** Send it again, knowing that it may be charged twice. */
  | { readonly kind: 'resubmit' }
  | { readonly kind: 'write-off' };
