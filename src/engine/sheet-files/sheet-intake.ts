import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { isBlank, type RawRecord, type SheetSource } from '../../shared/domain/sheet/sheet-raw.ts';

const MOST_COLUMNS = 512;
/** As many lines as a spreadsheet program can hold. */
export const MOST_LINES = 1_048_576;
/** A workbook names a text once and may show it in every cell, so the size of its file says nothing about its text. */
export const MOST_CHARACTERS = 200 * 1024 * 1024;

/**
 * Takes a sheet's lines as they are read. Its header is the first line that is not blank, at or after the line that is
 * said to be the header. Refuses what is too large.
 */
export class SheetIntake {
  readonly #take: (record: RawRecord) => void;
  readonly #headerLine: number;
  #header: RawRecord | undefined;
  #records = 0;
  #characters = 0;

  /** @param take Gets each record below the header that is not blank. */
  constructor(take: (record: RawRecord) => void, headerLine = 1) {
    this.#take = take;
    this.#headerLine = headerLine;
  }

  readonly add = (line: RawRecord): SheetProblem | undefined => {
    if (line.line > MOST_LINES) return tooManyLines();
    let isEmpty = true;
    for (const cell of line.cells) {
      this.#characters += cell.length;
      // Before anything looks into the cell: that alone would make a text of what is still many pieces.
      if (this.#characters > MOST_CHARACTERS) return tooMuchText();
      if (isEmpty) isEmpty = isBlank(cell);
    }
    if (isEmpty || line.line < this.#headerLine) return undefined;
    if (this.#header === undefined) return this.#takeHeader(line);
    this.#records++;
    this.#take(line.cells.length > MOST_COLUMNS ? { ...line, cells: cutCells(line.cells) } : line);
    return undefined;
  };

  /** The header line, once all lines were added; or what is wrong with a sheet that has none, or nothing below it. */
  end(): { readonly headers: readonly string[]; readonly headerLine: number; readonly problem?: SheetProblem } {
    if (this.#header === undefined) {
      const message =
        this.#headerLine === 1 ? 'The sheet is empty.' : `Nothing is in line ${this.#headerLine} or below.`;
      return { headers: [], headerLine: this.#headerLine, problem: emptySheet(message) };
    }
    const header = { headers: this.#header.cells, headerLine: this.#header.line };
    if (this.#records > 0) return header;
    return { ...header, problem: emptySheet('The sheet has a header line and no rows.') };
  }

  #takeHeader({ line, cells }: RawRecord): SheetProblem | undefined {
    const headers = cells.slice(0, cells.findLastIndex((cell) => !isBlank(cell)) + 1);
    this.#header = { line, cells: headers };
    if (headers.length <= MOST_COLUMNS) return undefined;
    return {
      severity: 'error',
      code: 'too-large',
      message: `The sheet has ${headers.length} columns; at most ${MOST_COLUMNS} are read.`,
      remedy: 'Delete the columns that are not meant to be sent.',
    };
  }
}

/** A line with more cells than a sheet may have columns keeps one of the surplus, to be reported: not a million. */
function cutCells(cells: readonly string[]): readonly string[] {
  const tooMany = cells.slice(MOST_COLUMNS).find((cell) => !isBlank(cell));
  return [...cells.slice(0, MOST_COLUMNS), ...(tooMany === undefined ? [] : [tooMany])];
}

function tooManyLines(): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    message: `The sheet has more than ${MOST_LINES} lines, which is as many as spreadsheet programs hold.`,
    remedy: 'Divide the sheet into several ones.',
  };
}

function tooMuchText(): SheetProblem {
  return {
    severity: 'error',
    code: 'too-large',
    message: `The cells of the sheet have more than ${MOST_CHARACTERS / 1024 / 1024} million characters together.`,
    remedy: 'Divide the sheet into several ones.',
  };
}

/** A sheet in which there is nothing to render, with what a sheet needs. */
export function emptySheet(message: string): SheetProblem {
  return {
    severity: 'error',
    code: 'empty',
    message,
    remedy:
      'Write a header line with the names of the columns, such as “row,operation,prompt”, and a line for each row.',
  };
}

/** What the reader of one format says of a file besides its lines. */
export interface TableText extends Omit<SheetSource, 'bytes' | 'sha256'> {
  readonly problems: readonly SheetProblem[];
  /** Name of the sheet's part in an XLSX archive, as archives are looked up. */
  readonly part?: string;
}

/** Takes the lines of a file one by one, the header among them; gives what refuses the file, if anything does. */
export type TakeLine = (line: RawRecord) => SheetProblem | undefined;
