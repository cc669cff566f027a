/** What a restore writes under temporary names. All of it is useless once the restore has ended, however it ended. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { settingsBeside } from './carried-files.ts';

/** The backup that is to become the store. */
export const RESTORING = 'nocturne-restoring.db';
/** A copy of what is to be replaced, in the folder of the original. */
export const COPYING = 'nocturne-restoring-copy';

/** Removes what a restore has left in a data folder. The owner's lock is held, so no other restore is under way. */
export function clearRestore(dataDir: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(path.join(dataDir, RESTORING + end), { force: true });
  const settings = settingsBeside(dataDir);
  for (const folder of [dataDir, ...(settings === undefined ? [] : [path.dirname(settings)])]) {
    rmSync(path.join(folder, COPYING), { recursive: true, force: true });
  }
}
