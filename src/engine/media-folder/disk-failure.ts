import { failure } from '../../shared/domain/task/failure.ts';
import type { Failure } from '../../shared/domain/task/failure.ts';

/** Codes that mean that there is no room left, whoever set the limit. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** In words for the user; any other code is shown as it is. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'it may not be written by this user',
  EPERM: 'it may not be written by this user',
  EROFS: 'it is on a disk that can only be read',
  ENOENT: 'it is not there (was a disk unplugged?)',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'there is a folder where a file should be',
  ELOOP: 'its path goes round in circles through links',
  ENAMETOOLONG: 'its path is too long for this disk',
  EFBIG: 'the file is larger than this disk allows',
  EIO: 'the disk reports an error',
  EXDEV: 'it reaches over two disks',
};

/** Something that is no plain file stands under a file's name: a link, a pipe, a device, a folder. */
export class NotPlainFileError extends Error {
  readonly code = 'NOT_PLAIN';
  readonly syscall = 'open';

  constructor(path: string) {
    super(`${path} is a link, a pipe, a device or a folder where a plain file should be`);
  }
}

/** The subfolder is a link that leads out of the media folder. */
export class EscapingFolderError extends Error {
  readonly code = 'LEADS_OUT';
  readonly syscall = 'realpath';

  constructor(path: string) {
    super(`${path} is a link that leads out of the media folder`);
  }
}

/** Code of an error of the file system; undefined for any other error. */
export function diskErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The failure that an error of the file system stands for; anything else is a bug and is thrown on. */
export function diskFailure(error: unknown, place: string): Failure {
  const code = diskErrorCode(error);
  if (code === undefined) throw error;
  if (FULL.has(code)) return failure('DISK_FULL', `There is no room left on the disk of ${place}.`, { code });
  if (error instanceof NotPlainFileError || error instanceof EscapingFolderError) {
    return failure('DISK_DENIED', `${place} cannot be used: ${error.message}.`, { code });
  }
  return failure('DISK_DENIED', `${place} cannot be used: ${WORDS[code] ?? code}.`, { code });
}
