/** Write results of a text file: what was there stays as it is written, the results are put beside it. */
import { csvCell, originalText } from '../../shared/domain/csv-text.ts';
import { hasAllResultColumns, RESULT_COLUMNS } from '../../shared/domain/result-columns.ts';
import { isBlank } from '../../shared/domain/sheet-raw.ts';
import { csvSpans, unquoted, type CsvSpan } from './csv-spans.ts';
import { SEPARATOR_LINE } from './read-csv.ts';
import type { SheetResults } from './results-document.ts';

/**
 * The text with the results in it. Columns of the results' names are filled; those that are missing come after the last
 * header. Lines that are blank stay blank. Rows that the file does not have follow at the end.
 */
export function csvWithResults(text: string, delimiter: string, results: SheetResults): string {
  const [separator = ''] = SEPARATOR_LINE.exec(text) ?? [];
  const lines = [...csvSpans(text.slice(separator.length), delimiter)];
  const headerAt = lines.findIndex((line) => !isBlankLine(line));
  const header = lines[headerAt];
  if (header === undefined) return text;
  const headers = header.cells.map(unquoted);
  // From now on, apostrophes before a formula will be taken for ours: those that are not get one of ours.
  const kept = hasAllResultColumns(headers)
    ? lines
    : lines.map((line) => ({ ...line, cells: line.cells.map((cell) => markedCell(cell, delimiter)) }));
  const width = lastFilled(headers) + 1;
  const places = placesOf(headers, width);
  const newLine = header.lineEnd === '' ? '\r\n' : header.lineEnd;
  const written = kept.map((line, index): string => {
    if (index === headerAt)
      return joined(line, filled(line.cells, places, RESULT_COLUMNS, delimiter, width), delimiter);
    const own = results.byLine.get(index + 1);
    if (own === undefined || isBlankLine(line)) return joined(line, line.cells, delimiter);
    return joined(line, filled(line.cells, places, own, delimiter, width), delimiter);
  });
  const added = results.added.map(({ cells, results: own }) => {
    const written = headers.slice(0, width).map((name) => cellText(cells[name] ?? '', delimiter));
    return filled(written, places, own, delimiter, width).join(delimiter) + newLine;
  });
  const isOpen = added.length > 0 && lines.at(-1)?.lineEnd === '';
  return separator + written.join('') + (isOpen ? newLine : '') + added.join('');
}

/** The place of each result among the cells: that of the column of its name, or one behind the last header. */
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

function joined(line: CsvSpan, cells: readonly string[], delimiter: string): string {
  return cells.join(delimiter) + line.lineEnd;
}

function isBlankLine({ cells }: CsvSpan): boolean {
  return cells.every((cell) => isBlank(unquoted(cell)));
}

function lastFilled(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => !isBlank(cell));
}
