import { constants, type BigIntStats } from 'node:fs';
import { copyFile, link, lstat, open, rename, rm, unlink } from 'node:fs/promises';
import { join, sep, basename, extname, resolve } from 'node:path';
import { shorten } from '../../shared/domain/base/name-text.ts';
import { present } from '../../shared/domain/base/result.ts';
import { crashPoint } from '../crash-point.ts';
import type { Placement, FetchRequest, OutputJournal } from '../ports/media-folder.ts';
import { syncFolder, syncFolderOnce } from '../whole-file.ts';
import { diskErrorCode } from './disk-failure.ts';
import { openSubfolder } from './known-folders.ts';
import { openIfThere, fileMatches, identityOfFile, syncPlainFile, type FileIdentity } from './plain-file.ts';
import { partName, partsOfOthers } from './fetch/part-file.ts';
import type { Place, UnwrittenPart } from './fetch/place.ts';
import { NO_HARD_LINKS } from './thread/file-steps.ts';

/** The folder for files that could not be verified, inside the media folder. */
export const SET_ASIDE_FOLDER = 'set-aside';

/** More files of one name than anyone has; the search for a free name must end. */
const MAX_NUMBER = 100_000;

/** True if anything exists under this path, even a link that leads nowhere. */
export async function isTaken(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (diskErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Gives a file its name without ever replacing another: by a hard link, or by a copy on disks without hard links. Both
 * names are in one folder. False if the name is taken. Afterwards, the old name is gone and the folder is durable.
 */
export async function moveWithoutReplacing(from: string, folder: string, name: string): Promise<boolean> {
  if (!(await giveName(from, join(folder, name)))) return false;
  crashPoint('place.linked');
  // It does not matter if another program has moved it away: the file has its name.
  await rm(from, { force: true });
  crashPoint('place.part-removed');
  await syncFolderOnce(folder);
  crashPoint('place.folder-synced');
  return true;
}

/** Gives a file one more name on its disk, or makes a copy on a disk without hard links. False if the name is taken. */
export async function giveName(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const code = diskErrorCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!NO_HARD_LINKS.has(code)) throw error;
    return copyWithoutReplacing(from, to);
  }
}

/** Removes the copy if it fails, unless the machine stops in the middle. */
async function copyWithoutReplacing(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
  } catch (error) {
    if (diskErrorCode(error) === 'EEXIST') return false;
    await rm(to, { force: true });
    throw error;
  }
  const copy = await open(to, 'r+');
  try {
    await copy.sync();
  } finally {
    await copy.close();
  }
  return true;
}

/**
 * Removes a copy that a stopped machine left unfinished: it is shorter than the part, identical up to its end, and no
 * older. An empty file that was there before is the user's.
 */
export async function removeUnfinishedCopy(part: string, target: string): Promise<void> {
  const [whole, copy] = [await openIfThere(part), await openIfThere(target)];
  try {
    if (whole === undefined || copy === undefined) return;
    const [{ size, mtimeMs }, all] = [await copy.stat(), await whole.stat()];
    if (size >= all.size || mtimeMs < all.mtimeMs) return;
    const [a, b] = [Buffer.alloc(1 << 16), Buffer.alloc(1 << 16)];
    for (let at = 0; at < size; at += a.length) {
      const length = Math.min(a.length, size - at);
      await whole.read(a, 0, length, at);
      await copy.read(b, 0, length, at);
      if (!a.subarray(0, length).equals(b.subarray(0, length))) return;
    }
    await unlink(target);
  } finally {
    await whole?.close();
    await copy?.close();
  }
}

/** How the name of a file that is about to be removed begins. */
export const ASIDE = '.nocturne-gone-';
/** Every disk takes names of this length, whatever is added; an encrypted one may take none of more than 143 bytes. */
const ALWAYS_FITS_BYTES = 120;

