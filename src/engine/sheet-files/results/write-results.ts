/** Writes the results of a batch as columns beside the sheet that the batch was made from. */
import { sayError } from '../../../shared/domain/base/reason.ts';
import { access, chmod, constants, copyFile, lstat, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  endsInResultColumns,
  hasAllResultColumns,
  isResultColumn,
  type SheetResults,
} from '../../../shared/domain/base/result-columns.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetSource, TextEncoding } from '../../../shared/domain/sheet/sheet-raw.ts';
import { isBlank } from '../../../shared/domain/base/text.ts';
import { WORKBOOK_EXTENSIONS } from '../read/detect-format.ts';
import { replaceWhole, writeWhole } from '../../whole-file.ts';
import type { ReadSheetOptions } from '../read/read-sheet.ts';
import { csvSpans, unquoted } from '../read/text/csv-spans.ts';
import type { SheetReader } from '../reader-process/sheet-reader.ts';
import { csvLine, CSV_BYTE_ORDER_MARK } from '../../../shared/domain/base/csv-text.ts';
import type { ExportedRow } from '../../../shared/domain/task/views/exported-row.ts';
import { presentRow, resultsSheetCells, resultsSheetHeaders } from '../../../shared/domain/files/manifest.ts';
import { domainWords } from '../../../shared/words/domain-words.ts';

export interface ResultsTarget {
  /** The file that the batch was made from. */
  readonly original: string;
  /** How the file was understood when the results' lines were found; if it has changed since, nothing is written. */
  readonly source: SheetSource;
  /**
   * A copy beside it, a file that the user chose (replaced; a file that is not ours is kept as a backup), or the
   * original itself (with a backup beside it).
   */
  readonly into:
    | { readonly kind: 'copy' }
    | { readonly kind: 'file'; readonly file: string }
    | { readonly kind: 'original' };
}

/** Where the results are, and what was not possible, as text for the user. */
export interface WrittenResults {
  readonly file: string;
  readonly notes: readonly string[];
}

/** Writes the results; the target file is complete at every moment. @returns Why that is impossible, as user text. */
export async function writeResults(
  target: ResultsTarget,
  results: SheetResults,
  reader: SheetReader,
): Promise<Result<WrittenResults, string>> {
  const { original, source } = target;
  // A file that turns out to be the original is treated as the original: it gets a backup.
  const into: ResultsTarget['into'] = (await isSameFile(target)) ? { kind: 'original' } : target.into;
  const made = await reader.resultsDocument(original, { source, isForOriginal: into.kind === 'original', results });
  if (!made.ok) return made;
  const { bytes, extension, reading, notes } = made.value;
  const isOurs = (named: string): Promise<boolean> => isResultsOf(target, named, reading, reader);
  const file =
    into.kind === 'copy' ? await copyName(original, extension, isOurs) : into.kind === 'file' ? into.file : original;
  if (into.kind === 'file' && !isNameFor(file, extension)) {
    return err(domainWords.problems.file.results.otherName(file, extension));
  }
  const isStrangers = into.kind === 'file' && (await isPlainFile(file)) && !(await isOurs(file));
  if (!isStrangers) {
    return writeDurably(file, bytes, notes, async () => {
      if (into.kind === 'original') await keepBackup(original);
    });
  }
  return replaceStrangers(file, bytes, notes);
}

/** Replaces a file that contains something other than these results, and keeps that as a backup beside it. */
async function replaceStrangers(
  file: string,
  bytes: Uint8Array,
  notes: readonly string[] = [],
): Promise<Result<WrittenResults, string>> {
  if (await isThere(`${file}.bak`)) {
    return err(domainWords.problems.file.results.holdsElse(file));
  }
  const kept = domainWords.problems.file.results.kept(file);
  return writeDurably(file, bytes, [...notes, kept], () => keepBackup(file));
}

/** Writes a whole file; the file is complete at every moment. @returns Why that is impossible, as user text. */
export async function writeDurably(
  file: string,
  bytes: Uint8Array,
  notes: readonly string[] = [],
  prepare: () => Promise<void> = () => Promise.resolve(),
): Promise<Result<WrittenResults, string>> {
  try {
    await prepare();
    await replaceDurably(file, bytes);
  } catch (error) {
    return err(domainWords.problems.file.results.unwritable(file, sayError(error)));
  }
  return ok({ file, notes });
}

/** A file may have many names: through links, or with letters that its disk does not distinguish. */
async function isSameFile({ original, into }: ResultsTarget): Promise<boolean> {
  if (into.kind !== 'file') return false;
  const [named, own] = await Promise.all([identityOf(into.file), identityOf(original)]);
  return path.resolve(into.file) === path.resolve(original) || (named !== undefined && named === own);
}

