import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { diskErrorCode, NotPlainFileError } from './disk-failure.ts';

/** Windows has neither; there a name cannot be a pipe. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;

/**
 * Opens a file by its name, where anybody may have put something else under that name: nothing is waited for at a pipe,
 * no device is read, no link is followed. `isWritten`: also to write, what is there already. Throws {@link NotPlainFileError}, or the error of the disk.
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
