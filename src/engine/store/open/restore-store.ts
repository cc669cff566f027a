/**
 * Puts a backup in place of a store: the backup is checked before anything is replaced, and what it replaces is kept.
 */
import { reason } from '../../../shared/domain/base/reason.ts';
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { backup } from '@photostructure/sqlite';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { crashPoint } from '../../crash-point.ts';
import { copyWholeSync, syncFileSync, syncFolderSync } from '../../whole-file.ts';
import { carriedWords, placesOf, putBack, readCarriedFiles, takeCarriedFiles, type PutBack } from './carried-files.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { couldSend, markRestored } from './incarnation.ts';
import { inspect, makeDataDir, openUntouched } from './open-database.ts';
import { takeOwnerLock } from './owner-lock.ts';
import { clearRestore, COPYING, RESTORING } from './restore-parts.ts';
import { problemOfError, storeProblem, withHelp, type StoreProblem } from './store-problem.ts';

/** How systems report that a name is taken by another file or folder. */
const NAME_TAKEN: ReadonlySet<unknown> = new Set(['EEXIST', 'ENOTEMPTY', 'ENOTDIR']);

/** What a backup contains. */
export interface BackupContents {
  readonly batches: number;
  /** When its newest batch was created, in milliseconds since the epoch. */
  readonly newestAt?: number | undefined;
  /** What comes with it, in sentences. */
  readonly brings: readonly string[];
}

export interface Restored extends BackupContents, PutBack {
  /**
   * How many batches could send something and are paused when it is opened: it does not contain what was paid for since
   * the backup.
   */
  readonly paused: number;
  /** Where the replaced files are now. */
  readonly aside: readonly string[];
}

/** Looks into a backup without changing anything. The problem says why it cannot be restored. */
export function inspectBackup(file: string): Result<BackupContents, StoreProblem> {
  if (!existsSync(file)) return err(missing(file));
  let db: SqliteDatabase | undefined;
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
 * Makes a backup the store in `dataDir`. Nobody may have that store open meanwhile. It is not opened here: the next
 * opening finds the mark of a restored store, pauses what could go on in it, and says so.
 * @param now Milliseconds since the epoch.
 */
export async function restoreStore(
  dataDir: string,
  file: string,
  now: number,
): Promise<Result<Restored, StoreProblem>> {
  const store = path.join(dataDir, 'nocturne.db');
  if (path.resolve(file) === path.resolve(store)) {
    return err(storeProblem('denied', reason('store.itself', file), reason('storeRemedy.ofItself')));
  }
  const unusable = inspectBackup(file);
  if (!unusable.ok) return unusable;
  const dirProblem = makeDataDir(dataDir);
  if (dirProblem !== undefined) return err(dirProblem);
  const lock = takeOwnerLock(dataDir);
  if (!lock.ok) return lock;
  try {
    const replaced = await replaceStore(store, file, now);
    return replaced.ok ? ok({ ...unusable.value, ...replaced.value }) : replaced;
  } catch (error) {
    return err(expected(error, dataDir));
  } finally {
    lock.value.release();
  }
}

/** The owner's lock must be held. After a problem or an error, the store is as it was. */
async function replaceStore(
  store: string,
  file: string,
  now: number,
): Promise<Result<Omit<Restored, keyof BackupContents>, StoreProblem>> {
  const dataDir = path.dirname(store);
  const part = path.join(dataDir, RESTORING);
  clearRestore(dataDir);
  try {
    await copyTo(part, file);
    crashPoint('restore.copied');
    const made = makeRestored(part, file);
    if (!made.ok) return made;
    crashPoint('restore.made');
    const { carried, paused } = made.value;
    const refused = mergeLog(store);
    if (refused !== undefined) return err(refused);
    crashPoint('restore.log-merged');
    const aside = await keepCopies([store, ...placesOf(carried, dataDir)], now);
    replaceFile(part, store);
    crashPoint('restore.replaced');
    return ok({ paused, aside, ...putBack(carried, dataDir) });
  } finally {
    clearRestore(dataDir);
  }
}

/** Turns the copy of a backup into a store that is marked as restored. */
function makeRestored(part: string, file: string) {
  const copy = new SqliteDatabase(part);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    const carried = takeCarriedFiles(copy);
    const paused = couldSend(copy).size;
    markRestored(copy);
    const fault = copy.pragma('integrity_check(1)');
    if (fault !== 'ok') return err(storeProblem('damaged', reason('store.damaged', file, String(fault))));
    return ok({ carried, paused });
  } finally {
    copy.close();
    syncFileSync(part);
  }
}

async function copyTo(part: string, file: string): Promise<void> {
  // Created here, for this user alone: SQLite would let everybody read it.
  closeSync(openSync(part, 'wx', 0o600));
  const source = openUntouched(file);
  try {
    await backup(source.connection, part);
  } finally {
    source.close();
  }
}

