import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { BatchRecords } from '../tasks/batch-records.ts';
import type { SheetPlaces } from './sheet-places.ts';

/** A row with what its line depends on. */
export interface LinedRow {
  readonly batch: number;
  readonly position: number;
  /** Of the file that it came from. */
  readonly line: number;
}

/** On which line of its sheet a row is for the sheet's author: the file's, until rows were inserted, moved or removed. */
export interface SheetLines {
  lineOf(row: LinedRow): number;
  /** The problem on its row's present line. */
  onLine(problem: SheetProblem, row: LinedRow | undefined): SheetProblem;
}

export function sheetLines(batches: BatchRecords, places: SheetPlaces): SheetLines {
  const isRenumbered = (batch: number): boolean => batches.bySeq(batch).record.sheet.isRenumbered;
  // The header is line 1.
  const lineOf = ({ batch, position, line }: LinedRow): number =>
    isRenumbered(batch) ? places.placeOf(batch, position) + 2 : line;
  return {
    lineOf,
    onLine: (problem, row) =>
      row === undefined || !isRenumbered(row.batch) ? problem : { ...problem, line: lineOf(row) },
  };
}
