import { ROW_GAP } from '../../shared/domain/task/task.ts';
import type { SheetStore } from '../sheet-ports.ts';
import type { Anchor } from './sheet-step.ts';

/** A row that is put somewhere, by its key, and behind what. */
export interface Placed {
  readonly key: number;
  readonly after: Anchor;
  /** Where it goes if that is behind `after`, and nothing else stands between. */
  readonly position?: number;
}

/**
 * Rows that are put one behind the other go this far from each other where there is much room: so the next ones find
 * room, too, on whichever side they go.
 */
const USUAL_STEP = 4_096;

/** Finds positions for rows that are put between others. */
export class RowPlacer {
  readonly #sheets: SheetStore;
  readonly #batchId: string;
  /** Of the rows that were placed here. */
  readonly #positions = new Map<number, number>();
  /** What stands behind an anchor since something was placed there. */
  readonly #next = new Map<Anchor, number | undefined>();

  readonly #positionOf: (key: number) => number | undefined;
  #lastPlaced: number | undefined;

  /** @param positionOf The position of a row of the batch; undefined for one that there is not. */
  constructor(sheets: SheetStore, batchId: string, positionOf: (key: number) => number | undefined) {
    this.#sheets = sheets;
    this.#batchId = batchId;
    this.#positionOf = positionOf;
  }

  /** Positions by key; undefined where there is no room left between two rows. A missing anchor means the end. */
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

  /** The positions between which there is room behind an anchor; above is none behind the last row. */
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

/** Whether rows can go where they were: in their order, and between those that stand around them now. */
function areFree(rows: readonly Placed[], lower: number, upper: number | undefined): boolean {
  let at = lower;
  for (const { position } of rows) {
    if (position === undefined || position <= at) return false;
    at = position;
  }
  return upper === undefined || at < upper;
}
