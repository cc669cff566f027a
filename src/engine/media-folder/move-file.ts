/** Verified files under another path of their media folder: named anew first, and only then without their old name. */
import { lstat, realpath, unlink } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { BigIntStats } from 'node:fs';
import { syncFolder } from '../whole-file.ts';
import { diskErrorCode, EscapingFolderError } from './disk-failure.ts';
import { openSubfolder, realSubfolder } from './known-folders.ts';
import { fileMatches, identityOfFile } from './plain-file.ts';
import { candidateNames, giveName, removeUnfinishedCopy } from './place-file.ts';

/** A file as it was verified. */
export interface VerifiedFile {
  /** Inside the media folder, with `/`: a subfolder and a name. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Gives a file a second name in its media folder, durably and without replacing any file: the one at `to`, or
 * the next one that is free and that `claim` takes, which has it recorded. Returns false if there is no such file, or if
 * nobody wants it moved any more. Afterwards it still has its old name. Throws errors of the disk.
 */
export async function nameElsewhere(
  folder: string,
  file: VerifiedFile,
  to: string,
  claim: (path: string) => Promise<'claimed' | 'taken' | 'unwanted'>,
): Promise<boolean> {
  const base = await realpath(folder);
  const [subfolder, name] = partsOf(to);
  const from = await realPathOf(base, file.path);
  const found = await lookAt(from);
  if (found?.isFile() !== true || found.size !== BigInt(file.bytes)) return false;
  const target = await openSubfolder(base, subfolder);
  const extension = extname(name);
  for (const candidate of candidateNames(name.slice(0, name.length - extension.length), extension.slice(1))) {
    const placed = join(target, candidate);
    const isNew = await giveName(from, placed);
    if (!isNew && !(await hasName(from, placed, found, file))) continue;
    await syncFolder(target);
    const claimed = await claim(`${subfolder}/${candidate}`);
    if (claimed === 'claimed') return true;
    // Another file's by the store, although nothing lay there; or the user has said something else since. A name that was
    // there before may be that file's, also where somebody has made one file of all that are alike.
    if (isNew) await unlink(placed);
    if (claimed === 'unwanted') return false;
  }
  return false;
}

/** Whether the file has a name that is taken: since an earlier move that came this far. */
async function hasName(from: string, to: string, found: BigIntStats, file: VerifiedFile): Promise<boolean> {
  const there = await lookAt(to);
  if (there !== undefined && identityOfFile(there) === identityOfFile(found)) return true;
  // Without hard links: a copy that was cut off, or the whole one.
  await removeUnfinishedCopy(from, to);
  return (await giveName(from, to)) || fileMatches(to, file.sha256, file.bytes);
}

/**
 * Removes a file of a media folder, or the path that it had before it was moved: what lies there goes if it is that file, or
 * an older one with its content. Anything else there is somebody else's, and stays. False: it is the last copy of a file that
 * was moved, and stays, too. Throws errors of the disk.
 */
export async function removeName(folder: string, path: string, file: VerifiedFile): Promise<boolean> {
  const base = await realpath(folder);
  const old = await lookAtPath(base, path);
  if (old === undefined || !old.found.isFile()) return true;
  if (path !== file.path) {
    const now = await lookAtPath(base, file.path);
    if (now === undefined) return false;
    // What was placed here since has the same content where two takes are twins, and is newer.
    const isSame = identityOfFile(now.found) === identityOfFile(old.found);
    if (!isSame && old.found.mtimeNs > now.found.mtimeNs) return true;
    if (!isSame && !(await fileMatches(old.real, file.sha256, file.bytes))) return true;
  } else if (!(await fileMatches(old.real, file.sha256, file.bytes))) return true;
  await unlink(old.real);
  await syncFolder(dirname(old.real));
  return true;
}

async function lookAtPath(base: string, path: string) {
  try {
    const real = await realPathOf(base, path);
    const found = await lookAt(real);
    return found && { real, found };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(diskErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** The real path of what a path inside a media folder names; its last part may be anything, also a link. */
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

async function lookAt(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (diskErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
