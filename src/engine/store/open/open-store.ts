import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { backup, DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { Random, TaskStore } from '../../ports.ts';
import type { SheetStore } from '../../sheet-ports.ts';
import type { BatchViews } from '../../../shared/domain/task/batch-view.ts';
import { readIncarnation, startIncarnation, type Incarnation } from './incarnation.ts';
import { makeDataDir, openForOwner, openForReading, readPragma } from './open-database.ts';
import { takeOwnerLock, type OwnerLock } from './owner-lock.ts';
import { openRowPlaces } from '../sheets/sheet-places.ts';
import { sqliteBatchViews } from '../views/sqlite-batch-views.ts';
import { sqliteSheetStore } from '../sheets/sqlite-sheet-store.ts';
import { sqliteTaskStore } from '../tasks/sqlite-task-store.ts';
import { prepare } from './statement.ts';
import { problemOfError, storeProblem, type StoreProblem } from './store-problem.ts';

/** A store in a data folder, open. */
export interface OpenStore {
  readonly store: TaskStore;
  readonly views: BatchViews;
  readonly sheets: SheetStore;
  /** Which opening of which store this is; compare with {@link isOlderCopy}. */
  incarnation(): Incarnation;
  /** Everything that SQLite finds wrong with the database; empty when it is sound. Reads all of it. */
  checkIntegrity(): readonly string[];
  /** Brings the log into the database and cuts it, for a quiet moment. */
  maintain(): void;
  /** Closes the database and gives the right of the owner back. */
  close(): void;
}

export interface OpenStoreOptions {
  /** True, as usual: it alone may write. False: looks at the store beside its owner; every write throws. */
  readonly owner?: boolean;
  readonly random: Random;
}

/**
 * Opens the store in `dataDir` (`nocturne.db`), which its owner makes where there is none. The problem says what is in
 * the way: another owner with its pid, a newer or damaged database, the disk. Nothing is written then.
 */
export function openStore(
  dataDir: string,
  { owner = true, random }: OpenStoreOptions,
): Result<OpenStore, StoreProblem> {
  const path = join(dataDir, 'nocturne.db');
  if (!owner) {
    const opened = openForReading(path);
    return opened.ok ? ok(assemble(opened.value, undefined, random)) : opened;
  }
  const dirProblem = makeDataDir(dataDir);
  if (dirProblem !== undefined) return err(dirProblem);
  const lock = takeOwnerLock(dataDir);
  if (!lock.ok) return lock;
  const opened = openForOwner(path);
  if (!opened.ok) {
    lock.value.release();
    return opened;
  }
  startIncarnation(opened.value, random);
  return ok(assemble(opened.value, lock.value, random));
}

/**
 * Opens a database to look at it without any check of it, so also one that is damaged or of another version. Nothing is
 * left beside it. Throws where it cannot be read at all.
 */
export function openAsItIs(dataDir: string): Pick<OpenStore, 'store' | 'views' | 'close'> {
  const path = join(dataDir, 'nocturne.db');
  const url = pathToFileURL(path);
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1');
  const db: DatabaseSyncInstance = new DatabaseSync(url, { readOnly: true });
  try {
    const store = sqliteTaskStore(db, { next: Math.random });
    return { store, views: sqliteBatchViews(db, store), close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(db: DatabaseSyncInstance, lock: OwnerLock | undefined, random: Random): OpenStore {
  const store = sqliteTaskStore(db, random);
  const places = openRowPlaces(db);
  const integrity = prepare<{ readonly integrity_check: string }>(db, 'PRAGMA integrity_check');
  const maintain = (): void => {
    if (lock !== undefined) readPragma(db, 'wal_checkpoint(TRUNCATE)');
  };
  const close = (): void => {
    if (!db.isOpen) return;
    maintain();
    db.close();
    lock?.release();
  };
  return {
    store: { ...store, close },
    views: sqliteBatchViews(db, store, places),
    sheets: sqliteSheetStore(db, store, places),
    incarnation: () => readIncarnation(db),
    checkIntegrity: () =>
      integrity
        .all()
        .map((row) => row.integrity_check)
        .filter((line) => line !== 'ok'),
    maintain,
    close,
  };
}

/**
 * Writes a sound copy of the store in `dataDir` to `file`, by SQLite's own means: it works beside the owner, in the
 * middle of a night, where copying the file would tear it from its log. An existing file is not replaced.
 */
export async function backupStore(dataDir: string, file: string): Promise<Result<void, StoreProblem>> {
  if (existsSync(file)) return err(storeProblem('denied', `${file} exists already, and is not replaced.`));
  const opened = openForReading(join(dataDir, 'nocturne.db'));
  if (!opened.ok) return opened;
  try {
    // Made here, for this user alone: SQLite would let everybody read it, and it holds every prompt.
    closeSync(openSync(file, 'wx', 0o600));
    await backup(opened.value, file);
    return ok(undefined);
  } catch (error) {
    const problem = problemOfError(error, file);
    if (problem === undefined) throw error;
    return err(problem);
  } finally {
    opened.value.close();
  }
}
