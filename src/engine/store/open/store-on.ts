import type { LedgerViews } from '../../../shared/domain/ledger/ledger-view.ts';
import type { BatchViews } from '../../../shared/domain/task/batch-view.ts';
import type { LeaseStore } from '../../ports/fleet.ts';
import { leaseStore } from '../leases/lease-records.ts';
import type { AtOnce, Random } from '../../ports/base.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { SheetStore } from '../../ports/sheet-store.ts';
import { openRowPlaces, type RowPlaces } from '../sheets/row-places.ts';
import { sqliteSheetStore } from '../sheets/sqlite-sheet-store.ts';
import { sqliteTaskStore } from '../tasks/sqlite-task-store.ts';
import { openStoreParts, type StoreParts } from '../tasks/store-parts.ts';
import { sqliteBatchViews } from '../views/sqlite-batch-views.ts';
import { sqliteLedgerViews } from '../views/sqlite-ledger-views.ts';
import { openIncarnation, type Incarnation } from './incarnation.ts';
import type { OwnerLock } from './owner-lock.ts';
import type { Database } from './database.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** An open store in a data folder. */
export interface OpenStore {
  readonly store: AtOnce<TaskStore>;
  readonly views: AtOnce<BatchViews>;
  readonly ledger: AtOnce<LedgerViews>;
  readonly sheets: AtOnce<SheetStore>;
  readonly leases: AtOnce<LeaseStore>;
  /**
   * The time zone that separates nights and months for all who work on a server's store; absent if it is this
   * computer's.
   */
  readonly zone?: string;
  /** Which opening of which store this is; compare with {@link isOlderCopy}. */
  incarnation(): Incarnation;
  /** True if this opening has found an older copy of a store that was used since. */
  readonly isOlderCopy: boolean;
  /**
   * Every fault that SQLite finds in the database, and every sum that is wrong; empty if it is sound. Reads the whole
   * database.
   */
  checkIntegrity(): readonly string[];
  /** Merges the log into the database and truncates it; for a quiet moment. */
  maintain(): void;
  /**
   * Answers from what is committed now: a reader beside the owner first forgets what it remembers from an earlier
   * state. The owner remembers only what it has written itself.
   */
  asItIsNow<T>(ask: () => T): T;
  /** Closes the database and releases the owner's lock. */
  close(): void;
}

/**
 * The store on a database that is open and current.
 * @param lock The owner's lock, released when the store is closed; without it, the store is a reader's.
 */
export function storeOn(db: SqliteDatabase, means: StoreMeans, lock?: OwnerLock): OpenStore {
  const { parts, places, ...opened } = partsOn(db, means, lock !== undefined);
  const maintain = (): void => {
    if (lock !== undefined) db.pragma('wal_checkpoint(TRUNCATE)');
  };
  const asItIsNow = <T>(ask: () => T): T => {
    if (lock !== undefined) return ask();
    return db.snapshot(() => {
      forgetEarlier(parts, places);
      return ask();
    });
  };
  const close = (): void => {
    if (!db.isOpen) return;
    maintain();
    db.close();
    lock?.release();
  };
  return { ...opened, store: { ...opened.store, close }, maintain, asItIsNow, close };
}

/** What a store needs besides its database. */
export interface StoreMeans {
  readonly random: Random;
  /** The name of the time zone whose calendar separates nights and months. */
  readonly zone?: (() => string) | undefined;
  /** The only clock by which leases end. */
  readonly now?: (() => number) | undefined;
}

/** The parts that answer from a database of either kind. */
export function partsOn(db: Database, { random, zone, now }: StoreMeans, isOwner: boolean) {
  const incarnation = openIncarnation(db);
  const parts = openStoreParts(db, isOwner ? incarnation().opening : undefined, zone, now);
  const places = openRowPlaces(db);
  return {
    parts,
    places,
    store: sqliteTaskStore(parts, random),
    views: sqliteBatchViews(parts, places),
    ledger: sqliteLedgerViews(parts),
    sheets: sqliteSheetStore(parts, places),
    leases: leaseStore(parts),
    incarnation,
    isOlderCopy: false,
    checkIntegrity: () => [...db.checkIntegrity(), ...parts.counters.differences(), ...parts.keptCharges.differences()],
  };
}

/**
 * Forgets what is remembered from an earlier state of the database, to which another connection has written.
 * @param isAll Also forget what seems current: it was remembered in a transaction that was not committed.
 */
export function forgetEarlier(parts: StoreParts, places: RowPlaces, isAll = false): void {
  const { batchRecords, counters, spendingRecords, taskRecords, freshKeys, forgetting } = parts;
  if (isAll) {
    batchRecords.reload();
    places.forgetAll();
  } else {
    for (const batch of batchRecords.follow()) places.forget(batch);
  }
  counters.forget();
  spendingRecords.forget();
  taskRecords.forgetHeads();
  freshKeys.rows.forget();
  freshKeys.tasks.forget();
  for (const forget of forgetting) forget();
}
