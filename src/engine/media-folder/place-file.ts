import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, open, realpath, rename, rm, unlink } from 'node:fs/promises';
import { join, sep, basename, extname, resolve } from 'node:path';
import { crashPoint } from '../crash-point.ts';
import type { Placement, FetchRequest, OutputJournal } from '../ports.ts';
import { syncFolder } from '../whole-file.ts';
import { diskErrorCode, EscapingFolderError } from './disk-failure.ts';
import { openIfThere, fileMatches } from './plain-file.ts';
import { partName } from './fetch/part-file.ts';

/** Where files that could not be verified are kept, inside the media folder. */
export const SET_ASIDE_FOLDER = 'set-aside';

/** Systems and disks without hard links say one of these. */
const NO_HARD_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EISDIR',
]);

/** More files of one name than anyone has; the loop that looks for a free name must end. */
const MAX_NUMBER = 100_000;

/** Makes sure of a subfolder of the media folder, and that it lies inside of it. Returns its real path. */
export async function openSubfolder(folder: string, name: string): Promise<string> {
  const base = await realpath(folder);
  const path = join(base, name);
  try {
    await mkdir(path);
  } catch (error) {
    if (diskErrorCode(error) !== 'EEXIST') throw error;
  }
  return realSubfolder(base, name);
}

/** The real path of a subfolder of `base`, itself a real path; throws where it is a link that leads out of it. */
export async function realSubfolder(base: string, name: string): Promise<string> {
  const path = join(base, name);
  const real = await realpath(path);
  if (!real.startsWith(base.endsWith(sep) ? base : base + sep)) {
    throw new EscapingFolderError(path);
  }
  return real;
}

/** True when there is anything under this path, also a link that leads nowhere. */
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
 * Gives a file its name without ever replacing another: a hard link, or a copy where there are none. Both names are in
 * one folder. False: the name is taken. The old name is gone afterwards; the folder is made durable.
 */
export async function moveWithoutReplacing(from: string, folder: string, name: string): Promise<boolean> {
  const to = join(folder, name);
  try {
    await link(from, to);
  } catch (error) {
    const code = diskErrorCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!NO_HARD_LINKS.has(code)) throw error;
    if (!(await copyWithoutReplacing(from, to))) return false;
  }
  crashPoint('place.linked');
  await unlink(from);
  crashPoint('place.part-removed');
  await syncFolder(folder);
  crashPoint('place.folder-synced');
  return true;
}

/** A copy that was begun and not finished is taken back, unless the machine stops within it. */
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

/** Removes a copy that a stopped machine left unfinished: it is shorter than the part and the same up to its end. */
export async function removeUnfinishedCopy(part: string, target: string): Promise<void> {
  const [whole, copy] = [await openIfThere(part), await openIfThere(target)];
  try {
    if (whole === undefined || copy === undefined) return;
    const { size } = await copy.stat();
    if (size >= (await whole.stat()).size) return;
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

/** `name.ext`, `name-2.ext`, `name-3.ext`, … */
export function* candidateNames(stem: string, extension: string): Iterable<string> {
  yield `${stem}.${extension}`;
  for (let number = 2; number <= MAX_NUMBER; number += 1) yield `${stem}-${number}.${extension}`;
}

/** What is placed: a part that is whole, verified and on the medium. */
export interface PlaceOrder {
  readonly part: string;
  /** Real path of the subfolder. */
  readonly folder: string;
  /** Its name inside the media folder. */
  readonly kind: string;
  readonly stem: string;
  readonly extension: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/**
 * Commits each choice before it is carried out (`placing`), until a name is free for both the journal and the disk.
 * Undefined: something else has taken the part's place since it was verified, and nothing is placed.
 */
export async function placeVerified(
  order: PlaceOrder,
  placing: (placement: Placement) => Promise<boolean>,
): Promise<Placement | undefined> {
  if (!(await isPlainFileOf(order.part, order.bytes))) return undefined;
  for (const name of candidateNames(order.stem, order.extension)) {
    if (await isTaken(join(order.folder, name))) continue;
    const { sha256, bytes, mediaType } = order;
    const placement: Placement = { path: `${order.kind}/${name}`, sha256, bytes, mediaType };
    if (!(await placing(placement))) continue;
    crashPoint('place.committed');
    if (!(await moveWithoutReplacing(order.part, order.folder, name))) continue;
    // A link is given its name as it is. Not compared by inode: some network disks number each name by itself.
    if (await isPlainFileOf(join(order.folder, name), bytes)) return placement;
    await unlink(join(order.folder, name));
    return undefined;
  }
  throw new Error(`No free name for ${order.stem}`);
}

/** True where a plain file of this length, no link to one, lies under the path. */
async function isPlainFileOf(path: string, bytes: number): Promise<boolean> {
  try {
    const found = await lstat(path);
    return found.isFile() && found.size === bytes;
  } catch (error) {
    if (diskErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Keeps a file that could not be verified, under a free name. Returns its path inside the media folder; undefined where
 * something else has taken the part's place.
 */
export async function setAside(
  { path: part, bytes }: { readonly path: string; readonly bytes: number },
  folder: string,
  stem: string,
  extension: string,
): Promise<string | undefined> {
  if (!(await isPlainFileOf(part, bytes))) return undefined;
  const aside = await openSubfolder(folder, SET_ASIDE_FOLDER);
  for (const name of candidateNames(stem, extension)) {
    if (await isTaken(join(aside, name))) continue;
    // Not verified, so nothing is promised of it: a plain move is enough, and a name is not raced for.
    await rename(part, join(aside, name));
    await syncFolder(aside);
    return `${SET_ASIDE_FOLDER}/${name}`;
  }
  throw new Error(`No free name for ${stem}`);
}

/**
 * Finishes what a former run committed as `placing` and did not see the end of: the file is at its place already, or
 * its part is still there and is placed now. Undefined: neither is there, so the file must be fetched anew.
 */
export async function recoverPlacement(
  request: Pick<FetchRequest, 'outputId' | 'generation' | 'kind' | 'stem' | 'placement'>,
  folder: string,
  journal: OutputJournal,
): Promise<Placement | undefined> {
  const { placement } = request;
  if (placement === undefined) return undefined;
  const name = basename(placement.path);
  const target = resolve(folder, name);
  if (!target.startsWith(folder + sep) || placement.path !== `${request.kind}/${name}`) {
    throw new Error(`Placement outside of its folder: ${placement.path}`);
  }
  const { sha256, bytes, mediaType } = placement;
  if (await fileMatches(target, sha256, bytes)) {
    await syncFolder(folder);
    return placement;
  }
  const part = join(folder, partName(request.outputId, request.generation));
  if (!(await fileMatches(part, sha256, bytes))) return undefined;
  await removeUnfinishedCopy(part, target);
  // The path was committed for this output, so it needs no second commit; only a foreign file there does.
  if (await moveWithoutReplacing(part, folder, name)) return placement;
  const extension = extname(name).slice(1);
  const { kind, stem } = request;
  return placeVerified({ part, folder, kind, stem, extension, sha256, bytes, mediaType }, (choice) =>
    journal.placing(choice),
  );
}
