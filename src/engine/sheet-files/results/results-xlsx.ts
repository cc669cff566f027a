/** Writes results into a workbook: one sheet's XML gets new cells, everything else stays as it is. */
import { isUtf8 } from 'node:buffer';
import { zipSync } from 'fflate/browser';
import { RESULT_COLUMNS, type SheetResults } from '../../../shared/domain/base/result-columns.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { letterOf } from '../../../shared/domain/sheet/sheet-columns.ts';
import type { RawRecord } from '../../../shared/domain/sheet/sheet-raw.ts';
import { isBlank } from '../../../shared/domain/base/text.ts';
import { domainWords } from '../../../shared/words/domain-words.ts';
import { columnOf, rangeOf, type CellRange, LAST_KEPT_COLUMN } from '../read/workbook/workbook-cells.ts';
import { MOST_INFLATED_BYTES } from '../read/workbook/read-workbook.ts';
import { resolvePart } from '../read/xlsx/xlsx-workbook.ts';
import { foldEntryName, openZip, type ZipArchive } from '../read/zip/zip-archive.ts';

/** Attributes of a tag; a value may contain a `>`. */
const ATTRIBUTES = `(?:[^>"'/]|"[^"]*"|'[^']*'|/(?!>))*`;
const CELL = new RegExp(`<((?:[\\w.-]+:)?)c(?=[\\s/>])(${ATTRIBUTES})(?:/>|>([\\s\\S]*?)</\\1c\\s*>)`, 'g');
const ROW = new RegExp(`<((?:[\\w.-]+:)?)row(?=[\\s/>])(${ATTRIBUTES})(?:/>|>([\\s\\S]*?)</\\1row\\s*>)`, 'g');
const SHEET_DATA = new RegExp(`<((?:[\\w.-]+:)?)sheetData(?=[\\s>])${ATTRIBUTES}>([\\s\\S]*)</\\1sheetData\\s*>`);
const DIMENSION = /(<(?:[\w.-]+:)?dimension\s[^<>]*?ref=")([A-Z]+)(\d+):([A-Z]+)(\d+)(")/;
const MERGE = /<(?:[\w.-]+:)?mergeCell\sref="([A-Z0-9:]{1,24})"/g;
const PIVOT = /\sTarget="([^"<>]{0,250}pivotTable[^"<>]{0,40})"/g;
const PIVOT_PLACE = /<(?:[\w.-]+:)?location\s[^<>]{0,500}?\bref="([A-Z0-9:]{1,24})"/;
/** As many columns as a spreadsheet has. */
const MOST_COLUMNS = 16_384;
/** As many UTF-16 units as a cell has in Excel, which takes a file with a longer one for damaged. */
const LONGEST_CELL = 32_767;
/** Characters that XML 1.0 cannot contain at all (section 2.2). */
const NOT_IN_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** An underscore that would begin an escape, and is therefore escaped (ECMA-376 part 1, 22.9.2.19). */
const LIKE_ESCAPE = /_(?=x[\dA-Fa-f]{4}_)/gu;

/** The sheet of a workbook that was read, and where it is. */
export interface ReadWorkbookSheet {
  /** Name of its part, in any letter case. */
  readonly part: string;
  /** All its lines, including the header. */
  readonly lines: readonly RawRecord[];
  /** The line of the header, if it is not the first that is not blank. */
  readonly headerLine?: number;
}

/**
 * The workbook with the results in it. Fills columns with the results' names; adds missing columns after the last
 * column with content, their headers in the style of the last header. Leaves formats, other sheets, drawings and
 * formulas alone.
 * @returns The bytes of the new workbook, or why the sheet's XML cannot take results.
 */
export function xlsxWithResults(
  bytes: Buffer,
  { part, lines, headerLine = 1 }: ReadWorkbookSheet,
  results: SheetResults,
): Result<Uint8Array, string> {
  const zip = openZip(bytes, MOST_INFLATED_BYTES);
  if (!zip.ok) return err(zip.error.message);
  // Names come from the file: one of them may be `__proto__`.
  const entries = Object.create(null) as Record<string, Uint8Array>;
  for (const name of zip.value.written) {
    const entry = zip.value.read(name);
    if (!entry.ok) return err(entry.error.message);
    if (entry.value !== undefined) entries[name] = entry.value;
  }
  const name = zip.value.written.find((entry) => foldEntryName(entry) === foldEntryName(part));
  const content = name === undefined ? undefined : entries[name];
  if (name === undefined || content === undefined) return err(domainWords.problems.file.results.sheetElsewhere);
  const xml = Buffer.from(content).toString('utf8');
  // The code below finds places by tags, which goes wrong if a comment contains tags.
  if (/<!/.test(xml) || /encoding=["'](?!utf-8)/i.test(xml.slice(0, 200)) || !isUtf8(content)) {
    return err(domainWords.problems.file.results.otherXml);
  }
  const data = SHEET_DATA.exec(xml);
  const header = lines.find((line) => line.line >= headerLine && line.cells.some((cell) => !isBlank(cell)));
  if (data === null || header === undefined) return err(domainWords.problems.file.results.noCells);
  const writer = new RowWriter(header, lines, results, {
    data: data[2] ?? '',
    taken: [...mergedOver(xml, [header.line, ...results.byLine.keys()]), ...pivotPlaces(zip.value, part)],
  });
  if (writer.lastColumn > MOST_COLUMNS) return err(domainWords.problems.file.results.noFreeColumns);
  const written = writer.write(data[2] ?? '');
  const start = data.index + data[0].indexOf('>') + 1;
  const changed = xml.slice(0, start) + written + xml.slice(start + (data[2] ?? '').length);
  const dimensioned = changed.replace(
    DIMENSION,
    (_, before: string, left: string, top, right: string, bottom, after) => {
      const last = Math.max((columnOf(right) ?? 0) + 1, writer.lastColumn);
      return `${before}${left}${top}:${letterOf(last)}${bottom}${after}`;
    },
  );
  entries[name] = Buffer.from(dimensioned, 'utf8');
  return ok(zipSync(entries));
}

/** Merged cells that cover some of these lines. */
function mergedOver(xml: string, lines: readonly number[]): readonly CellRange[] {
  const inOrder = lines.toSorted((a, b) => a - b);
  return rangesOf([...xml.matchAll(MERGE)].map((found) => found[1] ?? '')).filter(({ firstLine, lastLine }) => {
    const next = inOrder[firstNotBefore(inOrder, firstLine)];
    return next !== undefined && next <= lastLine;
  });
}

/** The position of the first number that is not less than this one. */
function firstNotBefore(inOrder: readonly number[], number: number): number {
  let low = 0;
  let high = inOrder.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((inOrder[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Cells below pivot tables; a pivot table grows downwards, so it counts wherever it begins. */
function pivotPlaces(zip: ZipArchive, part: string): readonly CellRange[] {
  const references: string[] = [];
  const slash = part.lastIndexOf('/') + 1;
  const related = zip.read(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
  const targets = related.ok && related.value ? [...related.value.toString('utf8').matchAll(PIVOT)] : [];
  for (const [, target = ''] of targets) {
    const pivot = zip.read(resolvePart(part.slice(0, slash), target));
    if (pivot.ok && pivot.value) references.push(PIVOT_PLACE.exec(pivot.value.toString('utf8'))?.[1] ?? '');
  }
  return rangesOf(references);
}

/** A range of whole rows has no columns. */
function rangesOf(references: readonly string[]): readonly CellRange[] {
  return references
    .flatMap((reference) => rangeOf(reference) ?? [])
    .filter((range) => range.lastColumn < MOST_COLUMNS - 1);
}

/** Writes the results into the rows of a sheet's XML. */
class RowWriter {
  /** Columns of the results, counted from 1. */
  readonly #columns: readonly number[];
  readonly #header: RawRecord;
  readonly #results: SheetResults;
  #headerStyle = '';

  constructor(
    header: RawRecord,
    lines: readonly RawRecord[],
    results: SheetResults,
    { data, taken }: { readonly data: string; readonly taken: readonly CellRange[] },
  ) {
    this.#header = header;
    this.#results = results;
    const widest = lines.reduce(
      (most, { cells }) => Math.max(most, cells.findLastIndex((cell) => !isBlank(cell)) + 1),
      0,
    );
    const { withFormulas, last } = usedColumns(data);
    // For cells far to the right, the lines only record that they exist.
    const filled = widest > LAST_KEPT_COLUMN ? Math.max(widest, last) : widest;
    let next = taken.reduce((most, { lastColumn }) => Math.max(most, lastColumn + 1), filled);
    const isTaken = (column: number): boolean =>
      taken.some(({ firstColumn, lastColumn }) => firstColumn < column && column <= lastColumn + 1);
    this.#columns = RESULT_COLUMNS.map((name) => {
      const found = header.cells.findIndex((cell) => cell.trim() === name) + 1;
      // A formula belongs to its author: its value is not overwritten, and other formulas may share it. Under merged
      // cells and pivot tables, nobody would see the results.
      return found > 0 && !withFormulas.has(found) && !isTaken(found) ? found : ++next;
    });
  }

  get lastColumn(): number {
    return Math.max(...this.#columns);
  }

  write(data: string): string {
    const contents = contentsByLine(data);
    const written = new Set<number>();
    let line = 0;
    return data.replace(ROW, (row, prefix: string, attributes: string) => {
      line = lineOf(attributes, line);
      const texts = line === this.#header.line ? RESULT_COLUMNS : this.#results.byLine.get(line);
      if (texts === undefined) return row;
      // Several elements for one line are merged, so that each result is there once.
      if (written.size === written.add(line).size) return '';
      const cells = this.#cells(contents.get(line)?.join('') ?? '', prefix, line, texts);
      return `<${prefix}row${this.#withSpans(attributes)}>${cells}</${prefix}row>`;
    });
  }

  #withSpans(attributes: string): string {
    return attributes.replace(/(\sspans=")(\d+):(\d+)(")/, (_, before: string, from, to, after: string) => {
      return `${before}${from}:${Math.max(Number(to), this.lastColumn)}${after}`;
    });
  }

  /** The cells of a row with the result cells among them, in order of column. */
  #cells(content: string, prefix: string, line: number, texts: readonly string[]): string {
    const isHeader = line === this.#header.line;
    let column = 0;
    const found = new Map<number, { readonly column: number; readonly xml: string; readonly style: string }>();
    let after = 0;
    for (const cell of content.matchAll(CELL)) {
      column = numberOf(cell[2] ?? '') ?? column + 1;
      after = cell.index + cell[0].length;
      // If several elements have this cell name, at most one of them has content.
      if (found.has(column) && cell[3] === undefined) continue;
      found.set(column, { column, xml: cell[0], style: attributeOf(cell[2] ?? '', 's') ?? '' });
    }
    const kept = [...found.values()].toSorted((a, b) => a.column - b.column);
    const lastHeader = kept.findLast((cell) => !isBlank(this.#header.cells[cell.column - 1]));
    if (isHeader) this.#headerStyle = lastHeader?.style ?? '';
    const own = this.#columns.map((at, index) => {
      const before = found.get(at);
      // An existing header stays; a cell keeps its format and gets a new text.
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
  const readable = fittedText(text).replaceAll(NOT_IN_XML, '\uFFFD').replaceAll(LIKE_ESCAPE, '_x005F_');
  const escaped = readable.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const kept = `<${prefix}is><${prefix}t xml:space="preserve">${escaped.replaceAll('>', '&gt;')}</${prefix}t></${prefix}is>`;
  return `<${prefix}c r="${reference}"${styled} t="inlineStr">${kept}</${prefix}c>`;
}

/** As much of a text as a cell holds, with every character whole; the media folder has all of it. */
function fittedText(text: string): string {
  return text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

/** Columns with formulas, and the last column with content. */
function usedColumns(data: string): { readonly withFormulas: ReadonlySet<number>; readonly last: number } {
  const withFormulas = new Set<number>();
  let last = 0;
  for (const cell of data.matchAll(CELL)) {
    const column = numberOf(cell[2] ?? '');
    if (column === undefined || cell[3] === undefined) continue;
    last = Math.max(last, column);
    if (/<(?:[\w.-]+:)?f[\s/>]/.test(cell[3])) withFormulas.add(column);
  }
  return { withFormulas, last };
}

/** The content of the rows, by line: some programs write one row element per cell. */
function contentsByLine(data: string): ReadonlyMap<number, readonly string[]> {
  const contents = new Map<number, string[]>();
  let line = 0;
  for (const [, , attributes = '', content = ''] of data.matchAll(ROW)) {
    line = lineOf(attributes, line);
    const known = contents.get(line);
    if (known === undefined) contents.set(line, [content]);
    else known.push(content);
  }
  return contents;
}

/** The line of a row; if it names none, the one after the last. */
function lineOf(attributes: string, last: number): number {
  return Number(attributeOf(attributes, 'r') ?? last + 1);
}

function attributeOf(attributes: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found?.[1] ?? found?.[2];
}

/** The column of a cell with these attributes, counted from 1; undefined if it names none. */
function numberOf(attributes: string): number | undefined {
  const column = columnOf(attributeOf(attributes, 'r') ?? '');
  return column === undefined ? undefined : column + 1;
}
