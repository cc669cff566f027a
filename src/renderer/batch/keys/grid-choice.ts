/** What is chosen in the grid. Rows are chosen by their keys: where they stand, and so what is drawn as chosen, follows. */
import type { GridSelection, Item, Rectangle } from '@glideapps/glide-data-grid';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Rows } from '../../state/batch/sheet-editing.ts';
import type { RowSpan, SeenRows } from '../../state/batch/seen-rows.ts';
import { NOTHING_SELECTED, rowSpans, selectionOf } from './grid-selection.ts';

export interface GridChoicePorts {
  /** The rows of the view as they stand now, as far as the window knows. */
  readonly see: () => SeenRows;
  /** The keys of all rows of the view in their order; undefined where they could not be had. */
  readonly fetchView: () => Promise<readonly number[] | undefined>;
  /** Told which row the cursor is on. */
  readonly onCursor: (key: number | undefined) => void;
  /** Told where the cursor went along with its row. */
  readonly onMoved: (cell: Item) => void;
}

interface Chosen {
  readonly selection: GridSelection;
  readonly spans: readonly RowSpan[];
  readonly query: number;
  /** Keys by place; those of rows that were never in sight come with `rest`. */
  readonly keys: Map<number, number>;
  readonly rest: Promise<unknown> | undefined;
}

/** Rows that are scattered over more places than this are not drawn as chosen any more: only the cursor's is. */
const MOST_RANGES = 500;

export class GridChoice {
  readonly store: StoreApi<{ readonly selection: GridSelection }> = createStore(() => ({
    selection: NOTHING_SELECTED,
  }));
  readonly #ports: GridChoicePorts;
  #chosen: Chosen;
  /** What was chosen before rows were lost out of sight, until it is known where they are. */
  #lost: Chosen | undefined;

  constructor(ports: GridChoicePorts) {
    this.#ports = ports;
    this.#chosen = { selection: NOTHING_SELECTED, spans: [], query: 0, keys: new Map(), rest: undefined };
  }

  get selection(): GridSelection {
    return this.#chosen.selection;
  }

  /** The row that the cursor is on; undefined where that is not known yet, or below the last one. */
  get cursorKey(): number | undefined {
    return this.keyAt(this.selection.current?.cell[1] ?? -1);
  }

  /** The key of a chosen row at a place. */
  keyAt(place: number): number | undefined {
    return this.#chosen.keys.get(place);
  }

  /** Chooses what the user sees there now. `known`: keys of rows at places that were just told. */
  select(selection: GridSelection, known?: ReadonlyMap<number, number>): void {
    const seen = this.#ports.see();
    const spans = rowSpans(selection, Number.POSITIVE_INFINITY);
    const keys = new Map<number, number>();
    for (const [place, key] of [...seen.known, ...(known ?? [])]) if (isIn(spans, place)) keys.set(place, key);
    this.#lost = undefined;
    this.#put({ selection, spans, query: seen.query, keys, rest: restOf(spans, seen, keys) });
    this.#tellCursor();
  }

  /** The keys of chosen rows, as they were when they were chosen; undefined where that is not known. */
  keys(spans: readonly RowSpan[]): Rows {
    const { keys, rest } = this.#chosen;
    const inOrder = (): readonly number[] | undefined => {
      const found: number[] = [];
      for (const { y, height } of spans) {
        for (let place = y; place < y + height; place += 1) {
          const key = keys.get(place);
          if (key === undefined) return undefined;
          found.push(key);
        }
      }
      return found;
    };
    return rest === undefined ? Promise.resolve(inOrder()) : rest.then(inOrder);
  }

  /** Rows may stand elsewhere by now, or be gone: what is chosen goes along. To be called before anything is drawn anew. */
  follow(): void {
    const seen = this.#ports.see();
    const chosen = this.#lost ?? this.#chosen;
    if (chosen.selection.current === undefined) return;
    if (this.#lost === undefined && seen.query === chosen.query && !hasMoved(chosen, seen)) {
      this.#learn(chosen, seen);
      return;
    }
    this.#put(moved(chosen, seen, (key) => seen.placeOf(key)));
    const isComplete =
      chosen.rest === undefined && [...chosen.keys.values()].every((key) => seen.placeOf(key) !== undefined);
    if (isComplete || (chosen.rest === undefined && seen.isWhole)) {
      this.#lost = undefined;
      this.#tellMoved(chosen);
    } else {
      this.#lost = chosen;
      void this.#findLost(chosen);
    }
  }

