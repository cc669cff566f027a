import { reason } from '../../../shared/domain/base/reason.ts';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import { MIGRATIONS } from './migrations.ts';
import { makeFolderSync } from '../../make-folder.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { problemOfError, storeProblem, withHelp, type StoreProblem } from './store-problem.ts';
import { backUpBeforeUpdate, updateBackupOf } from './update-backup.ts';

/** Marks a database as Nocturne's ("Noct"), so that Nocturne never writes to another program's database. */
const APPLICATION_ID = 0x4e6f6374;

/** 16 MiB of pages. */
const PAGES_KEPT = 'PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY';

/** A reader may hold the file for a moment; the owner waits instead of failing. */
const BUSY_TIMEOUT_MS = 5_000;

/** Creates the data folder, for this user alone; an existing one keeps its permissions. */
export function makeDataDir(dataDir: string): StoreProblem | undefined {
  try {
    makeFolderSync(dataDir, 0o700);
    return undefined;
  } catch (error) {
    const problem = problemOfError(error, dataDir);
    if (problem === undefined) throw error;
    return problem;
  }
}

/**
 * Opens the database for its owner: sound, current, and with every commit on the disk before it returns. Refuses a
 * newer or damaged database and changes nothing in it. The caller holds the owner's lock.
 */
export function openForOwner(path: string): Result<SqliteDatabase, StoreProblem> {
  return guarded(path, (opened) => {
    const isNew = !existsSync(path) || statSync(path).size === 0;
    if (isNew) {
      // SQLite would make the file readable for everybody; its journal files inherit these permissions.
      closeSync(openSync(path, 'a', 0o600));
    } else {
      const looked = opened(openUntouched(path));
      const problem = inspect(looked, path);
      looked.close();
      if (problem !== undefined && problem.kind !== 'older') return err(problem);
    }
    const db = opened(new SqliteDatabase(path, { timeout: BUSY_TIMEOUT_MS }));
    const unsafe = makeDurable(db, path);
    if (unsafe !== undefined) return err(unsafe);
    if (Number(db.pragma('user_version')) < MIGRATIONS.length) {
      const refused = backUpBeforeUpdate(db, path);
      if (refused !== undefined) return err(refused);
    }
    migrate(db);
    // Again, because a first write has happened since: a reopened database has fallen back to a weaker setting.
    const changed = checkDurable(db, path);
    return changed === undefined ? ok(db) : err(changed);
  });
}

/** What has the name of a database, but is no file: at a pipe, SQLite would wait for ever. Undefined for a file or nothing. */
export function notAFile(path: string): StoreProblem | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return undefined;
  return storeProblem('denied', reason('store.notFile', path));
}

/** Opens a database that nobody writes to, and leaves nothing beside it; if a kill left a log, it is read. */
export function openUntouched(path: string): SqliteDatabase {
  const hasLog = existsSync(`${path}-wal`);
  const url = pathToFileURL(path);
  // Always with a parameter: without one, a path with a percent sign is decoded twice and not found.
  url.searchParams.set('mode', 'ro');
  // Without a log, SQLite may treat the file as immutable: it then makes no log and no shared memory.
  if (!hasLog) url.searchParams.set('immutable', '1');
  return new SqliteDatabase(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}

export interface ReadingOptions {
  /** It has just been checked: looking for damage again would take seconds in a large database. */
  readonly isSound?: boolean;
  /** Opens a database of another version, too: what it stores differently cannot be read. */
  readonly ofAnyVersion?: boolean;
}

/** Opens the database for reading, with or without an owner beside it. */
export function openForReading(
  path: string,
  { isSound = false, ofAnyVersion = false }: ReadingOptions = {},
): Result<SqliteDatabase, StoreProblem> {
  if (!existsSync(path)) return err(storeProblem('missing', reason('store.noFile', path)));
  return guarded(path, (opened) => {
    const db = opened(new SqliteDatabase(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS }));
    const problem = isSound ? undefined : inspect(db, path);
    db.exec(PAGES_KEPT);
    const isOther = problem?.kind === 'newer' || problem?.kind === 'older';
    return problem === undefined || (ofAnyVersion && isOther) ? ok(db) : err(problem);
  });
}

