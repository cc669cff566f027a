import type { RawRecord } from '../../../../shared/domain/sheet/sheet-raw.ts';

/** Something about one cell that its author should know. */
export interface CellNotice {
  readonly kind: 'formula-without-value' | 'formula-error' | 'imprecise-number';
  readonly line: number;
  /** Index of its column, counted from 0. */
  readonly column: number;
  readonly text: string;
}

/** Columns beside each other, counted from 0, the last one among them. */
export interface ColumnRange {
  readonly first: number;
  readonly last: number;
}

/** The cells of one sheet of a workbook as text, and what there is to say about them. */
export interface SheetCells {
  readonly lines: readonly RawRecord[];
  /** Lines that are not blank and that the workbook does not show. */
  readonly hiddenLines: readonly number[];
  /** Columns that the workbook does not show, whether there is anything in them or not. */
  readonly hiddenColumns: readonly ColumnRange[];
  readonly notices: readonly CellNotice[];
}

/** More columns are refused later; until then, a cell in column XFD must not make 16,384 of them in every row. */
export const LAST_KEPT_COLUMN = 1024;
