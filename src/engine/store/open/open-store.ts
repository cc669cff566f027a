import { reason, SaidError } from '../../../shared/domain/base/reason.ts';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from '@photostructure/sqlite';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { Random, WorkWatch } from '../../ports/base.ts';
import { replaceWhole } from '../../whole-file.ts';
import { readIncarnationNotes, startIncarnation, withNote, type Noted } from './incarnation.ts';
import { makeDataDir, notAFile, openForOwner, openForReading, openUntouched } from './open-database.ts';
import { takeOwnerLock } from './owner-lock.ts';
import { storeOn, type OpenStore } from './store-on.ts';
import { openPostgresAsItIs, openPostgresStore } from '../postgres/open-postgres.ts';
import { movedProblem } from '../move/move-mark.ts';
import type { StoreAddress } from '../postgres/store-address.ts';
import { clearRestore } from './restore-parts.ts';
import { sqliteBatchViews } from '../views/sqlite-batch-views.ts';
import { sqliteLedgerViews } from '../views/sqlite-ledger-views.ts';
import { openStoreParts } from '../tasks/store-parts.ts';
import { sqliteTaskStore } from '../tasks/sqlite-task-store.ts';
import { putCarriedFiles } from './carried-files.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { problemOfError, storeProblem, type StoreProblem } from './store-problem.ts';

export interface OpenStoreOptions {
  /** True (the default): this process alone may write. False: reads the store beside its owner; every write throws. */
  readonly owner?: boolean;
  /** Whether other processes own it, too, each with its own leases; only on a server. */
  readonly isShared?: boolean;
  /** This process is the owner, and has just found the store sound. */
  readonly isSound?: boolean;
  /** Where the owner notes what an older copy of the store would not know; without it, a copy goes unnoticed. */
  readonly noted?: Noted;
  readonly random: Random;
  /** The server that has the store; without it, it is in the data folder. */
  readonly server?: StoreAddress | undefined;
  /** The name of the time zone whose calendar separates nights and months; the machine's by default. */
  readonly zone?: () => string;
  /** The only clock by which leases end; the system's by default. */
  readonly now?: () => number;
}

/**
 * Opens the store in `dataDir` (`nocturne.db`); the owner creates it if it is missing. The problem says what prevents
 * it: another owner with its pid, a newer or damaged database, the disk. In that case nothing is written.
 */
export function openStore(
  dataDir: string,
  { owner = true, isShared = false, isSound = false, noted, server, ...given }: OpenStoreOptions,
): Result<OpenStore, StoreProblem> {
  if (server !== undefined) {
    return openPostgresStore(server, { owner, isShared, noted, ...given });
  }
  const path = join(dataDir, 'nocturne.db');
  if (!owner) {
    const opened = openForReading(path, { isSound });
    if (!opened.ok) return opened;
    const elsewhere = movedProblem(opened.value);
    if (elsewhere === undefined) return ok(storeOn(opened.value, given));
    opened.value.close();
    return err(elsewhere);
  }
  const dirProblem = makeDataDir(dataDir);
  if (dirProblem !== undefined) return err(dirProblem);
  const lock = takeOwnerLock(dataDir);
  if (!lock.ok) return lock;
  clearRestore(dataDir);
  const opened = wasEmptied(path, noted) ? err(emptiedProblem(path)) : openForOwner(path);
  if (!opened.ok) {
    lock.value.release();
    return opened;
  }
  const elsewhere = movedProblem(opened.value);
  if (elsewhere !== undefined) {
    opened.value.close();
    lock.value.release();
    return err(elsewhere);
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
 * True for a file without a byte in a folder whose store has paid for something: a broken disk or a copy that was cut
 * off left it. A process that was killed at its very first opening leaves one, too, and a removed store none.
 */
function wasEmptied(path: string, noted: Noted | undefined): boolean {
  if (noted === undefined || existsSync(`${path}-wal`)) return false;
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return false;
  return readIncarnationNotes([noted.file]).some(({ lastAttempt }) => lastAttempt > 0);
}

function emptiedProblem(path: string): StoreProblem {
  return storeProblem('damaged', reason('store.emptied', path), reason('storeRemedy.emptied'));
}

/**
 * Opens a database for reading without checking it, so that a damaged one or one of another version can be opened, too.
 * Leaves nothing beside it. Throws if the database cannot be read at all.
 */
export function openAsItIs(
  dataDir: string,
  server?: StoreAddress,
): Pick<OpenStore, 'store' | 'views' | 'ledger' | 'zone' | 'close'> {
  if (server !== undefined) return openPostgresAsItIs(server, { random: { next: Math.random } });
  const file = join(dataDir, 'nocturne.db');
  const other = notAFile(file);
  if (other !== undefined) throw new SaidError(other.said);
  const db = openUntouched(file);
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
 * Writes a sound copy of the store in `dataDir` to `file`, with the lists and settings that belong to it, by SQLite's
 * own backup: this works beside the owner, in the middle of a night, when copying the file would separate it from its
 * log. The copy is whole or not there; if it is cancelled on the way, what `file` contained stays.
 * @param mayReplace The user has agreed to lose what `file` contains; otherwise an existing file is a problem.
 */
export async function backupStore(
  dataDir: string,
  file: string,
  mayReplace = false,
  { signal, onProgress, onBound }: WorkWatch = {},
): Promise<Result<void, StoreProblem>> {
  if (!mayReplace && existsSync(file)) {
    return err(storeProblem('denied', reason('store.exists', file), reason('storeRemedy.otherFile')));
  }
  const opened = openForReading(join(dataDir, 'nocturne.db'), { ofAnyVersion: true });
  if (!opened.ok) return opened;
  try {
    const copy = async (part: string): Promise<void> => {
      // Created here, for this user alone: SQLite would let everybody read it, and it contains every prompt.
      closeSync(openSync(part, 'wx', 0o600));
      await backup(opened.value.connection, part, {
        progress: ({ totalPages, remainingPages }) => {
          signal?.throwIfAborted();
          onProgress?.(totalPages - remainingPages, totalPages);
        },
      });
      const made = new SqliteDatabase(part);
      try {
        // A single file, without a log.
        made.exec('PRAGMA journal_mode = DELETE');
        putCarriedFiles(made, dataDir);
      } finally {
        made.close();
      }
      signal?.throwIfAborted();
      onBound?.();
    };
    await replaceWhole(file, copy, 0o600);
    return ok(undefined);
  } catch (error) {
    signal?.throwIfAborted();
    const problem = problemOfError(error, file);
    if (problem === undefined) throw error;
    return err(problem);
  } finally {
    opened.value.close();
  }
}
