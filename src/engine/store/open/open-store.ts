import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from '@photostructure/sqlite';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { AtOnce, Random, TaskStore } from '../../ports.ts';
import type { LeaseStore } from '../../fleet-ports.ts';
import type { SheetStore } from '../../sheet-ports.ts';
import type { LedgerViews } from '../../../shared/domain/ledger/ledger-view.ts';
import type { BatchViews } from '../../../shared/domain/task/batch-view.ts';
import { replaceWhole } from '../../whole-file.ts';
import { openIncarnation, startIncarnation, withNote, type Incarnation, type Noted } from './incarnation.ts';
import { makeDataDir, openForOwner, openForReading, openUntouched } from './open-database.ts';
import { takeOwnerLock, type OwnerLock } from './owner-lock.ts';
import { clearRestore } from './restore-parts.ts';
import { openRowPlaces } from '../sheets/sheet-places.ts';
import { sqliteBatchViews } from '../views/sqlite-batch-views.ts';
import { sqliteLedgerViews } from '../views/sqlite-ledger-views.ts';
import { sqliteSheetStore } from '../sheets/sqlite-sheet-store.ts';
import { leaseStore } from '../leases/lease-records.ts';
import { openStoreParts } from '../tasks/store-parts.ts';
import { sqliteTaskStore } from '../tasks/sqlite-task-store.ts';
import { putCarriedFiles } from './carried-files.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { problemOfError, storeProblem, type StoreProblem } from './store-problem.ts';

/** An open store in a data folder. */
export interface OpenStore {
  readonly store: AtOnce<TaskStore>;
  readonly views: AtOnce<BatchViews>;
  readonly ledger: AtOnce<LedgerViews>;
  readonly sheets: AtOnce<SheetStore>;
  readonly leases: AtOnce<LeaseStore>;
  /** Which opening of which store this is; compare with {@link isOlderCopy}. */
  incarnation(): Incarnation;
  /** This opening has found an older copy of a store that was used since. */
  readonly isOlderCopy: boolean;
  /** Every fault that SQLite finds in the database; empty if it is sound. Reads the whole database. */
  checkIntegrity(): readonly string[];
  /** Merges the log into the database and truncates it; for a quiet moment. */
  maintain(): void;
  /**
   * Answers from what is committed now: a reader beside the owner first forgets what it remembers of an earlier state.
   * The owner remembers only what it has written itself.
   */
  asItIsNow<T>(ask: () => T): T;
  /** Closes the database and releases the owner's lock. */
  close(): void;
}

export interface OpenStoreOptions {
  /** True (the default): this process alone may write. False: reads the store beside its owner; every write throws. */
  readonly owner?: boolean;
  /** The owner is this process, and has just found the store sound. */
  readonly isSound?: boolean;
  /** Where the owner notes what an older copy of the store would not know; without it, a copy goes unnoticed. */
  readonly noted?: Noted;
  readonly random: Random;
  /** The name of the zone by whose calendar nights and months are told apart; the machine's by default. */
  readonly zone?: () => string;
  /** The one clock by which leases end; the system's by default. */
  readonly now?: () => number;
}

/**
 * Opens the store in `dataDir` (`nocturne.db`); the owner creates it if it is missing. The problem says what prevents
 * it: another owner with its pid, a newer or damaged database, the disk. In that case nothing is written.
 */
export function openStore(
  dataDir: string,
  { owner = true, isSound = false, noted, ...given }: OpenStoreOptions,
): Result<OpenStore, StoreProblem> {
  const path = join(dataDir, 'nocturne.db');
  if (!owner) {
    const opened = openForReading(path, { isSound });
    return opened.ok ? ok(storeOn(opened.value, given)) : opened;
  }
  const dirProblem = makeDataDir(dataDir);
  if (dirProblem !== undefined) return err(dirProblem);
  const lock = takeOwnerLock(dataDir);
  if (!lock.ok) return lock;
  clearRestore(dataDir);
  const opened = openForOwner(path);
  if (!opened.ok) {
    lock.value.release();
    return opened;
  }
  startIncarnation(opened.value, given.random);
  const store = storeOn(opened.value, given, lock.value);
  if (noted === undefined) return ok(store);
  try {
    return ok(withNote(store, opened.value, noted, dataDir));
  } catch (error) {
    store.close();
    throw error;
  }
}

