import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskErrorCode } from './disk-failure.ts';
import { openSubfolder } from './place-file.ts';

/** A folder's device and number on it: the same path on another disk is another folder. */
export type FolderIdentity = string;

/** The subfolders of media folders as they were when they were last looked at closely. */
export interface KnownFolders {
  /**
   * Makes sure that a subfolder exists and lies inside the media folder. Returns its real path; undefined if the media
   * folder is not the `expected` one.
   */
  open(folder: string, name: string, expected: FolderIdentity | undefined): Promise<string | undefined>;
}

interface Known {
  readonly parent: FolderIdentity;
  readonly own: FolderIdentity | undefined;
}

/** Looks closely only at what is not what it was: two calls to the disk instead of ten for each file. */
export function createKnownFolders(): KnownFolders {
  /** By real path, and only those that no link leads to: it always leads to the same place then. */
  const known = new Map<string, Known>();
  return {
    async open(folder, name, expected) {
      const plain = join(folder, name);
      const before = known.get(plain);
      const [identity, own] = await Promise.all([identityOf(folder), before && identityOfPlain(plain)]);
      if (expected !== undefined && expected !== identity) return undefined;
      if (before?.own !== undefined && before.parent === identity && before.own === own) return plain;
      const path = await openSubfolder(folder, name);
      if (path === plain) known.set(plain, { parent: identity, own: await identityOfPlain(plain) });
      return path;
    },
  };
}

/** What a path leads to, also through links. */
export async function identityOf(folder: string): Promise<FolderIdentity> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}

/** Undefined for a link, and for anything else that is no folder. */
async function identityOfPlain(path: string): Promise<FolderIdentity | undefined> {
  try {
    const found = await lstat(path, { bigint: true });
    return found.isDirectory() ? `${found.dev}:${found.ino}` : undefined;
  } catch (error) {
    if (diskErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
