/** The copy of a store that is made before its schema changes: an earlier version of Nocturne can go on with it. */
import { reason, type Reason } from '../../../shared/domain/base/reason.ts';
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { keepNewestSync, syncFolderSync } from '../../whole-file.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { storeProblem, problemOfError, type StoreProblem } from './store-problem.ts';

/** A store with years of nights is large: two copies are enough to go back twice. */
const COPIES_KEPT = 2;

const COPY = /^nocturne-schema-\d+\.db$/u;

/** Where a store of this schema is copied to before it takes the next step. */
export function updateBackupOf(databasePath: string, schema: number): string {
  return path.join(path.dirname(databasePath), `nocturne-schema-${schema}.db`);
}

/**
 * Makes a sound, durable copy of a database with batches beside it; one without batches needs no copy. The problem says
 * what prevented the copy: the database must then not be changed.
 */
export function backUpBeforeUpdate(db: SqliteDatabase, databasePath: string): StoreProblem | undefined {
  const schema = Number(db.pragma('user_version'));
  if (schema === 0 || db.prepare('SELECT 1 FROM batches LIMIT 1').get() === undefined) return undefined;
  const copy = updateBackupOf(databasePath, schema);
  const part = `${copy}.new`;
  try {
    rmSync(part, { force: true });
    // Created here, for this user alone: SQLite would let everybody read it.
    closeSync(openSync(part, 'wx', 0o600));
    db.prepare('VACUUM INTO ?').run(part);
    const fault = faultOf(part, copy, schema);
    if (fault !== undefined) return storeProblem('damaged', fault);
    renameSync(part, copy);
    syncFolderSync(path.dirname(copy));
    // Somebody who went back to an earlier version has started again from its number.
    keepNewestSync(copy, COPY, COPIES_KEPT);
    return undefined;
  } catch (error) {
    const problem = problemOfError(error, reason('store.updateCopy', copy));
    if (problem === undefined) throw error;
    return problem;
  } finally {
    rmSync(part, { force: true });
  }
}

/** What is wrong with a copy, once it is on the disk. */
function faultOf(file: string, copy: string, schema: number): Reason | undefined {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
  const db = new SqliteDatabase(file, { readOnly: true });
  try {
    const fault = db.pragma('quick_check(1)');
    if (fault !== 'ok') return reason('store.copyDamaged', copy, String(fault));
    return db.pragma('user_version') === schema ? undefined : reason('store.copyOther', copy);
  } finally {
    db.close();
  }
}
