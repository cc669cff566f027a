/** Commands that copy the whole store, put such a copy in its place, or move it to another one. */
import { statSync } from 'node:fs';
import path from 'node:path';
import {
  backupStore,
  isStoreAddress,
  moveStore,
  restoreStore,
  storeAddress,
  type StorePlace,
} from '../../../engine/index.ts';
import type { Console } from '../../console.ts';
import { count } from '../../describe.ts';
import { CommandFailure, EXIT, type ExitCode, wrongUsage } from '../../ending.ts';
import { dataDirOf, refuseServer } from '../../with-store.ts';
import type { CommonOptions } from '../../options/common-options.ts';

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
    throw wrongUsage('Exactly one file must be named.', 'Name the file to write: nocturne backup FILE');
  }
  const file = path.resolve(named ?? options.out ?? '');
  const done = await backupStore(dataDirOf(options), file);
  if (!done.ok) throw wrongUsage(done.error.message, done.error.remedy);
  console.document({ file });
  console.line(`Copied the store to ${file}. To use the copy: nocturne restore ${file}`);
  return EXIT.done;
}

/**
 * Puts a backup in place of the store. Refused while another process has the store: nothing is replaced during a night.
 */
export async function restoreCommand(console: Console, named: string, options: CommonOptions): Promise<ExitCode> {
  refuseServer(options, (schema) => `Put a copy back with: psql DATABASE < FILE, where there is no schema ${schema}.`);
  const file = path.resolve(named);
  // SQLite would wait for a pipe.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw wrongUsage(`${file} is not a regular file.`, 'Name a backup that Nocturne wrote.');
  }
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
        '      What was paid since then counts towards no limit of this night or month.',
    );
  }
  if (problem === undefined) return EXIT.done;
  console.problem(`warning: ${problem.message}\n    → ${problem.remedy}`);
  return EXIT.waitsForUser;
}

export interface MoveOptions extends CommonOptions {
  readonly from: string;
  readonly to: string;
}

/** Copies the store, compares both, and marks the old one, so that only the new one is opened. */
export function moveCommand(console: Console, options: MoveOptions): ExitCode {
  const moved = moveStore(placeNamed(options.from), placeNamed(options.to));
  if (!moved.ok) {
    const { kind, message, remedy } = moved.error;
    throw new CommandFailure(kind === 'owned' ? EXIT.storeOwned : EXIT.usage, message, remedy);
  }
  const { from, to, tables } = moved.value;
  const rows = Object.fromEntries(tables.map((table) => [table.table, table.rows]));
  console.document({ from, to, tables });
  console.line(
    `Moved ${count(rows['batches'] ?? 0, 'batch', 'batches')} with ${count(rows['rows'] ?? 0, 'row')}, compared.`,
  );
  console.line(`From ${from}, which is left as it was and can no longer be opened,`);
  console.line(`to ${to}.`);
  return EXIT.done;
}

function placeNamed(text: string): StorePlace {
  if (!isStoreAddress(text)) return { kind: 'folder', dataDir: path.resolve(text) };
  const address = storeAddress(text);
  if (!address.ok) throw wrongUsage(address.error.message, address.error.remedy);
  return { kind: 'server', address: address.value };
}