async function identityOf(file: string): Promise<string | undefined> {
  return stat(file, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );
}

const WORKBOOKS = new Set([...WORKBOOK_EXTENSIONS, '.xls', '.xlsb', '.ods', '.ots']);

/** Spreadsheet programs refuse a workbook with another file extension, and a text file with a workbook's. */
function isNameFor(file: string, extension: string): boolean {
  const named = path.extname(file).toLowerCase();
  return WORKBOOKS.has(extension) ? named === extension : !WORKBOOKS.has(named);
}

/** `songs.results.csv` beside `songs.csv`; a numbered name if somebody else's file has that name. */
async function copyName(
  original: string,
  extension: string,
  isOurs: (file: string) => Promise<boolean>,
): Promise<string> {
  const { dir, name } = path.parse(original);
  for (let number = 1; ; number++) {
    const file = path.join(dir, `${name}.results${number === 1 ? '' : `-${number}`}${extension}`);
    if (!(await isThere(file)) || (await isOurs(file))) return file;
  }
}

/**
 * Whether a file contains results of an earlier run: beside the original's columns or, under a name that the user gave,
 * also beside others, which the original may have had then.
 */
async function isResultsOf(
  { original, source, into }: ResultsTarget,
  file: string,
  reading: ReadSheetOptions,
  reader: SheetReader,
): Promise<boolean> {
  const found = await reader.read(file, reading);
  if (!found.ok || !hasAllResultColumns(found.value.headers)) return false;
  // If results were once written into a sheet of the user's own, its backup is beside it.
  if (into.kind === 'file' && endsInResultColumns(found.value.headers) && !(await isThere(`${file}.bak`))) return true;
  const own = await reader.read(original, { ...source, encoding: source.encoding as TextEncoding | undefined });
  if (!own.ok) return false;
  const others = (headers: readonly string[]): string =>
    JSON.stringify(headers.filter((header) => !isResultColumn(header) && !isBlank(header)));
  return others(found.value.headers) === others(own.value.headers);
}

/** A pipe or a device has nothing to keep, and reading it may never end. */
async function isPlainFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Keeps the file as it was before the first results were written into it, in a copy that is whole or not there. */
async function keepBackup(file: string): Promise<void> {
  const backup = `${file}.bak`;
  if (await isThere(backup)) return;
  const { mode } = await stat(file);
  const copy = async (part: string): Promise<void> => {
    await copyFile(file, part, constants.COPYFILE_EXCL);
    // Otherwise, a copy of a read-only file could not be opened to make it durable.
    await chmod(part, 0o600);
    // A broken link has this name as well. Anybody else's backup was also made before results were written into the
    // file, so one that appears after this check is the same.
    if (await isNamed(backup)) throw new Error(`${backup} is already there`);
  };
  await replaceWhole(backup, copy, mode & 0o777);
}

/** Even if the name is a link that leads to nothing. */
async function isNamed(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

async function replaceDurably(named: string, bytes: Uint8Array): Promise<void> {
  // If the name is a link, the file behind it is replaced and the link stays.
  const file = await realpath(named).catch(() => named);
  const mode = await stat(file).then(
    (found) => found.mode,
    () => undefined,
  );
  await writeWhole(file, bytes, mode);
}

/**
 * Writes the results of a batch that has no file of the user's, as a separate sheet with rows and results together.
 * @returns Why it cannot be done, as text for the user.
 */
export async function writeOwnResults(
  into: ResultsTarget['into'],
  headers: readonly string[],
  rows: AsyncIterable<ExportedRow>,
): Promise<Result<WrittenResults, string>> {
  if (into.kind !== 'file') return err(domainWords.problems.file.results.noOriginal);
  if (path.extname(into.file).toLowerCase() !== '.csv') {
    return err(domainWords.problems.file.results.otherName(into.file, '.csv'));
  }
  const lines = [CSV_BYTE_ORDER_MARK + csvLine(resultsSheetHeaders(headers))];
  for await (const exported of rows) {
    const present = presentRow(exported);
    if (present !== undefined) lines.push(csvLine(resultsSheetCells(headers, present)));
  }
  const bytes = new TextEncoder().encode(lines.join(''));
  const isStrangers = (await isPlainFile(into.file)) && !(await isOwnResults(into.file));
  return isStrangers ? replaceStrangers(into.file, bytes) : writeDurably(into.file, bytes);
}

/** Whether a file is such a sheet, whatever its columns; one that cannot be read is not. */
async function isOwnResults(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (!text.startsWith(CSV_BYTE_ORDER_MARK)) return false;
  const [header] = csvSpans(text.slice(CSV_BYTE_ORDER_MARK.length), ',');
  return header !== undefined && endsInResultColumns(header.cells.map(unquoted));
}
