/**
 * What the thread for files does, each step in one go: a trip to another thread costs more than all of its calls to the
 * disk that wait for nothing.
 */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crashPoint } from '../../crash-point.ts';
import { syncFolderSync } from '../../whole-file.ts';
import { diskErrorCode } from '../disk-failure.ts';
import type { FolderMarks } from '../known-folders.ts';
import { FOLDER_FILE_MODE } from '../plain-file.ts';

/** A body to be written to its part, and made durable. */
export interface KeepOrder {
  readonly kind: 'keep';
  readonly part: string;
  /** All of it. Its memory is given away, and comes back with the answer. */
  readonly content: Uint8Array<ArrayBuffer>;
  /** Parts of its output that are removed before. */
  readonly older: readonly string[];
  /** What the folder has to be still. */
  readonly marks?: FolderMarks;
  /** The path that the file will probably get. */
  readonly target?: string;
}

/** A part that gets its name, without replacing another file; then its folder is made durable. */
export interface MoveOrder {
  readonly kind: 'move';
  readonly part: string;
  readonly bytes: number;
  readonly folder: string;
  readonly name: string;
}

export type FileOrder = KeepOrder | MoveOrder;

/** An error of the disk, or a bug: an error loses its code on the way from thread to thread. */
export interface StepFailure {
  readonly kind: 'failed';
  readonly message: string;
  readonly code?: string;
  readonly syscall?: string;
}

export type KeepAnswer =
  /** `isTargetFree`: nothing lay under the path of the order. */
  | { readonly kind: 'kept'; readonly sha256: string; readonly isTargetFree: boolean }
  /** The folder is not what it was; nothing was written. */
  | { readonly kind: 'moved-away' }
  | StepFailure;

export type MoveAnswer =
  | { readonly kind: 'moved' }
  /** The name is another file's. */
  | { readonly kind: 'taken' }
  /** Something else has replaced the part since it was verified; nothing is placed. */
  | { readonly kind: 'replaced' }
  /** The disk has no hard links. */
  | { readonly kind: 'no-links' }
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

/** Writes a part that is whole in memory. */
export function keepPart(order: KeepOrder): KeepAnswer {
  try {
    if (order.marks !== undefined && !isStill(order.marks)) return { kind: 'moved-away' };
    for (const path of order.older) unlinkIfThere(path);
    writeNew(order.part, order.content);
    const sha256 = createHash('sha256').update(order.content).digest('hex');
    const isTargetFree = order.target !== undefined && lstatSync(order.target, { throwIfNoEntry: false }) === undefined;
    return { kind: 'kept', sha256, isTargetFree };
  } catch (error) {
    return failedStep(error);
  }
}

/** A link is not followed: the subfolder has to be this very folder. */
function isStill({ folder, identity, path, own }: FolderMarks): boolean {
  const around = statSync(folder, { bigint: true, throwIfNoEntry: false });
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (around === undefined || found === undefined || !found.isDirectory()) return false;
  return `${around.dev}:${around.ino}` === identity && `${found.dev}:${found.ino}` === own;
}

function writeNew(path: string, content: Uint8Array): void {
  const file = openNew(path);
  try {
    for (let done = 0; done < content.length;) {
      done += writeSync(file, content, done);
      crashPoint('download.bytes-written');
    }
    crashPoint('download.part-complete');
    fsyncSync(file);
    crashPoint('download.part-synced');
  } finally {
    closeSync(file);
  }
}

/** What lies under its name is removed: a link there would lead out of the folder. */
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

/** Moves parts, and syncs each folder once for all that got their names in it. One that cannot be synced fails alone. */
export function moveParts(orders: readonly MoveOrder[]): readonly MoveAnswer[] {
  const linked = orders.map(linkPart);
  const moved = orders.filter((_, i) => linked[i]?.kind === 'moved');
  const unsynced = syncFolders(new Set(moved.map(({ folder }) => folder)));
  return orders.map((order, i) => {
    const answer = linked[i] ?? { kind: 'replaced' };
    if (answer.kind !== 'moved') return answer;
    const failure = unsynced.get(order.folder);
    if (failure !== undefined) return failure;
    crashPoint('place.folder-synced');
    return lookAgain(order);
  });
}

/** Returns what failed, by folder. */
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
function linkPart({ part, bytes, folder, name }: MoveOrder): MoveAnswer {
  try {
    if (!isPlainFileOf(part, bytes)) {
      unlinkIfThere(part);
      return { kind: 'replaced' };
    }
    try {
      linkSync(part, join(folder, name));
    } catch (error) {
      const code = diskErrorCode(error) ?? '';
      if (code === 'EEXIST') return { kind: 'taken' };
      if (NO_HARD_LINKS.has(code)) return { kind: 'no-links' };
      throw error;
    }
    crashPoint('place.linked');
    unlinkSync(part);
    crashPoint('place.part-removed');
    return { kind: 'moved' };
  } catch (error) {
    return failedStep(error);
  }
}

/** `link` would also name a symbolic link. No inodes are compared: some network disks number each name separately. */
function lookAgain({ bytes, folder, name }: MoveOrder): MoveAnswer {
  try {
    const target = join(folder, name);
    if (isPlainFileOf(target, bytes)) return { kind: 'moved' };
    unlinkSync(target);
    return { kind: 'replaced' };
  } catch (error) {
    return failedStep(error);
  }
}

function isPlainFileOf(path: string, bytes: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.isFile() && found.size === bytes;
}

function failedStep(error: unknown): StepFailure {
  const message = error instanceof Error ? error.message : String(error);
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  return typeof code === 'string' && typeof syscall === 'string'
    ? { kind: 'failed', message, code, syscall }
    : { kind: 'failed', message };
}
