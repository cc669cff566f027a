import { constants } from 'node:fs';
import { copyFile, mkdir, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import type { ManifestFile } from '../../shared/domain/files/manifest.ts';
import { diskErrorCode } from './disk-failure.ts';
import { clearParts, ownPartName } from '../own-mark.ts';
import { fileMatches } from './plain-file.ts';
import { isTaken, moveWithoutReplacing } from './place-file.ts';

/**
 * Copies the files of a manifest into another folder, under the same paths, and checks each sha256. Replaces nothing: a
 * file that already exists must be the same. The failure names the first file that cannot be copied.
 */
export async function copyVerified(
  files: readonly ManifestFile[],
  source: string,
  target: string,
): Promise<Failure | undefined> {
  const clearOnce = clearingOnce();
  for (const { path, sha256, bytes } of files) {
    const from = join(source, ...path.split('/'));
    const to = join(target, ...path.split('/'));
    await clearOnce(dirname(to));
    if (await fileMatches(to, sha256, bytes)) continue;
    if (await isTaken(to)) {
      return failure('DISK_DENIED', reason('alreadyExists', to));
    }
    await mkdir(dirname(to), { recursive: true });
    if (!(await copyIfSame(from, to, sha256, bytes))) {
      return failure('OUTPUT_UNVERIFIABLE', reason('missingFile', from));
    }
  }
  return undefined;
}

/** Clears each folder once of what killed exports have left. */
export function clearingOnce(): (folder: string) => Promise<void> {
  const cleared = new Set<string>();
  return async (folder) => {
    if (cleared.has(folder)) return;
    cleared.add(folder);
    await clearParts(folder);
  };
}

/** Copies under a temporary name, and renames the copy after checking that it is the same. */
async function copyIfSame(from: string, to: string, sha256: string, bytes: number): Promise<boolean> {
  const temporary = join(dirname(to), ownPartName());
  try {
    if (!(await copyAside(from, temporary, sha256, bytes))) return false;
    return await moveWithoutReplacing(temporary, dirname(to), basename(to));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Makes a durable copy under a name that is free. False if there is no file, or its content is different. */
export async function copyAside(from: string, to: string, sha256: string, bytes: number): Promise<boolean> {
  if (!(await isPlainFile(from))) return false;
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch (error) {
    // The file may have been moved since: nothing is then wrong with the place of the copy.
    if (diskErrorCode(error) === 'ENOENT' && !(await isPlainFile(from))) return false;
    throw error;
  }
  const copy = await open(to, 'r+');
  try {
    await copy.sync();
  } finally {
    await copy.close();
  }
  return fileMatches(to, sha256, bytes);
}

/** Follows a link: the manifest's sha256 decides about the file it leads to. A pipe would block here. */
async function isPlainFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
    return false;
  }
}
