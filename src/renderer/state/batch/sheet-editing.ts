/** Edits the sheet of the batch on screen: one edit after the other, with a notice for each one that is refused. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Reply } from '../../../shared/ipc/contract.ts';
import type { BatchSheetView, EditResult, SheetEdit } from '../../../shared/ipc/editing.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { pastedRows } from '../../../shared/domain/cells/paste-block.ts';
import { MOST_TAKES } from '../../../shared/domain/sheet/row.ts';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { IpcClient } from '../../ipc-client.ts';
import { type EditDone, refusalNotice } from './edit-words.ts';
import type { Notices } from '../notices-store.ts';
import type { RowsView } from './rows-view.ts';
import { TypedCells } from './typed-cells.ts';

export interface SheetEditingState {
  readonly sheet: BatchSheetView | undefined;
  /** An edit is under way. */
  readonly isBusy: boolean;
  /** The last action, for the line below the grid: an edit with its result, or words. */
  readonly lastDone: EditDone | string;
  /** Counts the edits that changed something. */
  readonly revision: number;
}

export interface SheetEditingPorts {
  /** Asks, and shows a notice if it fails. */
  readonly ask: IpcClient['request'];
  /** Asks without showing errors. */
  readonly request: IpcClient['request'];
  readonly rows: RowsView;
  readonly notices: Pick<Notices, 'show'>;
}

/** Rows of the view, one below the other. */
export interface RowSpan {
  readonly y: number;
  readonly height: number;
}

/** A block of cells: an edit changes the rows with these keys, wherever they are when its turn comes. */
export interface CellArea {
  readonly rows: readonly number[];
  readonly headers: readonly string[];
}

type WithoutRows<E> = E extends { readonly rows: unknown } ? Omit<E, 'rows'> : never;
/** An edit of rows, without the rows themselves. */
type EditOfRows = WithoutRows<Exclude<SheetEdit, { kind: 'replace' }>>;

type Replacement = Omit<Extract<SheetEdit, { kind: 'replace' }>, 'kind' | 'rows' | 'headers'>;
type CellCorrections = Extract<SheetEdit, { kind: 'correct-cells' }>['corrections'];

const NOTHING: SheetEditingState = { sheet: undefined, isBusy: false, lastDone: '', revision: 0 };

type Way = 'undo' | 'redo';

export class SheetEditing {
  readonly store: StoreApi<SheetEditingState> = createStore(() => NOTHING);
  /** What was typed and is not in the sheet yet. */
  readonly typed: TypedCells;
  readonly #ports: SheetEditingPorts;
  /** The edit before the next one: edits reach the sheet in the user's order. */
  #lastEdit: Promise<unknown> = Promise.resolve();
  #editsWaiting = 0;
  /** Lets the edits that wait for their turn begin, in the user's order. */
  readonly #begins = new Set<() => void>();
  #batchId: string | undefined;
  /** What to call when an edit of this batch is undone or redone. */
  readonly #turnedBack = new Map<EditResult['edit'], (way: Way) => void>();
  /** Counts the events and the questions about the sheet. */
  #news = 0;

