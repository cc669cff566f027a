import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { diskErrorCode, EscapingFolderError } from './disk-failure.ts';

/** A folder's device and number on it: the same path on another disk is another folder. */
export type FolderNumber = string;

/** What tells a subfolder from another that took its place. */
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
   * What a subfolder still has to be, for a thread that looks itself; undefined if it was not looked at yet, or if the
   * media folder around it was not the `expected` one.
   */
  marksOf(folder: string, name: string, expected: FolderNumber | undefined): FolderMarks | undefined;
  /**
   * Makes sure that a subfolder exists and lies inside the media folder. Returns its real path; undefined if the media
   * folder is not the `expected` one.
   */
  open(folder: string, name: string, expected: FolderNumber | undefined): Promise<string | undefined>;
}

interface Known {
  readonly parent: FolderNumber;
  readonly own: FolderNumber | undefined;
}

/** Looks closely only at what is not what it was: two calls to the disk instead of ten for each file. */
export function createKnownFolders(): KnownFolders {
  /** By real path, and only those that no link leads to: it always leads to the same place then. */
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

/** What a path leads to, also through links. */
export async function numberOf(folder: string): Promise<FolderNumber> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}

/** Undefined for a link, and for anything else that is no folder. */
async function numberOfPlain(path: string): Promise<FolderNumber | undefined> {
  try {
    const found = await lstat(path, { bigint: true });
    return found.isDirectory() ? `${found.dev}:${found.ino}` : undefined;
  } catch (error) {
    if (diskErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes sure that a subfolder of the media folder exists and lies inside it. Returns its real path. */
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
