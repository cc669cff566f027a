/** Where a new batch puts its files: into its own folder. */
import { sayError } from '../../shared/domain/base/reason.ts';
import { mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { batchFolderName } from '../../shared/domain/base/name-text.ts';
import { asSentence, freeName } from '../../shared/domain/base/text.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { FOLDER_IDENTITY_FILE } from '../../shared/domain/files/naming.ts';
import { words } from '../../shared/words/words.ts';
import { makeFolderSync } from '../../engine/make-folder.ts';

const TRIES = 1_000;
const ZIP = '.zip';

/**
 * Makes the media folder of a new batch. An empty folder that the user chose becomes this folder; in a folder with
 * contents, and in the default folder, a new one is made and named after the batch: two batches in one folder would
 * overwrite each other's manifest. A chosen folder that is gone is not made again: its disk may not be connected. The
 * error is in words for the user.
 * @param input `mayMake`: the default folder is the application's own; by default, the user has chosen it, too.
 */
export function makeBatchFolder(input: {
  readonly chosen: string | undefined;
  readonly defaultFolder: string;
  readonly mayMake?: boolean;
  readonly batchName: string;
}): Result<string, string> {
  const parent = input.chosen ?? input.defaultFolder;
  const mayMake = input.chosen === undefined && input.mayMake === true;
  try {
    if (mayMake) makeFolderSync(parent);
    if (input.chosen !== undefined && readdirSync(parent).length === 0) return ok(parent);
    return makeNumbered(parent, folderName(input.batchName));
  } catch (error) {
    if (!mayMake && (error as NodeJS.ErrnoException).code === 'ENOENT')
      return err(words.desktop.batch.folderGone(parent));
    return err(words.desktop.batch.noFolder(parent, asSentence(sayError(error))));
  }
}

/** True for a folder that was made for a batch of this name and contains only what it is known by. */
export function isUnusedFolder(folder: string, batchName: string): boolean {
  const name = basename(folder);
  const made = folderName(batchName);
  const isNumbered = name.startsWith(`${made} `) && /^\d+$/.test(name.slice(made.length + 1));
  if (name !== made && !isNumbered) return false;
  try {
    return readdirSync(folder).every((name) => name === FOLDER_IDENTITY_FILE);
  } catch {
    return false;
  }
}

/** Removes a folder that was made for a batch and is unused; any other folder stays. */
export function removeUnusedFolder(folder: string, batchName: string): void {
  if (!isUnusedFolder(folder, batchName)) return;
  try {
    rmSync(join(folder, FOLDER_IDENTITY_FILE), { force: true });
    rmdirSync(folder);
  } catch {
    // Somebody has just put something into it, so it is in use after all.
  }
}

function makeNumbered(parent: string, name: string): Result<string, string> {
  for (let number = 1; number <= TRIES; number += 1) {
    const folder = join(parent, number === 1 ? name : `${name} ${number}`);
    try {
      mkdirSync(folder);
      return ok(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return err(words.desktop.batch.manyFolders(name, parent));
}

/**
 * The path for a ZIP named after a batch, with a name that is still free in a folder. Whoever makes the ZIP checks
 * again.
 */
export function newZipPath(folder: string, batchName: string): string {
  const names = namesIn(folder);
  const zips = names.filter((name) => name.endsWith(ZIP)).map((name) => name.slice(0, -ZIP.length));
  return join(folder, `${freeName(folderName(batchName), zips)}${ZIP}`);
}

/** No names if the folder is gone or cannot be read: whoever writes into it reports that. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function folderName(batchName: string): string {
  return batchFolderName(batchName, 'Batch');
}

/** Whether two paths lead to the same folder, through whatever links. */
export function isSameFolder(one: string, other: string): boolean {
  return realPath(one) === realPath(other);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // The folder is still to be made: no link leads elsewhere yet.
    return path;
  }
}
