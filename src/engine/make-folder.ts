/**
 * Folders that a user named, or in the user's home, with all that is missing above them. Node's recursive `mkdir` alone
 * never ends where a folder that is there cannot have another one in it and the system calls that missing (ENOENT): an
 * automounted folder without its server, `/proc`.
 */
import { lstatSync, mkdirSync } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Makes a folder, unless it is there. Throws what the disk says. */
export async function makeFolder(folder: string): Promise<void> {
  let missing: string | undefined;
  for (const at of wayUp(folder)) {
    if (await isThere(at)) break;
    missing = at;
  }
  // Not recursive, so that this one answers.
  if (missing !== undefined) await mkdir(missing).catch(unlessThere);
  await mkdir(folder, { recursive: true });
}

/** The same at once, with a mode for what it makes. */
export function makeFolderSync(folder: string, mode?: number): void {
  let missing: string | undefined;
  for (const at of wayUp(folder)) {
    if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) break;
    missing = at;
  }
  try {
    if (missing !== undefined) mkdirSync(missing, { mode });
  } catch (error) {
    unlessThere(error);
  }
  mkdirSync(folder, { recursive: true, mode });
}

/** A folder and all above it, up to the root, which on Windows is a drive that may be missing, too. */
function* wayUp(folder: string): Generator<string, undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return undefined;
  }
}

/** Also true for what cannot be looked at: then making it says why. */
function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
}

/** Somebody else may make it in the same moment. */
function unlessThere(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
