/**
 * The rows that the grid shows and a margin around them, out of any number. Pages are asked for as they come into
 * sight, changes are laid over them as they arrive, and what is far away is forgotten.
 */
import type { EventPayload, RouteInput, RouteOutput } from '../../../shared/ipc/contract.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';

export type RowQuery = Pick<RouteInput<'rows.page'>, 'batchId' | 'filter' | 'sort'>;
export type RowPage = RouteOutput<'rows.page'>;
export type RowChanges = Pick<EventPayload<'batch.changed'>, 'sequence' | 'rows' | 'rowsStale'>;

/** What has to be drawn again: everything, or the rows at these places. */
export type RowsDrawn = { readonly kind: 'all' } | { readonly kind: 'rows'; readonly indexes: readonly number[] };

export interface RowPagesPorts {
  /** A page, or undefined when it could not be had; that was told elsewhere. */
  readonly fetchPage: (query: RowQuery, offset: number, limit: number) => Promise<RowPage | undefined>;
  /** Calls back once after a time; gives the way to stop it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
  readonly onChange: (drawn: RowsDrawn) => void;
}

export const PAGE_ROWS = 100;
const MARGIN_ROWS = 100;
const PAGES_KEPT = 24;
const FETCHES_AT_ONCE = 2;
const REFRESH_DELAY_MS = 800;
const RETRY_DELAY_MS = 2_000;

interface Page {
  readonly sequence: number;
  readonly rows: RowView[];
  isStale: boolean;
}

export class RowPages {
  readonly #ports: RowPagesPorts;
  #query: RowQuery | undefined;
  /** Counts the queries: an answer to an earlier one is thrown away. */
  #generation = 0;
  #total: number | undefined;
  #visible: readonly [first: number, last: number] = [0, PAGE_ROWS - 1];
  readonly #pages = new Map<number, Page>();
  /** Of the rows that are known, by their keys. */
  readonly #places = new Map<number, number>();
  readonly #loading = new Set<number>();
  /** Pages on their way that were asked for before a refresh: what comes may be old already. */
  readonly #outdated = new Set<number>();
  /** What changed while pages were on their way: a page may be older than a change that came before it. */
  #changesWhileLoading: RowChanges[] = [];
  #stopRefresh: (() => void) | undefined;
  #stopRetry: (() => void) | undefined;

  constructor(ports: RowPagesPorts) {
    this.#ports = ports;
  }

  /** Rows that pass the filter; undefined until the first page has come. */
  get total(): number | undefined {
    return this.#total;
  }

  /** Another number: other rows were asked for since, or the same in another order. */
  get queryNumber(): number {
    return this.#generation;
  }

  /** The keys of the rows that are known, with their places. */
  keysByPlace(): Map<number, number> {
    return new Map([...this.#places].map(([key, place]) => [place, key]));
  }

  /** The row at this place, if it is known. */
  rowAt(index: number): RowView | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS];
  }

  /** Where the row with this key stands, if it is among those that are known. */
  placeOf(key: number): number | undefined {
    return this.#places.get(key);
  }

  /** Looks at other rows, or at the same in another order. Undefined: at none. */
  setQuery(query: RowQuery | undefined): void {
    this.#generation += 1;
    this.#query = query;
    this.#total = undefined;
    this.#visible = [0, PAGE_ROWS - 1];
    this.#pages.clear();
    this.#places.clear();
    this.#loading.clear();
    this.#outdated.clear();
    this.#changesWhileLoading = [];
    this.#stopTimers();
    this.#ports.onChange({ kind: 'all' });
    this.#fetchWanted();
  }

  /** Says which places are in sight, both ends included. */
  setVisible(first: number, last: number): void {
    this.#visible = [Math.max(0, first), Math.max(first, last)];
    this.#fetchWanted();
  }