/** Keeps a copy of each file or folder that is there, and returns their paths: all of them, or none. */
async function keepCopies(places: readonly string[], now: number): Promise<readonly string[]> {
  const copies: string[] = [];
  try {
    for (const place of places.filter((one) => existsSync(one))) {
      const copy = freeName(place, now);
      copies.push(copy);
      const part = path.join(path.dirname(copy), COPYING);
      if (statSync(place).isDirectory()) await copyFolder(place, copy, part);
      else {
        // The log comes first: a store that is kept without its log may lack its last commits.
        if (existsSync(`${place}-wal`)) copyWholeSync(`${place}-wal`, `${copy}-wal`, part);
        copyWholeSync(place, copy, part);
      }
      crashPoint('restore.kept');
    }
    return copies;
  } catch (error) {
    // Nothing was replaced, and the disk may be full, so the copies go; but not one whose name another process took
    // meanwhile.
    const isOthers = error instanceof Error && 'code' in error && NAME_TAKEN.has(error.code);
    if (isOthers) copies.pop();
    for (const copy of copies) for (const end of ['', '-wal']) rmSync(copy + end, { recursive: true, force: true });
    throw error;
  }
}

function freeName(of: string, now: number): string {
  const stamp = new Date(now).toISOString().replaceAll(/\D/gu, '').slice(0, 14);
  const { dir, name, ext } = path.parse(of);
  for (let times = 1; ; times += 1) {
    const free = path.join(dir, `${name}-replaced-${stamp}${times === 1 ? '' : `-${times}`}${ext}`);
    if (!existsSync(free) && !existsSync(`${free}-wal`)) return free;
  }
}

async function copyFolder(from: string, to: string, part: string): Promise<void> {
  // Not `cpSync`, which reports a full disk as a broken one.
  await cp(from, part, { recursive: true, force: false, errorOnExist: true, verbatimSymlinks: true });
  for (const { name } of readdirSync(part, { withFileTypes: true }).filter((one) => one.isFile())) {
    syncFileSync(path.join(part, name));
  }
  syncFolderSync(part);
  // Fails if something has the name, unless that is an empty folder.
  renameSync(part, to);
  syncFolderSync(path.dirname(to));
}

/**
 * Puts a whole file in the place of the store. If the store has a log, it was kept with the copy: it is of no use to
 * another database.
 */
function replaceFile(part: string, store: string): void {
  const log = `${store}-wal`;
  const moved = `${log}.old`;
  rmSync(`${store}-shm`, { force: true });
  if (existsSync(log)) {
    renameSync(log, moved);
    crashPoint('restore.log-moved');
  }
  try {
    renameSync(part, store);
  } catch (error) {
    if (existsSync(moved)) renameSync(moved, log);
    throw error;
  }
  rmSync(moved, { force: true });
}

/**
 * Merges the log of a sound store into it, so that one file contains everything; the log of a damaged store stays
 * beside it. The problem says what prevents the merge, such as somebody reading the store.
 */
function mergeLog(store: string): StoreProblem | undefined {
  if (!existsSync(store) || !isSound(store)) return undefined;
  const db = new SqliteDatabase(store, { timeout: 1000 });
  try {
    db.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    return expected(error, store);
  } finally {
    db.close();
  }
  return existsSync(`${store}-wal`) ? storeProblem('owned', reason('store.beingRead', store)) : undefined;
}

function isSound(store: string): boolean {
  let db: SqliteDatabase | undefined;
  try {
    db = openUntouched(store);
    return inspect(db, store)?.kind !== 'damaged';
  } catch (error) {
    if (expected(error, store).kind !== 'damaged') throw error;
    return false;
  } finally {
    if (db?.isOpen === true) db.close();
  }
}

function contentsOf(db: SqliteDatabase): BackupContents {
  const found = db.prepare<{ batches: number; newestAt: number | null }>(
    'SELECT count(*) AS batches, max(created_at) AS newestAt FROM batches',
  );
  const { batches = 0, newestAt = null } = found.get() ?? {};
  return { batches, newestAt: newestAt ?? undefined, brings: carriedWords(readCarriedFiles(db)) };
}

function problemOfBackup(db: SqliteDatabase, file: string): StoreProblem | undefined {
  const problem = inspect(db, file);
  if (problem?.kind === 'older' && Number(db.pragma('user_version')) > 0) return undefined;
  if (problem?.kind === 'newer') return withHelp(problem, reason('storeRemedy.withItsVersion'));
  return problem === undefined ? undefined : withHelp(problem, reason('storeRemedy.otherBackup'));
}

function missing(file: string): StoreProblem {
  return storeProblem('missing', reason('store.noFile', file), reason('storeRemedy.ourBackup'));
}

function expected(error: unknown, file: string): StoreProblem {
  const problem = problemOfError(error, file);
  if (problem === undefined) throw error;
  return problem;
}