/**
 * Opens a database for reading without checking it, so that a damaged one or one of another version can be opened, too.
 * Leaves nothing beside it. Throws if the database cannot be read at all.
 */
export function openAsItIs(dataDir: string): Pick<OpenStore, 'store' | 'views' | 'ledger' | 'close'> {
  const db = openUntouched(join(dataDir, 'nocturne.db'));
  try {
    const parts = openStoreParts(db);
    const store = sqliteTaskStore(parts, { next: Math.random });
    return { store, views: sqliteBatchViews(parts), ledger: sqliteLedgerViews(parts), close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * The store on a database that is open and current.
 * @param lock The owner's, released when the store is closed; without it, the store is a reader's.
 */
export function storeOn(
  db: SqliteDatabase,
  { random, zone, now }: Pick<OpenStoreOptions, 'random' | 'zone' | 'now'>,
  lock?: OwnerLock,
): OpenStore {
  const incarnation = openIncarnation(db);
  const parts = openStoreParts(db, lock === undefined ? undefined : incarnation().opening, zone, now);
  const places = openRowPlaces(db);
  const maintain = (): void => {
    if (lock !== undefined) db.pragma('wal_checkpoint(TRUNCATE)');
  };
  const asItIsNow = <T>(ask: () => T): T => {
    if (lock !== undefined) return ask();
    return db.snapshot(() => {
      for (const batch of parts.batchRecords.follow()) places.forget(batch);
      parts.counters.forget();
      parts.spendingRecords.forget();
      return ask();
    });
  };
  const close = (): void => {
    if (!db.isOpen) return;
    maintain();
    db.close();
    lock?.release();
  };
  return {
    store: { ...sqliteTaskStore(parts, random), close },
    views: sqliteBatchViews(parts, places),
    ledger: sqliteLedgerViews(parts),
    sheets: sqliteSheetStore(parts, places),
    leases: leaseStore(parts),
    incarnation,
    isOlderCopy: false,
    checkIntegrity: () => db.checkIntegrity(),
    maintain,
    asItIsNow,
    close,
  };
}

/**
 * Writes a sound copy of the store in `dataDir` to `file`, with the lists and the settings that belong to it, by SQLite's
 * own backup: it works beside the owner, in the middle of a night, when copying the file would tear it from its log. The
 * copy is whole or it is not there.
 * @param mayReplace The user has agreed to lose what `file` holds; otherwise a file that exists is a problem.
 */
export async function backupStore(
  dataDir: string,
  file: string,
  mayReplace = false,
): Promise<Result<void, StoreProblem>> {
  if (!mayReplace && existsSync(file)) {
    const problem = storeProblem('denied', `${file} already exists. Nocturne does not replace it.`);
    return err({ ...problem, remedy: 'Name a file that does not exist yet.' });
  }
  const opened = openForReading(join(dataDir, 'nocturne.db'), { ofAnyVersion: true });
  if (!opened.ok) return opened;
  try {
    const copy = async (part: string): Promise<void> => {
      // Created here, for this user alone: SQLite would let everybody read it, and it holds every prompt.
      closeSync(openSync(part, 'wx', 0o600));
      await backup(opened.value.connection, part);
      const made = new SqliteDatabase(part);
      try {
        // One file by itself, without a log.
        made.exec('PRAGMA journal_mode = DELETE');
        putCarriedFiles(made, dataDir);
      } finally {
        made.close();
      }
    };
    await replaceWhole(file, copy, 0o600);
    return ok(undefined);
  } catch (error) {
    const problem = problemOfError(error, file);
    if (problem === undefined) throw error;
    return err(problem);
  } finally {
    opened.value.close();
  }
}
