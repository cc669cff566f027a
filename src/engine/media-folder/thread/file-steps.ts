/**
 * What the thread for files does, each step in one go: a trip to another thread costs more than all calls of a step
 * that do not wait for the disk.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { crashPoint } from '../../crash-point.ts';
import { syncFolderSync } from '../../whole-file.ts';
import { diskErrorCode } from '../disk-failure.ts';
import type { FolderMarks } from '../known-folders.ts';
import { FOLDER_FILE_MODE, identityOfFile, type FileIdentity } from '../plain-file.ts';

/** A body to be written to its part, and made durable. */
export interface WriteOrder {
  readonly part: string;
  /** The whole body. Its memory is given away, and comes back with the answer. */
  readonly content: Uint8Array<ArrayBuffer>;
  /** Parts of its output that are removed first; one that cannot be removed is skipped. */
  readonly older: readonly string[];
  /** What the folder must still be. */
  readonly marks?: FolderMarks;
  /** The name in the same folder that the part then gets, without replacing a file; the folder is made durable. */
  readonly name?: string;
}

/** An error of the disk, or a bug, in parts: an error loses its code on the way from thread to thread. */
export interface StepFailure {
  readonly kind: 'failed';
  readonly message: string;
  readonly code?: string;
  readonly syscall?: string;
}

export type WriteAnswer =
  /** The part is durable; no name was wanted. */
  | { readonly kind: 'kept' }
  /** The part is durable under its name, and only there. */
  | { readonly kind: 'placed' }
  /** The name is another file's; no part is left. */
  | { readonly kind: 'taken' }
  /** The part is durable, and the disk has no hard links. */
  | { readonly kind: 'no-links' }
  /** Something else has taken the part's place; nothing is placed. */
  | { readonly kind: 'replaced' }
  /** The folder is not what it was; nothing was written. */
  | { readonly kind: 'moved-away' }
  | StepFailure;

/** The codes that systems and disks without hard links report. */
export const NO_HARD_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EISDIR',
]);

/**
 * Writes parts, then names them, then syncs each folder once for all names in it. In this order because the sync of a
 * part would also write a name given before it. A folder that cannot be synced fails alone.
 */
export function writeParts(orders: readonly WriteOrder[]): readonly WriteAnswer[] {
  const written = orders.map((order) => ({ order, answer: writePart(order) }));
  const named = written.map(({ order, answer }) => ({
    order,
    answer: answer.kind === 'written' ? namePart(order, answer.identity) : answer,
  }));
  const placed = named.filter(({ answer }) => answer.kind === 'placed');
  const unsynced = syncFolders(new Set(placed.map(({ order }) => dirname(order.part))));
  return named.map(({ order, answer }) => {
    if (answer.kind !== 'placed') return answer;
    const failure = unsynced.get(dirname(order.part));
    if (failure !== undefined) return failure;
    crashPoint('place.folder-synced');
    return lookAgain(order);
  });
}

/** A durable part, and what distinguishes it from another file when it is named. */
interface WrittenPart {
  readonly kind: 'written';
  readonly identity: FileIdentity;
}

function writePart({ part, content, older, marks, name }: WriteOrder): WrittenPart | WriteAnswer {
  try {
    if (marks !== undefined && !isStill(marks)) return { kind: 'moved-away' };
    // After a kill, a part beside another file of its name would look like the source of an unfinished copy.
    if (name !== undefined && isThere(targetOf(part, name))) return { kind: 'taken' };
    for (const path of older) unlinkIfPossible(path);
    return { kind: 'written', identity: writeNew(part, content) };
  } catch (error) {
    return failedStep(error);
  }
}

function targetOf(part: string, name: string): string {
  return join(dirname(part), name);
}

/** True if anything exists under this path, even a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A link is not followed: the subfolder has to be this very folder. */
function isStill({ folder, number, path, own }: FolderMarks): boolean {
  const around = statSync(folder, { bigint: true, throwIfNoEntry: false });
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (around === undefined || found === undefined || !found.isDirectory()) return false;
  return `${around.dev}:${around.ino}` === number && `${found.dev}:${found.ino}` === own;
}

