import { letterOf } from '../../../../shared/domain/sheet/sheet-columns.ts';
import { isBlank } from '../../../../shared/domain/base/text.ts';
import type { RawRecord } from '../../../../shared/domain/sheet/sheet-raw.ts';
import { LAST_KEPT_COLUMN, type CellNotice } from '../workbook/workbook-cells.ts';
import { isoText } from '../workbook/iso-values.ts';
import type { Workbook } from './xlsx-workbook.ts';
import { FIRST_IMPRECISE_NUMBER, numberText, unescapeText, type NumberFormat } from './xlsx-values.ts';

const PLAIN: NumberFormat = { kind: 'number' };

/** The stored data of one cell. */
export interface StoredCell {
  /** The index of its column, counted from 0. */
  column: number;
  /** The value of its attribute `t`; `n` if there is none. */
  type: string;
  style: number;
  /** The text of its element `v`; undefined if there is none. */
  value: string | undefined;
  /** The text of its element `is`. */
  inline: string;
  hasFormula: boolean;
}

/** Turns the stored cells of a sheet into lines of text, in the stored order. */
export class XlsxLines {
  readonly lines: RawRecord[] = [];
  readonly hiddenLines: number[] = [];
  readonly notices: CellNotice[] = [];
  /** The cells that refer to something that the workbook does not have; what they show is unknown. */
  damage: string | undefined;
  readonly #workbook: Workbook;
  #line = 0;
  #isHidden = false;
  /** The cells of the open row: one list for all rows, because a growing list takes twice the memory it needs. */
  readonly #cells: string[] = [];
  #width = 0;

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  /** @param line The row's own number; undefined for the one after the last. */
  openRow(line: number | undefined, isHidden: boolean): void {
    this.#line = line ?? this.#line + 1;
    this.#isHidden = isHidden;
    this.#width = 0;
  }

  add(cell: Readonly<StoredCell>): void {
    this.put(cell.column, this.#textOf(cell));
  }

  /** The row being read, as the sheet numbers it; 0 before the first one. */
  get line(): number {
    return this.#line;
  }

  /** The text of a shared string; if none has this number, the sheet is damaged. */
  sharedString(index: number, column: number): string {
    const text = this.#workbook.strings[index];
    if (text === undefined) this.#noteDamage(column, 'a text');
    return text ?? '';
  }

  /** True for a style that shows a number as it is. */
  showsPlainNumbers(style: number): boolean {
    return this.#formatOf(style)?.kind === 'number';
  }

  /** Adds a cell with a known text. */
  put(cellColumn: number, text: string): void {
    if (text === '') return;
    const column = Math.min(cellColumn, LAST_KEPT_COLUMN);
    while (this.#width < column) this.#cells[this.#width++] = '';
    this.#cells[column] = text;
    if (column === this.#width) this.#width++;
  }

  closeRow(): void {
    const cells = this.#cells.slice(0, this.#width);
    if (cells.every(isBlank)) return;
    this.lines.push({ line: this.#line, cells });
    if (this.#isHidden) this.hiddenLines.push(this.#line);
  }

  #textOf(cell: Readonly<StoredCell>): string {
    const { type, value } = cell;
    if (cell.hasFormula && cell.inline === '' && (value === undefined || (value === '' && type !== 'str'))) {
      // A placeholder for the text, so that the row exists and can report the problem.
      this.#notice('formula-without-value', cell, '');
      return '(formula)';
    }
    switch (type) {
      case 's':
        return value ? this.sharedString(Number(value), cell.column) : '';
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
        return isoText(value ?? '');
      default:
        return this.#numberOf(cell);
    }
  }

  #numberOf(cell: Readonly<StoredCell>): string {
    const stored = cell.value ?? '';
    if (stored === '') return '';
    const format = this.#formatOf(cell.style);
    if (format === undefined) this.#noteDamage(cell.column, 'a format');
    const text = numberText(stored, format ?? PLAIN, this.#workbook.epoch1904);
    if (Math.abs(Number(stored)) >= FIRST_IMPRECISE_NUMBER) this.#notice('imprecise-number', cell, text);
    return text;
  }

  /** The first format is the default for cells; a workbook may omit it. */
  #formatOf(style: number): NumberFormat | undefined {
    return this.#workbook.formats[style] ?? (style === 0 ? PLAIN : undefined);
  }

  #noteDamage(column: number, what: string): void {
    this.damage ??= `its cell ${letterOf(column + 1)}${this.#line} refers to ${what} that is not in it`;
  }

  #notice(kind: CellNotice['kind'], cell: Readonly<StoredCell>, text: string): void {
    this.notices.push({ kind, line: this.#line, column: cell.column, text });
  }
}
