/**
 * What several processes need of the store that they share: who may use which account, and what the others have changed. One
 * process alone needs none of it.
 */
import type { BatchRecord } from '../shared/domain/task/batch.ts';

/**
 * The right to use an account, as every write with it names it. An account is what limits belong to: an origin and a key, as
 * one text (see `laneName`).
 */
export interface Fence {
  readonly account: string;
  /** Counted up each time somebody takes the account: what an earlier holder still writes is refused. */
  readonly epoch: number;
}

/** Who has an account, and until when, in milliseconds since the epoch by the store's clock. */
export interface Lease extends Fence {
  readonly holder: string;
  readonly until: number;
}

/** The workers that live, and the leases that have not ended, at one moment of the store's clock. */
export interface Fleet {
  readonly at: number;
  /** In order of their names. `wishes`: accounts that one would take over from workers that have more than their share. */
  readonly workers: readonly { readonly holder: string; readonly wishes: readonly string[] }[];
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
  renew(holder: string, held: readonly Fence[], forMs: number, wishes?: readonly string[]): Promise<Fleet>;
  /**
   * Takes an account that nobody has, or that the worker itself has taken before, for `forMs`; undefined if another one
   * has it.
   */
  take(holder: string, account: string, forMs: number): Promise<Fence | undefined>;
  /** Gives accounts back at once; those that were lost stay with whoever has them. */
  release(holder: string, held: readonly Fence[]): Promise<void>;
  /** The worker ends, and counts no longer among those that live. */
  leave(holder: string): Promise<void>;
  /** What has changed since an earlier answer; without one, nothing but where to begin. */
  changesSince(seen: number | undefined): Promise<ChangesSince>;
}

/** What became of a turn of a worker: what it has now, or why the store could not be asked. */
export type FleetTurn = { readonly held: readonly Fence[] } | { readonly problem: unknown };

/** One of several processes that share a store. */
export interface FleetMember {
  readonly leases: LeaseStore;
  /** Unique for the life of the store: a process that is started again is another one. */
  readonly holder: string;
  /** Whether it takes accounts; if not, it only follows what the others do, and has the user's decisions carried out. */
  readonly takesAccounts: boolean;
  /** How long a lease lasts that is not renewed, in milliseconds; half a minute by default. */
  readonly leaseMs?: number;
  /** Called with a batch that others have started, before it comes into the night: the time to give its keys. */
  readonly onFound?: (batch: BatchRecord) => Promise<void>;
  /** Called after each turn, for whoever watches over the worker. */
  readonly onTurn?: (turn: FleetTurn) => void;
}