/** As much of the stem of a name as the disk of a folder takes: one file must not keep all others from coming. */
async function fittingStem(folder: string, stem: string, extension: string): Promise<string> {
  const most = ALWAYS_FITS_BYTES - Buffer.byteLength(extension);
  if (Buffer.byteLength(stem) <= most) return stem;
  try {
    // The longest name that it may ever have.
    await lstat(join(folder, `${ASIDE}${stem}-${MAX_NUMBER}.${extension}`));
  } catch (error) {
    if (diskErrorCode(error) === 'ENAMETOOLONG') return shorten(stem, stem.length, most).replace(/[ .]+$/u, '');
  }
  return stem;
}

/** `name.ext`, `name-2.ext`, `name-3.ext`, … */
export function* candidateNames(stem: string, extension: string): Iterable<string> {
  yield `${stem}.${extension}`;
  for (let number = 2; number <= MAX_NUMBER; number += 1) yield `${stem}-${number}.${extension}`;
}

/** What is placed: a whole, verified file. */
export interface PlaceOrder {
  /** Where it is, durable; or the whole part, to be written and named in one step once a name is committed for it. */
  readonly part: string | UnwrittenPart;
  /** What distinguishes a part on the disk from another file of its name; without it, the content decides. */
  readonly identity?: FileIdentity;
  /** The subfolder's name inside the media folder. */
  readonly kind: string;
  readonly stem: string;
  readonly extension: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string;
  readonly seconds?: number;
  /** The placement that had been committed for it before, by a run that ended or by another worker. */
  readonly committed?: Placement;
}

/**
 * Commits each name before using it (`placing`), until one is free in both the journal and the folder. Undefined:
 * something else has replaced the part since it was verified, and nothing is placed.
 *
 * If the name that was committed before already has this very content, the file is in its place: a worker that lost the
 * download after that commit may have written it in the meantime, and a second file would be nobody's.
 */
export async function placeVerified(
  order: PlaceOrder,
  place: Place,
  placing: (placement: Placement) => Promise<boolean>,
): Promise<Placement | undefined> {
  const { extension, kind, sha256, bytes, mediaType, seconds, identity, committed } = order;
  let { part } = order;
  const stem = await fittingStem(place.path, order.stem, extension);
  let isCrowded = false;
  for (const name of candidateNames(stem, extension)) {
    // The writing thread sees whether a name is taken. If one was, the next is checked before it is committed.
    const target = join(place.path, name);
    const wasOurs = committed?.path === `${kind}/${name}` && committed.sha256 === sha256;
    const isThere = async (): Promise<boolean> => wasOurs && fileMatches(target, sha256, bytes);
    if ((typeof part === 'string' || isCrowded) && (await isTaken(target)) && !(await isThere())) continue;
    const placement: Placement = { path: `${kind}/${name}`, sha256, bytes, mediaType, ...present({ seconds }) };
    if (!(await placing(placement))) continue;
    crashPoint('place.committed');
    if (typeof part !== 'string') {
      const written = await place.write(part, name);
      if (written.kind === 'placed') return placement;
      if (written.kind === 'replaced') return undefined;
      if (written.kind === 'taken') {
        if (await isThere()) return settled(placement, place);
        part = written.left;
        isCrowded = true;
        continue;
      }
      part = written.path;
    }
    const moved = await move({ part, identity, sha256, bytes }, place.path, name);
    if (moved === 'placed') return placement;
    if (moved === 'replaced') return undefined;
    if (await isThere()) {
      await rm(part, { force: true });
      return settled(placement, place);
    }
  }
  throw new Error(`No free name for ${stem}`);
}

/** Makes a file durable that another worker has put under its name. */
async function settled(placement: Placement, { path: folder }: Place): Promise<Placement> {
  await syncFolder(folder);
  return placement;
}

/** Runs in the system's pool: without hard links, it copies, which must not keep a thread busy that others wait for. */
async function move(whole: WholePart, folder: string, name: string): Promise<'placed' | 'taken' | 'replaced'> {
  const { part } = whole;
  if (!(await isStill(whole))) {
    await rm(part, { force: true });
    return 'replaced';
  }
  if (!(await moveWithoutReplacing(part, folder, name))) return 'taken';
  const named = await foundAt(join(folder, name));
  // If another program has changed the file since, `verify` will report that, and the file is not ours to remove.
  if (named === undefined || named.isFile() || named.isDirectory()) return 'placed';
  // `link` would also have named a symbolic link.
  await unlink(join(folder, name));
  return 'replaced';
}

