/** Writes results into a text file: existing text stays as written, and the results go beside it. */
import { csvCell, originalText } from '../../../shared/domain/base/csv-text.ts';
import { hasAllResultColumns, RESULT_COLUMNS, type SheetResults } from '../../../shared/domain/base/result-columns.ts';
import { isBlank } from '../../../shared/domain/base/text.ts';
import { csvSpans, unquoted, type CsvSpan } from '../read/text/csv-spans.ts';
import { SEPARATOR_LINE } from '../read/text/read-csv.ts';

/**
 * The text with the results in it. Fills columns with the results' names; adds missing columns after the last header.
 * Blank lines and everything above the header stay as they are. Rows that the file does not have follow at the end.
 */
export function csvWithResults(text: string, delimiter: string, results: SheetResults, headerLine = 1): string {
  const [separator = ''] = SEPARATOR_LINE.exec(text) ?? [];
  const body = text.slice(separator.length);
  const found = findHeader(body, delimiter, headerLine);
  if (found === undefined) return text;
  const headers = found.header.cells.map(unquoted);
  // From now on, an apostrophe before a formula counts as ours: one that is not ours gets another.
  const hasMarks = hasAllResultColumns(headers);
  const width = lastFilled(headers) + 1;
  const places = placesOf(headers, width);
  const newLine = found.header.lineEnd === '' ? '\r\n' : found.header.lineEnd;
  const written: string[] = [];
  let lineEnd = '';
  // One line at a time: all cells of a long sheet at once take many times the memory of its text.
  for (const line of csvSpans(body, delimiter)) {
    const number = written.length + 1;
    const cells = hasMarks ? line.cells : line.cells.map((cell) => markedCell(cell, delimiter));
    const own = number === found.line ? RESULT_COLUMNS : results.byLine.get(number);
    const isKept = own === undefined || isBlankLine(line);
    written.push((isKept ? cells : filled(cells, places, own, delimiter, width)).join(delimiter) + line.lineEnd);
    ({ lineEnd } = line);
  }
  const added = results.added.map(({ cells, results: own }) => {
    const row = headers.slice(0, width).map((name) => cellText(cells[name] ?? '', delimiter));
    return filled(row, places, own, delimiter, width).join(delimiter) + newLine;
  });
  const isOpen = added.length > 0 && lineEnd === '';
  return separator + written.join('') + (isOpen ? newLine : '') + added.join('');
}

/** The first line from this one on that is not blank. */
function findHeader(
  text: string,
  delimiter: string,
  from: number,
): { readonly header: CsvSpan; readonly line: number } | undefined {
  let line = 0;
  for (const header of csvSpans(text, delimiter)) {
    line += 1;
    if (line >= from && !isBlankLine(header)) return { header, line };
  }
  return undefined;
}

/** The place of each result among the cells: the column of that name, or a new one after the last header. */
function placesOf(headers: readonly string[], width: number): readonly number[] {
  let next = width;
  return RESULT_COLUMNS.map((name) => {
    const found = headers.findIndex((header) => header.trim() === name);
    return found === -1 ? next++ : found;
  });
}

function filled(
  cells: readonly string[],
  places: readonly number[],
  texts: readonly string[],
  delimiter: string,
  width: number,
): readonly string[] {
  const all = [...cells];
  while (all.length < width) all.push('');
  for (const [index, place] of places.entries()) {
    while (all.length <= place) all.push('');
    all[place] = cellText(texts[index] ?? '', delimiter);
  }
  return all;
}

function markedCell(cell: string, delimiter: string): string {
  if (!cell.includes("'")) return cell;
  const text = unquoted(cell);
  return originalText(text) === text ? cell : cellText(text, delimiter);
}

function cellText(text: string, delimiter: string): string {
  const cell = csvCell(text);
  return cell.includes(delimiter) && !cell.startsWith('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function isBlankLine({ cells }: CsvSpan): boolean {
  return cells.every((cell) => isBlank(unquoted(cell)));
}

function lastFilled(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => !isBlank(cell));
}
