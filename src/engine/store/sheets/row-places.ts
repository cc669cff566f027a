import type { Database } from '../open/database.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { BatchRecords } from '../tasks/batch-records.ts';

/** Up to this many changes are applied one by one; with more, reading all positions again is faster. */
const KEPT_UP = 256;

/** A row that has come to a position, or has left it. */
export interface PlaceChange {
  readonly kind: 'added' | 'removed';
  readonly position: number;
}

/**
 * The positions of a sheet's rows in their order, in memory: without this, finding a row's place, and so its line,
 * would mean counting all rows before it (2 ms in the middle of 100,000, for each row of a page).
 */
export type RowPlaces = ReturnType<typeof openRowPlaces>;

export function openRowPlaces(db: Database) {
  const selectAll = db.prepareColumn<number>(`
    SELECT position FROM rows WHERE batch = ? AND removed = 0 ORDER BY position`);
  const known = new Map<number, SortedNumbers>();

  function of(batch: number): SortedNumbers {
    const positions = known.get(batch) ?? new SortedNumbers(selectAll(batch));
    known.set(batch, positions);
    return positions;
  }

  return {
    /** How many rows of a batch come before this position. */
    placeOf: (batch: number, position: number) => of(batch).countBelow(position),
    /** The position of the row at a place; undefined if there is none. */
    positionAt: (batch: number, place: number) => of(batch).at(place),
    /** Applies committed changes, in their order. */
    note(batch: number, changes: readonly PlaceChange[]) {
      const positions = known.get(batch);
      if (positions === undefined) return;
      if (changes.length > KEPT_UP) {
        known.delete(batch);
        return;
      }
      for (const { kind, position } of changes) {
        if (kind === 'added') positions.add(position);
        else positions.remove(position);
      }
    },
    /** Forgets a batch whose positions were all reassigned. */
    forget: (batch: number) => void known.delete(batch),
    /** Forgets all batches. */
    forgetAll: () => known.clear(),
  };
}

/** Numbers in ascending order, eight bytes each. */
class SortedNumbers {
  #numbers: Float64Array;
  #length: number;

  constructor(ascending: readonly number[]) {
    this.#numbers = Float64Array.from(ascending);
    this.#length = ascending.length;
  }

  at(index: number): number | undefined {
    return index < this.#length ? this.#numbers[index] : undefined;
  }

  /** How many are smaller. */
  countBelow(number: number): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  add(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(this.#length + 1_024);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    const index = this.countBelow(number);
    this.#numbers.copyWithin(index + 1, index, this.#length);
    this.#numbers[index] = number;
    this.#length += 1;
  }

  remove(number: number): void {
    const index = this.countBelow(number);
    if (this.at(index) !== number) throw new Error(`There is no row at ${number}`);
    this.#numbers.copyWithin(index, index + 1, this.#length);
    this.#length -= 1;
  }
}

/** A row with the values that its line depends on. */
export interface LinedRow {
  readonly batch: number;
  readonly position: number;
  /** Its line in the file that it came from. */
  readonly line: number;
}

/** The line of a row as the sheet's author sees it: the file's, until rows were inserted, moved or removed. */
export interface SheetLines {
  lineOf(row: LinedRow): number;
  /** The problem with its row's current line. */
  onLine(problem: SheetProblem, row: LinedRow | undefined): SheetProblem;
}

export function sheetLines(batches: BatchRecords, places: RowPlaces): SheetLines {
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
