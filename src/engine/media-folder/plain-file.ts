import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { diskErrorCode, NotPlainFileError } from './disk-failure.ts';

/** Windows has neither; there a name cannot be a pipe. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;

/**
 * Opens a file by its name, where anybody may have put something else under that name: nothing is waited for at a pipe,
 * no device is read, no link is followed. `isWritten`: also to write, what is there already. Throws
 * {@link NotPlainFileError}, or the error of the disk.
 */
export async function openPlainFile(path: string, { isWritten = false } = {}): Promise<FileHandle> {
  const access = isWritten ? constants.O_RDWR : constants.O_RDONLY;
  let file;
  try {
    file = await open(path, access | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    // A link that is not followed; a socket, or a pipe that nobody reads.
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

/** Feeds the first `bytes` of a file into a hash; returns how many there were. */
export async function hashFile(file: FileHandle, hash: Hash, bytes: number, signal?: AbortSignal): Promise<number> {
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

/** True when there is a plain file at `path` with exactly this content. */
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

/** Opens a plain file to read; undefined when there is none. */
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
 * Who may read what is put into a media folder: its owner, and the group where the user's umask lets it. People share
 * such folders with those they work with; prompts, task codes and paid media are nothing for everybody on the machine.
 */
export const FOLDER_FILE_MODE = 0o640;
