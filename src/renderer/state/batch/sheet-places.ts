/** Finds cells of the sheet on screen and moves the cursor to them: a text, a problem, a row named elsewhere. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RouteInput, RouteOutput } from '../../../shared/ipc/contract.ts';
import type { ColumnView } from '../../../shared/ipc/opening.ts';
import type { IpcClient } from '../../ipc-client.ts';
import { headerOfProblem } from './problem-groups.ts';
import type { RowsView } from './rows-view.ts';

export type SheetProblemView = RouteOutput<'sheet.problems'>[number];
export type FindQuery = Pick<RouteInput<'sheet.find'>, 'text' | 'isCaseSensitive' | 'isWholeCell' | 'isPattern'>;

/** The cell that the cursor should go to. Every jump is a new object, even one to the same place. */
export interface JumpTarget {
  readonly index: number;
  /** The row at that place; undefined if only the place counts. */
  readonly key: number | undefined;
  /** The column; by default, the cursor's. */
  readonly header: string | undefined;
}

export interface SheetPlacesState {
  readonly target: JumpTarget | undefined;
  /** Whether the find panel is open, and whether with the line for replacing. */
  readonly find: 'find' | 'replace' | undefined;
  /** How many cells matched the last search, and which of them the cursor went to; undefined before. */
  readonly matches: { readonly nth: number; readonly of: number } | undefined;
  /** What was searched for last: cells that contain it stand out as long as the panel is open. */
  readonly query: FindQuery | undefined;
  readonly isProblemsOpen: boolean;
  /** Read while the panel is open. */
  readonly problems: readonly SheetProblemView[] | undefined;
}

export interface SheetPlacesPorts {
  readonly ask: IpcClient['request'];
  readonly rows: RowsView;
}

const NOTHING: SheetPlacesState = {
  target: undefined,
  find: undefined,
  matches: undefined,
  query: undefined,
  isProblemsOpen: false,
  problems: undefined,
};
const PROBLEMS_READ = 5_000;

export class SheetPlaces {
  readonly store: StoreApi<SheetPlacesState> = createStore(() => NOTHING);
  readonly #ports: SheetPlacesPorts;
  #batchId: string | undefined;

  constructor(ports: SheetPlacesPorts) {
    this.#ports = ports;
  }

  open(batchId: string): void {
    if (batchId === this.#batchId) return;
    this.#batchId = batchId;
    this.store.setState(NOTHING);
  }

  /** Forgets how many cells matched: the sheet has changed. */
  forgetMatches(): void {
    this.store.setState({ matches: undefined, query: undefined });
  }

  showFind(find: SheetPlacesState['find']): void {
    this.store.setState({ find, matches: undefined, ...(find === undefined && { query: undefined }) });
  }

  showProblems(isOpen: boolean): void {
    this.store.setState({ isProblemsOpen: isOpen });
    if (isOpen) this.#ports.rows.closeInspector();
  }

  /**
   * Moves the cursor to a row, in the current view or, if a filter hides it, among all rows. False if it is gone. Does
   * nothing more once the user has gone to another batch.
   */
  async jumpTo(key: number, header: string | undefined): Promise<boolean> {
    const batchId = this.#batchId;
    if (await this.#followAnew(key, header)) return true;
    const { rows } = this.#ports;
    if (batchId !== this.#batchId) return true;
    if (Object.keys(rows.view.filter).length === 0) return false;
    rows.setFilter({});
    return (await this.follow(key, header)) || batchId !== this.#batchId;
  }

  /**
   * Moves the cursor to the first cell that keeps its row from running, of the problems that were read: for a row that
   * lacks something in no column of its own, to its prompt, and never to its id.
   */
  async jumpToError(columns: readonly ColumnView[]): Promise<void> {
    const { problems = [] } = this.store.getState();
    const first = problems.find(({ severity, key }) => severity === 'error' && key !== undefined);
    if (first?.key === undefined) return;
    const prompt = columns.find(({ column }) => column === 'prompt') ?? columns.find(({ column }) => column !== 'row');
    await this.jumpTo(first.key, headerOfProblem(first, columns) ?? prompt?.header);
  }

  /** Moves the cursor to a row if the view shows it; otherwise returns false. */
  async follow(key: number, header: string | undefined): Promise<boolean> {
    const { pages } = this.#ports.rows;
    if (pages.placeOf(key) === undefined) await pages.current();
    const index = pages.placeOf(key);
    if (index !== undefined) this.jump(index, key, header);
    return index !== undefined;
  }

  /** Moves the cursor to a place, and to the row with this key at that place. */
  jump(index: number, key: number | undefined, header: string | undefined): void {
    this.store.setState({ target: { index, key, header } });
  }

  /** Moves the cursor to the next cell that contains the text. */
  async findNext(
    query: FindQuery,
    from: { readonly key: number | undefined; readonly column: number },
    direction: 'forward' | 'backward',
  ): Promise<void> {
    if (this.#batchId === undefined || query.text === '') return;
    const { view, pages } = this.#ports.rows;
    // Edited rows are where they were, and no longer where the store would sort them.
    const isShown = view.sort.column === 'cell' && pages.total !== undefined;
    const rows = isShown ? { rows: Array.from(pages.keys) } : {};
    const { key, column } = from;
    const place = { column, ...(key === undefined ? {} : { key }) };
    const batchId = this.#batchId;
    const reply = await this.#ports.ask('sheet.find', { batchId, view, ...rows, ...query, from: place, direction });
    if (!reply.ok || batchId !== this.#batchId) return;
    const { nth = 0, matches = 0 } = reply.value ?? {};
    this.store.setState({ matches: { nth, of: matches }, query });
    if (reply.value !== undefined) await this.#followAnew(reply.value.key, reply.value.header);
  }

  /** {@link follow}, even if the row came into the view so recently that the window does not know of it yet. */
  async #followAnew(key: number, header: string | undefined): Promise<boolean> {
    const batchId = this.#batchId;
    if (await this.follow(key, header)) return true;
    if (batchId !== this.#batchId) return false;
    this.#ports.rows.pages.refresh();
    return this.follow(key, header);
  }

  /** Reads the problems of the sheet, for as long as they are shown. */
  async readProblems(): Promise<void> {
    const batchId = this.#batchId;
    if (batchId === undefined) return;
    const reply = await this.#ports.ask('sheet.problems', { batchId, limit: PROBLEMS_READ });
    if (!reply.ok || batchId !== this.#batchId) return;
    // Problems that keep rows from running come first.
    const errors = reply.value.filter(({ severity }) => severity === 'error');
    const warnings = reply.value.filter(({ severity }) => severity === 'warning');
    this.store.setState({ problems: [...errors, ...warnings] });
  }
}
