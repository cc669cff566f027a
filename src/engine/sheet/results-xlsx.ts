/** Write results of a workbook: one sheet's XML gets cells, everything else stays as it is. */
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { RESULT_COLUMNS } from '../../shared/domain/result-columns.ts';
import { err, ok, type Result } from '../../shared/domain/result.ts';
import { letterOf } from '../../shared/domain/sheet-columns.ts';
import { isBlank, type RawRecord } from '../../shared/domain/sheet-raw.ts';
import type { SheetResults } from './write-results.ts';

/** Attributes of a tag; a `>` may stand in a value. */
const ATTRIBUTES = `(?:[^>"'/]|"[^"]*"|'[^']*'|/(?!>))*`;
const CELL = new RegExp(`<((?:[\\w.-]+:)?)c(?=[\\s/>])(${ATTRIBUTES})(?:/>|>([\\s\\S]*?)</\\1c\\s*>)`, 'g');
const ROW = new RegExp(`<((?:[\\w.-]+:)?)row(?=[\\s/>])(${ATTRIBUTES})(?:/>|>([\\s\\S]*?)</\\1row\\s*>)`, 'g');
const SHEET_DATA = new RegExp(`<((?:[\\w.-]+:)?)sheetData(?=[\\s>])${ATTRIBUTES}>([\\s\\S]*)</\\1sheetData\\s*>`);
const DIMENSION = /(<(?:[\w.-]+:)?dimension\s[^>]*?ref=")([A-Z]+)(\d+):([A-Z]+)(\d+)(")/;
/** What XML 1.0 cannot hold at all (section 2.2). */
const NOT_IN_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** The sheet of a workbook that was read, and where it lies. */
export interface ReadWorkbookSheet {
  /** Name of its part, as archives are looked up: lower case, without a first slash. */
  readonly part: string;
  /** All lines of it, the header among them. */
  readonly lines: readonly RawRecord[];
}

/**
 * The workbook with the results in it. Columns of the results' names are filled; those that are missing come after the
 * last column that holds anything, their headers in the style of the last header. Formats, other sheets, drawings and
 * formulas are not touched.
 * @returns The bytes of the new workbook, or why the sheet's XML is not what can be written into.
 */
