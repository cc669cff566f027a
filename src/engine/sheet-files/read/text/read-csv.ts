import Papa from 'papaparse';
import { err, ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { originalText } from '../../../../shared/domain/base/csv-text.ts';
import { hasAllResultColumns } from '../../../../shared/domain/base/result-columns.ts';
import { isDelimiter, type RawRecord, type TextEncoding } from '../../../../shared/domain/sheet/sheet-raw.ts';
import { isBlank } from '../../../../shared/domain/base/text.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';
import { decodePieces, FIRST_PIECE_BYTES, recogniseText } from './decode-text.ts';
import { HEADER_WITHIN, isHeader, knownHeadersIn } from '../../sheet-intake.ts';
import type { TableText, TakeFirstLines, TakeLine } from '../../sheet-intake.ts';

/** The delimiters to try if none is given, the likeliest first. */
const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Excel's own way of naming the delimiter: a first line that does not belong to the sheet. */
export const SEPARATOR_LINE = /^sep=([^\r\n"])[^\S\r\n]*(?:\r\n?|\n)/i;

/** Enough for a beginning, even if some are blank. */
const FIRST_LINES = 150;

/** How many characters to search for the header line. */
const HEADER_CHARACTERS = 65_536;
/**
 * A longer line is not a row: an unclosed quotation mark would make one line of the rest of the file. The limit also
 * keeps each step of the parser small, because running out of memory within a step ends more than the reader.
 */
const LONGEST_LINE = 2 * 1024 * 1024;

export interface ReadCsvOptions {
  /** The encoding of the file; detected if not given. */
  readonly encoding?: TextEncoding | undefined;
  /** The character between the cells; detected from the header line if not given. */
  readonly delimiter?: string | undefined;
  /** The line of the header; lines above it are skipped. By default the first non-blank line. */
  readonly headerLine?: number | undefined;
}

/** Reads a CSV or TSV file's bytes, piece by piece. Undoes what Nocturne did to formulas when it wrote results. */
export function readCsv(
  bytes: Buffer,
  options: ReadCsvOptions,
  take: TakeLine,
  takeFirst?: TakeFirstLines,
): Result<TableText, SheetProblem> {
  if (options.delimiter !== undefined && !isDelimiter(options.delimiter)) return err(notADelimiter(options.delimiter));
  const recognised = recogniseText(bytes, options.encoding);
  if (!recognised.ok) return recognised;
  const { body, encoding, problems } = recognised.value;
  const { headerLine } = options;
  let lines: CsvLines | undefined;
  /** The lines so far, until they are reported. */
  let first: RawRecord[] | undefined = takeFirst && body.length > FIRST_PIECE_BYTES ? [] : undefined;
  const tellFirst = (): void => {
    if (first && lines) takeFirst?.({ format: formatOf(lines), encoding, delimiter: lines.delimiter }, first);
    first = undefined;
  };
  const takeOriginal = originals((line) => {
    if (first?.push(line) === (headerLine ?? HEADER_WITHIN) + FIRST_LINES) tellFirst();
    return take(line);
  }, headerLine);
  let waiting = '';
  for (const piece of decodePieces(recognised.value)) {
    waiting += piece;
    if (!lines) {
      const [line, said] = SEPARATOR_LINE.exec(waiting) ?? ['', undefined];
      waiting = waiting.slice(line.length);
      const delimiter = options.delimiter ?? said ?? findDelimiter(waiting, headerLine);
      lines = new CsvLines(delimiter, takeOriginal, line === '' ? 0 : 1);
    }
    // A little more text will not end the line either: the next attempt is made when the text has doubled.
    if (waiting.length < lines.unfinished * 2) continue;
    const problem = lines.read(waiting, false);
    if (problem) return err(problem);
    waiting = lines.rest;
    tellFirst();
  }
  lines ??= new CsvLines(options.delimiter ?? ',', takeOriginal, 0);
  const problem = lines.read(waiting, true);
  if (problem) return err(problem);
  return ok({ problems, format: formatOf(lines), encoding, delimiter: lines.delimiter });
}

function formatOf({ delimiter }: CsvLines): 'csv' | 'tsv' {
  return delimiter === '\t' ? 'tsv' : 'csv';
}

/** Passes lines on with the texts that the cells had before results were written beside them. */
function originals(take: TakeLine, headerLine: number | undefined): TakeLine {
  let isOurs: boolean | undefined;
  let lines = 0;
  return (line) => {
    const mayBeHeader = line.line >= (headerLine ?? 1) && !line.cells.every(isBlank);
    if (isOurs === undefined && mayBeHeader) {
      lines += 1;
      if (hasAllResultColumns(line.cells)) isOurs = true;
      else if (headerLine !== undefined || lines >= HEADER_WITHIN) isOurs = false;
    }
    return take(isOurs === true ? { ...line, cells: line.cells.map(originalText) } : line);
  };
}

/** Takes text that begins at the start of a line, and keeps the rest of an unfinished line. */
class CsvLines {
  readonly delimiter: string;
  rest = '';
  readonly #parser: Papa.Parser;
  readonly #take: TakeLine;
  #line = 0;
  /** Line ends in the file before `rest`: more than lines, because cells contain some, too. */
  #lineEnds: number;

  /** @param lineEnds The number of line ends before the first line of the sheet. */
  constructor(delimiter: string, take: TakeLine, lineEnds: number) {
    this.delimiter = delimiter;
    this.#take = take;
    this.#lineEnds = lineEnds;
    this.#parser = new Papa.Parser({ delimiter, newline: '\n' });
  }

  get unfinished(): number {
    return this.rest.length;
  }

  read(text: string, isEnd: boolean): SheetProblem | undefined {
    // Half of a CR LF would count as a separate line end.
    const held = !isEnd && text.endsWith('\r') ? '\r' : '';
    const unified = keepBlanksInQuotes(
      unifyLineEnds(held ? text.slice(0, -1) : text, this.delimiter),
      this.delimiter,
      isEnd,
    );
    const parsed = this.#parse(unified, isEnd);
    // An error in an unfinished line may turn out not to be one.
    const lines = isEnd ? Infinity : parsed.data.length;
    const broken = parsed.errors.find(({ type, row = 0 }) => type === 'Quotes' && row < lines);
    if (broken) return this.#brokenQuotes(broken, unified);
    for (const cells of parsed.data) {
      const problem = this.#take({ line: ++this.#line, cells });
      if (problem) return problem;
    }
    const { cursor } = parsed.meta;
    const left = unified.slice(cursor);
    if (left.length > LONGEST_LINE && !isEnd) return this.#tooLong(left);
    this.#lineEnds += countLineEnds(unified.slice(0, cursor));
    this.rest = left + held;
    return undefined;
  }

  #parse(text: string, isEnd: boolean): Papa.ParseResult<string[]> {
    const ignoresLastLine = !isEnd;
    return this.#parser.parse(text, 0, ignoresLastLine) as Papa.ParseResult<string[]>;
  }

  #tooLong(left: string): SheetProblem {
    const broken = this.#parse(left.slice(0, LONGEST_LINE), true).errors.find((error) => error.type === 'Quotes');
    if (broken) return this.#brokenQuotes(broken, left, LONGEST_LINE / 1024 / 1024);
    const place = this.#lineEnds + 1;
    return {
      severity: 'error',
      code: 'too-large',
      ...domainWords.problems.file.lineTooLong(place, LONGEST_LINE / 1024 / 1024),
    };
  }

  #brokenQuotes(error: Papa.ParseError, text: string, millions = 0): SheetProblem {
    const place = this.#lineEnds + countLineEnds(text.slice(0, error.index ?? 0)) + 1;
    const isOpen = error.code === 'MissingQuotes';
    const { quotes } = domainWords.problems.file;
    return {
      severity: 'error',
      code: 'quotes-broken',
      message: isOpen ? quotes.open(place, millions) : quotes.after(place),
      remedy: quotes.remedy(place),
    };
  }
}