  /** Lays a change over the rows that are known. */
  applyChanges(changes: RowChanges): void {
    if (this.#query === undefined) return;
    if (this.#loading.size > 0) this.#changesWhileLoading.push(changes);
    const indexes = changes.rows.flatMap((row) => this.#replaceRow(row, changes.sequence) ?? []);
    if (indexes.length > 0) this.#ports.onChange({ kind: 'rows', indexes });
    if (changes.rowsStale || (changes.rows.length > 0 && dependsOnProgress(this.#query))) this.#refreshSoon();
  }

  /** Lets a cell that was written show its text until its page comes anew. */
  putCell(key: number, cell: number, text: string): void {
    const index = this.placeOf(key);
    const row = index === undefined ? undefined : this.rowAt(index);
    const page = index === undefined ? undefined : this.#pages.get(Math.floor(index / PAGE_ROWS));
    if (index === undefined || row?.cells === undefined || page === undefined) return;
    page.rows[index % PAGE_ROWS] = {
      ...row,
      cells: row.cells.map((before, at) => (at === cell ? text : before)),
      ...(row.cutCells === undefined ? {} : { cutCells: row.cutCells.filter((at) => at !== cell) }),
    };
    this.#ports.onChange({ kind: 'rows', indexes: [index] });
  }

  /** Rows that are known, in no order; for suggestions. */
  knownRows(): readonly RowView[] {
    return [...this.#pages.values()].flatMap((page) => page.rows);
  }

  /** Asks for everything in sight again; what is known stays in sight until then. */
  refresh(): void {
    const wanted = new Set(this.#wantedPages());
    for (const [number, page] of this.#pages) {
      if (wanted.has(number)) page.isStale = true;
      else this.#forget(number);
    }
    for (const number of this.#loading) this.#outdated.add(number);
    this.#fetchWanted();
  }

  #replaceRow(row: RowView, sequence: number): number | undefined {
    const index = this.#places.get(row.key);
    if (index === undefined) return undefined;
    const page = this.#pages.get(Math.floor(index / PAGE_ROWS));
    if (page === undefined || sequence <= page.sequence) return undefined;
    const before = page.rows[index % PAGE_ROWS];
    page.rows[index % PAGE_ROWS] = before === undefined ? row : withCellsOf(row, before);
    return index;
  }

  #refreshSoon(): void {
    this.#stopRefresh ??= this.#ports.schedule(() => {
      this.#stopRefresh = undefined;
      this.refresh();
    }, REFRESH_DELAY_MS);
  }

  #fetchWanted(): void {
    if (this.#query === undefined) return;
    for (const number of this.#wantedPages()) {
      if (this.#loading.size >= FETCHES_AT_ONCE) return;
      const page = this.#pages.get(number);
      if (!this.#loading.has(number) && (page === undefined || page.isStale)) void this.#fetch(this.#query, number);
    }
  }

  /** Those in sight first, then the margin. */
  #wantedPages(): readonly number[] {
    const [first, last] = this.#visible;
    const inSight = pagesBetween(first, last, this.#total);
    const around = pagesBetween(first - MARGIN_ROWS, last + MARGIN_ROWS, this.#total);
    return [...new Set([...inSight, ...around])];
  }

  async #fetch(query: RowQuery, number: number): Promise<void> {
    const generation = this.#generation;
    this.#loading.add(number);
    const page = await this.#ports.fetchPage(query, number * PAGE_ROWS, PAGE_ROWS);
    if (generation !== this.#generation) return;
    this.#loading.delete(number);
    if (page === undefined) {
      this.#retryLater();
    } else {
      this.#keep(number, page);
      this.#fetchWanted();
    }
    if (this.#loading.size === 0) this.#changesWhileLoading = [];
  }

  #retryLater(): void {
    this.#stopRetry ??= this.#ports.schedule(() => {
      this.#stopRetry = undefined;
      this.#fetchWanted();
    }, RETRY_DELAY_MS);
  }

  #keep(number: number, page: RowPage): void {
    const isShifted = this.#total !== undefined && this.#total !== page.total;
    if (isShifted) for (const other of this.#pages.values()) other.isStale = true;
    this.#total = page.total;
    this.#forget(number);
    this.#pages.set(number, { sequence: page.sequence, rows: [...page.rows], isStale: this.#outdated.delete(number) });
    for (const [offset, row] of page.rows.entries()) this.#places.set(row.key, number * PAGE_ROWS + offset);
    for (const changes of this.#changesWhileLoading) {
      for (const row of changes.rows) this.#replaceRow(row, changes.sequence);
    }
    this.#forgetFarAway();
    this.#ports.onChange({ kind: 'all' });
  }

  #forgetFarAway(): void {
    const middle = (this.#visible[0] + this.#visible[1]) / 2 / PAGE_ROWS;
    const byDistance = [...this.#pages.keys()].sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    for (const number of byDistance.slice(PAGES_KEPT)) this.#forget(number);
  }

  #forget(number: number): void {
    const page = this.#pages.get(number);
    if (page === undefined) return;
    for (const [offset, row] of page.rows.entries()) {
      if (this.#places.get(row.key) === number * PAGE_ROWS + offset) this.#places.delete(row.key);
    }
    this.#pages.delete(number);
  }

  #stopTimers(): void {
    this.#stopRefresh?.();
    this.#stopRetry?.();
    this.#stopRefresh = undefined;
    this.#stopRetry = undefined;
  }
}

/** Changes of the night come without the cells of the sheet: those that are known stay. */
function withCellsOf(row: RowView, before: RowView): RowView {
  if (row.cells !== undefined) return row;
  const { cells, cutCells, cellProblems } = before;
  return {
    ...row,
    ...(cells === undefined ? {} : { cells }),
    ...(cutCells === undefined ? {} : { cutCells }),
    ...(cellProblems === undefined ? {} : { cellProblems }),
  };
}

/** True when rows enter, leave or change places as the night goes on. */
function dependsOnProgress(query: RowQuery): boolean {
  return query.filter.status !== undefined || query.sort.column === 'status' || query.sort.column === 'finishedAt';
}

function pagesBetween(first: number, last: number, total: number | undefined): readonly number[] {
  const end = total === undefined ? PAGE_ROWS - 1 : Math.max(0, total - 1);
  const from = Math.floor(Math.max(0, Math.min(first, end)) / PAGE_ROWS);
  const to = Math.floor(Math.max(0, Math.min(last, end)) / PAGE_ROWS);
  return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
}
