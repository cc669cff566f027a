/**
 * Moves verified files to another path in their media folder: they get the new name first, and only then lose the old
 * one.
 */
import { realpath, rename, unlink } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { BigIntStats } from 'node:fs';
import { syncFolder } from '../whole-file.ts';
import { diskErrorCode, EscapingFolderError } from './disk-failure.ts';
import { openSubfolder, realSubfolder } from './known-folders.ts';
import { fileMatches, identityOfFile } from './plain-file.ts';
import { ASIDE, candidateNames, giveName, foundAt } from './place-file.ts';

/** A file as it was verified. */
export interface VerifiedFile {
  /** Inside the media folder, with `/`: a subfolder and a name. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * What the store says about a name that a file has been given: it is the file's now (perhaps through another process),
 * or it is not.
 */
export type Claim = 'claimed' | 'taken' | 'unwanted';

/**
 * Gives a file a second name in its media folder, durably and without replacing any file: the name at `to`, or the next
 * free one that `claim` accepts and records. Returns false if there is no such file, or if nobody wants it moved any
 * more. Afterwards, the file still has its old name. On a disk without hard links, a process that ends in between
 * leaves a copy. Throws errors of the disk.
 */
export async function nameElsewhere(
  folder: string,
  file: VerifiedFile,
  to: string,
  claim: (path: string) => Promise<Claim>,
): Promise<boolean> {
  const base = await realpath(folder);
  const [subfolder, name] = partsOf(to);
  const from = await realPathOf(base, file.path);
  const found = await foundAt(from);
  if (found?.isFile() !== true || found.size !== BigInt(file.bytes)) return false;
  const target = await openSubfolder(base, subfolder);
  const extension = extname(name);
  for (const candidate of candidateNames(name.slice(0, name.length - extension.length), extension.slice(1))) {
    const placed = join(target, candidate);
    const isNew = await giveName(from, placed);
    // The file may have this name from an earlier move that got this far; anything else there is somebody else's.
    if (!isNew && !isSameFile(await foundAt(placed), found)) continue;
    await syncFolder(target);
    const claimed = await claim(`${subfolder}/${candidate}`);
    if (claimed === 'claimed') return true;
    // The name is another file's according to the store, although nothing was there; or the user has changed their mind
    // since. A name that existed before may be that other file's, even if it is the same file on disk because somebody
    // has merged identical files.
    if (isNew) await unlink(placed);
    if (claimed === 'unwanted') return false;
  }
  return false;
}

/** What became of a file that was to be removed; `changed`: it is not the one that was verified, and stays. */
export type Removal = 'removed' | 'gone' | 'changed';

/** Removes a file of a media folder, unless it is not the one that was verified. Throws errors of the disk. */
export async function removeFile(folder: string, file: VerifiedFile): Promise<Removal> {
  const there = await lookAtPath(await realpath(folder), file.path);
  if (there === undefined) return 'gone';
  if (!there.found.isFile() || !(await fileMatches(there.real, file.sha256, file.bytes))) return 'changed';
  await unlink(there.real);
  await syncFolder(dirname(there.real));
  return 'removed';
}

/**
 * Removes the path that a file had before it was moved: what is there is removed if it is that file, or an older one
 * with its content, and the file is at its present path. Anything else there is somebody else's, and stays.
 *
 * Another process may just have moved the file back there. So it gets a name of ours first, and is removed only if it
 * is still left over then, as `isLeft` says.
 * @returns False if the file was not where it should be: it was put there from the former path, which stays for now.
 */
export async function removeFormer(
  folder: string,
  former: string,
  file: VerifiedFile,
  isLeft: () => Promise<boolean>,
): Promise<boolean> {
  const base = await realpath(folder);
  const old = await lookAtPath(base, former);
  const aside = old && join(dirname(old.real), `${ASIDE}${basename(old.real)}`);
  if (old === undefined || aside === undefined) return removeAside(base, former, file);
  if (!old.found.isFile()) return true;
  const now = await lookAtPath(base, file.path);
  if (now === undefined) return !(await putBack(base, old.real, file));
  if (!isSameFile(now.found, old.found)) {
    // A file that was placed here since is newer; it has the same content if two takes are identical.
    if (old.found.mtimeNs > now.found.mtimeNs) return true;
    if (!(await fileMatches(old.real, file.sha256, file.bytes))) return true;
    if (!(await fileMatches(now.real, file.sha256, file.bytes))) return true;
  }
  await rename(old.real, aside);
  if (!(await isLeft())) {
    const isBack = await giveName(aside, old.real);
    if (isBack || isSameFile(await foundAt(old.real), old.found)) await unlink(aside);
    return true;
  }
  await unlink(aside);
  await syncFolder(dirname(old.real));
  return true;
}

/** Removes what a process that ended has left under a name of ours. */
async function removeAside(base: string, former: string, file: VerifiedFile): Promise<boolean> {
  const [subfolder, name] = partsOf(former);
  const aside = await lookAtPath(base, `${subfolder}/${ASIDE}${name}`);
  if (aside?.found.isFile() === true && (await fileMatches(aside.real, file.sha256, file.bytes)))
    await unlink(aside.real);
  return true;
}

/** Gives a file that is only at its former path its present name again; false if what is there is not the file. */
async function putBack(base: string, from: string, file: VerifiedFile): Promise<boolean> {
  if (!(await fileMatches(from, file.sha256, file.bytes))) return false;
  const [subfolder, name] = partsOf(file.path);
  await giveName(from, join(await openSubfolder(base, subfolder), name));
  return true;
}

function isSameFile(a: BigIntStats | undefined, b: BigIntStats): boolean {
  return a !== undefined && identityOfFile(a) === identityOfFile(b);
}

/** Whether there is nothing at a path of a media folder. */
export async function isGone(folder: string, path: string): Promise<boolean> {
  return (await lookAtPath(await realpath(folder), path)) === undefined;
}

async function lookAtPath(base: string, path: string) {
  try {
    const real = await realPathOf(base, path);
    const found = await foundAt(real);
    return found && { real, found };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(diskErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** The real path of what a path inside a media folder names; its last part may be anything, even a link. */
async function realPathOf(base: string, path: string): Promise<string> {
  const [subfolder, name] = partsOf(path);
  return join(await realSubfolder(base, subfolder), name);
}

/** The path may come from a store that others write to: it is a subfolder and a name, and leads nowhere else. */
function partsOf(path: string): readonly [string, string] {
  const parts = path.split('/');
  const [subfolder = '', name = ''] = parts;
  const isPlain = (part: string): boolean => !['', '.', '..'].includes(part) && !/[\\\0]/u.test(part);
  if (parts.length !== 2 || !parts.every(isPlain)) throw new EscapingFolderError(path);
  return [subfolder, name];
}
