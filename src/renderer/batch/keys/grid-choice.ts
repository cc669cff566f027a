/** The grid's selection. It holds rows by their keys: when rows move, their places and the drawn selection follow. */
import type { GridSelection, Item, Rectangle } from '@glideapps/glide-data-grid';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RowView } from '../../../shared/ipc/rows.ts';
import type { RowPages } from '../../state/batch/row-pages.ts';
import type { RowSpan } from '../../state/batch/sheet-editing.ts';
import type { ShownRows } from '../../state/batch/typed-cells.ts';
import { NOTHING_SELECTED, rowSpans, selectionOf } from './grid-selection.ts';

export interface GridChoicePorts {
  /** The rows in the grid now. */
  readonly shown: () => ShownRows;
  /** Called with the cursor's row. */
  readonly onCursor: (key: number | undefined) => void;
  /** Called when the cursor has moved with its row. */
  readonly onMoved: (cell: Item) => void;
}

interface Chosen {
  readonly selection: GridSelection;
  readonly spans: readonly RowSpan[];
  /** Keys of the rows at the selected places; places below the last row have none. */
  readonly keys: Map<number, number>;
}

/** Rows scattered over more ranges than this are not drawn as selected: only the cursor's row is. */
const MOST_RANGES = 500;

export class GridChoice {
  readonly store: StoreApi<{ readonly selection: GridSelection }> = createStore(() => ({
    selection: NOTHING_SELECTED,
  }));
  readonly #ports: GridChoicePorts;
  #chosen: Chosen = nothing();
  /** Where the cursor was last; undefined before there was one. */
  #lastCell: Item | undefined;
  /** The selection in the previous view, until the rows of the next one are known. */
  #former: Chosen | undefined;

  constructor(ports: GridChoicePorts) {
    this.#ports = ports;
  }

  get selection(): GridSelection {
    return this.#chosen.selection;
  }

  /** The cursor's row; undefined below the last one. */
  get cursorKey(): number | undefined {
    return this.keyAt(this.selection.current?.cell[1] ?? -1);
  }

  /** False until the user, or the grid for the user, first chose a cell. */
  get hasHadCursor(): boolean {
    return this.#lastCell !== undefined;
  }

  /** The key of a selected row at a place. */
  keyAt(place: number): number | undefined {
    return this.#chosen.keys.get(place);
  }

