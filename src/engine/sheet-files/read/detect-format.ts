import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';

export type FileKind = 'text' | 'zip';

const SAVE_AS = 'Open it with a spreadsheet program and save it as “.xlsx” or as “CSV UTF-8”.';
/** A compound file: the container of old workbooks, and of all password-protected ones. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0];
const LOOKED_AT_BYTES = 4096;

/** Files that people mistake for sheets, by their first bytes. */
const OTHERS: readonly { readonly start: readonly number[]; readonly what: string }[] = [
  { start: [0x25, 0x50, 0x44, 0x46], what: 'a PDF document' },
  { start: [0x89, 0x50, 0x4e, 0x47], what: 'a PNG picture' },
  { start: [0xff, 0xd8, 0xff], what: 'a JPEG picture' },
  { start: [0x1f, 0x8b], what: 'a gzip archive' },
  { start: [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65], what: 'a SQLite database' },
];

/** What a file is according to its bytes, whatever its name says; or why it cannot be a sheet. */
export function detectKind(bytes: Buffer): Result<FileKind, SheetProblem> {
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) || startsWith(bytes, [0x50, 0x4b, 0x05, 0x06])) return ok('zip');
  if (startsWith(bytes, COMPOUND_FILE)) return err(explainCompoundFile(bytes));
  const other = OTHERS.find(({ start }) => startsWith(bytes, start));
  if (other) return err(unsupported(`This is ${other.what}, not a sheet.`));
  const start = bytes.subarray(0, LOOKED_AT_BYTES).toString('latin1');
  if (/^\s*(?:<!doctype html|<html|<table)/i.test(start)) return err(unsupported('This is a web page, not a sheet.'));
  if (/^(?:\xef\xbb\xbf)?\s*<\?xml/.test(start))
    return err(unsupported('This is an XML file, not a CSV, TSV, XLSX or ODS sheet.'));
  if (start.startsWith('{\\rtf')) return err(unsupported('This is a text document (RTF), not a sheet.'));
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
      message: 'The workbook is protected by a password.',
      remedy: 'Open it with a spreadsheet program, remove the password and save it again.',
    };
  }
  return unsupported('This is a workbook in the old “.xls” format, which Nocturne cannot read.');
}

/** The problem of a file in an unsupported format, with what to do about it. */
export function unsupported(message: string): SheetProblem {
  return { severity: 'error', code: 'unsupported-format', message, remedy: SAVE_AS };
}