  /** Looks for chosen rows that are out of sight by now, in the whole view. */
  async #findLost(chosen: Chosen): Promise<void> {
    const { query } = this.#ports.see();
    const [view] = await Promise.all([this.#ports.fetchView(), chosen.rest]);
    const seen = this.#ports.see();
    // Before the view's first page is there, the grid has no places for them; what is drawn then begins this anew.
    // An answer about another view says nothing of this one, which is asked about by itself.
    if (this.#lost !== chosen || !seen.isRead || seen.query !== query) return;
    const places = new Map(view?.map((key, place) => [key, place]));
    const placeOf = (key: number): number | undefined => {
      const place = seen.placeOf(key) ?? places.get(key);
      // What the window shows is what counts: another row is drawn there.
      const isThere = place !== undefined && place < seen.total && (seen.known.get(place) ?? key) === key;
      return isThere ? place : undefined;
    };
    this.#lost = undefined;
    this.#put(moved(chosen, seen, placeOf));
    this.#tellMoved(chosen);
  }

  /** Rows that come into sight for the first time since their places were chosen. */
  #learn(chosen: Chosen, seen: SeenRows): void {
    const before = this.cursorKey;
    const [column, place] = chosen.selection.current?.cell ?? [0, 0];
    // The empty place below the last row stands higher where rows went.
    if (!chosen.keys.has(place) && place > seen.total) this.select(selectionOf([column, seen.total]));
    for (const [place, key] of seen.known)
      if (!chosen.keys.has(place) && isIn(chosen.spans, place)) chosen.keys.set(place, key);
    if (this.cursorKey !== before) this.#tellCursor();
  }

  #put(chosen: Chosen): void {
    this.#chosen = chosen;
    this.store.setState({ selection: chosen.selection });
  }

  /** The cursor is where its row is now. */
  #tellMoved(before: Chosen): void {
    this.#tellCursor();
    const cell = this.selection.current?.cell;
    if (cell !== undefined && cell[1] !== before.selection.current?.cell[1]) this.#ports.onMoved(cell);
  }

  #tellCursor(): void {
    this.#ports.onCursor(this.cursorKey);
  }
}

function isIn(spans: readonly RowSpan[], place: number): boolean {
  return spans.some(({ y, height }) => place >= y && place < y + height);
}

/** Fetches the keys of rows that were chosen without having been in sight, such as all rows of a long sheet. */
function restOf(spans: readonly RowSpan[], seen: SeenRows, keys: Map<number, number>): Promise<unknown> | undefined {
  const unknown = spans
    .map((span) => seen.within(span))
    .filter(({ y, height }) => {
      const known = [...keys.keys()].filter((place) => place >= y && place < y + height).length;
      return known < height;
    });
  if (unknown.length === 0) return undefined;
  const fetched = unknown.map(async (span) => {
    const found = await seen.keys(span);
    for (const [at, key] of (found ?? []).entries()) keys.set(span.y + at, key);
  });
  return Promise.all(fetched);
}

/** True where a place that is chosen shows another row or is no more, or a chosen row stands at another place. */
function hasMoved({ keys, spans }: Chosen, seen: SeenRows): boolean {
  const chosen = new Set(keys.values());
  // New rows that are on their way stand below the last one, and are known.
  if (seen.isRead && [...keys.keys()].some((place) => place >= seen.total && !seen.known.has(place))) return true;
  return [...seen.known].some(([place, key]) => {
    const before = isIn(spans, place) ? keys.get(place) : undefined;
    return before === undefined ? chosen.has(key) : before !== key;
  });
}

/** The same rows where they stand now; those that the view shows no more are not chosen any more. */
function moved(chosen: Chosen, seen: SeenRows, placeOf: (key: number) => number | undefined): Chosen {
  const { current } = chosen.selection;
  const none: Chosen = { selection: NOTHING_SELECTED, spans: [], query: seen.query, keys: new Map(), rest: undefined };
  if (current === undefined) return none;
  const keys = new Map<number, number>();
  const placesIn = ({ y, height }: Rectangle): number[] => {
    const places: number[] = [];
    for (let before = y; before < y + height; before += 1) {
      const key = chosen.keys.get(before);
      const place = key === undefined ? undefined : placeOf(key);
      if (key === undefined || place === undefined) continue;
      keys.set(place, key);
      places.push(place);
    }
    return places.toSorted((a, b) => a - b);
  };
  const ranges = [...current.rangeStack, current.range].flatMap((range) =>
    runsOf(placesIn(range)).map((run): Rectangle => ({ ...range, ...run })),
  );
  const cursorKey = chosen.keys.get(current.cell[1]);
  const cursor = (cursorKey === undefined ? undefined : placeOf(cursorKey)) ?? ranges.at(-1)?.y;
  if (cursor === undefined) return none;
  const cell = [current.cell[0], cursor] as const;
  const under = ranges.findLast(
    ({ x, width, y, height }) => isIn([{ y, height }], cursor) && cell[0] >= x && cell[0] < x + width,
  );
  const isFew = ranges.length <= MOST_RANGES && under !== undefined;
  const selection = isFew
    ? { ...selectionOf(cell), current: { cell, range: under, rangeStack: ranges.filter((range) => range !== under) } }
    : selectionOf(cell);
  const spans = rowSpans(selection, Number.POSITIVE_INFINITY);
  for (const place of keys.keys()) if (!isIn(spans, place)) keys.delete(place);
  return { selection, spans, query: seen.query, keys, rest: undefined };
}

/** Places one below the other, as spans. They come in ascending order. */
function runsOf(places: readonly number[]): readonly RowSpan[] {
  const runs: { readonly y: number; height: number }[] = [];
  for (const place of places) {
    const last = runs.at(-1);
    if (last !== undefined && place === last.y + last.height) last.height += 1;
    else if (last === undefined || place >= last.y + last.height) runs.push({ y: place, height: 1 });
  }
  return runs;
}