/** Turns errors of the disk into a problem, and leaves no connection open in that case. */
function guarded(
  path: string,
  open: (opened: (db: SqliteDatabase) => SqliteDatabase) => Result<SqliteDatabase, StoreProblem>,
): Result<SqliteDatabase, StoreProblem> {
  const connections: SqliteDatabase[] = [];
  const closeAll = (): void => connections.filter((db) => db.isOpen).forEach((db) => db.close());
  try {
    const other = notAFile(path);
    if (other !== undefined) return err(other);
    const result = open((db) => {
      connections.push(db);
      return db;
    });
    if (!result.ok) closeAll();
    return result;
  } catch (error) {
    closeAll();
    const problem = problemOfError(error, path);
    if (problem === undefined) throw error;
    return err(problem);
  }
}

/**
 * What prevents a database from being this version's store: it is another program's or another version's, or is
 * damaged.
 */
export function inspect(db: SqliteDatabase, path: string): StoreProblem | undefined {
  const version = db.pragma('user_version');
  const isEmpty = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  // Left by a process that was killed after it created the file and before the first migration.
  if (isEmpty && version === 0) return storeProblem('older', reason('store.empty', path));
  if (db.pragma('application_id') !== APPLICATION_ID) {
    return storeProblem('damaged', reason('store.foreign', path));
  }
  if (Number(version) > MIGRATIONS.length) {
    return newerProblem(path, Number(version));
  }
  const fault = db.pragma('quick_check(1)');
  if (fault !== 'ok') return storeProblem('damaged', reason('store.damaged', path, String(fault)));
  if (Number(version) < MIGRATIONS.length) return storeProblem('older', reason('store.older', path));
  return undefined;
}

function newerProblem(path: string, version: number): StoreProblem {
  const problem = storeProblem('newer', reason('store.newer', path, version, MIGRATIONS.length));
  const copy = updateBackupOf(path, MIGRATIONS.length);
  if (!existsSync(copy)) return problem;
  return withHelp(problem, reason('both', problem.help, reason('storeRemedy.goBack', copy)));
}

/** Each value is as SQLite reads it back. */
const DURABLE: Readonly<Record<string, string | number>> = {
  journal_mode: 'wal',
  synchronous: 2,
  ...(process.platform === 'darwin' ? { fullfsync: 1, checkpoint_fullfsync: 1 } : {}),
};

function makeDurable(db: SqliteDatabase, path: string): StoreProblem | undefined {
  // The order matters: switching the journal to WAL can lower `synchronous`.
  for (const [name, value] of Object.entries(DURABLE)) db.exec(`PRAGMA ${name} = ${value}`);
  // A log that grew because of a long reader shrinks again.
  db.exec(`${PAGES_KEPT}; PRAGMA journal_size_limit = 67108864`);
  return checkDurable(db, path);
}

/** Reads back every setting that a commit's safety depends on; the problem names the one that did not hold. */
export function checkDurable(db: SqliteDatabase, path: string): StoreProblem | undefined {
  const wrong = Object.entries(DURABLE).find(([name, value]) => db.pragma(name) !== value);
  if (wrong === undefined) return undefined;
  const [name, value] = wrong;
  return storeProblem('unsafe', reason('store.unsafe', path, name, String(db.pragma(name)), String(value)));
}

/**
 * Takes the steps of the schema that a database has not taken yet, up to a version. Each is one transaction; a new
 * database takes all of them in one, because each waits for the disk.
 */
export function migrate(db: SqliteDatabase, upTo = MIGRATIONS.length): void {
  const version = Number(db.pragma('user_version'));
  db.connection.function('fold_row_id', { deterministic: true }, foldRowId);
  const steps = MIGRATIONS.slice(version, upTo);
  if (version === 0) takeStep(db, steps.join(';\n'), steps.length);
  else steps.forEach((step, i) => takeStep(db, step, version + i + 1));
}

function takeStep(db: SqliteDatabase, step: string, version: number): void {
  db.exec(
    `BEGIN IMMEDIATE; ${step};
     PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}; COMMIT`,
  );
}
