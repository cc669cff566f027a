import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { isBlank } from '../../shared/domain/sheet/sheet-raw.ts';
import { checkId, duplicateId, foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import type { SheetStore } from '../sheet-ports.ts';
import type { PendingSheet } from './pending-sheet.ts';

/** A row that is given an id: it came to be, or the cell of its id was edited. */
export interface IdClaim {
  readonly key: number;
  /** What stands in the cell of its id; undefined where the sheet has no such column. */
  readonly cell: string | undefined;
  /** The id that it had before it was removed. */
  readonly was: string | undefined;
  readonly line: number;
}

export interface GivenId {
  readonly id: string;
  readonly problem?: SheetProblem;
}

/** Ids that are looked up in one go when some have to be made. */
const TRIED_AT_ONCE = 64;

/**
 * Gives rows their ids, in the order of the claims: what stands in the cell, unless another row has it; else one is made
 * that nobody has or ever had. `pending` holds no row of the claims: what these had before is free.
 */
export class RowIds {
  readonly #sheets: SheetStore;
  readonly #batchId: string;
  readonly #pending: PendingSheet;
  /** Folded ids that were given here, with the line of their row. */
  readonly #given = new Map<string, number>();
  #next: number;
  #free: string[] = [];

  constructor(sheets: SheetStore, batch: { readonly id: string; readonly rowCount: number }, pending: PendingSheet) {
    this.#sheets = sheets;
    this.#batchId = batch.id;
    this.#pending = pending;
    // Made ids are made of lines: this is the line behind the last one.
    this.#next = batch.rowCount + 2;
  }

  /** Gives ids to all of these. `isReleased` says of a row that it does not keep the id that the store has for it. */
  give(claims: readonly IdClaim[], isReleased: (key: number) => boolean): ReadonlyMap<number, GivenId> {
    const wanted = claims.map((claim) => wantedOf(claim));
    const folded = wanted.flatMap((id) => (id === undefined ? [] : [foldRowId(id)]));
    const holders = this.#pending.keysByIds(folded);
    const lines = this.#linesOfHolders(holders, isReleased);
    const given = new Map<number, GivenId>();
    for (const [index, claim] of claims.entries()) given.set(claim.key, this.#giveOne(claim, wanted[index], lines));
    return given;
  }

  #linesOfHolders(
    holders: ReadonlyMap<string, readonly number[]>,
    isReleased: (key: number) => boolean,
  ): ReadonlyMap<string, number> {
    const lines = new Map<string, number>();
    for (const [id, keys] of holders) {
      const holder = keys.find((key) => !isReleased(key));
      if (holder !== undefined) lines.set(id, this.#pending.row(holder)?.row.line ?? 0);
    }
    return lines;
  }

  #giveOne(claim: IdClaim, wanted: string | undefined, lines: ReadonlyMap<string, number>): GivenId {
    const { cell, line } = claim;
    if (wanted === undefined) return { id: this.#make(line) };
    const folded = foldRowId(wanted);
    const takenBy = lines.get(folded) ?? this.#given.get(folded);
    // An id that is nobody's word, only remembered, gives way without an error.
    if (cell === undefined || isBlank(cell))
      return takenBy === undefined ? this.#keep(wanted, line) : { id: this.#make(line) };
    const found = takenBy === undefined ? checkId(wanted) : duplicateId(wanted, takenBy);
    if (found === undefined) return this.#keep(wanted, line);
    const id = found.severity === 'error' ? this.#make(line) : this.#keep(wanted, line).id;
    return { id, problem: { ...found, line, row: id, column: 'row' } };
  }

  #keep(id: string, line: number): GivenId {
    this.#given.set(foldRowId(id), line);
    return { id };
  }

  #make(line: number): string {
    let id = this.#free.shift();
    while (id === undefined || this.#given.has(foldRowId(id))) {
      if (this.#free.length === 0) this.#findFree();
      id = this.#free.shift();
    }
    this.#given.set(foldRowId(id), line);
    return id;
  }

  #findFree(): void {
    while (this.#free.length === 0) {
      const tried = Array.from({ length: TRIED_AT_ONCE }, (_, i) => `r${String(this.#next + i).padStart(4, '0')}`);
      this.#next += TRIED_AT_ONCE;
      const taken = this.#pending.keysByIds(tried);
      const hidden = this.#sheets.hiddenByIds(this.#batchId, tried);
      this.#free = tried.filter((id) => !taken.has(id) && !hidden.has(id));
    }
  }
}

function wantedOf({ cell, was }: IdClaim): string | undefined {
  return cell === undefined || isBlank(cell) ? was : cell.trim();
}