function notADelimiter(delimiter: string): SheetProblem {
  return {
    severity: 'error',
    code: 'unreadable',
    ...domainWords.problems.file.delimiter(JSON.stringify(delimiter)),
  };
}

function countLineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  for (let at = text.indexOf('\r'); at !== -1; at = text.indexOf('\r', at + 1)) if (text[at + 1] !== '\n') count++;
  return count;
}

/**
 * The separator that fits the header line best: it gives the most known columns, or else the most columns. If no line
 * is given, the header may be any of the first lines.
 */
function findDelimiter(text: string, headerLine: number | undefined): string {
  const beginning = text.slice(0, HEADER_CHARACTERS).replace(/\r\n?/g, '\n');
  const firstLines = beginning
    .split('\n')
    .slice((headerLine ?? 1) - 1)
    .join('\n')
    .trimStart();
  const within = headerLine === undefined ? HEADER_WITHIN : 1;
  let best = ',';
  let bestScore = -1;
  for (const delimiter of DELIMITERS) {
    const { data: lines } = Papa.parse<string[]>(firstLines, { delimiter, newline: '\n', skipEmptyLines: 'greedy' });
    const data = lines.slice(0, within);
    const [first = [], ...below] = data;
    const known = isHeader(first, []) ? knownHeadersIn(first) : 0;
    const place = known > 0 ? -1 : below.findIndex((cells, at) => isHeader(cells, data.slice(0, at + 1)));
    // The earlier line wins: further down, a text may contain several column names with commas between them.
    const score = known * 1_000_000 + (place < 0 ? 0 : HEADER_WITHIN - place) * 10_000 + first.length;
    if (score > bestScore) {
      bestScore = score;
      best = delimiter;
    }
  }
  return best;
}