function writeNew(path: string, content: Uint8Array): FileIdentity {
  const file = openNew(path);
  try {
    for (let done = 0; done < content.length;) {
      done += writeSync(file, content, done);
      crashPoint('download.bytes-written');
    }
    crashPoint('download.part-complete');
    fsyncSync(file);
    crashPoint('download.part-synced');
    return identityOfFile(fstatSync(file, { bigint: true }));
  } finally {
    closeSync(file);
  }
}

/** Whatever has the name is removed first: a link there would lead out of the folder. */
function openNew(path: string): number {
  try {
    return openSync(path, 'wx', FOLDER_FILE_MODE);
  } catch (error) {
    if (diskErrorCode(error) !== 'EEXIST') throw error;
  }
  unlinkIfThere(path);
  return openSync(path, 'wx', FOLDER_FILE_MODE);
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (diskErrorCode(error) !== 'ENOENT') throw error;
  }
}

/** Something that cannot be removed, such as a folder with the name of an older part, is in nobody's way. */
function unlinkIfPossible(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
  }
}

/** Returns the failures, by folder. */
function syncFolders(folders: ReadonlySet<string>): ReadonlyMap<string, StepFailure> {
  const unsynced = new Map<string, StepFailure>();
  for (const folder of folders) {
    try {
      syncFolderSync(folder);
    } catch (error) {
      unsynced.set(folder, failedStep(error));
    }
  }
  return unsynced;
}

/** By a hard link, which never replaces a file. */
function namePart(order: WriteOrder, identity: FileIdentity): WriteAnswer {
  const { part, name } = order;
  if (name === undefined) return { kind: 'kept' };
  try {
    if (isAnother(order, identity)) {
      unlinkIfThere(part);
      return { kind: 'replaced' };
    }
    linkSync(part, targetOf(part, name));
  } catch (error) {
    return unnamed(part, error);
  }
  crashPoint('place.linked');
  try {
    unlinkIfThere(part);
  } catch (error) {
    return failedStep(error);
  }
  crashPoint('place.part-removed');
  return { kind: 'placed' };
}

function unnamed(part: string, error: unknown): WriteAnswer {
  const code = diskErrorCode(error) ?? '';
  // Another program has moved the part away.
  if (code === 'ENOENT') return { kind: 'replaced' };
  if (code !== 'EEXIST') return NO_HARD_LINKS.has(code) ? { kind: 'no-links' } : failedStep(error);
  try {
    unlinkIfThere(part);
    return { kind: 'taken' };
  } catch (failed) {
    return failedStep(failed);
  }
}

/** True if something else has the part's name. On disks whose file numbers do not last, the content decides. */
function isAnother({ part, content }: WriteOrder, identity: FileIdentity): boolean {
  const found = lstatSync(part, { bigint: true, throwIfNoEntry: false });
  if (found === undefined || identityOfFile(found) === identity) return false;
  return !found.isFile() || found.size !== BigInt(content.length) || !readFileSync(part).equals(content);
}

/**
 * `link` would also have named a symbolic link. If another file, or none, is there now, another program has changed
 * ours, which was whole: `verify` will report that, and the file is not ours to remove.
 */
function lookAgain({ part, name = '' }: WriteOrder): WriteAnswer {
  try {
    const target = targetOf(part, name);
    const found = lstatSync(target, { throwIfNoEntry: false });
    if (found === undefined || found.isFile() || found.isDirectory()) return { kind: 'placed' };
    unlinkSync(target);
    return { kind: 'replaced' };
  } catch (error) {
    return failedStep(error);
  }
}

function failedStep(error: unknown): StepFailure {
  const message = error instanceof Error ? error.message : String(error);
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  return typeof code === 'string' && typeof syscall === 'string'
    ? { kind: 'failed', message, code, syscall }
    : { kind: 'failed', message };
}
