/** Writes the results of a batch that was made of no file of the user's: a sheet of its own, rows and results together. */
import path from 'node:path';
import { csvLine, CSV_BYTE_ORDER_MARK } from '../../../shared/domain/base/csv-text.ts';
import type { ExportedRow } from '../../../shared/domain/task/batch-view.ts';
import { presentRow, resultsSheetCells, resultsSheetHeaders } from '../../../shared/domain/files/manifest.ts';
import { err, type Result } from '../../../shared/domain/base/result.ts';
import { writeDurably, type ResultsTarget, type WrittenResults } from './write-results.ts';

/** @returns Why it cannot be done, in words. */
export async function writeOwnResults(
  into: ResultsTarget['into'],
  headers: readonly string[],
  rows: Iterable<ExportedRow>,
): Promise<Result<WrittenResults, string>> {
  if (into.kind !== 'file') return err('This sheet was not read from a file of yours. Name the file to write to.');
  if (path.extname(into.file).toLowerCase() !== '.csv') {
    return err(`${into.file} would not be what its name says. Give the file a name that ends in “.csv”.`);
  }
  const lines = [CSV_BYTE_ORDER_MARK + csvLine(resultsSheetHeaders(headers))];
  for (const exported of rows) {
    const present = presentRow(exported);
    if (present !== undefined) lines.push(csvLine(resultsSheetCells(headers, present)));
  }
  return writeDurably(into.file, new TextEncoder().encode(lines.join('')));
}