/**
 * The parser knows one kind of line end per file and would join rows of a file with several. So line ends become \n,
 * except inside quotes, where they belong to the text of a cell. Not with a regular expression: one that skips quoted
 * cells overflows the stack in a cell with a few million quotation marks.
 */
function unifyLineEnds(text: string, delimiter: string): string {
  let unified = '';
  let copied = 0;
  let at = 0;
  let quote = text.indexOf('"');
  for (let lineEnd = text.indexOf('\r'); lineEnd !== -1; lineEnd = lineEnd < at ? text.indexOf('\r', at) : lineEnd) {
    if (quote !== -1 && quote < at) quote = text.indexOf('"', at);
    if (quote !== -1 && quote < lineEnd) {
      at = opensCell(text, quote, delimiter) ? afterQuotedCell(text, quote) : quote + 1;
    } else {
      unified += `${text.slice(copied, lineEnd)}\n`;
      at = lineEnd + (text[lineEnd + 1] === '\n' ? 2 : 1);
      copied = at;
    }
  }
  return unified + text.slice(copied);
}

/**
 * Moves blanks between a closing quotation mark and the end of the cell to before that mark: other readers count them
 * as part of the cell, and the parser would drop them. Nothing else moves.
 */
function keepBlanksInQuotes(text: string, delimiter: string, isEnd: boolean): string {
  if (!/"[^\S\r\n]/.test(text)) return text;
  let kept = '';
  let copied = 0;
  for (let quote = text.indexOf('"'); quote !== -1;) {
    if (!opensCell(text, quote, delimiter)) {
      quote = text.indexOf('"', quote + 1);
      continue;
    }
    const closed = afterQuotedCell(text, quote);
    let end = closed;
    while (text[end] !== delimiter && /[^\S\r\n]/.test(text[end] ?? '')) end++;
    const isCellEnd = text[end] === delimiter || text[end] === '\n' || (isEnd && end === text.length);
    if (end > closed && isCellEnd) {
      kept += `${text.slice(copied, closed - 1)}${text.slice(closed, end)}"`;
      copied = end;
    }
    quote = text.indexOf('"', end);
  }
  return kept + text.slice(copied);
}

function opensCell(text: string, quote: number, delimiter: string): boolean {
  const before = text[quote - 1];
  return before === undefined || before === delimiter || before === '\n' || before === '\r';
}

/** Where the text continues after a cell in quotes; its end if the cell is not closed. */
function afterQuotedCell(text: string, opening: number): number {
  let quote = text.indexOf('"', opening + 1);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote === -1 ? text.length : quote + 1;
}
