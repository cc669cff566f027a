import { failure, type Failure } from '../../shared/domain/base/failure.ts';

/** Codes for a full disk, whoever set the limit. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** In words for the user; any other code is shown as it is. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'you may not write to it',
  EPERM: 'you may not write to it',
  EROFS: 'it is on a read-only disk',
  ENOENT: 'it is missing (was a disk unplugged?)',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'there is a folder where a file should be',
  ELOOP: 'its path contains a loop of links',
  ENAMETOOLONG: 'its path is too long for this disk',
  EFBIG: 'the file is larger than this disk allows',
  EIO: 'the disk reports an error',
  EXDEV: 'it is spread over two disks',
  NO_THREAD: 'what writes to it ended, or could not be started (is memory short?)',
};

/** A file's name belongs to something other than a plain file: a link, a pipe, a device, a folder. */
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

/** Something else has the name of a subfolder: a file, or a link that leads nowhere. */
export class NotFolderError extends Error {
  readonly code = 'NOT_FOLDER';
  readonly syscall = 'mkdir';

  constructor(path: string) {
    super(`${path} is a file, or a link that leads nowhere, where a folder should be`);
  }
}

/** Errors whose messages name the path. */
const NAMED_ERRORS = [NotPlainFileError, EscapingFolderError, NotFolderError] as const;

/** True if the message of an error names its path. */
export function namesItsPath(error: unknown): error is Error {
  return NAMED_ERRORS.some((named) => error instanceof named);
}

/** The code of a file system error; undefined for any other error. */
export function diskErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The failure for a file system error; any other error is a bug and is rethrown. */
export function diskFailure(error: unknown, place: string): Failure {
  const code = diskErrorCode(error);
  if (code === undefined) throw error;
  if (FULL.has(code)) return failure('DISK_FULL', `There is no room left on the disk of ${place}.`, { code });
  if (namesItsPath(error)) {
    return failure('DISK_DENIED', `${place} cannot be used: ${error.message}.`, { code });
  }
  return failure('DISK_DENIED', `${place} cannot be used: ${WORDS[code] ?? code}.`, { code });
}
