import { Parser } from 'htmlparser2';
import { ClipboardCellText } from './clipboard-cell-text.ts';
import { MOST_LINES } from '../sheet-intake.ts';

/** The contents of the clipboard; each may be empty. */
export interface ClipboardText {
  readonly html: string;
  readonly text: string;
}

/** A table from the clipboard: lines of cells, all of one length. */
export type CellTable = readonly (readonly string[])[];

/** A cell of a table in HTML. */
export interface HtmlCell {
  readonly shown: string;
  /** The exact text, every blank included, from Google Sheets and LibreOffice; undefined if there is none. */
  readonly exact: string | undefined;
}

/** No document of a spreadsheet program is nested deeper; the parser's time grows with the square of the depth. */
const DEEPEST = 512;
/** After how many characters to ask the parser whether to continue. */
const PIECE_CHARACTERS = 65_536;
/** Only somebody who wants to fill the memory would write a larger one; no spreadsheet program does. */
const MOST_CELLS = 32 * 1024 * 1024;
/** As in browsers (HTML 4.9.11). */
const MOST_COLUMNS_SPANNED = 1000;
const MOST_ROWS_SPANNED = 65_534;

/**
 * The first table of a document, with blank cells below merged ones. Rows without a table count as well, because the
 * Windows clipboard marks only rows as the copied part.
 * @returns The lines, not all of one length; undefined if there is no table or it is too large.
 */
export function readHtmlTable(html: string): readonly (readonly HtmlCell[])[] | undefined {
  const reader = new TableReader();
  const parser = new Parser(reader);
  for (let at = 0; at < html.length && !reader.isDone; at += PIECE_CHARACTERS) {
    parser.write(html.slice(at, at + PIECE_CHARACTERS));
  }
  parser.end();
  return reader.isRefused || reader.rows.length === 0 ? undefined : reader.rows;
}

interface OpenRow {
  readonly cells: HtmlCell[];
  /** Excel ends its tables with an invisible row that contains only column widths. */
  readonly isHidden: boolean;
}

const BLANK: HtmlCell = { shown: '', exact: undefined };

class TableReader {
  readonly rows: HtmlCell[][] = [];
  isDone = false;
  isRefused = false;
  #depth = 0;
  #tables = 0;
  #cellCount = 0;
  #row: OpenRow | undefined;
  #cell: ClipboardCellText | undefined;
  /** The column of the open cell. */
  #place = 0;
  #exact: string | undefined;
  /** For each column, how many rows a cell above still covers. */
  #covered: number[] = [];

  readonly onopentag = (name: string, attributes: Readonly<Record<string, string>>): void => {
    this.#depth++;
    if (this.#depth > DEEPEST) this.#refuse();
    if (this.isDone) return;
    if (name === 'table') this.#tables++;
    const isInner = this.#tables > 1;
    if (isInner || !isTablePart(name)) {
      this.#cell?.open(name, attributes['style'] ?? '');
      return;
    }
    this.#closeCell();
    if (name === 'tr') this.#openRow(attributes);
    else if (name === 'td' || name === 'th') this.#openCell(attributes);
  };

  readonly onclosetag = (name: string): void => {
    this.#depth--;
    if (this.isDone) return;
    const isInner = this.#tables > 1;
    if (isInner || !isTablePart(name)) this.#cell?.close(name);
    else {
      this.#closeCell();
      if (name !== 'td' && name !== 'th') this.#closeRow();
    }
    if (name !== 'table') return;
    this.#tables--;
    if (this.#tables === 0 && this.rows.length > 0) this.isDone = true;
  };

  readonly ontext = (piece: string): void => {
    if (!this.isDone) this.#cell?.add(piece);
  };

  readonly onend = (): void => {
    this.#closeRow();
  };

  #refuse(): void {
    this.isDone = true;
    this.isRefused = true;
  }

  #openRow({ style = '' }: Readonly<Record<string, string>>): void {
    this.#closeRow();
    this.#row = { cells: [], isHidden: /display\s*:\s*none/i.test(style) };
  }

  #openCell(attributes: Readonly<Record<string, string>>): void {
    this.#row ??= { cells: [], isHidden: false };
    const { cells } = this.#row;
    while ((this.#covered[cells.length] ?? 0) > 0) cells.push(BLANK);
    const rows = spanOf(attributes['rowspan'], MOST_ROWS_SPANNED);
    const columns = spanOf(attributes['colspan'], MOST_COLUMNS_SPANNED);
    this.#cellCount += columns;
    if (this.#cellCount > MOST_CELLS) this.#refuse();
    const first = cells.length;
    for (let column = first; column < first + columns; column++) {
      cells.push(BLANK);
      if (rows > 1) this.#cover(column, rows);
    }
    this.#exact = exactText(attributes['data-sheets-value']);
    this.#cell = new ClipboardCellText(attributes['style'] ?? '');
    this.#place = first;
  }

  /** The cell's own row counts as covered, too: the end of each row subtracts it. */
  #cover(column: number, rows: number): void {
    while (this.#covered.length < column) this.#covered.push(0);
    this.#covered[column] = rows;
  }

  #closeCell(): void {
    if (this.#cell && this.#row) this.#row.cells[this.#place] = { shown: this.#cell.end(), exact: this.#exact };
    this.#cell = undefined;
  }

  #closeRow(): void {
    this.#closeCell();
    const row = this.#row;
    this.#row = undefined;
    if (!row || (row.isHidden && row.cells.every(({ shown }) => shown === ''))) return;
    if (row.cells.length === 0 && !this.#covered.some((rows) => rows > 0)) return;
    this.rows.push(row.cells);
    this.#covered = this.#covered.map((rows) => Math.max(0, rows - 1));
    if (this.rows.length > MOST_LINES) this.#refuse();
  }
}

function isTablePart(name: string): boolean {
  return ['table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'].includes(name);
}

function spanOf(text: string | undefined, most: number): number {
  const span = Number.parseInt(text ?? '1', 10);
  return span >= 1 ? Math.min(span, most) : 1;
}

/** `{"1":2,"2":"text"}` is a text; numbers and dates have other types, and for them the visible text counts. */
function exactText(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed !== 'object' || parsed === null || !('1' in parsed) || !('2' in parsed)) return undefined;
    return parsed['1'] === 2 && typeof parsed['2'] === 'string' ? parsed['2'] : undefined;
  } catch {
    return undefined;
  }
}
