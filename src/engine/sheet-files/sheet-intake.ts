import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import type { LineStart, RawRecord, SheetOrigin } from '../../shared/domain/sheet/sheet-raw.ts';
import { isBlank } from '../../shared/domain/base/text.ts';
import { isKnownHeader } from '../../shared/domain/sheet/sheet-columns.ts';
import { domainWords } from '../../shared/words/domain-words.ts';

const MOST_COLUMNS = 512;
/** As many lines as a spreadsheet program can have. */
export const MOST_LINES = 1_048_576;
/** A workbook stores a text once and may show it in every cell, so its file size says nothing about its text. */
export const MOST_CHARACTERS = 200 * 1024 * 1024;

/**
 * How many lines are searched for a header that nobody has named: there may be a title, a date or a project above it.
 */
export const HEADER_WITHIN = 20;

/**
 * The start of a line: by this many cells, its author knows it again. Much longer than what is shown of it: a key in it
 * is blotted out before it is cut for that, and half a key would not be found.
 */
const START_CELLS = 8;
const START_CHARACTERS = 4_000;

/** How many cells of a line are headers of known columns. */
export function knownHeadersIn(cells: readonly string[]): number {
  return cells.slice(0, MOST_COLUMNS).filter(isKnownHeader).length;
}

function filledIn(cells: readonly string[]): number {
  return cells.slice(0, MOST_COLUMNS).filter((cell) => !isBlank(cell)).length;
}

/**
 * Whether a line is the header, given the non-blank lines above it. A title may be the name of a column, and so may a
 * word of the data. So below the first line, a header needs two names, and more cells than any line above it, which may
 * be a row.
 */
export function isHeader(cells: readonly string[], above: readonly (readonly string[])[]): boolean {
  const known = knownHeadersIn(cells);
  const filled = filledIn(cells);
  if (above.length === 0) return known > 0 && filled > 1;
  return known > 1 && above.every((line) => filledIn(line) < filled);
}

/** Whether a sheet has a line with known columns where a header is expected. */
export function hasKnownHeader(lines: readonly RawRecord[]): boolean {
  const first = lines.flatMap(({ cells }) => (cells.every(isBlank) ? [] : [cells])).slice(0, HEADER_WITHIN);
  return first.some((cells, at) => isHeader(cells, first.slice(0, at))) || knownHeadersIn(first[0] ?? []) > 0;
}

/**
 * Takes a sheet's lines as they are read. The header is the first non-blank line at or below the line given for the
 * header; if none is given, a line below it may be the header instead (see {@link isHeader}). Refuses a sheet that is
 * too large.
 */
export class SheetIntake {
  readonly #take: (record: RawRecord) => void;
  readonly #headerLine: number;
  #header: RawRecord | undefined;
  /** The first lines, as long as the header may be below them. */
  #above: RawRecord[] | undefined;
  readonly #firstLines: LineStart[] = [];
  /** The first line above the header that has several cells. */
  #mayBeRow: number | undefined;
  #records = 0;
  #characters = 0;

  /** @param take Receives each record below the header that is not blank. */
  constructor(take: (record: RawRecord) => void, headerLine?: number) {
    this.#take = take;
    this.#headerLine = headerLine ?? 1;
    this.#above = headerLine === undefined ? [] : undefined;
  }

