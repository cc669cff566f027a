/**
 * What several processes need from the store that they share: who may use which account, and what the others have
 * changed. A single process needs none of it.
 */
import type { Failure } from '../../shared/domain/base/failure.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { Task } from '../../shared/domain/task/task.ts';

/**
 * The right to use an account; every write under it names it. Limits belong to an account: an origin and a key, as one
 * text (see `laneName`).
 */
export interface Fence {
  readonly account: string;
  /** Counted up each time somebody takes the account: what an earlier holder still writes is refused. */
  readonly epoch: number;
}

/** How carefully an account is asked, since its gateway has complained. */
export interface AskingPace {
  /** How long nothing is sent from now on, in milliseconds. */
  readonly waitMs: number;
  /** The share of the profile's rate that is used after that, at most 1. */
  readonly share: number;
}

/**
 * A right, and the pace that the next holder of the account goes on with; absent if it is unchanged, or nothing was
 * said.
 */
export interface PacedFence extends Fence {
  readonly pace?: AskingPace;
}

/**
 * The right to fetch the files of one task, whoever has its account, and the task as it was when the right was given.
 */
export interface DownloadClaim {
  readonly fence: Fence;
  readonly task: Task;
}

/** Who has an account, and until when, in milliseconds since the epoch by the store's clock. */
export interface Lease extends Fence {
  readonly holder: string;
  readonly until: number;
}

/** What a worker says about itself with each turn. */
export interface WorkerWord {
  /** Accounts that it would take over from workers that have more than their share. */
  readonly wishes?: readonly string[];
  /** How many milliseconds its clock is ahead of the store's, if that keeps it from taking accounts. */
  readonly clockAheadMs?: number | undefined;
}

/** A worker that is alive. Times are by the store's clock. */
export interface Worker extends Required<Pick<WorkerWord, 'wishes'>>, Pick<WorkerWord, 'clockAheadMs'> {
  readonly holder: string;
  /** When the worker was first and last heard from. */
  readonly since: number;
  readonly seen: number;
}

/** The workers that are alive and the leases that have not ended, at one moment of the store's clock. */
export interface Fleet {
  readonly at: number;
  /** In order of their names. */
  readonly workers: readonly Worker[];
  /** In order of their accounts. */
  readonly leases: readonly Lease[];
}

/** What any process has committed since a moment. */
export interface ChangesSince {
  /** To ask with the next time. */
  readonly seen: number;
  /** Each task that changed, once, in any order. */
  readonly taskIds: readonly number[];
  /** How often each batch has changed: its state, its settings or its sheet. */
  readonly revisions: ReadonlyMap<string, number>;
}

/**
 * Leases of accounts, one holder at a time. All times are by the store's clock alone: holders use their own only for
 * how long ago they asked. Every method is one transaction.
 */
export interface LeaseStore {
  /** Which workers are alive, and who holds what. */
  fleet(): Promise<Fleet>;
  /**
   * Says that a worker is alive, and renews those of its leases that have not ended meanwhile; both for `forMs` from
   * now. A lease that the answer does not contain with its epoch is lost: it has ended, or another worker has taken the
   * account.
   */
  renew(holder: string, held: readonly PacedFence[], forMs: number, word?: WorkerWord): Promise<Fleet>;
  /**
   * Takes an account for `forMs` if nobody has it, or if this worker took it before; undefined if another worker has
   * it. The pace is the one that its last holder left, less the time since.
   */
  take(holder: string, account: string, forMs: number): Promise<PacedFence | undefined>;
  /** Gives accounts back at once; lost ones stay with whoever has them. */
  release(holder: string, held: readonly PacedFence[]): Promise<void>;
  /**
   * Takes the download of a task's files for `forMs`, and reads the task; undefined if somebody has it, or the task has
   * nothing left to fetch. A worker that has it does not get it twice.
   */
  takeDownload(holder: string, taskId: number, forMs: number): Promise<DownloadClaim | undefined>;
  /**
   * Renews the downloads that have not ended meanwhile, for `forMs` from now, and returns them; the others are lost.
   */
  renewDownloads(holder: string, held: readonly Fence[], forMs: number): Promise<readonly Fence[]>;
  /** Gives downloads back at once; lost ones stay with whoever has them. */
  releaseDownloads(holder: string, held: readonly Fence[]): Promise<void>;
  /** The worker ends, and no longer counts as alive. */
  leave(holder: string): Promise<void>;
  /** What has changed since an earlier answer; without one, only where to begin. */
  changesSince(seen: number | undefined): Promise<ChangesSince>;
}

/**
 * Wakes workers for downloads. It gives no rights, and may lose, duplicate, delay and reorder tasks: whoever has an
 * account offers again what nobody has taken. Its methods never reject.
 */
export interface DownloadQueue {
  /** False if the queue cannot be used; it has said why. */
  open(): Promise<boolean>;
  /** The files of these tasks may be fetched, by whichever worker takes the right to. */
  offer(taskIds: readonly number[]): Promise<void>;
  /** At most this many of the tasks that were offered; those are not held back until there are more. */
  receive(limit: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** The outcome of a worker's turn: what it has now, or why the store could not be asked. */
export type FleetTurn = AnsweredTurn | { readonly problem: unknown };

export interface AnsweredTurn {
  readonly held: readonly Fence[];
  /** How long the store took to answer, in milliseconds. */
  readonly tookMs: number;
  /** How far this machine's clock is ahead of the store's, in milliseconds. */
  readonly aheadMs: number;
  /** So far that nothing is taken. */
  readonly isClockOff: boolean;
}

/** One of several processes that share a store. */
export interface FleetMember {
  readonly leases: LeaseStore;
  /** Unique for the life of the store: a restarted process is another member. */
  readonly holder: string;
  /**
   * Whether it takes accounts; if not, it only follows what the others do and has them carry out the user's decisions.
   */
  readonly takesAccounts: boolean;
  /** How long a lease lasts without being renewed, in milliseconds; half a minute by default. */
  readonly leaseMs?: number;
  /** Spreads downloads over the workers; without it, whoever has an account fetches its files. */
  readonly queue?: DownloadQueue;
  /**
   * Called with a problem when files of a batch cannot be placed from here although other workers might, and without
   * one when they can again.
   */
  readonly onFolder?: (batch: BatchRecord, problem: Failure | undefined) => void;
  /** Called with a batch that others have started, before it joins the night: its keys can be given now. */
  readonly onFound?: (batch: BatchRecord) => Promise<void>;
  /** Called with what others have committed; called with it again if it fails. */
  readonly onHeard?: (changes: ChangesSince) => Promise<void>;
  /** Called after each turn, for whatever monitors the worker. */
  readonly onTurn?: (turn: FleetTurn) => void;
}
