/**
 * Makes the new content of a sheet's file with results in it; runs where a file that makes it run wild ends nothing
 * else.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { csvLine, CSV_BYTE_ORDER_MARK } from '../../../shared/domain/base/csv-text.ts';
import type { SheetResults } from '../../../shared/domain/base/result-columns.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetSource } from '../../../shared/domain/sheet/sheet-raw.ts';
import { domainWords } from '../../../shared/words/domain-words.ts';
import { WORKBOOK_EXTENSIONS } from '../read/detect-format.ts';
import { decodePieces, recogniseText } from '../read/text/decode-text.ts';
import { encodeText } from '../read/text/encode-text.ts';
import { readSheetFile } from '../read/read-file.ts';
import { csvWithResults } from './results-csv.ts';
import { xlsxWithResults } from './results-xlsx.ts';
import type { ReadSheetOptions } from '../read/read-sheet.ts';
import { readWorkbookLines } from '../read/workbook/read-workbook.ts';

export interface ResultsRequest {
  /** How the file was understood when the results' lines were found; if it has changed since, nothing is made. */
  readonly source: SheetSource;
  /** The document replaces the file: its format and its encoding must stay. */
  readonly isForOriginal: boolean;
  readonly results: SheetResults;
}

/** A file with the results in it. */
export interface ResultsDocument {
  readonly bytes: Uint8Array;
  /** The ending that its name needs. */
  readonly extension: string;
  /** How to find its sheet in it, and in what an earlier run made from the same file. */
  readonly reading: ReadSheetOptions;
  /** What was not possible, as text for the user. */
  readonly notes: readonly string[];
}

/** Makes the document from a file's content. @returns The document, or why it cannot be made, as text for the user. */
export async function resultsDocument(
  original: string,
  { source, isForOriginal, results }: ResultsRequest,
): Promise<Result<ResultsDocument, string>> {
  const read = await readSheetFile(original);
  if (!read.ok) return err(domainWords.common.sentences([read.error.message, read.error.remedy]));
  const bytes = read.value;
  if (createHash('sha256').update(bytes).digest('hex') !== source.sha256) {
    return err(domainWords.problems.file.results.changed(original));
  }
  switch (source.format) {
    case 'csv':
    case 'tsv':
      return textDocument(bytes, source, isForOriginal, results);
    case 'xlsx':
      return workbookDocument(original, bytes, source, results);
    case 'ods':
    case 'clipboard':
      if (isForOriginal) {
        return err(domainWords.problems.file.results.csvCopyOnly);
      }
      return csvCopy(bytes, source, results);
  }
}

async function workbookDocument(
  original: string,
  bytes: Buffer,
  source: SheetSource,
  results: SheetResults,
): Promise<Result<ResultsDocument, string>> {
  const lines = await readWorkbookLines(bytes, source.sheet);
  if (!lines.ok) return err(lines.error.message);
  const { part } = lines.value;
  const written =
    part === undefined
      ? err(domainWords.problems.file.results.sheetUnknown)
      : xlsxWithResults(bytes, { part, lines: lines.value.lines, headerLine: source.headerLine ?? 1 }, results);
  if (!written.ok) {
    return err(domainWords.problems.file.results.notInto(original, written.error));
  }
  const own = path.extname(original).toLowerCase();
  const extension = WORKBOOK_EXTENSIONS.has(own) ? own : '.xlsx';
  const reading = { sheet: source.sheet, headerLine: source.headerLine ?? 1 };
  return ok({ bytes: written.value, extension, reading, notes: notWritten(results) });
}

async function csvCopy(
  bytes: Buffer,
  source: SheetSource,
  results: SheetResults,
): Promise<Result<ResultsDocument, string>> {
  const lines = await readWorkbookLines(bytes, source.sheet);
  if (!lines.ok) return err(lines.error.message);
  const text = lines.value.lines.map((record) => csvLine(record.cells)).join('');
  // Line numbers in a text that consists only of the records.
  const places = new Map(lines.value.lines.map((record, index) => [record.line, index + 1]));
  const byRecord = new Map([...results.byLine].map(([line, texts]) => [places.get(line) ?? 0, texts]));
  const headerLine = places.get(source.headerLine ?? 0);
  const written = csvWithResults(text, ',', { ...results, byLine: byRecord }, headerLine);
  return ok({
    bytes: Buffer.from(CSV_BYTE_ORDER_MARK + written),
    extension: '.csv',
    reading: { delimiter: ',', headerLine },
    notes: [domainWords.problems.file.results.copyIsCsv],
  });
}

function notWritten({ added }: SheetResults): readonly string[] {
  if (added.length === 0) return [];
  return [domainWords.problems.file.results.notInFile(added.length)];
}

function textDocument(
  bytes: Buffer,
  { delimiter = ',', encoding, headerLine }: SheetSource,
  mustKeepEncoding: boolean,
  results: SheetResults,
): Result<ResultsDocument, string> {
  const wanted = encoding as Parameters<typeof recogniseText>[1];
  const recognised = recogniseText(bytes, wanted);
  if (!recognised.ok) return err(recognised.error.message);
  const mark = bytes.subarray(0, bytes.length - recognised.value.body.length);
  const text = [...decodePieces(recognised.value)].join('');
  const written = csvWithResults(text, delimiter, results, headerLine);
  const extension = delimiter === '\t' ? '.tsv' : '.csv';
  const encoded = encodeText(written, recognised.value.encoding);
  const reading = { delimiter, headerLine: headerLine ?? 1 };
  if (encoded !== undefined) {
    const asBefore = { ...reading, encoding: recognised.value.encoding };
    return ok({ bytes: Buffer.concat([mark, encoded]), extension, reading: asBefore, notes: [] });
  }
  if (mustKeepEncoding) {
    return err(domainWords.problems.file.results.encoding);
  }
  return ok({
    bytes: Buffer.from(CSV_BYTE_ORDER_MARK + written),
    extension,
    reading,
    notes: [domainWords.problems.file.results.copyIsUtf8],
  });
}
