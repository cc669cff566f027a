import { reason } from '../../../shared/domain/base/reason.ts';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { problemOfError, storeProblem, type StoreProblem } from './store-problem.ts';

/** The sole right to write to a store. The operating system releases it when the process ends, however it ends. */
export interface OwnerLock {
  release(): void;
}

/**
 * Takes the lock of a data folder, or says which process holds it. It is SQLite's own lock on a second, empty database:
 * it works wherever the store itself works, and others can still read the store.
 */
export function takeOwnerLock(dataDir: string): Result<OwnerLock, StoreProblem> {
  const lockPath = join(dataDir, 'owner.lock');
  const pidPath = join(dataDir, 'owner.pid');
  const isNew = !existsSync(lockPath);
  let lock: DatabaseSyncInstance | undefined;
  try {
    // Waits a moment: a process that asks whether there is an owner holds the lock briefly.
    lock = new DatabaseSync(lockPath, { timeout: 100 });
    lock.exec('BEGIN EXCLUSIVE');
    // By path: closing another handle of the file would release the lock.
    if (isNew) chmodSync(lockPath, 0o600);
    writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    if (lock?.isOpen) lock.close();
    const problem = problemOfError(error, lockPath);
    if (problem === undefined) throw error;
    return err(problem.kind === 'owned' ? ownedProblem(dataDir, pidPath) : problem);
  }
  const held = lock;
  return ok({
    release() {
      // Before the lock is released: afterwards the file may belong to the next owner.
      rmSync(pidPath, { force: true });
      held.close();
    },
  });
}

/**
 * Whether a process has the lock of a data folder at this moment. Checks the lock itself: after a kill, the note is
 * wrong.
 */
export function isOwned(dataDir: string): boolean {
  // An owner that ends as it should removes its note.
  if (!existsSync(join(dataDir, 'owner.pid'))) return false;
  const lockPath = join(dataDir, 'owner.lock');
  let lock: DatabaseSyncInstance | undefined;
  try {
    lock = new DatabaseSync(lockPath, { readOnly: true });
    lock.exec('SELECT count(*) FROM sqlite_master');
    return false;
  } catch (error) {
    const problem = problemOfError(error, lockPath);
    if (problem === undefined) throw error;
    return problem.kind === 'owned';
  } finally {
    if (lock?.isOpen) lock.close();
  }
}

function ownedProblem(dataDir: string, pidPath: string): StoreProblem {
  const pid = readPid(pidPath);
  const said = pid === undefined ? reason('store.owned', dataDir) : reason('store.ownedBy', dataDir, pid);
  return storeProblem('owned', said, undefined, pid);
}

function readPid(pidPath: string): number | undefined {
  try {
    const pid = Number(readFileSync(pidPath, 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // The other process has the lock but has not written its note yet; the message does without the pid.
    return undefined;
  }
}
