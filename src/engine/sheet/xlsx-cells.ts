import { ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import { isBlank } from '../../shared/domain/sheet-raw.ts';
import type { RawRecord } from '../../shared/domain/sheet-raw.ts';
import { scanXml } from './scan-xml.ts';
import { LAST_KEPT_COLUMN } from './workbook-cells.ts';
import type { CellNotice, ColumnRange, SheetCells } from './workbook-cells.ts';
import type { Workbook } from './xlsx-workbook.ts';
import { FIRST_IMPRECISE_NUMBER, numberText, unescapeText } from './xlsx-values.ts';

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string | undefined;
  inline: string;
  hasFormula: boolean;
}

/** Where the text of the document belongs to just now. */
type Target = 'nowhere' | 'value' | 'inline';

/** Reads the XML of one sheet. Formulas are never computed; what their cells showed when the file was saved counts. */
export function readCells(part: string, bytes: Buffer, workbook: Workbook): Result<SheetCells, SheetProblem> {
  const reader = new CellReader(workbook);
  const scanned = scanXml(part, bytes, reader);
  return scanned.ok ? ok(reader) : scanned;
}

class CellReader implements SheetCells {
  readonly lines: RawRecord[] = [];
  readonly hiddenLines: number[] = [];
  readonly hiddenColumns: ColumnRange[] = [];
  readonly notices: CellNotice[] = [];
  readonly #workbook: Workbook;
  #line = 0;
  #column = -1;
  #isHidden = false;
  #cells: string[] = [];
  #cell: OpenCell | undefined;
  #target: Target = 'nowhere';
  #phonetic = 0;

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  readonly open = (name: string, attribute: (name: string) => string | undefined): void => {
    switch (name) {
      case 'c':
        this.#openCell(attribute);
        break;
      case 'v':
        this.#target = 'value';
        if (this.#cell) this.#cell.value = '';
        break;
      case 't':
        this.#target = this.#phonetic === 0 ? 'inline' : 'nowhere';
        break;
      case 'f':
        if (this.#cell) this.#cell.hasFormula = true;
        break;
      case 'rPh':
        this.#phonetic++;
        break;
      case 'col':
        this.#noteColumns(attribute);
        break;
      case 'row':
        this.#line = Number(attribute('r') ?? this.#line + 1);
        this.#column = -1;
        this.#isHidden = isTrue(attribute('hidden'));
        this.#cells = [];
        break;
      default:
    }
  };

  readonly close = (name: string): void => {
    switch (name) {
      case 'c':
        this.#closeCell();
        break;
      case 'v':
      case 't':
        this.#target = 'nowhere';
        break;
      case 'rPh':
        this.#phonetic--;
        break;
      case 'row':
        this.#closeRow();
        break;
      default:
    }
  };

  readonly text = (piece: string): void => {
    if (!this.#cell || this.#target === 'nowhere') return;
    if (this.#target === 'value') this.#cell.value = (this.#cell.value ?? '') + piece;
    else this.#cell.inline += piece;
  };

  #noteColumns(attribute: (name: string) => string | undefined): void {
    if (!isTrue(attribute('hidden'))) return;
    this.hiddenColumns.push({ first: Number(attribute('min')) - 1, last: Number(attribute('max')) - 1 });
  }

  #openCell(attribute: (name: string) => string | undefined): void {
    this.#column = columnOf(attribute('r')) ?? this.#column + 1;
    this.#cell = {
      column: this.#column,
      type: attribute('t') ?? 'n',
      style: Number(attribute('s') ?? 0),
      value: undefined,
      inline: '',
      hasFormula: false,
    };
  }

  #closeCell(): void {
    const cell = this.#cell;
    this.#cell = undefined;
    if (!cell) return;
    const text = this.#textOf(cell);
    if (text === '') return;
    const column = Math.min(cell.column, LAST_KEPT_COLUMN);
    while (this.#cells.length < column) this.#cells.push('');
    this.#cells[column] = text;
  }

  #closeRow(): void {
    if (this.#cells.every(isBlank)) return;
    this.lines.push({ line: this.#line, cells: this.#cells });
    if (this.#isHidden) this.hiddenLines.push(this.#line);
  }

  #textOf(cell: OpenCell): string {
    const { type, value } = cell;
    if (cell.hasFormula && (value === undefined || (value === '' && type !== 'str'))) {
      // A mark in place of the text, so that the row is there and can say what is wrong with it.
      this.#notice('formula-without-value', cell, '');
      return '(formula)';
    }
    switch (type) {
      case 's':
        return value ? (this.#workbook.strings[Number(value)] ?? '') : '';
      case 'inlineStr':
        return unescapeText(cell.inline);
      case 'str':
        return unescapeText(value ?? '');
      case 'b':
        return value === '1' || value === 'true' ? 'true' : value ? 'false' : '';
      case 'e':
        this.#notice('formula-error', cell, value ?? '');
        return value ?? '';
      case 'd':
        return value ?? '';
      default:
        return this.#numberOf(cell);
    }
  }

  #numberOf(cell: OpenCell): string {
    const stored = cell.value ?? '';
    if (stored === '') return '';
    const format = this.#workbook.formats[cell.style] ?? { kind: 'number' };
    const text = numberText(stored, format, this.#workbook.epoch1904);
    if (Math.abs(Number(stored)) >= FIRST_IMPRECISE_NUMBER) this.#notice('imprecise-number', cell, text);
    return text;
  }

  #notice(kind: CellNotice['kind'], cell: OpenCell, text: string): void {
    this.notices.push({ kind, line: this.#line, column: cell.column, text });
  }
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** The column, counted from 0, of a cell's name such as `AB12`. */
function columnOf(reference: string | undefined): number | undefined {
  if (reference === undefined) return undefined;
  let column = 0;
  for (let index = 0; index < reference.length; index++) {
    const letter = reference.charCodeAt(index) & ~32;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  return column > 0 ? column - 1 : undefined;
}