export function xlsxWithResults(
  bytes: Uint8Array,
  { part, lines }: ReadWorkbookSheet,
  results: SheetResults,
): Result<Uint8Array, string> {
  const entries = unzipSync(bytes);
  const name = Object.keys(entries).find((entry) => entry.replaceAll('\\', '/').toLowerCase() === part);
  const content = name === undefined ? undefined : entries[name];
  if (name === undefined || content === undefined) return err('its sheet is not where the workbook says');
  const xml = strFromU8(content);
  if (/<!DOCTYPE/i.test(xml.slice(0, 4096)) || /encoding=["'](?!utf-8)/i.test(xml.slice(0, 200))) {
    return err('its XML is not written as spreadsheets write it');
  }
  const data = SHEET_DATA.exec(xml);
  const header = lines.find((line) => line.cells.some((cell) => !isBlank(cell)));
  if (data === null || header === undefined) return err('its sheet has no cells');
  const writer = new RowWriter(header, lines, results, data[2] ?? '');
  const written = writer.write(data[2] ?? '');
  const start = data.index + data[0].indexOf('>') + 1;
  const changed = xml.slice(0, start) + written + xml.slice(start + (data[2] ?? '').length);
  const dimensioned = changed.replace(
    DIMENSION,
    (_, before: string, left: string, top, right: string, bottom, after) => {
      const last = Math.max(numberOf(right), writer.lastColumn);
      return `${before}${left}${top}:${letterOf(last)}${bottom}${after}`;
    },
  );
  return ok(zipSync({ ...entries, [name]: strToU8(dimensioned) }));
}

/** Writes the results into the rows of a sheet's XML. */
class RowWriter {
  /** Columns of the results, counted from 1. */
  readonly #columns: readonly number[];
  readonly #header: RawRecord;
  readonly #results: SheetResults;
  #headerStyle = '';

  constructor(header: RawRecord, lines: readonly RawRecord[], results: SheetResults, data: string) {
    this.#header = header;
    this.#results = results;
    const widest = lines.reduce(
      (most, { cells }) => Math.max(most, cells.findLastIndex((cell) => !isBlank(cell)) + 1),
      0,
    );
    const withFormulas = formulaColumns(data);
    let next = widest;
    this.#columns = RESULT_COLUMNS.map((name) => {
      const found = header.cells.findIndex((cell) => cell.trim() === name) + 1;
      // A formula is its author's: what it computes is not overwritten, and other formulas may share it.
      return found > 0 && !withFormulas.has(found) ? found : ++next;
    });
  }

  get lastColumn(): number {
    return Math.max(...this.#columns);
  }

  write(data: string): string {
    let line = 0;
    return data.replace(ROW, (row, prefix: string, attributes: string, content: string | undefined) => {
      line = Number(attributeOf(attributes, 'r') ?? line + 1);
      const texts = line === this.#header.line ? RESULT_COLUMNS : this.#results.byLine.get(line);
      if (texts === undefined) return row;
      const cells = this.#cells(content ?? '', prefix, line, texts);
      return `<${prefix}row${this.#withSpans(attributes)}>${cells}</${prefix}row>`;
    });
  }

  #withSpans(attributes: string): string {
    return attributes.replace(/(\sspans=")(\d+):(\d+)(")/, (_, before: string, from, to, after: string) => {
      return `${before}${from}:${Math.max(Number(to), this.lastColumn)}${after}`;
    });
  }

  /** The cells of a row with those of the results among them, in order of column. */
  #cells(content: string, prefix: string, line: number, texts: readonly string[]): string {
    const isHeader = line === this.#header.line;
    let column = 0;
    const kept: { readonly column: number; readonly xml: string; readonly style: string }[] = [];
    let after = 0;
    for (const cell of content.matchAll(CELL)) {
      column = columnOf(attributeOf(cell[2] ?? '', 'r')) ?? column + 1;
      kept.push({ column, xml: cell[0], style: attributeOf(cell[2] ?? '', 's') ?? '' });
      after = cell.index + cell[0].length;
    }
    const lastHeader = kept.findLast((cell) => !isBlank(this.#header.cells[cell.column - 1]));
    if (isHeader) this.#headerStyle = lastHeader?.style ?? '';
    const own = this.#columns.map((at, index) => {
      const before = kept.find((cell) => cell.column === at);
      // A header that is there already stays; a cell keeps its format and gets another text.
      if (isHeader && before !== undefined && !isBlank(this.#header.cells[at - 1])) return before;
      const style = before?.style ?? (isHeader ? this.#headerStyle : '');
      return { column: at, xml: textCell(prefix, `${letterOf(at)}${line}`, style, texts[index] ?? ''), style };
    });
    const others = kept.filter((cell) => !this.#columns.includes(cell.column));
    const all = [...others, ...own].toSorted((a, b) => a.column - b.column);
    return all.map((cell) => cell.xml).join('') + content.slice(after);
  }
}

/** A cell that is text, whatever it looks like (ECMA-376 part 1, 18.3.1.4, `inlineStr`). */
function textCell(prefix: string, reference: string, style: string, text: string): string {
  const styled = style === '' ? '' : ` s="${style}"`;
  if (text === '') return `<${prefix}c r="${reference}"${styled}/>`;
  const escaped = text.replaceAll(NOT_IN_XML, '\uFFFD').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const kept = `<${prefix}is><${prefix}t xml:space="preserve">${escaped.replaceAll('>', '&gt;')}</${prefix}t></${prefix}is>`;
  return `<${prefix}c r="${reference}"${styled} t="inlineStr">${kept}</${prefix}c>`;
}

function formulaColumns(data: string): ReadonlySet<number> {
  const columns = new Set<number>();
  for (const cell of data.matchAll(CELL)) {
    const column = columnOf(attributeOf(cell[2] ?? '', 'r'));
    if (column !== undefined && /<(?:[\w.-]+:)?f[\s/>]/.test(cell[3] ?? '')) columns.add(column);
  }
  return columns;
}

function attributeOf(attributes: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found?.[1] ?? found?.[2];
}

function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]+/.exec(reference ?? '')?.[0];
  return letters === undefined ? undefined : numberOf(letters);
}

function numberOf(letters: string): number {
  return Array.from(letters).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);
}
