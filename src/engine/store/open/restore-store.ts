/** Puts a backup in the place of a store: checked before anything is replaced, and what it replaces is kept. */
import { closeSync, constants, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { backup } from '@photostructure/sqlite';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { syncFolderSync } from '../../whole-file.ts';
import { putBack, takeCarriedFiles } from './carried-files.ts';
import { Database } from './database.ts';
import { markRestored, type Noted } from './incarnation.ts';
import { inspect, makeDataDir, openUntouched } from './open-database.ts';
import { openStore } from './open-store.ts';
import { takeOwnerLock } from './owner-lock.ts';
import { problemOfError, storeProblem, type StoreProblem } from './store-problem.ts';

/** What a backup holds. */
export interface BackupContents {
  readonly batches: number;
  /** When its newest batch was made, in milliseconds since the epoch. */
  readonly newestAt?: number | undefined;
}

export interface Restored extends BackupContents {
  /** Batches that could have gone on, and are paused: what was paid since the backup is not in it. */
  readonly paused: number;
  /** Where that which was replaced is now. */
  readonly aside: readonly string[];
}

/** Looks into a backup without changing anything. The problem says why it cannot be restored. */
export function inspectBackup(file: string): Result<BackupContents, StoreProblem> {
  if (!existsSync(file)) return err(missing(file));
  let db: Database | undefined;
  try {
    db = openUntouched(file);
    const problem = problemOfBackup(db, file);
    return problem === undefined ? ok(contentsOf(db)) : err(problem);
  } catch (error) {
    return err(expected(error, file));
  } finally {
    if (db?.isOpen === true) db.close();
  }
}

/**
 * Makes a backup the store in `dataDir`. Nobody may own that store meanwhile. All batches in it that could go on are
 * paused, with the reason: they may hold rows as queued that were paid for since.
 */
export async function restoreStore(
  dataDir: string,
  file: string,
  noted: Noted,
): Promise<Result<Restored, StoreProblem>> {
  const store = path.join(dataDir, 'nocturne.db');
  if (path.resolve(file) === path.resolve(store)) {
    return err({ ...storeProblem('denied', `${file} is the store itself.`), remedy: 'Name a backup of it.' });
  }
  const unusable = inspectBackup(file);
  if (!unusable.ok) return unusable;
  const dirProblem = makeDataDir(dataDir);
  if (dirProblem !== undefined) return err(dirProblem);
  const lock = takeOwnerLock(dataDir);
  if (!lock.ok) return lock;
  let aside: readonly string[];
  try {
    const replaced = await replaceStore(store, file, noted.now);
    if (!replaced.ok) return replaced;
    aside = replaced.value;
  } catch (error) {
    return err(expected(error, dataDir));
  } finally {
    lock.value.release();
  }
  // Opened once, so that it says by itself which of its batches stand still and why.
  const opened = openStore(dataDir, { random: { next: Math.random }, noted });
  if (!opened.ok) return opened;
  const paused = opened.value.store
    .batches()
    .filter(({ pause }) => pause?.by === 'failure' && pause.failure.code === 'STORE_RESTORED').length;
  opened.value.close();
  return ok({ ...unusable.value, paused, aside });
}

/** The owner's lock is held. Returns what was set aside. */
async function replaceStore(
  store: string,
  file: string,
  now: number,
): Promise<Result<readonly string[], StoreProblem>> {
  const dataDir = path.dirname(store);
  const part = path.join(dataDir, 'nocturne-restoring.db');
  const stamp = new Date(now).toISOString().replaceAll(/\D/gu, '').slice(0, 14);
  const asideOf = (path_: string): string => {
    const { dir, name, ext } = path.parse(path_);
    return path.join(dir, `${name}-replaced-${stamp}${ext}`);
  };
  const clear = (): void => ['', '-journal', '-wal', '-shm'].forEach((end) => rmSync(part + end, { force: true }));
  clear();
  try {
    await copyTo(part, file);
    const copy = new Database(part);
    let carried;
    try {
      copy.exec('PRAGMA journal_mode = DELETE');
      carried = takeCarriedFiles(copy);
      markRestored(copy);
      const fault = copy.pragma('integrity_check(1)');
      if (fault !== 'ok') return err(storeProblem('damaged', `${file} is damaged: ${fault}`));
    } finally {
      copy.close();
    }
    syncFile(part);
    const aside = existsSync(store) ? [keepAside(store, asideOf(store))] : [];
    renameSync(part, store);
    syncFolderSync(dataDir);
    return ok([...aside, ...putBack(carried, dataDir, asideOf)]);
  } finally {
    clear();
  }
}

async function copyTo(part: string, file: string): Promise<void> {
  // Made here, for this user alone: SQLite would let everybody read it.
  closeSync(openSync(part, 'wx', 0o600));
  const source = openUntouched(file);
  try {
    await backup(source.connection, part);
  } finally {
    source.close();
  }
}

/**
 * Copies the present store, and does not rename it: whenever this is killed, there is a store. A log that is not merged
 * into it, because it is damaged or somebody reads it, goes with the copy.
 */
function keepAside(store: string, aside: string): string {
  if (isSound(store)) mergeLog(store);
  copyFileSync(store, aside, constants.COPYFILE_FICLONE);
  syncFile(aside);
  if (existsSync(`${store}-wal`)) renameSync(`${store}-wal`, `${aside}-wal`);
  rmSync(`${store}-shm`, { force: true });
  return aside;
}

function isSound(store: string): boolean {
  let db: Database | undefined;
  try {
    db = openUntouched(store);
    return inspect(db, store)?.kind !== 'damaged';
  } catch (error) {
    expected(error, store);
    return false;
  } finally {
    if (db?.isOpen === true) db.close();
  }
}

function mergeLog(store: string): void {
  const db = new Database(store, { timeout: 1000 });
  try {
    db.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    // Somebody reads it.
    expected(error, store);
  } finally {
    db.close();
  }
}

function contentsOf(db: Database): BackupContents {
  const found = db.prepare<{ batches: number; newestAt: number | null }>(
    'SELECT count(*) AS batches, max(created_at) AS newestAt FROM batches',
  );
  const { batches = 0, newestAt = null } = found.get() ?? {};
  return { batches, newestAt: newestAt ?? undefined };
}

function problemOfBackup(db: Database, file: string): StoreProblem | undefined {
  const problem = inspect(db, file);
  if (problem?.kind === 'older' && Number(db.pragma('user_version')) > 0) return undefined;
  if (problem?.kind === 'newer') return { ...problem, remedy: 'Restore it with the version that made it.' };
  return problem === undefined ? undefined : { ...problem, remedy: 'Choose another backup. Nothing was changed.' };
}

function missing(file: string): StoreProblem {
  return { ...storeProblem('missing', `There is no ${file}.`), remedy: 'Name a backup that Nocturne wrote.' };
}

function expected(error: unknown, file: string): StoreProblem {
  const problem = problemOfError(error, file);
  if (problem === undefined) throw error;
  return problem;
}

function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}