  readonly add = (line: RawRecord): SheetProblem | undefined => {
    if (line.line > MOST_LINES) return tooManyLines();
    let isEmpty = true;
    for (const cell of line.cells) {
      this.#characters += cell.length;
      // Before anything reads the cell: reading alone would join a text that is still many pieces.
      if (this.#characters > MOST_CHARACTERS) return tooMuchText();
      if (isEmpty) isEmpty = isBlank(cell);
    }
    if (!isEmpty && line.line <= HEADER_WITHIN) this.#firstLines.push({ line: line.line, text: startOf(line.cells) });
    if (isEmpty || line.line < this.#headerLine) return undefined;
    return this.#above === undefined ? this.#takeLine(line) : this.#lookForHeader(line, this.#above);
  };

  /** The beginnings of the first lines that were added, whatever has become of them. */
  get firstLines(): readonly LineStart[] {
    return this.#firstLines;
  }

  #lookForHeader(line: RawRecord, above: RawRecord[]): SheetProblem | undefined {
    const before = above.map(({ cells }) => cells);
    if (isHeader(line.cells, before)) {
      this.#above = undefined;
      // A line of one cell is a title; with more, it may be a row.
      this.#mayBeRow = above.find(({ cells }) => filledIn(cells) > 1)?.line;
      return this.#takeHeader(line);
    }
    above.push(line);
    return above.length < HEADER_WITHIN ? undefined : this.#takeAbove();
  }

  /** None of the first lines is recognised as a header, so the first of them is used. */
  #takeAbove(): SheetProblem | undefined {
    const lines = this.#above ?? [];
    this.#above = undefined;
    for (const line of lines) {
      const problem = this.#takeLine(line);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #takeLine(line: RawRecord): SheetProblem | undefined {
    if (this.#header === undefined) return this.#takeHeader(line);
    this.#records++;
    this.#take(line.cells.length > MOST_COLUMNS ? { ...line, cells: cutCells(line.cells) } : line);
    return undefined;
  }

  /**
   * The header line, once all lines were added, and what is to be said about the lines above it; or the problem of a
   * sheet without a header or without rows.
   */
  end(): IntakeEnd {
    const refused = this.#takeAbove();
    if (refused !== undefined) return { headers: [], headerLine: this.#headerLine, problem: refused };
    if (this.#header === undefined) {
      const { empty } = domainWords.problems.file;
      const message = this.#headerLine === 1 ? empty.sheet : empty.below(this.#headerLine);
      return { headers: [], headerLine: this.#headerLine, problem: emptySheet(message) };
    }
    const { line, cells } = this.#header;
    const above = this.#mayBeRow === undefined ? {} : { above: linesAbove(this.#mayBeRow, line) };
    const header = { headers: cells, headerLine: line, ...above };
    if (this.#records > 0) return header;
    return { ...header, problem: emptySheet(domainWords.problems.file.empty.noRows) };
  }

  #takeHeader({ line, cells }: RawRecord): SheetProblem | undefined {
    const headers = cells.slice(0, cells.findLastIndex((cell) => !isBlank(cell)) + 1);
    this.#header = { line, cells: headers };
    if (headers.length <= MOST_COLUMNS) return undefined;
    return {
      severity: 'error',
      code: 'too-large',
      ...domainWords.problems.file.tooManyColumns(headers.length, MOST_COLUMNS),
    };
  }
}

/** The start of a line, with dots between its cells. */
function startOf(cells: readonly string[]): string {
  const filled = cells.slice(0, MOST_COLUMNS).filter((cell) => !isBlank(cell));
  const shown = filled.slice(0, START_CELLS).map((cell) => cell.slice(0, START_CHARACTERS).trim());
  return shown.join(' · ').slice(0, START_CHARACTERS);
}

interface IntakeEnd {
  readonly headers: readonly string[];
  readonly headerLine: number;
  /** Lines above the header that may have been rows. */
  readonly above?: SheetProblem;
  readonly problem?: SheetProblem;
}

function linesAbove(first: number, header: number): SheetProblem {
  return {
    severity: 'warning',
    code: 'lines-above',
    line: first,
    ...domainWords.problems.file.linesAbove(header, first),
  };
}

/** From a line with more cells than a sheet may have columns, keeps one extra cell to report, not a million. */
function cutCells(cells: readonly string[]): readonly string[] {
  const tooMany = cells.slice(MOST_COLUMNS).find((cell) => !isBlank(cell));
  return [...cells.slice(0, MOST_COLUMNS), ...(tooMany === undefined ? [] : [tooMany])];
}

function tooManyLines(): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    ...domainWords.problems.file.tooManyLines(MOST_LINES),
  };
}

function tooMuchText(): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    ...domainWords.problems.file.tooMuchText(MOST_CHARACTERS / 1024 / 1024),
  };
}

/** The problem of a sheet with nothing to render, and what a sheet needs. */
export function emptySheet(message: string): SheetProblem {
  return {
    severity: 'error',
    code: 'empty',
    message,
    remedy: domainWords.problems.file.empty.remedy,
  };
}

/** What the reader of one format says about a file besides its lines. */
export interface TableText extends SheetOrigin {
  readonly problems: readonly SheetProblem[];
  /** Name of the sheet's part in an XLSX archive, in the form used for lookups. */
  readonly part?: string;
}

/** Takes the first lines of a large file, the header included: at most once, before {@link TakeLine} has taken all. */
export type TakeFirstLines = (origin: SheetOrigin, lines: readonly RawRecord[]) => void;

/** Takes the lines of a file one by one, the header included; returns the problem that refuses the file, if any. */
export type TakeLine = (line: RawRecord) => SheetProblem | undefined;
