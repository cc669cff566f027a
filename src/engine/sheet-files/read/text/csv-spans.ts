/** A text file's lines exactly as written, quotes included, so that untouched parts stay identical byte for byte. */

/** One line of a text file. */
export interface CsvSpan {
  /** Its cells as written, each with its quotes. */
  readonly cells: readonly string[];
  /** Its line end; empty for a last line without one. */
  readonly lineEnd: string;
}

/**
 * Cuts a text into lines and cells according to RFC 4180. The text is sound, because it was read before. Joining all
 * cells and line ends with the delimiter gives the text again.
 */
export function* csvSpans(text: string, delimiter: string): Generator<CsvSpan> {
  let at = 0;
  while (at < text.length) {
    const cells: string[] = [];
    for (;;) {
      const end = cellEnd(text, at, delimiter);
      cells.push(text.slice(at, end));
      at = end;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    const lineEnd = text.startsWith('\r\n', at) ? '\r\n' : text.slice(at, at + 1);
    at += lineEnd.length;
    yield { cells, lineEnd };
  }
}

function cellEnd(text: string, start: number, delimiter: string): number {
  let at = start;
  if (text[at] === '"') {
    at = text.indexOf('"', at + 1);
    while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
    at = at === -1 ? text.length : at + 1;
  }
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}

/** The text of a cell as written. */
export function unquoted(cell: string): string {
  return cell.startsWith('"') && cell.endsWith('"') && cell.length > 1 ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}
