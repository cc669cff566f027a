/** Writes the results of a batch beside the sheet that it was made of, as columns. */
import { createHash, randomUUID } from 'node:crypto';
import { access, copyFile, open, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { countText } from '../../shared/domain/count-text.ts';
import { csvLine, CSV_BYTE_ORDER_MARK } from '../../shared/domain/csv-text.ts';
import { isResultColumn, RESULT_COLUMNS } from '../../shared/domain/result-columns.ts';
import { err, ok, type Result } from '../../shared/domain/result.ts';
import type { RawRecord, SheetSource } from '../../shared/domain/sheet-raw.ts';
import { isBlank } from '../../shared/domain/sheet-raw.ts';
import { decodePieces, recogniseText } from './decode-text.ts';
import { encodeText } from './encode-text.ts';
import { readSheetFile } from './read-file.ts';
import { readSheet } from './read-sheet.ts';
import { csvWithResults } from './results-csv.ts';
import { xlsxWithResults } from './results-xlsx.ts';
import { readWorkbookLines } from './workbook-lines.ts';

/** What came of the rows of a sheet, each as the four texts of the result columns. */
export interface SheetResults {
  /** By the line of the file, the header being 1. */
  readonly byLine: ReadonlyMap<number, readonly string[]>;
  /** Rows that the file does not have, with their cells by header. */
  readonly added: readonly { readonly cells: Readonly<Record<string, string>>; readonly results: readonly string[] }[];
}

export interface ResultsTarget {
  /** The file that the batch was made of. */
  readonly original: string;
  /** How it was understood when the results' lines were found; nothing is written if it has changed since. */
  readonly source: SheetSource;
  /** A copy beside it, a file of the user's choice (replaced), or the original itself (a backup is left beside it). */
  readonly into:
    | { readonly kind: 'copy' }
    | { readonly kind: 'file'; readonly file: string }
    | { readonly kind: 'original' };
}

/** Where the results are, and what was not possible, in words. */
export interface WrittenResults {
  readonly file: string;
  readonly notes: readonly string[];
}

/** Writes the results; the file that it goes into is whole at every moment. @returns Why it cannot be done, in words. */
export async function writeResults(
  target: ResultsTarget,
  results: SheetResults,
): Promise<Result<WrittenResults, string>> {
  const { original, source } = target;
  // Whoever names the original means it: what it was is kept beside it like by any other way to it.
  const into: ResultsTarget['into'] = isSameFile(target) ? { kind: 'original' } : target.into;
  const read = await readSheetFile(original);
  if (!read.ok) return err(`${read.error.message} ${read.error.remedy}`);
  if (createHash('sha256').update(read.value).digest('hex') !== source.sha256) {
    return err(`${original} has changed since it was compared with the batch. Try again.`);
  }
  const made = await documentOf(read.value, { original, source, into }, results);
  if (!made.ok) return made;
  const { bytes, extension, notes } = made.value;
  const file = into.kind === 'copy' ? await copyName(original, extension) : into.kind === 'file' ? into.file : original;
  if (into.kind === 'file' && !isNameFor(file, extension)) {
    return err(`${file} would not be what its name says. Give the file a name that ends in “${extension}”.`);
  }
  return writeDurably(file, bytes, notes, async () => {
    if (into.kind === 'original') await keepBackup(original);
  });
}

/** Writes a file as a whole: it is whole at every moment. @returns Why it cannot be done, in words. */
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
    return err(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
  return ok({ file, notes });
}

function isSameFile({ original, into }: ResultsTarget): boolean {
  return into.kind === 'file' && path.resolve(into.file) === path.resolve(original);
}

const WORKBOOKS = new Set(['.xlsx', '.xlsm', '.xls', '.ods']);

/** Spreadsheets refuse a workbook under another name, and a text under that of a workbook. */
function isNameFor(file: string, extension: string): boolean {
  const named = path.extname(file).toLowerCase();
  return WORKBOOKS.has(extension) ? named === extension : !WORKBOOKS.has(named);
}

interface ResultsDocument {
  readonly bytes: Uint8Array;
  readonly extension: string;
  readonly notes: readonly string[];
}

async function documentOf(
  bytes: Buffer,
  { original, source, into }: ResultsTarget,
  results: SheetResults,
): Promise<Result<ResultsDocument, string>> {
  switch (source.format) {
    case 'csv':
    case 'tsv':
      return textDocument(bytes, source, into.kind === 'original', results);
    case 'xlsx': {
      const lines = await readWorkbookLines(bytes, source.sheet);
      if (!lines.ok) return err(lines.error.message);
      const { part } = lines.value;
      const written =
        part === undefined
          ? err('its sheet is not known')
          : xlsxWithResults(bytes, { part, lines: lines.value.lines }, results);
      if (!written.ok)
        return err(
          `Results cannot be written into ${original}: ${written.error}. Save it anew with a spreadsheet program.`,
        );
      // A workbook with macros is refused by its program under the name of one without.
      const extension = path.extname(original).toLowerCase() === '.xlsm' ? '.xlsm' : '.xlsx';
      return ok({ bytes: written.value, extension, notes: notWritten(results) });
    }
    case 'ods':
    case 'clipboard': {
      if (into.kind === 'original') {
        return err('Results are written into CSV and XLSX files; of this one, a CSV copy can be made.');
      }
      const lines = await readWorkbookLines(bytes, source.sheet);
      if (!lines.ok) return err(lines.error.message);
      const text = lines.value.lines.map((record) => csvLine(record.cells)).join('');
      const byRecord = new Map([...results.byLine].map(([line, texts]) => [placeOf(lines.value.lines, line), texts]));
      const written = csvWithResults(text, ',', { ...results, byLine: byRecord });
      return ok({
        bytes: Buffer.from(CSV_BYTE_ORDER_MARK + written),
        extension: '.csv',
        notes: ['The copy is a CSV file.'],
      });
    }
  }
}

/** The line of a record in a text that has nothing but the records. */
function placeOf(records: readonly RawRecord[], line: number): number {
  return records.findIndex((record) => record.line === line) + 1;
}

function notWritten({ added }: SheetResults): readonly string[] {
  if (added.length === 0) return [];
  return [
    `${countText(added.length)} rows of the batch are not in the file; their results are in the media folder’s sheet.results.csv.`,
  ];
}

function textDocument(
  bytes: Buffer,
  { delimiter = ',', encoding }: SheetSource,
  mustKeepEncoding: boolean,
  results: SheetResults,
): Result<ResultsDocument, string> {
  const wanted = encoding as Parameters<typeof recogniseText>[1];
  const recognised = recogniseText(bytes, wanted);
  if (!recognised.ok) return err(recognised.error.message);
  const mark = bytes.subarray(0, bytes.length - recognised.value.body.length);
  const text = [...decodePieces(recognised.value)].join('');
  const written = csvWithResults(text, delimiter, results);
  const extension = delimiter === '\t' ? '.tsv' : '.csv';
  const encoded = encodeText(written, recognised.value.encoding);
  if (encoded !== undefined) return ok({ bytes: Buffer.concat([mark, encoded]), extension, notes: [] });
  if (mustKeepEncoding) {
    return err('The results cannot be written in the encoding of the file. Write them into a copy, which is UTF-8.');
  }
  return ok({ bytes: Buffer.from(CSV_BYTE_ORDER_MARK + written), extension, notes: ['The copy is UTF-8.'] });
}

/** `songs.results.csv` beside `songs.csv`; another one where somebody else's file has that name. */
async function copyName(original: string, extension: string): Promise<string> {
  const { dir, name } = path.parse(original);
  for (let number = 1; ; number++) {
    const file = path.join(dir, `${name}.results${number === 1 ? '' : `-${number}`}${extension}`);
    if (!(await isThere(file)) || (await isResultsOf(file, original))) return file;
  }
}

/** A copy that was written before: it has the columns of the results, and the original's columns before them. */
async function isResultsOf(file: string, original: string): Promise<boolean> {
  const [copy, own] = [await readSheet(file), await readSheet(original)];
  if (!copy.ok || !own.ok) return false;
  const others = (headers: readonly string[]): string =>
    JSON.stringify(headers.filter((header) => !isResultColumn(header) && !isBlank(header)));
  const found = copy.value.headers.filter(isResultColumn);
  return found.length === RESULT_COLUMNS.length && others(copy.value.headers) === others(own.value.headers);
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** The file as it was before anything was ever written into it. */
async function keepBackup(file: string): Promise<void> {
  const backup = `${file}.bak`;
  if (!(await isThere(backup))) await copyFile(file, backup);
}

async function replaceDurably(named: string, bytes: Uint8Array): Promise<void> {
  // Where the name is a link, what it leads to is meant: the link stays.
  const file = await realpath(named).catch(() => named);
  const part = `${file}.${randomUUID()}.tmp`;
  const mode = await stat(file).then(
    (found) => found.mode,
    () => undefined,
  );
  const handle = await open(part, 'wx', mode);
  try {
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
