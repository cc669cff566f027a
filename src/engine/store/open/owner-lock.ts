import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { problemOfError, storeProblem, type StoreProblem } from './store-problem.ts';

/** The sole right to write to a store. The operating system takes it back when the process ends, however it ends. */
export interface OwnerLock {
  release(): void;
}

/**
 * Takes the lock of a data folder, or says which process has it. The lock is SQLite's own on an empty second database:
 * it works on every platform and file system that the store itself works on, and leaves the store readable for others.
 */
export function takeOwnerLock(dataDir: string): Result<OwnerLock, StoreProblem> {
  const lockPath = join(dataDir, 'owner.lock');
  const pidPath = join(dataDir, 'owner.pid');
  const isNew = !existsSync(lockPath);
  let lock: DatabaseSyncInstance | undefined;
  try {
    lock = new DatabaseSync(lockPath);
    lock.exec('BEGIN EXCLUSIVE');
    // By its name: closing another handle of the file would give the lock away.
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
      // Before the lock goes: afterwards the file may be the next owner's.
      rmSync(pidPath, { force: true });
      held.close();
    },
  });
}

function ownedProblem(dataDir: string, pidPath: string): StoreProblem {
  const pid = readPid(pidPath);
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return storeProblem('owned', `The data folder ${dataDir} is in use by ${who}.`, pid);
}

function readPid(pidPath: string): number | undefined {
  try {
    const pid = Number(readFileSync(pidPath, 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // The other process is between the lock and its note; the message does without.
    return undefined;
  }
}
