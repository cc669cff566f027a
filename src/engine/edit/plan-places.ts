import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { isBlank } from '../../shared/domain/base/text.ts';
import { checkId, duplicateId, foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import { ROW_GAP } from '../../shared/domain/task/task.ts';
import type { SheetStore } from '../sheet-ports.ts';
import type { Anchor } from './edit-by-row.ts';
import type { SheetPlan } from './plan-sheet.ts';

/** A row to be placed, by key, and what it goes behind. */
export interface Placed {
  readonly key: number;
  readonly after: Anchor;
  /** Where it goes if that is behind `after` and nothing else stands between. */
  readonly position?: number;
}

/** Rows placed one behind another are this far apart if there is enough room: so later ones fit on either side. */
const USUAL_STEP = 4_096;

/** Finds positions for rows that go between others. */
export class RowPlacer {
  readonly #sheets: SheetStore;
  readonly #batchId: string;
  /** Positions of the rows placed here. */
  readonly #positions = new Map<number, number>();
  /** What stands behind an anchor since something was placed there. */
  readonly #next = new Map<Anchor, number | undefined>();

  readonly #positionOf: (key: number) => number | undefined;
  #lastPlaced: number | undefined;

  /** @param positionOf The position of a row of the batch; undefined if it does not exist. */
  constructor(sheets: SheetStore, batchId: string, positionOf: (key: number) => number | undefined) {
    this.#sheets = sheets;
    this.#batchId = batchId;
    this.#positionOf = positionOf;
  }

  /** Positions by key; undefined if there is no room left between two rows. A missing anchor means the end. */
  place(rows: readonly Placed[]): ReadonlyMap<number, number> | undefined {
    for (let at = 0; at < rows.length;) {
      const first = rows[at];
      if (first === undefined) break;
      let end = at + 1;
      // Rows that follow each other share the room behind the first one's anchor.
      while (end < rows.length && rows[end]?.after === rows[end - 1]?.key) end += 1;
      if (!this.#placeGroup(first.after, rows.slice(at, end))) return undefined;
      at = end;
    }
    return this.#positions;
  }

  #placeGroup(after: Anchor, rows: readonly Placed[]): boolean {
    const { lower, upper } = this.#room(after, rows.length);
    if (areFree(rows, lower, upper)) {
      for (const { key, position = 0 } of rows) this.#positions.set(key, position);
      this.#noteGroup(after, rows, upper);
      return true;
    }
    let at = lower;
    let step = ROW_GAP;
    if (upper !== undefined) {
      const even = Math.floor((upper - lower) / (rows.length + 1));
      if (even < 1) return false;
      step = even > 2 * USUAL_STEP ? USUAL_STEP : even;
    }
    for (const { key } of rows) {
      at += step;
      this.#positions.set(key, at);
    }
    this.#noteGroup(after, rows, upper);
    return true;
  }

  #noteGroup(after: Anchor, rows: readonly Placed[], upper: number | undefined): void {
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return;
    this.#next.set(last.key, upper);
    this.#next.set(after, this.#positions.get(first.key));
    if (upper === undefined) this.#lastPlaced = this.#positions.get(last.key);
  }

  /** The positions that bound the room behind an anchor; no upper bound behind the last row. */
  #room(after: Anchor, count: number): { readonly lower: number; readonly upper: number | undefined } {
    if (after === 'start') {
      const upper = this.#next.get('start') ?? this.#firstPosition();
      return upper === undefined ? this.#room('end', count) : { lower: upper - ROW_GAP * (count + 1), upper };
    }
    if (after === 'end') {
      return { lower: this.#lastPlaced ?? this.#sheets.lastPosition(this.#batchId), upper: undefined };
    }
    const lower = this.#positions.get(after) ?? this.#positionOf(after);
    if (lower === undefined) return this.#room('end', count);
    const upper = this.#next.has(after)
      ? this.#next.get(after)
      : this.#sheets.neighboursOf(this.#batchId, after).after?.position;
    return upper === undefined ? this.#room('end', count) : { lower, upper };
  }

  #firstPosition(): number | undefined {
    const [first] = this.#sheets.keysInView(this.#batchId, {}, 0, 1);
    return first === undefined ? undefined : this.#positionOf(first);
  }
}

/** Whether rows can go where they were: in their order, and between their present neighbours. */
function areFree(rows: readonly Placed[], lower: number, upper: number | undefined): boolean {
  let at = lower;
  for (const { position } of rows) {
    if (position === undefined || position <= at) return false;
    at = position;
  }
  return upper === undefined || at < upper;
}

/** A row that needs an id: it is new, or its id cell was edited. */
export interface IdClaim {
  readonly key: number;
  /** The text of its id cell; undefined if the sheet has no such column. */
  readonly cell: string | undefined;
  /** Its id before it was removed. */
  readonly was: string | undefined;
  readonly line: number;
}

export interface GivenId {
  readonly id: string;
  readonly problem?: SheetProblem;
}

/** How many ids are looked up at once if some must be generated. */
const TRIED_AT_ONCE = 64;

/**
 * Gives rows their ids, in the order of the claims: the cell's text, unless another row has it; else a new id that no
 * row has or ever had. `plan` holds none of the claiming rows: their former ids are free.
 */
export class IdGiver {
  readonly #sheets: SheetStore;
  readonly #batchId: string;
  readonly #plan: SheetPlan;
  /** Folded ids assigned here, with the line of their row. */
  readonly #given = new Map<string, number>();
  #next: number;
  #free: string[] = [];

  constructor(sheets: SheetStore, batch: { readonly id: string; readonly rowCount: number }, plan: SheetPlan) {
    this.#sheets = sheets;
    this.#batchId = batch.id;
    this.#plan = plan;
    // Generated ids come from lines: this is the line after the last one.
    this.#next = batch.rowCount + 2;
  }

  /** Assigns ids to all of these. `isReleased` says that a row does not keep its stored id. */
  give(claims: readonly IdClaim[], isReleased: (key: number) => boolean): ReadonlyMap<number, GivenId> {
    const wanted = claims.map((claim) => wantedOf(claim));
    const folded = wanted.flatMap((id) => (id === undefined ? [] : [foldRowId(id)]));
    const holders = this.#plan.keysByIds(folded);
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
      if (holder !== undefined) lines.set(id, this.#plan.row(holder)?.row.line ?? 0);
    }
    return lines;
  }

  #giveOne(claim: IdClaim, wanted: string | undefined, lines: ReadonlyMap<string, number>): GivenId {
    const { cell, line } = claim;
    if (wanted === undefined) return { id: this.#make(line) };
    const folded = foldRowId(wanted);
    const takenBy = lines.get(folded) ?? this.#given.get(folded);
    // An id that nobody typed but that is only remembered gives way without an error.
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
      const taken = this.#plan.keysByIds(tried);
      const hidden = this.#sheets.hiddenByIds(this.#batchId, tried);
      this.#free = tried.filter((id) => !taken.has(id) && !hidden.has(id));
    }
  }
}

function wantedOf({ cell, was }: IdClaim): string | undefined {
  return cell === undefined || isBlank(cell) ? was : cell.trim();
}