  /**
   * Selects what the user sees there now; nothing while another view is being read: the rows selected before come back.
   */
  select(selection: GridSelection): void {
    // The canvas selects its first cell when it gets the focus back, for example from the menu that sorts.
    if (this.#former !== undefined && this.#ports.shown().total === undefined) return;
    this.#former = undefined;
    this.#put(chosenIn(selection, this.#ports.shown()));
    this.#tellCursor();
  }

  /** The keys of selected rows, from top to bottom, as they were when selected. */
  keys(spans: readonly RowSpan[]): readonly number[] {
    return spans.flatMap(({ y, height }) =>
      Array.from({ length: height }, (_, line) => this.keyAt(y + line)).filter((key) => key !== undefined),
    );
  }

  /** Moves the selection with its rows, which may have moved or gone. Call it before anything is drawn again. */
  follow(): void {
    const shown = this.#ports.shown();
    const chosen = this.#former ?? this.#chosen;
    if (chosen.selection.current === undefined) return;
    if (shown.total === undefined) {
      // Until the view is known, the grid has no places for the selection.
      this.#former = chosen;
      this.#put(nothing());
      return;
    }
    if (this.#former === undefined && isInPlace(chosen, shown)) {
      this.#learn(chosen, shown);
      return;
    }
    this.#former = undefined;
    const now = moved(chosen, shown);
    // In a sheet that has become empty, no other row could be meant.
    const isEmpty = now.selection.current === undefined && shown.places === 0;
    this.#put(isEmpty ? chosenIn(selectionOf([chosen.selection.current.cell[0], 0]), shown) : now);
    this.#tellCursor();
    const cell = this.selection.current?.cell;
    if (cell !== undefined && cell[1] !== chosen.selection.current.cell[1]) this.#ports.onMoved(cell);
  }

  /** Puts the cursor where it was before its rows left, or as near as there are places. */
  comeBack(): void {
    // It is there: its rows are only being read.
    if (this.#former !== undefined) return;
    const [column, place] = this.#lastCell ?? [1, 0];
    this.select(selectionOf([column, Math.max(0, Math.min(place, this.#ports.shown().places - 1))]));
  }

  /** New rows have arrived at selected places below the last one. */
  #learn(chosen: Chosen, shown: ShownRows): void {
    const before = this.cursorKey;
    const [column, place] = chosen.selection.current?.cell ?? [0, 0];
    // After rows have gone, the empty place below the last one is higher up.
    if (!chosen.keys.has(place) && place > shown.places) this.select(selectionOf([column, shown.places]));
    for (const [at, key] of keysIn(chosen.spans, shown)) if (!chosen.keys.has(at)) chosen.keys.set(at, key);
    if (this.cursorKey !== before) this.#tellCursor();
  }

  #put(chosen: Chosen): void {
    this.#chosen = chosen;
    this.#lastCell = chosen.selection.current?.cell ?? this.#lastCell;
    this.store.setState({ selection: chosen.selection });
  }

  #tellCursor(): void {
    this.#ports.onCursor(this.cursorKey);
  }
}

/** The selected rows, in any number of ranges. */
export interface ChosenRows {
  /** The rows that the window knows in full, from top to bottom. */
  readonly known: readonly RowView[];
  /** The places of all of them. */
  readonly spans: readonly RowSpan[];
  /** False if some were never in sight: only the application knows those in full. */
  readonly isWhole: boolean;
}

/** Every selected row of a view of `total` rows: the row that was selected, not another that is there now. */
export function chosenRowsOf(
  pages: Pick<RowPages, 'knownRows' | 'placeOf'>,
  choice: Pick<GridChoice, 'selection' | 'keyAt'>,
  total: number,
): ChosenRows {
  const spans = rowSpans(choice.selection, total);
  const known = pages
    .knownRows()
    .flatMap((row) => {
      const place = pages.placeOf(row.key);
      return place !== undefined && choice.keyAt(place) === row.key && isIn(spans, place) ? [{ row, place }] : [];
    })
    .toSorted((a, b) => a.place - b.place)
    .map(({ row }) => row);
  return { known, spans, isWhole: known.length === spans.reduce((sum, { height }) => sum + height, 0) };
}

function nothing(): Chosen {
  return { selection: NOTHING_SELECTED, spans: [], keys: new Map() };
}

function chosenIn(selection: GridSelection, shown: ShownRows): Chosen {
  const spans = rowSpans(selection, Number.POSITIVE_INFINITY);
  return { selection, spans, keys: new Map(keysIn(spans, shown)) };
}

function* keysIn(spans: readonly RowSpan[], shown: ShownRows): Generator<readonly [place: number, key: number]> {
  for (const { y, height } of spans) {
    for (let place = y; place < Math.min(y + height, shown.places); place += 1) {
      const key = shown.keyAt(place);
      if (key !== undefined) yield [place, key];
    }
  }
}

function isIn(spans: readonly RowSpan[], place: number): boolean {
  return spans.some(({ y, height }) => place >= y && place < y + height);
}

/** True if every selected row is where it was selected. */
function isInPlace({ keys }: Chosen, shown: ShownRows): boolean {
  for (const [place, key] of keys) if (shown.keyAt(place) !== key) return false;
  return true;
}

/** The same rows at their current places, without those that the view no longer shows. */
function moved(chosen: Chosen, shown: ShownRows): Chosen {
  const { current } = chosen.selection;
  if (current === undefined) return nothing();
  const placesIn = ({ y, height }: Rectangle): number[] => {
    const places: number[] = [];
    for (let before = y; before < y + height; before += 1) {
      const key = chosen.keys.get(before);
      const place = key === undefined ? undefined : shown.placeOf(key);
      if (place !== undefined) places.push(place);
    }
    return places.toSorted((a, b) => a - b);
  };
  const ranges = [...current.rangeStack, current.range].flatMap((range) =>
    runsOf(placesIn(range)).map((run): Rectangle => ({ ...range, ...run })),
  );
  const cursorKey = chosen.keys.get(current.cell[1]);
  const cursor = (cursorKey === undefined ? undefined : shown.placeOf(cursorKey)) ?? ranges.at(-1)?.y;
  if (cursor === undefined) return nothing();
  const cell = [current.cell[0], cursor] as const;
  const under = ranges.findLast(
    ({ x, width, y, height }) => isIn([{ y, height }], cursor) && cell[0] >= x && cell[0] < x + width,
  );
  const isFew = ranges.length <= MOST_RANGES && under !== undefined;
  const selection = isFew
    ? { ...selectionOf(cell), current: { cell, range: under, rangeStack: ranges.filter((range) => range !== under) } }
    : selectionOf(cell);
  return chosenIn(selection, shown);
}

/** Consecutive places as spans. They come in ascending order. */
function runsOf(places: readonly number[]): readonly RowSpan[] {
  const runs: { readonly y: number; height: number }[] = [];
  for (const place of places) {
    const last = runs.at(-1);
    if (last !== undefined && place === last.y + last.height) last.height += 1;
    else if (last === undefined || place >= last.y + last.height) runs.push({ y: place, height: 1 });
  }
  return runs;
}
