import path from 'node:path';
import { backupStore } from '../../engine/index.ts';
import type { Console } from '../console.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-code.ts';
import { dataDirOf, type CommonOptions } from '../options.ts';

export interface BackupOptions extends CommonOptions {
  readonly out: string;
}

/** Copies the store soundly into one file, also in the middle of a night. */
export async function backupCommand(console: Console, options: BackupOptions): Promise<ExitCode> {
  const file = path.resolve(options.out);
  const done = await backupStore(dataDirOf(options), file);
  if (!done.ok) throw new CommandFailure(EXIT.usage, done.error.message, done.error.remedy);
  console.document({ file });
  console.line(`The store is copied to ${file}. To use it, put it into a data folder as nocturne.db.`);
  return EXIT.done;
}
