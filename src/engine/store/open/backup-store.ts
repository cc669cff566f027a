import { backup } from '@photostructure/sqlite';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { openForReading } from './open-database.ts';
import { problemOfError, storeProblem, type StoreProblem } from './store-problem.ts';

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
