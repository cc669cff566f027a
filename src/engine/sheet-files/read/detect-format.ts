import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { domainWords } from '../../../shared/words/domain-words.ts';

/** Name endings of workbooks that stay as they are: their programs refuse the content of one under another ending. */
export const WORKBOOK_EXTENSIONS: ReadonlySet<string> = new Set(['.xlsx', '.xlsm', '.xltx', '.xltm']);

export type FileKind = 'text' | 'zip';

/** A compound file: the container of old workbooks, and of all password-protected ones. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0];
const LOOKED_AT_BYTES = 4096;

/** A format that is not a sheet, by its name in the catalogue. */
export type OtherFormat = Exclude<keyof typeof domainWords.problems.file.unsupported, 'remedy'>;

/** Files that people mistake for sheets, by their first bytes. */
const OTHERS: readonly { readonly start: readonly number[]; readonly what: OtherFormat }[] = [
  { start: [0x25, 0x50, 0x44, 0x46], what: 'pdf' },
  { start: [0x89, 0x50, 0x4e, 0x47], what: 'png' },
  { start: [0xff, 0xd8, 0xff], what: 'jpeg' },
  { start: [0x1f, 0x8b], what: 'gzip' },
  { start: [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65], what: 'sqlite' },
];

/** What a file is according to its bytes, whatever its name says; or why it cannot be a sheet. */
export function detectKind(bytes: Buffer): Result<FileKind, SheetProblem> {
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) || startsWith(bytes, [0x50, 0x4b, 0x05, 0x06])) return ok('zip');
  if (startsWith(bytes, COMPOUND_FILE)) return err(explainCompoundFile(bytes));
  const other = OTHERS.find(({ start }) => startsWith(bytes, start));
  if (other) return err(unsupported(other.what));
  const start = bytes.subarray(0, LOOKED_AT_BYTES).toString('latin1');
  if (/^\s*(?:<!doctype html|<html|<table)/i.test(start)) return err(unsupported('webPage'));
  if (/^(?:\xef\xbb\xbf)?\s*<\?xml/.test(start)) return err(unsupported('xml'));
  if (start.startsWith('{\\rtf')) return err(unsupported('rtf'));
  return ok('text');
}

function startsWith(bytes: Buffer, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

function explainCompoundFile(bytes: Buffer): SheetProblem {
  if (bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))) {
    return {
      severity: 'error',
      code: 'encrypted',
      ...domainWords.problems.file.password.workbook,
    };
  }
  return unsupported('xls');
}

/** The problem of a file in an unsupported format, with what to do about it. */
export function unsupported(what: OtherFormat): SheetProblem {
  const words = domainWords.problems.file.unsupported;
  return { severity: 'error', code: 'unsupported-format', message: words[what], remedy: words.remedy };
}
