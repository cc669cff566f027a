/**
 * The rows of the view on screen, out of any number: the keys of all of them in order, and the contents of those in
 * sight or near it. Only the key names a row; its place is where the grid draws it now, and changes during the night.
 */
import type { EventPayload, RouteInput, RouteOutput } from '../../../shared/ipc/contract.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';

export type RowQuery = Pick<RouteInput<'rows.page'>, 'batchId' | 'filter' | 'sort'>;
/** The keys of a view, and the rows at some of its places. */
export type ViewPage = RouteOutput<'rows.page'>;
/** Rows as they were when the application sent an event or an answer. */
export type RowNews = Pick<EventPayload<'batch.changed'>, 'sequence' | 'rows'>;

/** What to draw again: everything, or the rows at these places. */
export type RowsDrawn = { readonly kind: 'all' } | { readonly kind: 'rows'; readonly indexes: readonly number[] };

export interface RowPagesPorts {
  /** The view, or undefined if it could not be read; the caller has shown the error. */
  readonly fetchPage: (query: RowQuery, offset: number, limit: number) => Promise<ViewPage | undefined>;
  /** Rows by their keys, without those that are gone. */
  readonly fetchRows: (batchId: string, keys: readonly number[]) => Promise<RowNews | undefined>;
  /** Calls back once after a time; returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
  readonly onChange: (drawn: RowsDrawn) => void;
}

export const PAGE_ROWS = 100;
const MARGIN_ROWS = 100;
const ROWS_KEPT = 2_400;
const FETCHES_AT_ONCE = 2;
/** As many as one answer holds. */
const MOST_ROWS = 500;
const REFRESH_DELAY_MS = 800;
/** A view with more rows than this times the delay is asked for less often the larger it is. */
const ROWS_PER_DELAY_MS = 40;
const RETRY_DELAY_MS = 2_000;

interface KnownRow {
  readonly row: RowView;
  readonly sequence: number;
  /** It may have changed since, but stays on screen until it is read again. */
  readonly isStale: boolean;
}

export class RowPages {
  readonly #ports: RowPagesPorts;
  #query: RowQuery | undefined;
  /** Counts the queries: answers to earlier ones are thrown away. */
  #generation = 0;
  #keys: ArrayLike<number> | undefined;
  /** Places by key, computed on first use. */
  #places: ReadonlyMap<number, number> | undefined;
  readonly #rows = new Map<number, KnownRow>();
  /** Number of the last event before the latest answer about the view. */
  #sequence = 0;
  /** Number of the last event that did not list all the rows that had changed. */
  #staleSince = 0;
  #visible: readonly [first: number, last: number] = [0, PAGE_ROWS - 1];
  #isAsking = false;
  /** The view was requested before a refresh: the answer may be out of date. */
  #isOutdated = false;
  #waiting: (() => void)[] = [];
  /** Pages whose rows are being fetched. */
  readonly #loading = new Set<number>();
  /** Changes that came while rows were being fetched: the fetched rows may be older. */
  #newsWhileLoading: RowNews[] = [];
  #stopRefresh: (() => void) | undefined;
  /** The next refresh is about which rows the view shows, not only about those in sight. */
  #isViewMeant = false;
  #stopRetry: (() => void) | undefined;

  constructor(ports: RowPagesPorts) {
    this.#ports = ports;
  }

  /** Rows that pass the filter; undefined until they are known. */
  get total(): number | undefined {
    return this.#keys?.length;
  }

  /** The keys of all rows of the view, in order; empty until they are known. The list itself never changes. */
  get keys(): ArrayLike<number> {
    return this.#keys ?? [];
  }

  keyAt(place: number): number | undefined {
    return this.#keys?.[place];
  }

  /** The place of the row with this key; undefined if the view does not show it. */
  placeOf(key: number): number | undefined {
    this.#places ??= placesOf(this.keys);
    return this.#places.get(key);
  }

  /** The row at this place, if it is known. */
  rowAt(place: number): RowView | undefined {
    const key = this.keyAt(place);
    return key === undefined ? undefined : this.#rows.get(key)?.row;
  }

