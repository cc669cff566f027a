import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { diskErrorCode, NotPlainFileError } from './disk-failure.ts';

/** Windows has neither flag; there a name cannot be a pipe. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;

/**
 * Opens a file by its name, although somebody may have put something else under that name: does not wait for a pipe,
 * read a device or follow a link. `isWritten`: opens an existing file for writing, too. Throws {@link
 * NotPlainFileError}, or the error of the disk.
 */
export async function openPlainFile(path: string, { isWritten = false } = {}): Promise<FileHandle> {
  const access = isWritten ? constants.O_RDWR : constants.O_RDONLY;
  let file;
  try {
    file = await open(path, access | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    // A link, which is not followed; a socket, or a pipe without a reader.
    if (['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'].includes(diskErrorCode(error) ?? '')) throw new NotPlainFileError(path);
    throw error;
  }
  try {
    if ((await file.stat()).isFile()) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw new NotPlainFileError(path);
}

const READ_BYTES = 1 << 20;

/** Takes the bytes of a body one after the other, like a hash, and keeps none of them. */
export interface BytesSeen {
  update(bytes: Buffer): unknown;
}

/** A file's device and its number there, which distinguish it from another that took its name. */
export type FileIdentity = string;

/** The identity of what was looked at. */
export function identityOfFile({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): FileIdentity {
  return `${dev}:${ino}`;
}

/** Feeds the first `bytes` of a file into a hash; returns how many there were. */
export async function hashFile(
  file: FileHandle,
  hash: BytesSeen,
  bytes: number,
  signal?: AbortSignal,
): Promise<number> {
  const block = Buffer.allocUnsafe(Math.max(1, Math.min(READ_BYTES, bytes)));
  let done = 0;
  while (done < bytes) {
    if (signal?.aborted === true) break;
    const { bytesRead } = await file.read(block, 0, Math.min(block.length, bytes - done), done);
    if (bytesRead === 0) break;
    hash.update(block.subarray(0, bytesRead));
    done += bytesRead;
  }
  return done;
}

/** True if a plain file with exactly this content is at `path`. */
export async function fileMatches(path: string, sha256: string, bytes: number): Promise<boolean> {
  const file = await openIfThere(path);
  if (file === undefined) return false;
  try {
    const stat = await file.stat();
    if (stat.size !== bytes) return false;
    const hash = createHash('sha256');
    await hashFile(file, hash, bytes);
    return hash.digest('hex') === sha256;
  } finally {
    await file.close();
  }
}

/** Makes the content of a plain file durable. */
export async function syncPlainFile(path: string): Promise<void> {
  const file = await openPlainFile(path, { isWritten: true });
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Opens a plain file for reading; undefined if there is none. */
export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await openPlainFile(path);
  } catch (error) {
    if (error instanceof NotPlainFileError || ['ENOENT', 'ENOTDIR'].includes(diskErrorCode(error) ?? '')) {
      return undefined;
    }
    throw error;
  }
}

/**
 * Who may read the files in a media folder: its owner, and the group if the user's umask allows it. People share such
 * folders with those they work with; prompts, task codes and paid media are not for everybody on the machine.
 */
export const FOLDER_FILE_MODE = 0o640;
