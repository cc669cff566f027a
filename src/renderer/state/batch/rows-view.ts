import { createStore, type StoreApi } from 'zustand/vanilla';
import {
  BY_LINE,
  type RowFilter,
  type RowSort,
  type RowSortBy,
  type RowsInView,
} from '../../../shared/domain/task/batch-view.ts';
import { RowPages, type RowPagesPorts, type RowsDrawn } from './row-pages.ts';

export interface RowsViewState {
  readonly batchId: string | undefined;
  readonly filter: RowFilter;
  readonly sort: RowSort;
  /** Rows that pass the filter; undefined until they are known. */
  readonly total: number | undefined;
  /** The key of the cursor's row. */
  readonly selectedKey: number | undefined;
  /** The current id of this row, as far as it is known. */
  readonly selectedRow: string | undefined;
  readonly isInspectorOpen: boolean;
  /** Keys of the rows with an unknown outcome in a selection of several rows. */
  readonly unknownChosen: readonly number[];
  /** Whether the row's files are shown large. */
  readonly isLookOpen: boolean;
  /** The id of the first file to show; by default, the row's first one. */
  readonly lookFile: string | undefined;
  /** Two versions of a file of the row are compared: the file with this id, or `first` for the first that has two. */
  readonly compared: string | undefined;
}

/** What one batch's screen shows: filter, order, cursor. The rows themselves are in `pages`. */
export class RowsView {
  readonly store: StoreApi<RowsViewState> = createStore(() => ({
    batchId: undefined,
    filter: {},
    sort: BY_LINE,
    total: undefined,
    selectedKey: undefined,
    selectedRow: undefined,
    unknownChosen: [],
    isInspectorOpen: false,
    isLookOpen: false,
    lookFile: undefined,
    compared: undefined,
  }));
  readonly pages: RowPages;
  readonly #listeners = new Set<(drawn: RowsDrawn) => void>();