/** A part on the disk, whose content was seen. */
export interface WholePart {
  readonly part: string;
  readonly identity: FileIdentity | undefined;
  readonly sha256: string;
  readonly bytes: number;
}

/** True if the part's name belongs to the same file, or to one with this content, and not to a link. */
export async function isStill({ part, identity, sha256, bytes }: WholePart): Promise<boolean> {
  const found = await foundAt(part);
  if (found?.isFile() !== true || found.size !== BigInt(bytes)) return false;
  return identityOfFile(found) === identity || fileMatches(part, sha256, bytes);
}

/** What is at a path, not what a link there leads to; undefined if nothing is. */
export async function foundAt(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (diskErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Keeps a file that could not be verified, under a free name. Returns its path inside the media folder; undefined if
 * something else has replaced the part.
 */
export async function setAside(
  { path: part, bytes }: { readonly path: string; readonly bytes: number },
  folder: string,
  stem: string,
  extension: string,
): Promise<string | undefined> {
  const found = await foundAt(part);
  if (found?.isFile() !== true || found.size !== BigInt(bytes)) return undefined;
  const aside = await openSubfolder(folder, SET_ASIDE_FOLDER);
  for (const name of candidateNames(await fittingStem(aside, stem, extension), extension)) {
    if (await isTaken(join(aside, name))) continue;
    // The file is not verified, so nothing is promised: a plain move is enough, and the name need not be claimed first.
    await rename(part, join(aside, name));
    await syncFolder(aside);
    return `${SET_ASIDE_FOLDER}/${name}`;
  }
  throw new Error(`No free name for ${stem}`);
}

/**
 * Finishes a placement that an earlier run committed as `placing` and did not complete: either the file is already in
 * its place, or its part still exists and is placed now. Undefined: neither exists, so the file must be fetched again.
 */
export async function recoverPlacement(
  request: Pick<FetchRequest, 'outputId' | 'generation' | 'kind' | 'stem' | 'placement'>,
  place: Place,
  journal: OutputJournal,
): Promise<Placement | undefined> {
  const { placement } = request;
  if (placement === undefined) return undefined;
  const folder = place.path;
  const name = basename(placement.path);
  const target = resolve(folder, name);
  if (!target.startsWith(folder + sep) || placement.path !== `${request.kind}/${name}`) {
    throw new Error(`Placement outside its folder: ${placement.path}`);
  }
  const { sha256, bytes, mediaType, seconds } = placement;
  if (await fileMatches(target, sha256, bytes)) {
    await syncFolder(folder);
    return placement;
  }
  const part = await findWholePart(folder, request, placement);
  if (part === undefined) return undefined;
  // The engine may have ended between the last byte and its sync.
  await syncPlainFile(part);
  await removeUnfinishedCopy(part, target);
  // The path was committed for this output and needs no second commit, unless a foreign file has taken it.
  if (await moveWithoutReplacing(part, folder, name)) return placement;
  const extension = extname(name).slice(1);
  const { kind, stem } = request;
  const media = { kind, stem, extension, sha256, bytes, mediaType, ...present({ seconds }) };
  const order = { part, ...media, committed: placement };
  return placeVerified(order, place, (choice) => journal.placing(choice));
}

/**
 * The part of an output that has the whole content: this worker's own, or another worker's, which may be gone after it
 * committed the placement. If the disk has damaged its own part since it was verified, the part is removed: if it were
 * resumed, the damage would go unnoticed.
 */
export async function findWholePart(
  folder: string,
  { outputId, generation }: Pick<FetchRequest, 'outputId' | 'generation'>,
  { sha256, bytes }: Pick<Placement, 'sha256' | 'bytes'>,
): Promise<string | undefined> {
  const own = join(folder, partName(outputId, generation));
  if (await fileMatches(own, sha256, bytes)) return own;
  const found = await foundAt(own);
  if (found?.isFile() === true && found.size === BigInt(bytes)) await rm(own, { force: true });
  for (const path of await partsOfOthers(folder, outputId, generation))
    if (await fileMatches(path, sha256, bytes)) return path;
  return undefined;
}
