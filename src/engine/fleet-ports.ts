/**
 * What several processes need of the store that they share: who may use which account, and what the others have changed. One
 * process alone needs none of it.
 */
import type { Failure } from '../shared/domain/base/failure.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import type { Task } from '../shared/domain/task/task.ts';

/**
 * The right to use an account, as every write with it names it. An account is what limits belong to: an origin and a key, as
 * one text (see `laneName`).
 */
export interface Fence {
  readonly account: string;
  /** Counted up each time somebody takes the account: what an earlier holder still writes is refused. */
  readonly epoch: number;
}

/** How carefully an account is asked, since its gateway has complained. */
export interface AskingPace {
  /** Nothing is sent for so long from now on, in milliseconds. */
  readonly waitMs: number;
  /** Then this share of what its profile allows, at most 1. */
  readonly share: number;
}

/** A right, with what whoever has the account next goes on with; absent where it is as before, or nothing was said. */
export interface PacedFence extends Fence {
  readonly pace?: AskingPace;
}

/** The right to fetch the files of one task, whoever has its account, and the task as it was when the right was given. */
export interface DownloadClaim {
  readonly fence: Fence;
  readonly task: Task;
}

/** Who has an account, and until when, in milliseconds since the epoch by the store's clock. */
export interface Lease extends Fence {
  readonly holder: string;
  readonly until: number;
}

/** What a worker says of itself with each turn. */
export interface WorkerWord {
  /** Accounts that it would take over from workers that have more than their share. */
  readonly wishes?: readonly string[];
  /** By how many milliseconds its clock is ahead of the store's, where that keeps it from taking accounts. */
  readonly clockAheadMs?: number | undefined;
}

/** A worker that lives. Moments are by the store's clock. */
export interface Worker extends Required<Pick<WorkerWord, 'wishes'>>, Pick<WorkerWord, 'clockAheadMs'> {
  readonly holder: string;
  /** When it was first and last heard of. */
  readonly since: number;
  readonly seen: number;
}

/** The workers that live, and the leases that have not ended, at one moment of the store's clock. */
export interface Fleet {
  readonly at: number;
  /** In order of their names. */
  readonly workers: readonly Worker[];
  /** In order of their accounts. */
  readonly leases: readonly Lease[];
}

/** What was committed since a moment, by whomever. */
export interface ChangesSince {
  /** Ask with it the next time. */
  readonly seen: number;
  /** Each task that changed, once, in any order. */
  readonly taskIds: readonly number[];
  /** How often each batch has changed: its state, its settings or its sheet. */
  readonly revisions: ReadonlyMap<string, number>;
}

/**
 * Leases of accounts, one holder at a time. All times are of the store's one clock: holders compare nothing with their own,
 * except how long ago they asked. Every method is one transaction.
 */
export interface LeaseStore {
  /** Who lives and who has what. */
  fleet(): Promise<Fleet>;
  /**
   * Says that a worker lives, and renews those of its leases that have not ended meanwhile; both for `forMs` from now. A lease
   * that is not among those of the answer with its epoch is lost: it ended, or another one has taken the account.
   */
  renew(holder: string, held: readonly PacedFence[], forMs: number, word?: WorkerWord): Promise<Fleet>;
  /**
   * Takes an account that nobody has, or that the worker itself has taken before, for `forMs`; undefined if another one
   * has it. With the pace that its last holder has left, less the time since.
   */
  take(holder: string, account: string, forMs: number): Promise<PacedFence | undefined>;
  /** Gives accounts back at once; those that were lost stay with whoever has them. */
  release(holder: string, held: readonly PacedFence[]): Promise<void>;
  /**
   * Takes the download of a task's files for `forMs`, and reads the task; undefined if somebody has it, or nothing of the task
   * is left to fetch. A worker that has it does not get it twice.
   */
  takeDownload(holder: string, taskId: number, forMs: number): Promise<DownloadClaim | undefined>;
  /** Renews those downloads that have not ended meanwhile, for `forMs` from now, and gives them; the others are lost. */
  renewDownloads(holder: string, held: readonly Fence[], forMs: number): Promise<readonly Fence[]>;
  /** Gives downloads back at once; those that were lost stay with whoever has them. */
  releaseDownloads(holder: string, held: readonly Fence[]): Promise<void>;
  /** The worker ends, and counts no longer among those that live. */
  leave(holder: string): Promise<void>;
  /** What has changed since an earlier answer; without one, nothing but where to begin. */
  changesSince(seen: number | undefined): Promise<ChangesSince>;
}

/**
 * Wakes workers for downloads. It gives no right, and may lose, double, delay and reorder what it is told: whoever has an
 * account offers again what nobody has taken. Its methods never reject.
 */
export interface DownloadQueue {
  /** False if it cannot be used; it has said why. */
  open(): Promise<boolean>;
  /** The files of these tasks may be fetched, by whichever worker takes the right to. */
  offer(taskIds: readonly number[]): Promise<void>;
  /** At most so many of the tasks that were offered; none waits for another to be offered. */
  receive(limit: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** What became of a turn of a worker: what it has now, or why the store could not be asked. */
export type FleetTurn = AnsweredTurn | { readonly problem: unknown };

export interface AnsweredTurn {
  readonly held: readonly Fence[];
  /** How long the store took to answer, in milliseconds. */
  readonly tookMs: number;
  /** By how much this machine's clock is ahead of the store's, in milliseconds. */
  readonly aheadMs: number;
  /** So much that nothing is taken. */
  readonly isClockOff: boolean;
}

/** One of several processes that share a store. */
export interface FleetMember {
  readonly leases: LeaseStore;
  /** Unique for the life of the store: a process that is started again is another one. */
  readonly holder: string;
  /** Whether it takes accounts; if not, it only follows what the others do, and has the user's decisions carried out. */
  readonly takesAccounts: boolean;
  /** How long a lease lasts that is not renewed, in milliseconds; half a minute by default. */
  readonly leaseMs?: number;
  /** Spreads downloads over the workers; without it, whoever has an account fetches its files. */
  readonly queue?: DownloadQueue;
  /** Called when files of a batch cannot be placed from here although others might, and without a problem when they can again. */
  readonly onFolder?: (batch: BatchRecord, problem: Failure | undefined) => void;
  /** Called with a batch that others have started, before it comes into the night: the time to give its keys. */
  readonly onFound?: (batch: BatchRecord) => Promise<void>;
  /** Called with what others have committed; asked for again if it fails. */
  readonly onHeard?: (changes: ChangesSince) => Promise<void>;
  /** Called after each turn, for whoever watches over the worker. */
  readonly onTurn?: (turn: FleetTurn) => void;
}