  /** The known rows, in no order. */
  knownRows(): readonly RowView[] {
    return Array.from(this.#rows.values(), ({ row }) => row);
  }

  /** Resolves once no request for the rows of the view is under way. */
  async current(): Promise<void> {
    while (this.#isAsking) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Shows other rows, or the same in another order; with undefined, none. */
  setQuery(query: RowQuery | undefined): void {
    this.#generation += 1;
    this.#query = query;
    this.#setKeys(undefined);
    this.#visible = [0, PAGE_ROWS - 1];
    this.#rows.clear();
    this.#loading.clear();
    this.#isAsking = false;
    this.#isViewMeant = false;
    this.#newsWhileLoading = [];
    this.#stopTimers();
    this.#ports.onChange({ kind: 'all' });
    void this.#fetchView();
    this.#wake();
  }

  /** Sets which places are in sight, both ends included. */
  setVisible(first: number, last: number): void {
    this.#visible = [Math.max(0, first), Math.max(first, last)];
    this.#fetchWanted();
  }

  /** Applies changes of the night to the known rows. `isStale`: the event does not list all changes. */
  applyChanges(news: RowNews, isStale = false): void {
    if (this.#query === undefined) return;
    if (isStale) this.#staleSince = news.sequence;
    const mayMove = isStale ? dependsOnProgress(this.#query) : this.#mayMove(this.#query, news);
    this.#lay(news);
    if (mayMove) this.#refreshSoon('view');
    else if (isStale) this.#refreshSoon('rows');
  }

  /** Applies edited rows to the known ones; without them, the view itself may have changed. */
  applyEdit(news: RowNews | undefined): void {
    if (this.#query === undefined) return;
    if (news !== undefined) this.#lay(news);
    if (news === undefined || !keepsAllRows(this.#query)) this.refresh();
  }

  /** Reads the view and everything in sight again; the known rows stay on screen until then. */
  refresh(): void {
    if (this.#isAsking) this.#isOutdated = true;
    else void this.#fetchView();
  }

  #lay(news: RowNews): void {
    if (this.#isAsking || this.#loading.size > 0) this.#newsWhileLoading.push(news);
    const indexes = news.rows.flatMap((row) =>
      this.#replace(row, news.sequence) ? (this.placeOf(row.key) ?? []) : [],
    );
    if (indexes.length > 0) this.#ports.onChange({ kind: 'rows', indexes });
  }

  /** True if rows may have entered the view, left it or changed places: 100,000 keys must not be asked for in vain. */
  #mayMove(query: RowQuery, { rows }: RowNews): boolean {
    if (!dependsOnProgress(query)) return false;
    const { filter, sort } = query;
    const isMoved = sort.column === 'status' || sort.column === 'finishedAt' || filter.failure !== undefined;
    if (this.#isAsking || isMoved) return rows.length > 0;
    const passes = ({ status, operation }: RowView): boolean =>
      filter.status?.includes(status) !== false && (filter.operation === undefined || operation === filter.operation);
    return rows.some((row) => passes(row) !== (this.placeOf(row.key) !== undefined));
  }

  #replace(row: RowView, sequence: number): boolean {
    const known = this.#rows.get(row.key);
    if (known === undefined || sequence <= known.sequence) return false;
    this.#rows.set(row.key, { ...known, row: withCellsOf(row, known.row), sequence });
    return true;
  }

  #refreshSoon(what: 'view' | 'rows'): void {
    if (what === 'view') this.#isViewMeant = true;
    const delayMs = Math.max(REFRESH_DELAY_MS, (this.total ?? 0) / ROWS_PER_DELAY_MS);
    this.#stopRefresh ??= this.#ports.schedule(
      () => {
        this.#stopRefresh = undefined;
        if (this.#isViewMeant || this.#isAsking) this.refresh();
        else this.#refreshRows();
      },
      what === 'view' ? delayMs : REFRESH_DELAY_MS,
    );
  }

  /** Asks for the rows in sight again. */
  #refreshRows(): void {
    // What is already on its way may be older than the changes.
    this.#sequence = Math.max(this.#sequence, this.#staleSince);
    for (const [key, known] of this.#rows) this.#rows.set(key, { ...known, isStale: true });
    this.#fetchWanted();
  }

  async #fetchView(): Promise<void> {
    const query = this.#query;
    if (query === undefined) return;
    const generation = this.#generation;
    this.#isAsking = true;
    this.#isOutdated = false;
    this.#isViewMeant = false;
    const [first, last] = this.#wanted();
    const offset = first - (first % PAGE_ROWS);
    const page = await this.#ports.fetchPage(query, offset, Math.min(MOST_ROWS, last + 1 - offset));
    if (generation !== this.#generation) return;
    this.#isAsking = false;
    if (page === undefined) this.#retryLater();
    else this.#keepView(page);
    if (page !== undefined && this.#isOutdated) void this.#fetchView();
    this.#wake();
  }

  /** Wakes those that wait for an answer, so that they check whether another one is on its way. */
  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #keepView({ sequence, keys, rows }: ViewPage): void {
    const placed = this.#query?.sort.column === 'cell' ? inPlace(this.#keys, keys) : keys;
    if (!areSame(this.#keys, placed)) this.#setKeys(placed);
    this.#sequence = sequence;
    const [first, last] = this.#wanted();
    for (const [key, known] of this.#rows) {
      const place = this.placeOf(key) ?? -1;
      if (place < first || place > last) this.#rows.delete(key);
      else this.#rows.set(key, { ...known, isStale: true });
    }
    this.#keepRows({ sequence, rows });
  }

  #keepRows({ sequence, rows }: RowNews): void {
    for (const row of rows) {
      const known = this.#rows.get(row.key);
      if (known !== undefined && !known.isStale && known.sequence > sequence) continue;
      this.#rows.set(row.key, { row, sequence, isStale: sequence < this.#sequence });
    }
    for (const news of this.#newsWhileLoading) for (const row of news.rows) this.#replace(row, news.sequence);
    if (!this.#isAsking && this.#loading.size === 0) this.#newsWhileLoading = [];
    this.#forgetFarAway();
    this.#ports.onChange({ kind: 'all' });
    this.#fetchWanted();
  }

  /** The first and the last place whose rows are wanted: those in sight, and a margin around them. */
  #wanted(): readonly [first: number, last: number] {
    const [first, last] = this.#visible;
    return [Math.max(0, first - MARGIN_ROWS), last + MARGIN_ROWS];
  }

  /** Fetches missing rows in sight, then those around them. */
  #fetchWanted(): void {
    const [first, last] = this.#wanted();
    for (const number of new Set([...pagesBetween(...this.#visible), ...pagesBetween(first, last)])) {
      if (this.#loading.size >= FETCHES_AT_ONCE) return;
      if (!this.#loading.has(number)) void this.#fetchRows(number);
    }
  }

  async #fetchRows(number: number): Promise<void> {
    const places = Array.from({ length: PAGE_ROWS }, (_, offset) => number * PAGE_ROWS + offset);
    const keys = places.flatMap((place) => this.keyAt(place) ?? []);
    const missing = keys.filter((key) => this.#rows.get(key)?.isStale !== false);
    if (this.#query === undefined || missing.length === 0) return;
    const generation = this.#generation;
    this.#loading.add(number);
    const found = await this.#ports.fetchRows(this.#query.batchId, missing);
    if (generation !== this.#generation) return;
    this.#loading.delete(number);
    if (found === undefined) this.#retryLater();
    else if (found.rows.length > 0) this.#keepRows(found);
    // These rows are gone, so the view has changed.
    else this.#refreshSoon('view');
  }

  #retryLater(): void {
    this.#stopRetry ??= this.#ports.schedule(() => {
      this.#stopRetry = undefined;
      this.refresh();
    }, RETRY_DELAY_MS);
  }

  #setKeys(keys: ArrayLike<number> | undefined): void {
    this.#keys = keys;
    this.#places = undefined;
  }

  #forgetFarAway(): void {
    if (this.#rows.size <= ROWS_KEPT) return;
    const middle = (this.#visible[0] + this.#visible[1]) / 2;
    for (const key of this.#rows.keys()) {
      if (Math.abs((this.placeOf(key) ?? Number.POSITIVE_INFINITY) - middle) > ROWS_KEPT / 2) this.#rows.delete(key);
    }
  }

  #stopTimers(): void {
    this.#stopRefresh?.();
    this.#stopRetry?.();
    this.#stopRefresh = undefined;
    this.#stopRetry = undefined;
  }
}

/** Changes of the night come without the sheet's cells: the known ones stay. */
function withCellsOf(row: RowView, before: RowView): RowView {
  if (row.cells !== undefined) return row;
  const { cells, cutCells, editedCells, cellProblems } = before;
  return {
    ...row,
    ...(cells === undefined ? {} : { cells }),
    ...(cutCells === undefined ? {} : { cutCells }),
    ...(editedCells === undefined ? {} : { editedCells }),
    ...(cellProblems === undefined ? {} : { cellProblems }),
  };
}

/** True if rows enter, leave or change places during the night. */
function dependsOnProgress(query: RowQuery): boolean {
  const { status, failure } = query.filter;
  return (status ?? failure) !== undefined || query.sort.column === 'status' || query.sort.column === 'finishedAt';
}

/** True if all rows are shown, and stay where they are: edits to cells do not change that. */
function keepsAllRows({ filter, sort }: RowQuery): boolean {
  return Object.keys(filter).length === 0 && (sort.column === 'line' || sort.column === 'cell');
}

/**
 * The keys of a view in the order that is shown: a row whose cell was edited keeps its place until the user sorts
 * again. A new row comes after the one that it follows in the answer.
 */
function inPlace(shown: ArrayLike<number> | undefined, keys: ArrayLike<number>): ArrayLike<number> {
  if (shown === undefined) return keys;
  const wanted = new Set(Array.from(keys));
  const kept = new Set(Array.from(shown).filter((key) => wanted.has(key)));
  const comers = new Map<number | undefined, number[]>();
  let before: number | undefined;
  for (const key of wanted) {
    const run = comers.get(before);
    if (kept.has(key)) before = key;
    else if (run === undefined) comers.set(before, [key]);
    else run.push(key);
  }
  const atTop = comers.get(undefined) ?? [];
  return [...atTop, ...[...kept].flatMap((key) => [key, ...(comers.get(key) ?? [])])];
}

function placesOf(keys: ArrayLike<number>): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (let place = 0; place < keys.length; place += 1) places.set(keys[place] ?? 0, place);
  return places;
}

function areSame(a: ArrayLike<number> | undefined, b: ArrayLike<number>): boolean {
  if (a?.length !== b.length) return false;
  for (let place = 0; place < b.length; place += 1) if (a[place] !== b[place]) return false;
  return true;
}

function pagesBetween(first: number, last: number): readonly number[] {
  const from = Math.floor(first / PAGE_ROWS);
  return Array.from({ length: Math.floor(last / PAGE_ROWS) - from + 1 }, (_, offset) => from + offset);
}