  constructor(ports: Omit<RowPagesPorts, 'onChange'>) {
    this.pages = new RowPages({ ...ports, onChange: (drawn) => this.#draw(drawn) });
  }

  /** The filter and the order of the rows, as routes take them. */
  get view(): Required<RowsInView> {
    const { filter, sort } = this.store.getState();
    return { filter, sort };
  }

  /** True if all rows are shown in the order of the sheet: a row typed below the last one stays in sight. */
  get isSheetOrder(): boolean {
    const { filter, sort } = this.store.getState();
    return Object.keys(filter).length === 0 && sort.column === 'line' && sort.direction === 'ascending';
  }

  /** Makes the grid draw these places again, or everything. */
  redraw(drawn: RowsDrawn): void {
    this.#draw(drawn);
  }

  /** Tells the grid what to draw again; returns a way to stop. */
  onDraw(listener: (drawn: RowsDrawn) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Shows a batch; does nothing if it is already shown. */
  open(batchId: string): void {
    if (this.store.getState().batchId === batchId) return;
    this.store.setState({
      batchId,
      filter: {},
      sort: BY_LINE,
      selectedKey: undefined,
      selectedRow: undefined,
      unknownChosen: [],
      isInspectorOpen: false,
      isLookOpen: false,
      compared: undefined,
    });
    this.#query();
  }

  setFilter(filter: RowFilter): void {
    this.store.setState({ filter });
    this.#query();
  }

  /** Sorts the rows, including those that edits have left where they were; by default as in the sheet. */
  sort(sort: RowSort = BY_LINE): void {
    this.store.setState({ sort });
    this.#query();
  }

  /** Sorts by a column; sorting by the same one again reverses the order. */
  sortBy(by: RowSortBy): void {
    const { sort } = this.store.getState();
    const isTurned = isSortedBy(sort, by) && sort.direction === 'ascending';
    this.sort({ ...by, direction: isTurned ? 'descending' : 'ascending' });
  }

  /** Forgets filters and orders by columns that the sheet no longer has: nothing on screen could change them. */
  keepTo(headers: readonly string[]): void {
    const { sort, filter } = this.store.getState();
    const { cell, ...others } = filter;
    if (cell !== undefined && !headers.includes(cell.header)) this.setFilter(others);
    if (sort.column === 'cell' && !headers.includes(sort.header)) this.sort();
  }

  /** Puts the cursor on the row with this key, or on none. */
  select(key: number | undefined): void {
    this.store.setState({ selectedKey: key, selectedRow: this.#idOf(key) });
  }

  chooseUnknown(rows: readonly number[]): void {
    if (rows.length === 0 && this.store.getState().unknownChosen.length === 0) return;
    this.store.setState({ unknownChosen: rows });
  }

  /** Opens the inspector for a row. */
  inspect(key: number): void {
    this.select(key);
    this.store.setState({ isInspectorOpen: true });
  }

  closeInspector(): void {
    this.store.setState({ isInspectorOpen: false });
  }

  /** Shows a row's files large, beginning with one of them. */
  look(key: number, lookFile?: string): void {
    this.select(key);
    this.store.setState({ isLookOpen: true, lookFile });
  }

  closeLook(): void {
    this.store.setState({ isLookOpen: false });
  }

  /**
   * Compares a file of a row with the one that took its place, or whose place it took; without a file, the first that
   * can be compared.
   */
  compare(key: number, compared = 'first'): void {
    this.select(key);
    this.store.setState({ compared });
  }

  endComparison(): void {
    this.store.setState({ compared: undefined });
  }

  /** Moves the cursor through the known rows; at the ends it stays. */
  move(step: 1 | -1): void {
    const { selectedKey } = this.store.getState();
    const place = selectedKey === undefined ? undefined : this.pages.placeOf(selectedKey);
    const next = place === undefined ? undefined : this.pages.keyAt(place + step);
    if (next === undefined) return;
    this.pages.setVisible((place ?? 0) + step, (place ?? 0) + step);
    this.select(next);
  }

  #query(): void {
    const { batchId, filter, sort } = this.store.getState();
    this.pages.setQuery(batchId === undefined ? undefined : { batchId, filter, sort });
  }

  /** The id of a row; of the selected one even if it is out of sight. */
  #idOf(key: number | undefined): string | undefined {
    const place = key === undefined ? undefined : this.pages.placeOf(key);
    const { selectedKey, selectedRow } = this.store.getState();
    return (
      (place === undefined ? undefined : this.pages.rowAt(place)?.row) ??
      (key === selectedKey ? selectedRow : undefined)
    );
  }

  #draw(drawn: RowsDrawn): void {
    const { selectedKey, selectedRow } = this.store.getState();
    const row = this.#idOf(selectedKey);
    if (row !== selectedRow) this.store.setState({ selectedRow: row });
    const { total } = this.pages;
    if (total !== this.store.getState().total) this.store.setState({ total });
    for (const listener of this.#listeners) listener(drawn);
  }
}

/** Whether rows in this order are sorted by this. */
export function isSortedBy(sort: RowSort, by: RowSortBy): boolean {
  return by.column === 'cell' ? sort.column === 'cell' && sort.header === by.header : sort.column === by.column;
}

/**
 * The rows that a bulk decision is about: the unknown ones of several selected rows, otherwise all of them while only
 * unknown rows are shown. Never more than the user sees: with another filter as well, only the selection counts.
 */
export function settleableRows(
  { status, operation, failure, text, cell, isEdited }: RowFilter,
  unknownChosen: readonly number[],
): readonly number[] | 'all' | undefined {
  if (unknownChosen.length > 0) return unknownChosen;
  const showsUnknown = status?.length === 1 && status[0] === 'submit-unknown';
  return showsUnknown && (operation ?? failure ?? text ?? cell ?? isEdited) === undefined ? 'all' : undefined;
}
