import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { diskErrorCode, EscapingFolderError } from './disk-failure.ts';

/** A folder's device and number on it: the same path on another disk is another folder. */
export type FolderNumber = string;

/** What distinguishes a subfolder from another that took its place. */
export interface FolderMarks {
  /** The media folder. */
  readonly folder: string;
  readonly number: FolderNumber;
  /** Real path of the subfolder. */
  readonly path: string;
  readonly own: FolderNumber;
}

/** The subfolders of media folders as they were when they were last looked at closely. */
export interface KnownFolders {
  /**
   * What a subfolder must still be, for a thread that checks this itself; undefined if it was not looked at yet, or if
   * the media folder around it was not the `expected` one.
   */
  marksOf(folder: string, name: string, expected: FolderNumber | undefined): FolderMarks | undefined;
  /**
   * Makes sure that a subfolder exists and is inside the media folder. Returns its real path; undefined if the media
   * folder is not the `expected` one.
   */
  open(folder: string, name: string, expected: FolderNumber | undefined): Promise<string | undefined>;
}

interface Known {
  readonly parent: FolderNumber;
  readonly own: FolderNumber | undefined;
}

/** Looks closely only at what has changed: two calls to the disk instead of ten for each file. */
export function createKnownFolders(): KnownFolders {
  /** By path, and only real paths without links: these always lead to the same place. */
  const known = new Map<string, Known>();
  return {
    marksOf(folder, name, expected) {
      const path = join(folder, name);
      const { parent: number, own } = known.get(path) ?? {};
      if (number === undefined || own === undefined) return undefined;
      return expected === undefined || expected === number ? { folder, number, path, own } : undefined;
    },
    async open(folder, name, expected) {
      const plain = join(folder, name);
      const before = known.get(plain);
      const [number, own] = await Promise.all([numberOf(folder), before && numberOfPlain(plain)]);
      if (expected !== undefined && expected !== number) return undefined;
      if (before?.own !== undefined && before.parent === number && before.own === own) return plain;
      const path = await openSubfolder(folder, name);
      if (path === plain) known.set(plain, { parent: number, own: await numberOfPlain(plain) });
      return path;
    },
  };
}

/** The disk that a folder is on. */
export function diskOf(number: FolderNumber): string {
  return number.slice(0, number.indexOf(':'));
}

/** The number of what a path leads to, even through links. */
export async function numberOf(folder: string): Promise<FolderNumber> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}

/** Undefined for a link, and for anything else that is not a folder. */
async function numberOfPlain(path: string): Promise<FolderNumber | undefined> {
  try {
    const found = await lstat(path, { bigint: true });
    return found.isDirectory() ? `${found.dev}:${found.ino}` : undefined;
  } catch (error) {
    if (diskErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes sure that a subfolder of the media folder exists and is inside it. Returns its real path. */
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

/** The real path of a subfolder of `base`, itself a real path; throws if the subfolder links out of it. */
export async function realSubfolder(base: string, name: string): Promise<string> {
  const path = join(base, name);
  const real = await realpath(path);
  if (!real.startsWith(base.endsWith(sep) ? base : base + sep)) {
    throw new EscapingFolderError(path);
  }
  return real;
}
