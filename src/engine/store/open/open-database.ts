import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import { MIGRATIONS } from './migrations.ts';
import { prepare } from './statement.ts';
import { problemOfError, storeProblem, type StoreProblem } from './store-problem.ts';

/** Marks a database as Nocturne's ("Noct"), so that another program's is never written to. */
const APPLICATION_ID = 0x4e6f6374;

/** A reader may keep the file for a moment; the owner waits for it rather than fail. */
const BUSY_TIMEOUT_MS = 5_000;

/** Makes the data folder, for this user alone; one that exists keeps its rights. */
export function makeDataDir(dataDir: string): StoreProblem | undefined {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return undefined;
  } catch (error) {
    const problem = problemOfError(error, dataDir);
    if (problem === undefined) throw error;
    return problem;
  }
}

/**
 * Opens the database for its owner: sound, current, and with every commit on the disk before it returns. What is newer
 * or damaged is looked at without a change and refused. The caller holds the owner's lock.
 */
export function openForOwner(path: string): Result<DatabaseSyncInstance, StoreProblem> {
  return guarded(path, (opened) => {
    const isNew = !existsSync(path) || statSync(path).size === 0;
    if (isNew) {
      // SQLite would make it readable for everybody; its journal files inherit these rights.
      closeSync(openSync(path, 'a', 0o600));
    } else {
      const looked = opened(openUntouched(path));
      const problem = inspect(looked, path);
      looked.close();
      if (problem !== undefined && problem.kind !== 'older') return err(problem);
    }
    const db = opened(new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS }));
    const unsafe = makeDurable(db, path);
    if (unsafe !== undefined) return err(unsafe);
    migrate(db);
    // Again, because a first write has happened since: a reopened database was seen to fall back to a weaker setting.
    const changed = checkDurable(db, path);
    return changed === undefined ? ok(db) : err(changed);
  });
}

/** Opens a database that nobody writes to without leaving anything beside it; its log is read where a kill left one. */
function openUntouched(path: string): DatabaseSyncInstance {
  const hasLog = existsSync(`${path}-wal`);
  const url = pathToFileURL(path);
  // Without a log SQLite may take the file for one that never changes: it makes no log and no shared memory then.
  if (!hasLog) url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}

/** Opens the database to look at it, beside an owner or without one. */
export function openForReading(path: string): Result<DatabaseSyncInstance, StoreProblem> {
  if (!existsSync(path)) return err(storeProblem('missing', `There is no ${path}.`));
  return guarded(path, (opened) => {
    const db = opened(new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS }));
    const problem = inspect(db, path);
    return problem === undefined ? ok(db) : err(problem);
  });
}

/** Turns what the disk does into a problem, and leaves no connection open behind one. */
function guarded(
  path: string,
  open: (opened: (db: DatabaseSyncInstance) => DatabaseSyncInstance) => Result<DatabaseSyncInstance, StoreProblem>,
): Result<DatabaseSyncInstance, StoreProblem> {
  const connections: DatabaseSyncInstance[] = [];
  const closeAll = (): void => connections.filter((db) => db.isOpen).forEach((db) => db.close());
  try {
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

function inspect(db: DatabaseSyncInstance, path: string): StoreProblem | undefined {
  const version = readPragma(db, 'user_version');
  const isEmpty = prepare(db, 'SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  // Left by a process that was killed between the creation of the file and its first migration.
  if (isEmpty && version === 0) return storeProblem('older', `${path} is empty.`);
  if (readPragma(db, 'application_id') !== APPLICATION_ID) {
    return storeProblem('damaged', `${path} is not a database of Nocturne, or has lost its beginning.`);
  }
  if (Number(version) > MIGRATIONS.length) {
    return storeProblem(
      'newer',
      `${path} was made by a newer version (${version}; this one knows ${MIGRATIONS.length}).`,
    );
  }
  const fault = readPragma(db, 'quick_check(1)');
  if (fault !== 'ok') return storeProblem('damaged', `${path} is damaged: ${fault}`);
  if (Number(version) < MIGRATIONS.length) return storeProblem('older', `${path} was made by an older version.`);
  return undefined;
}

/** Every value is as the reading gives it back. */
const DURABLE: Readonly<Record<string, string | number>> = {
  journal_mode: 'wal',
  synchronous: 2,
  ...(process.platform === 'darwin' ? { fullfsync: 1, checkpoint_fullfsync: 1 } : {}),
};

function makeDurable(db: DatabaseSyncInstance, path: string): StoreProblem | undefined {
  // In this order: turning the journal to WAL can lower `synchronous`.
  for (const [name, value] of Object.entries(DURABLE)) db.exec(`PRAGMA ${name} = ${value}`);
  // 16 MiB of pages; a log that a long reader has let grow shrinks again.
  db.exec('PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864');
  return checkDurable(db, path);
}

/** Reads every setting back that a commit's safety depends on; the problem names the one that did not hold. */
export function checkDurable(db: DatabaseSyncInstance, path: string): StoreProblem | undefined {
  const wrong = Object.entries(DURABLE).find(([name, value]) => readPragma(db, name) !== value);
  if (wrong === undefined) return undefined;
  const [name, value] = wrong;
  return storeProblem('unsafe', `${path}: ${name} is ${readPragma(db, name)} where ${value} is needed.`);
}

function migrate(db: DatabaseSyncInstance): void {
  const version = Number(readPragma(db, 'user_version'));
  db.function('fold_row_id', { deterministic: true }, foldRowId);
  MIGRATIONS.slice(version).forEach((migration, i) => {
    db.exec(
      `BEGIN IMMEDIATE; ${migration};
       PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version + i + 1}; COMMIT`,
    );
  });
}

/** The value of a pragma, or of a check that is one. */
export function readPragma(db: DatabaseSyncInstance, name: string): string | number | undefined {
  const row = prepare<Record<string, string | number>>(db, `PRAGMA ${name}`).get();
  return row && Object.values(row)[0];
}
