import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { reason, SaidError } from '../../shared/domain/base/reason.ts';
import { reasonsWords } from '../../shared/words/en/reasons.ts';

/** Codes for a full disk, whoever set the limit. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

type NamedCode = keyof typeof reasonsWords.disk;

/** A file's name belongs to something other than a plain file: a link, a pipe, a device, a folder. */
export class NotPlainFileError extends SaidError {
  readonly code = 'NOT_PLAIN';
  readonly syscall = 'open';

  constructor(path: string) {
    super(reason('notPlain', path));
  }
}

/** A folder is reached by a link that leads out of the media folder, or out of the folder of a delivery. */
export class EscapingFolderError extends SaidError {
  readonly code = 'LEADS_OUT';
  readonly syscall = 'realpath';

  constructor(path: string, from: 'media' | 'delivery' = 'media') {
    super(reason(from === 'media' ? 'leadsOut' : 'leadsOutOfDelivery', path));
  }
}

/** Something else has the name of a subfolder: a file, or a link that leads nowhere. */
export class NotFolderError extends SaidError {
  readonly code = 'NOT_FOLDER';
  readonly syscall = 'mkdir';

  constructor(path: string) {
    super(reason('notFolder', path));
  }
}

/** True if the message of an error names its path. */
export function namesItsPath(error: unknown): error is SaidError {
  return error instanceof SaidError;
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
  if (FULL.has(code)) return failure('DISK_FULL', reason('diskFull', place), { code });
  const why = namesItsPath(error) ? error.said : isNamed(code) ? reason(`disk.${code}`) : code;
  return failure('DISK_DENIED', reason('unusable', place, why), { code });
}

/** True for a code with words for the user; any other is shown as it is. */
function isNamed(code: string): code is NamedCode {
  return Object.hasOwn(reasonsWords.disk, code);
}