  constructor(ports: SheetEditingPorts) {
    this.#ports = ports;
    const { ask, rows } = ports;
    this.typed = new TypedCells({ ask, rows, inTurn: (send) => this.#run('set-cells', send) });
  }

  /** Shows something in the line below the grid. */
  say(text: string): void {
    this.store.setState({ lastDone: text });
  }

  /** The engine was restarted, which ended the undo history: says so if there was any. */
  endHistory(): void {
    this.#turnedBack.clear();
    const { sheet } = this.store.getState();
    if (sheet?.undo === undefined && sheet?.redo === undefined) return;
    this.say(words.notices.edits.historyEnded);
  }

  /** Shows a batch's sheet. */
  open(batchId: string): void {
    if (batchId === this.#batchId) return;
    this.#batchId = batchId;
    this.typed.clear();
    this.#turnedBack.clear();
    this.store.setState(NOTHING);
    void this.read();
  }

  /** The sheet has changed, through this window or from outside. */
  changed(batchId: string, sheet: BatchSheetView): void {
    if (batchId !== this.#batchId) return;
    this.#news += 1;
    this.store.setState(({ revision }) => ({ revision: revision + 1 }));
    this.#setSheet(sheet);
  }

  /** Calls back whenever the sheet has changed, until the returned function is called. */
  onEdited(listener: () => void): () => void {
    return this.store.subscribe((now, before) => (now.revision > before.revision ? listener() : undefined));
  }

  /** Calls back whenever the edit with this result is undone or redone, as long as its batch is on screen. */
  onTurnedBack({ edit }: Pick<EditResult, 'edit'>, hear: (way: Way) => void): void {
    if (edit !== undefined) this.#turnedBack.set(edit, hear);
  }

  /** Reads the sheet's columns and its undo state. */
  async read(): Promise<void> {
    const batchId = this.#batchId;
    if (batchId === undefined) return;
    this.#news += 1;
    const news = this.#news;
    const reply = await this.#ports.request('sheet.get', { batchId });
    if (!reply.ok || batchId !== this.#batchId) return;
    // What was reported or asked for since then is newer, but the later question may fail.
    if (news === this.#news || this.store.getState().sheet === undefined) this.#setSheet(reply.value);
  }

  /** The keys of the rows of a span, from top to bottom; fewer at the end of the view. */
  keysIn({ y, height }: RowSpan): readonly number[] {
    const { shown } = this.typed;
    const end = Math.min(y + height, shown.places);
    return Array.from({ length: Math.max(0, end - y) }, (_, line) => shown.keyAt(y + line)).filter(
      (key) => key !== undefined,
    );
  }

  /** The index of a header among the cells of a row; -1 if the sheet does not have it. */
  cellIndex(header: string): number {
    return this.store.getState().sheet?.columns.findIndex((column) => column.header === header) ?? -1;
  }

  /** The text of a cell: what was typed, otherwise what the sheet has. */
  textOf(row: RowView, header: string, cell: number): string {
    return this.typed.textOf(row.key, header) ?? row.cells?.[cell] ?? '';
  }

  /** Why a cell of a row cannot be edited now; undefined if it can. */
  lockOf(row: RowView, column: string): string | undefined {
    // A note belongs to the user and is never sent.
    return column === 'note' ? undefined : row.locked;
  }

  /** Writes lines of cells into rows, and repeats a block that is smaller. False if no row accepted it. */
  async setCells({ rows, headers }: CellArea, values: readonly (readonly string[])[]): Promise<boolean> {
    const lines = values.map((line) => [...line]);
    const edit = { kind: 'set-cells', added: 0, headers: [...headers], values: lines } as const;
    const result = await this.#editRows(rows, edit);
    return result !== undefined && (result.refusedRows === 0 || result.changedRows > 0);
  }

  /** Replaces whole texts in rows by others, all as one edit. */
  async correctCells(rows: readonly number[], corrections: CellCorrections): Promise<void> {
    await this.#editRows(rows, { kind: 'correct-cells', corrections });
  }

  /**
   * Asks for this many takes of rows, in a column that is added if there is none. Returns the reason if it is refused.
   * @param hear Called whenever this is undone or redone, as {@link onTurnedBack} does.
   */
  async setTakes(
    batchId: string,
    rows: readonly { readonly key: number; readonly takes: number }[],
    hear: (way: Way) => void = () => undefined,
  ): Promise<string | undefined> {
    if (rows.some(({ takes }) => takes > MOST_TAKES)) return words.notices.edits.mostTakes(MOST_TAKES);
    const sheet = await this.#sheetOf(batchId);
    if (sheet === undefined) return words.notices.edits.notEdited;
    const column = sheet.columns.find((one) => one.column === 'takes');
    const last = sheet.columns.at(-1);
    const cells = rows.map(({ key, takes }) => ({ key, text: String(takes) }));
    const keys = cells.map(({ key }) => key);
    const values = cells.map(({ text }) => [text]);
    // One edit, which one undo takes back.
    const edit: SheetEdit =
      column === undefined
        ? { kind: 'add-column', header: 'takes', ...(last && { after: last.header }), cells }
        : { kind: 'set-cells', rows: keys, added: 0, headers: [column.header], values };
    const result = await this.edit(edit, batchId);
    if (result !== undefined) this.onTurnedBack(result, hear);
    if (result !== undefined && result.refusedRows === 0) return undefined;
    return result?.refused[0]?.reason ?? words.notices.edits.notEdited;
  }

  async clear({ rows, headers }: CellArea): Promise<void> {
    await this.#editRows(rows, { kind: 'clear-cells', headers: [...headers] });
  }

  /** Copies the cells of the first row into the others. */
  async fillDown({ rows, headers }: CellArea): Promise<void> {
    await this.#editRows(rows, { kind: 'fill-down', headers: [...headers] });
  }

  /** Inserts empty rows beside a row, or without one at the end. Returns the key of the first. */
  async insertRows(beside: number | undefined, where: 'above' | 'below', count: number): Promise<number | undefined> {
    const at = beside === undefined ? ({ kind: 'end' } as const) : ({ kind: 'row', key: beside } as const);
    const result = await this.edit({ kind: 'insert-rows', at, where, count });
    return result?.inserted[0];
  }

  async duplicateRows(rows: readonly number[]): Promise<number | undefined> {
    const result = await this.#editRows(rows, { kind: 'duplicate-rows' });
    return result?.inserted[0];
  }

  /** Asks for the finished takes of rows to be rendered again; sends nothing. */
  async renderAgain(batchId: string, rows: readonly number[]): Promise<EditResult | undefined> {
    return this.#editRows(rows, { kind: 'render-again' }, batchId);
  }

  /** Takes that back: rows have their earlier files again. Rows for which a request has already left are refused. */
  async keepEarlier(rows: readonly number[]): Promise<EditResult | undefined> {
    return this.#editRows(rows, { kind: 'keep-earlier' });
  }

  /** False if all rows stay. */
  async removeRows(rows: readonly number[]): Promise<boolean> {
    const result = await this.#editRows(rows, { kind: 'remove-rows' });
    return result !== undefined && result.changedRows > 0;
  }

  /** Moves the rows of a span by one place within the view. */
  async moveRows(rows: readonly number[], span: RowSpan, direction: 'up' | 'down'): Promise<boolean> {
    if (this.#ports.rows.store.getState().sort.column !== 'line') {
      const { onlyInOrder, sortToMove } = words.notices.edits;
      this.#ports.notices.show({ level: 'info', title: onlyInOrder, message: sortToMove });
      return false;
    }
    const { pages, view } = this.#ports.rows;
    const isReversed = view.sort.direction === 'descending';
    const to = pages.keyAt(direction === 'up' ? span.y - 1 : span.y + span.height);
    if (to === undefined) return false;
    const where = (direction === 'up') === isReversed ? 'below' : 'above';
    const result = await this.#editRows(rows, { kind: 'move-rows', to, where });
    return result !== undefined && result.changedRows > 0;
  }

  /** Copies cells to the clipboard; `isCut` also clears them. */
  async copy({ rows, headers }: CellArea, isCut: boolean): Promise<void> {
    await this.#run(isCut ? 'cut' : 'copy', (batchId) =>
      this.#ports.ask('sheet.copy', { batchId, rows: [...rows], headers: [...headers], isCut }),
    );
  }

  /** Writes the clipboard's table, beginning at a place, and repeats it if the selection is a multiple of it. */
  async paste({ y, height }: RowSpan, headers: readonly string[], columns: number): Promise<void> {
    // The rows that are shown now, even if others are there when the edit's turn comes.
    const below = this.keysIn({ y, height: Number.POSITIVE_INFINITY });
    await this.#run('paste', async (batchId) => {
      const size = await this.#ports.ask('sheet.pasteSize');
      if (!size.ok) return undefined;
      // An empty clipboard counts as one line: the engine refuses it with the reason.
      const count = Math.max(1, pastedRows(size.value.rows, height));
      const rows = await this.#stillThere(batchId, below.slice(0, count));
      const into = { rows, added: count - rows.length, headers: [...headers], columns };
      return this.#ports.ask('sheet.paste', { batchId, ...into });
    });
  }

  /** Leaves out the last rows if an earlier edit, such as an undo, has removed them: new ones are appended instead. */
  async #stillThere(batchId: string, rows: readonly number[]): Promise<readonly number[]> {
    const { rows: shown } = this.#ports;
    await shown.pages.current();
    const { pages, isSheetOrder } = shown;
    // In another view, or another batch, a row that is not shown may well be in the sheet.
    if (batchId !== this.#batchId || !isSheetOrder || pages.total === undefined) return rows;
    return rows.slice(0, rows.findLastIndex((key) => pages.placeOf(key) !== undefined) + 1);
  }

  undo(): Promise<void> {
    return this.#turnBack('undo');
  }

  redo(): Promise<void> {
    return this.#turnBack('redo');
  }

  /** Replaces a text in all rows of the view as it is now, or in the cells of a selection. */
  async replace(what: Replacement, where: CellArea | undefined): Promise<EditResult | undefined> {
    // The rows as they are now: when the edit's turn comes, the night or another edit may have moved others into the
    // view.
    const rows = where === undefined ? Array.from(this.#ports.rows.pages.keys) : [...where.rows];
    const edit = { kind: 'replace', ...what, rows } as const;
    return this.edit(where === undefined ? edit : { ...edit, headers: [...where.headers] });
  }

  /** The same in several blocks of cells. All of them are of the batch that is on screen now. */
  async replaceInBlocks(what: Replacement, blocks: readonly CellArea[]): Promise<void> {
    await Promise.all(blocks.map((block) => this.replace(what, block)));
  }

  /** The whole text of a cell, if the page has only its beginning. */
  async wholeText(key: number, header: string): Promise<string | undefined> {
    if (this.#batchId === undefined) return undefined;
    const reply = await this.#ports.ask('sheet.cell', { batchId: this.#batchId, key, header });
    return reply.ok ? reply.value.text : undefined;
  }

  /** Sends an edit when its turn has come, by default of the batch that is on screen now. */
  async edit(edit: SheetEdit, of = this.#batchId): Promise<EditResult | undefined> {
    return this.#run(edit.kind, (batchId) => this.#ports.ask('sheet.edit', { batchId, edit }), of);
  }

  /** Maps a column, and has the mapping remembered for the next sheet with the same headers. */
  async mapColumn(header: string, column: string): Promise<void> {
    const batchId = this.#batchId;
    const result = await this.edit({ kind: 'map-column', header, column });
    if (batchId === undefined || result === undefined) return;
    const keep = (): void => void this.#ports.request('sheet.keepMapping', { batchId });
    keep();
    this.onTurnedBack(result, keep);
  }

  async #sheetOf(batchId: string): Promise<BatchSheetView | undefined> {
    const { sheet } = batchId === this.#batchId ? this.store.getState() : {};
    if (sheet !== undefined) return sheet;
    const reply = await this.#ports.request('sheet.get', { batchId });
    return reply.ok ? reply.value : undefined;
  }

  /** Sends an edit if it has any rows. */
  async #editRows(rows: readonly number[], edit: EditOfRows, of = this.#batchId): Promise<EditResult | undefined> {
    return rows.length === 0 ? undefined : this.edit({ ...edit, rows: [...rows] }, of);
  }

  async #turnBack(way: Way): Promise<void> {
    const { edits } = words.notices;
    await this.#inTurn(async (batchId) => {
      // If another batch has come on screen meanwhile, nothing is known here: the application says if there is nothing
      // to undo.
      const { sheet } = batchId === this.#batchId ? this.store.getState() : {};
      const label = sheet?.[way];
      // What was sent at the last moment gets no answer, and may be what is to be undone.
      if (sheet !== undefined && label === undefined && !this.typed.isLeaving) {
        this.say(way === 'undo' ? edits.nothingToUndo : edits.nothingToRedo);
        return undefined;
      }
      const reply = await this.#ports.ask(`sheet.${way}`, { batchId });
      if (!reply.ok) return undefined;
      if (batchId === this.#batchId) this.#turnedBack.get(reply.value.edit)?.(way);
      const done = way === 'undo' ? edits.undone : edits.redone;
      const what = label === undefined ? done : words.common.titled(done, shownLine(label));
      this.#tell(batchId, reply.value, reply.value.isNothing === true ? edits.nothingChanged : what);
      return undefined;
    });
  }

  async #run(
    kind: EditDone['kind'],
    send: (batchId: string) => Promise<Reply<EditResult> | undefined>,
    of = this.#batchId,
  ): Promise<EditResult | undefined> {
    return this.#inTurn(async (batchId) => {
      const reply = await send(batchId);
      if (reply?.ok !== true) return undefined;
      this.#tell(batchId, reply.value, { kind, result: reply.value });
      return reply.value;
    }, of);
  }

  /** The window is closing, and no more answers come: what waits is sent, and so is what follows, in the same order. */
  sendWaiting(): void {
    this.typed.isLeaving = true;
    for (const begin of this.#begins) begin();
  }

  /** Waits for its turn; works on the batch that was on screen when it was called, or on the one that is named. */
  async #inTurn<T>(work: (batchId: string) => Promise<T | undefined>, batchId = this.#batchId): Promise<T | undefined> {
    if (batchId === undefined) return undefined;
    this.#editsWaiting += 1;
    this.store.setState({ isBusy: true });
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    this.#begins.add(begin);
    void this.#lastEdit.then(begin);
    if (this.typed.isLeaving) begin();
    const turn = begun.then(() => {
      this.#begins.delete(begin);
      return work(batchId);
    });
    this.#lastEdit = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#editsWaiting -= 1;
      this.store.setState({ isBusy: this.#editsWaiting > 0 });
    }
  }

  #tell(batchId: string, result: EditResult, lastDone: EditDone | string): void {
    const isOnScreen = batchId === this.#batchId;
    // Nothing else says that what was written for a batch that was left is not in its sheet.
    if (result.refusedRows > 0)
      this.#ports.notices.show({ ...refusalNotice(result), ...(isOnScreen ? {} : { batchId }) });
    const { sheet } = this.store.getState();
    if (sheet === undefined || !isOnScreen) return;
    const { undo: _undo, redo: _redo, ...others } = sheet;
    const { undo, redo } = result;
    this.store.setState({
      lastDone,
      sheet: { ...others, ...(undo === undefined ? {} : { undo }), ...(redo === undefined ? {} : { redo }) },
    });
  }

  #setSheet(now: BatchSheetView): void {
    this.store.setState(({ sheet }) => ({ sheet: withKnownColumns(now, sheet) }));
  }
}

/** Unchanged columns stay the same object, so that the grid does not lay itself out again after every edit. */
function withKnownColumns(sheet: BatchSheetView, before: BatchSheetView | undefined): BatchSheetView {
  const isSame = before !== undefined && JSON.stringify(before.columns) === JSON.stringify(sheet.columns);
  return isSame ? { ...sheet, columns: before.columns } : sheet;
}
