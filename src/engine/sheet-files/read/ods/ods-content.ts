import { ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import { isBlank } from '../../../../shared/domain/base/text.ts';
import type { RawRecord } from '../../../../shared/domain/sheet/sheet-raw.ts';
import { OdsCellText, odsNumberText, odsTruth } from './ods-text.ts';
import { isoDateText, isoDurationText } from '../workbook/iso-values.ts';
import { scanXml, type XmlListener } from '../workbook/scan-xml.ts';
import { hasKnownHeader, MOST_LINES } from '../../sheet-intake.ts';
import { LAST_KEPT_COLUMN, type CellNotice, type ColumnRange, type SheetCells } from '../workbook/workbook-cells.ts';
import { sheetRank, type ListedSheet } from '../workbook/workbook-sheets.ts';
import { FIRST_IMPRECISE_NUMBER } from '../xlsx/xlsx-values.ts';

/** A sheet of an OpenDocument file, with its cells if it is the chosen one. */
export interface OdsSheet extends ListedSheet {
  readonly cells: SheetCells | undefined;
}

/** The content of an OpenDocument file. */
export interface OdsContent {
  /** False for a text, a drawing or a presentation. */
  readonly isSpreadsheet: boolean;
  readonly sheets: readonly OdsSheet[];
  /** Whether some of its cells come from other files or programs. */
  readonly hasLinks: boolean;
}

/**
 * Reads the content part of an OpenDocument file. The sheets follow each other, and only the last one may show which to
 * choose, so the cells of the best one so far are kept.
 * @param wanted The name of the sheet; undefined for the first one with a known header, or else the first with content.
 */
export function readOdsContent(
  part: string,
  bytes: Buffer,
  wanted: string | undefined,
): Result<OdsContent, SheetProblem> {
  const reader = new ContentReader(wanted);
  const scanned = scanXml(part, bytes, reader);
  return scanned.ok ? ok(reader) : scanned;
}

type Attribute = (name: string) => string | undefined;

interface SheetBeingRead extends ListedSheet {
  cells: TableReader | undefined;
}

/** Tables that cache the contents of another file; their names are its address. */
const CACHE_OF_OTHER_FILE = /^'.*'#\$/s;
const FORMULA_INTO_OTHER_FILE = "'#$";
const LINKS: ReadonlySet<string> = new Set([
  'table-source',
  'cell-range-source',
  'dde-source',
  'database-source-query',
]);

class ContentReader implements OdsContent, XmlListener {
  isSpreadsheet = false;
  hasLinks = false;
  readonly sheets: SheetBeingRead[] = [];
  readonly #wanted: string | undefined;
  readonly #hiddenStyles = new Set<string>();
  readonly #parents: string[] = [];
  #style = '';
  #best: SheetBeingRead | undefined;
  /** The sheet being read, if only reading it shows whether it is meant rather than the best so far. */
  #rival: SheetBeingRead | undefined;
  /** Tables within tables: the cells of inner ones belong to no sheet. */
  #tables = 0;
  #table: TableReader | undefined;

  constructor(wanted: string | undefined) {
    this.#wanted = wanted;
  }

  readonly open = (name: string, attribute: Attribute): void => {
    if (name === 'table') this.#openTable(attribute);
    else if (LINKS.has(name)) this.hasLinks = true;
    else if (this.#tables > 0) {
      if (name === 'table-cell' && attribute('formula')?.includes(FORMULA_INTO_OTHER_FILE)) this.hasLinks = true;
      if (this.#tables === 1) this.#table?.open(name, attribute);
    } else if (name === 'spreadsheet') this.isSpreadsheet = true;
    else if (name === 'style') this.#style = attribute('name') ?? '';
    else if (name === 'table-properties' && attribute('display') === 'false') this.#hiddenStyles.add(this.#style);
    if (this.#tables === 0) this.#parents.push(name);
  };

  readonly close = (name: string): void => {
    if (name === 'table') {
      this.#tables--;
      if (this.#tables === 0) this.#closeTable();
    } else if (this.#tables === 0) this.#parents.pop();
    else if (this.#tables === 1) this.#table?.close(name);
  };

  readonly text = (piece: string): void => {
    if (this.#tables === 1) this.#table?.text(piece);
  };

  #openTable(attribute: Attribute): void {
    this.#tables++;
    const name = attribute('name') ?? '';
    if (this.#tables > 1 || this.#parents.at(-1) !== 'spreadsheet' || CACHE_OF_OTHER_FILE.test(name)) return;
    const isHidden = this.#hiddenStyles.has(attribute('style-name') ?? '');
    const sheet: SheetBeingRead = { name, isHidden, cells: undefined };
    this.sheets.push(sheet);
    const place = this.#placeOf(sheet);
    if (place === 'none') return;
    this.#table = new TableReader();
    sheet.cells = this.#table;
    if (place === 'best') this.#choose(sheet);
    else this.#rival = sheet;
  }

  #closeTable(): void {
    this.#table = undefined;
    const rival = this.#rival;
    this.#rival = undefined;
    if (rival === undefined) return;
    const lines = rival.cells?.lines ?? [];
    const isFirstWithContent = this.#best?.cells?.lines.length === 0 && lines.length > 0;
    if (isFirstWithContent || hasKnownHeader(lines)) this.#choose(rival);
    else rival.cells = undefined;
  }

  /** Only one sheet is kept in memory, and sometimes one that may replace it. */
  #choose(sheet: SheetBeingRead): void {
    if (this.#best) this.#best.cells = undefined;
    this.#best = sheet;
  }

  #placeOf(sheet: ListedSheet): 'best' | 'rival' | 'none' {
    const rank = sheetRank(sheet, this.#wanted);
    if (this.#best === undefined) return rank > 0 ? 'best' : 'none';
    const best = sheetRank(this.#best, this.#wanted);
    if (rank > best) return 'best';
    const isDoubted = this.#wanted === undefined && !hasKnownHeader(this.#best.cells?.lines ?? []);
    return isDoubted && rank === best ? 'rival' : 'none';
  }
}

interface OpenCell extends StoredCell {
  readonly isCovered: boolean;
  readonly repeated: number;
  readonly text: OdsCellText;
}

interface OpenRow {
  readonly repeated: number;
  readonly isHidden: boolean;
  readonly cells: string[];
  /** The column of the next cell. */
  column: number;
  readonly notices: Omit<CellNotice, 'line'>[];
}

/** Reads the elements of one table, and makes lines from them. */
class TableReader implements SheetCells {
  readonly lines: RawRecord[] = [];
  readonly hiddenLines: number[] = [];
  readonly hiddenColumns: ColumnRange[] = [];
  readonly notices: CellNotice[] = [];
  /** The line of the next row, counted from 1. */
  #line = 1;
  #column = 0;
  #row: OpenRow | undefined;
  #cell: OpenCell | undefined;

  open(name: string, attribute: Attribute): void {
    if (this.#cell) this.#cell.text.open(name, attribute);
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#openCell(name, attribute);
    else if (name === 'table-row') {
      const repeated = timesOf(attribute('number-rows-repeated'));
      this.#row = { repeated, isHidden: isHidden(attribute), cells: [], column: 0, notices: [] };
    } else if (name === 'table-column') this.#noteColumns(attribute);
  }

  close(name: string): void {
    if (name === 'table-cell' || name === 'covered-table-cell') this.#closeCell();
    else if (this.#cell) this.#cell.text.close(name);
    else if (name === 'table-row') this.#closeRow();
  }

  text(piece: string): void {
    this.#cell?.text.add(piece);
  }

  #noteColumns(attribute: Attribute): void {
    const first = this.#column;
    this.#column += timesOf(attribute('number-columns-repeated'));
    if (isHidden(attribute)) this.hiddenColumns.push({ first, last: this.#column - 1 });
  }

  #openCell(name: string, attribute: Attribute): void {
    this.#cell = {
      isCovered: name === 'covered-table-cell',
      repeated: timesOf(attribute('number-columns-repeated')),
      ...storedCell(attribute),
      text: new OdsCellText(),
    };
  }

  #closeCell(): void {
    const cell = this.#cell;
    const row = this.#row;
    this.#cell = undefined;
    if (!cell || !row) return;
    // Nobody sees the content below a merged cell.
    const { text, notice } = cell.isCovered ? BLANK : understandCell(cell, cell.text.text);
    if (text !== '') {
      const end = Math.min(row.column + cell.repeated, LAST_KEPT_COLUMN + 1);
      while (row.cells.length < Math.min(row.column, LAST_KEPT_COLUMN)) row.cells.push('');
      for (let column = Math.min(row.column, LAST_KEPT_COLUMN); column < end; column++) {
        row.cells[column] = text;
        if (notice) row.notices.push({ kind: notice, column, text });
      }
      if (row.column > LAST_KEPT_COLUMN) row.cells[LAST_KEPT_COLUMN] = text;
    }
    row.column += cell.repeated;
  }

  /** A row may be far down or repeated often: the first line over the limit makes the intake refuse the sheet. */
  #closeRow(): void {
    const row = this.#row;
    this.#row = undefined;
    if (!row) return;
    const next = this.#line + row.repeated;
    if (!row.cells.every(isBlank)) {
      const last = Math.min(next - 1, MOST_LINES + 1);
      for (let line = Math.min(this.#line, last); line <= last; line++) this.#addLine(line, row);
    }
    this.#line = next;
  }

  #addLine(line: number, row: OpenRow): void {
    this.lines.push({ line, cells: row.cells });
    if (row.isHidden) this.hiddenLines.push(line);
    for (const notice of row.notices) this.notices.push({ ...notice, line });
  }
}

/** The attributes of a cell. */
interface StoredCell {
  readonly type: string | undefined;
  readonly stored: string | undefined;
  readonly hasFormula: boolean;
  readonly isError: boolean;
}

interface UnderstoodCell {
  readonly text: string;
  readonly notice?: CellNotice['kind'];
}

const BLANK: UnderstoodCell = { text: '' };
/** What programs write for a formula that fails. */
const ERROR_VALUE = /^(?:#(?:DIV\/0!|N\/A|NAME\?|NULL!|NUM!|REF!|VALUE!)|Err:\d{3})$/;

/** The text of a cell by its type. @param shown The text of its paragraphs; undefined if it has none. */
function understandCell({ type, stored, hasFormula, isError }: StoredCell, shown: string | undefined): UnderstoodCell {
  if (isError || (hasFormula && ERROR_VALUE.test(shown ?? ''))) return { text: shown ?? '', notice: 'formula-error' };
  if (hasFormula && shown === undefined && (type === 'string' ? stored === undefined : !stored)) {
    // A placeholder for the text, so that the row exists and can report the problem.
    return { text: '(formula)', notice: 'formula-without-value' };
  }
  if (stored === undefined) return { text: shown ?? '' };
  switch (type) {
    case 'float':
    case 'percentage':
    case 'currency': {
      const truth = hasFormula ? odsTruth(stored, shown ?? '') : undefined;
      if (truth !== undefined) return { text: truth };
      const text = odsNumberText(stored, shown ?? '');
      return Math.abs(Number(stored)) >= FIRST_IMPRECISE_NUMBER ? { text, notice: 'imprecise-number' } : { text };
    }
    case 'date':
      return { text: isoDateText(stored) };
    case 'time':
      return { text: isoDurationText(stored) };
    default:
      return { text: stored };
  }
}

function storedCell(attribute: Attribute): StoredCell {
  // LibreOffice writes its own type beside that of the format; only its own type distinguishes an error from a text.
  const type = attribute('office:value-type') ?? attribute('value-type');
  return {
    type,
    stored: storedValue(type, attribute),
    hasFormula: attribute('formula') !== undefined,
    isError: attribute('calcext:value-type') === 'error',
  };
}

function storedValue(type: string | undefined, attribute: Attribute): string | undefined {
  switch (type) {
    case 'float':
    case 'percentage':
    case 'currency':
      return attribute('value');
    case 'date':
      return attribute('date-value');
    case 'time':
      return attribute('time-value');
    case 'boolean':
      return attribute('boolean-value');
    case 'string':
      return attribute('string-value');
    default:
      return undefined;
  }
}

function timesOf(repeated: string | undefined): number {
  const times = Number(repeated ?? 1);
  return Number.isSafeInteger(times) && times >= 1 ? times : 1;
}

function isHidden(attribute: Attribute): boolean {
  const visibility = attribute('visibility');
  return visibility === 'collapse' || visibility === 'filter';
}
