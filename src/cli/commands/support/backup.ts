/** Commands that copy the whole store, and put such a copy in its place. */
import path from 'node:path';
import { backupStore, restoreStore } from '../../../engine/index.ts';
import type { Console } from '../../console.ts';
import { count } from '../../describe.ts';
import { CommandFailure, EXIT, type ExitCode, wrongUsage } from '../../ending.ts';
import { dataDirOf, refuseServer } from '../../open-store.ts';
import type { CommonOptions } from '../../options.ts';

export interface BackupOptions extends CommonOptions {
  readonly out?: string;
}

/** Copies the store, and what belongs to it, into one file, even during a night. */
export async function backupCommand(
  console: Console,
  named: string | undefined,
  options: BackupOptions,
): Promise<ExitCode> {
  refuseServer(options, (schema) => `Copy it with: pg_dump --schema=${schema} DATABASE > FILE`);
  if ((named === undefined) === (options.out === undefined)) {
    throw wrongUsage('Not one file named.', 'Name the file to write: nocturne backup FILE');
  }
  const file = path.resolve(named ?? options.out ?? '');
  const done = await backupStore(dataDirOf(options), file);
  if (!done.ok) throw wrongUsage(done.error.message, done.error.remedy);
  console.document({ file });
  console.line(`Copied the store to ${file}. To use the copy: nocturne restore ${file}`);
  return EXIT.done;
}

/** Makes a backup the store. Refused while another process has the store: nothing is replaced in a night. */
export async function restoreCommand(console: Console, named: string, options: CommonOptions): Promise<ExitCode> {
  refuseServer(options, (schema) => `Put a copy back with: psql DATABASE < FILE, where there is no schema ${schema}.`);
  const file = path.resolve(named);
  const dataDir = dataDirOf(options);
  const done = await restoreStore(dataDir, file, Date.now());
  if (!done.ok) {
    const { kind, message, remedy } = done.error;
    throw new CommandFailure(kind === 'owned' ? EXIT.storeOwned : EXIT.usage, message, remedy);
  }
  const { batches, newestAt, paused, aside, brought, problem } = done.value;
  const newest = newestAt === undefined ? undefined : new Date(newestAt).toISOString();
  console.document({ file, dataDir, batches, newest, paused, aside, brought, problem: problem?.message });
  console.line(`Restored ${count(batches, 'batch', 'batches')} from ${file}.`);
  for (const line of brought) console.line(line);
  for (const kept of aside) console.line(`Kept as it was: ${kept}`);
  if (batches > 0) {
    const standing = paused === 0 ? 'Nothing in it continues by itself' : `${count(paused, 'batch', 'batches')} paused`;
    console.problem(
      `warning: ${standing}: rows may wait in this store that were paid for since the backup.\n` +
        '    → Compare it with the gateway’s own list of tasks before you start or resume a batch of it.\n' +
        '      What was paid since counts in no limit of this night or month.',
    );
  }
  if (problem === undefined) return EXIT.done;
  console.problem(`warning: ${problem.message}\n    → ${problem.remedy}`);
  return EXIT.waitsForUser;
}
