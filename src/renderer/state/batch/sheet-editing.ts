/** Edits the sheet of the batch on screen: one edit after the other, with a notice for each one that is refused. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Reply } from '../../../shared/ipc/contract.ts';
import type { BatchSheetView, EditResult, SheetEdit } from '../../../shared/ipc/editing.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { pastedRows, repeatedBlock, type FillDirection } from '../../../shared/domain/cells/paste-block.ts';
import { countOf } from '../../../shared/domain/base/text.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { IpcClient } from '../../ipc-client.ts';
import { editDone, refusalNotice } from './edit-words.ts';
import type { Notices } from '../notices-store.ts';
import type { RowsView } from './rows-view.ts';
import { TypedCells } from './typed-cells.ts';

export interface SheetEditingState {
  readonly sheet: BatchSheetView | undefined;
  /** An edit is under way. */
  readonly isBusy: boolean;
  /** The last action, for the line below the grid. */
  readonly lastDone: string;
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

/** The rows in the grid, by their keys: those of the view, and below them the new ones that were just typed. */
export interface ShownRows {
  /** Rows of the view; undefined until they are known. */
  readonly total: number | undefined;
  /** Places that they take up, including the rows typed below the last one. */
  readonly places: number;
  keyAt(place: number): number | undefined;
  placeOf(key: number): number | undefined;
}

/** A block of cells: an edit changes the rows with these keys, wherever they are when its turn comes. */
export interface CellArea {
  readonly rows: readonly number[];
  readonly headers: readonly string[];
}

type EditKind = Parameters<typeof editDone>[0];

const NOTHING: SheetEditingState = { sheet: undefined, isBusy: false, lastDone: '', revision: 0 };
/** Rows that a fill reads before it writes. */
const FILL_ROWS = 1_000;

export class SheetEditing {
  readonly store: StoreApi<SheetEditingState> = createStore(() => NOTHING);
  readonly typed = new TypedCells();
  readonly #ports: SheetEditingPorts;
  /** The edit before the next one: edits reach the sheet in the user's order. */
  #lastEdit: Promise<unknown> = Promise.resolve();
  #editsWaiting = 0;
  #batchId: string | undefined;
  #reading: Promise<void> | undefined;
  #isReadAgain = false;

  constructor(ports: SheetEditingPorts) {
    this.#ports = ports;
    ports.rows.onDraw(() => {
      // In another view, the new rows are at other places once they are in the sheet.
      this.typed.settle(ports.rows.isSheetOrder ? (ports.rows.pages.total ?? 0) : Number.POSITIVE_INFINITY);
    });
  }

  /** Shows something in the line below the grid. */
  say(words: string): void {
    this.store.setState({ lastDone: words });
  }

  /** The engine was restarted, which ended the undo history: says so if there was any. */
  endHistory(): void {
    const { sheet } = this.store.getState();
    if (sheet?.undo === undefined && sheet?.redo === undefined) return;
    this.say('The engine was restarted: earlier edits are kept, but can no longer be undone.');
  }

  /** Shows a batch's sheet. */
  open(batchId: string): void {
    if (batchId === this.#batchId) return;
    this.#batchId = batchId;
    this.typed.clear();
    this.store.setState(NOTHING);
    void this.read();
  }

  /** The sheet has changed, through this window or from outside. */
  changed(batchId: string, sheet: BatchSheetView): void {
    if (batchId !== this.#batchId) return;
    this.#isReadAgain = this.#reading !== undefined;
    this.store.setState(({ revision }) => ({ revision: revision + 1 }));
    this.#setSheet(sheet);
  }

  /** Reads the sheet's columns and its undo state, again if it changes meanwhile. Resolves once they are known. */
  async read(): Promise<void> {
    this.#isReadAgain = this.#reading !== undefined;
    this.#reading ??= this.#readUntilKnown().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /** The rows in the grid now. */
  get shown(): ShownRows {
    const { pages } = this.#ports.rows;
    const { typed } = this;
    return {
      total: pages.total,
      places: typed.placesNeeded(pages.total ?? 0),
      keyAt: (place) => pages.keyAt(place) ?? typed.newRowAt(place)?.key,
      placeOf: (key) => pages.placeOf(key) ?? typed.placeOf(key),
    };
  }

  /** The keys of the rows of a span, from top to bottom; fewer at the end of the view. */
  keysIn({ y, height }: RowSpan): readonly number[] {
    const { shown } = this;
    const end = Math.min(y + height, shown.places);
    return Array.from({ length: Math.max(0, end - y) }, (_, line) => shown.keyAt(y + line)).filter(
      (key) => key !== undefined,
    );
  }

  /** The index of a header among the cells of a row; -1 if the sheet does not have it. */
  cellIndex(header: string): number {
    return this.store.getState().sheet?.columns.findIndex((column) => column.header === header) ?? -1;
  }

  /** The text of a cell: what was typed, else what the sheet has. */
  textOf(row: RowView, header: string, cell: number): string {
    return this.typed.textOf(row.key, header) ?? row.cells?.[cell] ?? '';
  }

  /** Why a cell of a row cannot be edited now; undefined if it can. */
  lockOf(row: RowView, column: string): string | undefined {
    // A note belongs to the user and is never sent.
    return column === 'note' ? undefined : row.locked;
  }

  /**
   * Writes a cell of the row with this key; without a key, of the new row at a place. The cell shows its text at once;
   * if the edit is refused, it shows the old text again and this returns false.
   */
  async commitCell(index: number, key: number | undefined, header: string, text: string): Promise<boolean> {
    if (key === undefined) return this.#commitNewRow(index, header, text);
    this.typed.put(key, header, text);
    this.#redraw(key);
    const result = await this.edit({ kind: 'set-cells', rows: [key], added: 0, headers: [header], values: [[text]] });
    // The change arrived before the answer: the row itself has it from now on.
    this.typed.remove(key, header, text);
    this.#redraw(key);
    return result !== undefined && result.refusedRows === 0;
  }

  /** Writes lines of cells into rows, and repeats a block that is smaller. False if no row accepted it. */
  async setCells({ rows, headers }: CellArea, values: readonly (readonly string[])[]): Promise<boolean> {
    const result = await this.#editRows(rows, (keys) => ({
      kind: 'set-cells',
      rows: keys,
      added: 0,
      headers: [...headers],
      values: values.map((line) => [...line]),
    }));
    return result !== undefined && (result.refusedRows === 0 || result.changedRows > 0);
  }

  async clear({ rows, headers }: CellArea): Promise<void> {
    await this.#editRows(rows, (keys) => ({ kind: 'clear-cells', rows: keys, headers: [...headers] }));
  }

  /** Copies the cells of the first row into the others. */
  async fillDown({ rows, headers }: CellArea): Promise<void> {
    await this.#editRows(rows, (keys) => ({ kind: 'fill-down', rows: keys, headers: [...headers] }));
  }

  /** Repeats the cells of one block over the one beside it, as dragging a selection's corner does. */
  async repeatBlock(
    source: CellArea,
    target: CellArea & { readonly height: number },
    direction: FillDirection,
  ): Promise<void> {
    const block = await this.#readBlock(source);
    if (block === undefined) return;
    const values = repeatedBlock(block, { height: target.height, width: target.headers.length }, direction);
    await this.setCells(target, values);
  }

  /** Inserts empty rows beside a row, or without one at the end. Returns the key of the first. */
  async insertRows(beside: number | undefined, where: 'above' | 'below', count: number): Promise<number | undefined> {
    const at = beside === undefined ? ({ kind: 'end' } as const) : ({ kind: 'row', key: beside } as const);
    const result = await this.edit({ kind: 'insert-rows', at, where, count });
    return result?.inserted[0];
  }

  async duplicateRows(rows: readonly number[]): Promise<number | undefined> {
    const result = await this.#editRows(rows, (keys) => ({ kind: 'duplicate-rows', rows: keys }));
    return result?.inserted[0];
  }

  /** False if all rows stay. */
  async removeRows(rows: readonly number[]): Promise<boolean> {
    const result = await this.#editRows(rows, (keys) => ({ kind: 'remove-rows', rows: keys }));
    return result !== undefined && result.changedRows > 0;
  }

  /** Moves the rows of a span by one place within the view. */
  async moveRows(rows: readonly number[], span: RowSpan, direction: 'up' | 'down'): Promise<boolean> {
    if (this.#ports.rows.store.getState().sort.column !== 'line') {
      const message = 'Click the header “#” to sort by line, then move the rows.';
      this.#ports.notices.show({ level: 'info', title: 'Rows can only be moved in the order of the sheet', message });
      return false;
    }
    const { pages, view } = this.#ports.rows;
    const isReversed = view.sort.direction === 'descending';
    const to = pages.keyAt(direction === 'up' ? span.y - 1 : span.y + span.height);
    if (to === undefined) return false;
    const where = (direction === 'up') === isReversed ? 'below' : 'above';
    const result = await this.#editRows(rows, (keys) => ({ kind: 'move-rows', rows: keys, to, where }));
    return result !== undefined && result.changedRows > 0;
  }

  /** Copies cells to the clipboard; `isCut` also clears them. */
  async copy({ rows, headers }: CellArea, isCut: boolean): Promise<void> {
    await this.#run(isCut ? 'cut' : 'copy', (batchId) =>
      this.#ports.ask('sheet.copy', { batchId, rows: [...rows], headers: [...headers], isCut }),
    );
  }

  /** Writes the clipboard's table from a place on, and repeats it if the selection is a multiple of it. */
  async paste({ y, height }: RowSpan, headers: readonly string[], columns: number): Promise<void> {
    // The rows that are shown now, even if others are there when the edit's turn comes.
    const below = this.keysIn({ y, height: Number.POSITIVE_INFINITY });
    await this.#run('paste', async (batchId) => {
      const size = await this.#ports.ask('sheet.pasteSize');
      if (!size.ok) return undefined;
      // An empty clipboard counts as one line: the engine refuses it with the reason.
      const count = Math.max(1, pastedRows(size.value.rows, height));
      const rows = below.slice(0, count);
      const into = { rows, added: count - rows.length, headers: [...headers], columns };
      return this.#ports.ask('sheet.paste', { batchId, ...into });
    });
  }

  async undo(): Promise<void> {
    await this.#turnBack('undo');
  }

  async redo(): Promise<void> {
    await this.#turnBack('redo');
  }

  /** Replaces a text in all rows of the view as it is now, or in the cells of a selection. */
  async replace(
    what: Omit<Extract<SheetEdit, { kind: 'replace' }>, 'kind' | 'rows' | 'headers'>,
    where: CellArea | undefined,
  ): Promise<EditResult | undefined> {
    // The rows of now: when the edit's turn comes, the night or another edit may have moved others into the view.
    const rows = where === undefined ? Array.from(this.#ports.rows.pages.keys) : [...where.rows];
    const edit = { kind: 'replace', ...what, rows } as const;
    return this.edit(where === undefined ? edit : { ...edit, headers: [...where.headers] });
  }

  /** Changes the sheet's columns or their mapping. */
  async changeColumns(
    edit: Extract<SheetEdit, { kind: 'add-column' | 'remove-column' | 'move-column' | 'map-column' }>,
  ): Promise<EditResult | undefined> {
    return this.edit(edit);
  }

  /** The whole text of a cell, if the page has only its beginning. */
  async wholeText(key: number, header: string): Promise<string | undefined> {
    if (this.#batchId === undefined) return undefined;
    const reply = await this.#ports.ask('sheet.cell', { batchId: this.#batchId, key, header });
    return reply.ok ? reply.value.text : undefined;
  }

  /** Sends an edit when its turn has come. */
  async edit(edit: SheetEdit): Promise<EditResult | undefined> {
    return this.#run(edit.kind, (batchId) => this.#ports.ask('sheet.edit', { batchId, edit }));
  }

  /** Sends an edit if it has any rows. */
  async #editRows(rows: readonly number[], make: (keys: number[]) => SheetEdit): Promise<EditResult | undefined> {
    return rows.length === 0 ? undefined : this.edit(make([...rows]));
  }

  async #turnBack(way: 'undo' | 'redo'): Promise<void> {
    await this.#inTurn(async (batchId) => {
      // Of another batch that was turned to meanwhile, nothing is known here: the application says if there is nothing.
      const { sheet } = batchId === this.#batchId ? this.store.getState() : {};
      const label = sheet?.[way];
      if (sheet !== undefined && label === undefined) {
        this.store.setState({ lastDone: way === 'undo' ? 'Nothing to undo' : 'Nothing to redo' });
        return undefined;
      }
      const reply = await this.#ports.ask(way === 'undo' ? 'sheet.undo' : 'sheet.redo', { batchId });
      if (!reply.ok) return undefined;
      const words = way === 'undo' ? 'Undone' : 'Redone';
      if (batchId === this.#batchId)
        this.#tell(reply.value, label === undefined ? words : `${words}: ${shownLine(label)}`);
      return reply.value;
    });
  }

  async #run(
    kind: EditKind,
    send: (batchId: string) => Promise<Reply<EditResult> | undefined>,
  ): Promise<EditResult | undefined> {
    return this.#inTurn(async (batchId) => {
      const reply = await send(batchId);
      if (reply?.ok !== true) return undefined;
      if (batchId === this.#batchId) this.#tell(reply.value, editDone(kind, reply.value));
      return reply.value;
    });
  }

  /** Waits for its turn; works on the batch that was on screen when it was called. */
  async #inTurn<T>(work: (batchId: string) => Promise<T | undefined>): Promise<T | undefined> {
    const batchId = this.#batchId;
    if (batchId === undefined) return undefined;
    this.#editsWaiting += 1;
    this.store.setState({ isBusy: true });
    const turn = this.#lastEdit.then(() => work(batchId));
    this.#lastEdit = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#editsWaiting -= 1;
      this.store.setState({ isBusy: this.#editsWaiting > 0 });
    }
  }

  #tell(result: EditResult, lastDone: string): void {
    const notice = refusalNotice(result);
    if (notice !== undefined) this.#ports.notices.show(notice);
    const { sheet } = this.store.getState();
    if (sheet === undefined) return;
    const { undo: _undo, redo: _redo, ...others } = sheet;
    const { undo, redo } = result;
    this.store.setState({
      lastDone,
      sheet: { ...others, ...(undo === undefined ? {} : { undo }), ...(redo === undefined ? {} : { redo }) },
    });
  }

  async #commitNewRow(index: number, header: string, text: string): Promise<boolean> {
    const total = this.#ports.rows.pages.total ?? 0;
    const arrived = index < total ? this.typed.arrivedAt(index) : undefined;
    if (arrived !== undefined) return this.commitCell(index, arrived, header, text);
    // If another row has taken that place meanwhile, the new row starts below the last one.
    const row = this.typed.startRow(index < total ? this.typed.placesNeeded(total) : index);
    row.cells.set(header, text);
    this.#ports.rows.redraw({ kind: 'all' });
    const result = await this.#run('set-cells', async (batchId) => {
      const into = row.key === undefined ? { rows: [], added: 1 } : { rows: [row.key], added: 0 };
      const edit = { kind: 'set-cells' as const, ...into, headers: [header], values: [[text]] };
      const reply = await this.#ports.ask('sheet.edit', { batchId, edit });
      // Set before the next edit's turn, which writes into the same row.
      if (reply.ok) row.key ??= reply.value.inserted[0];
      return reply;
    });
    const isWritten = result !== undefined && result.refusedRows === 0;
    if (row.key === undefined) this.typed.endRow(row);
    else if (!isWritten) row.cells.delete(header);
    this.#ports.rows.redraw({ kind: 'all' });
    return isWritten && row.key !== undefined;
  }

  async #readUntilKnown(): Promise<void> {
    do {
      const batchId = this.#batchId;
      this.#isReadAgain = false;
      if (batchId === undefined) return;
      const reply = await this.#ports.request('sheet.get', { batchId });
      if (reply.ok && batchId === this.#batchId) {
        this.#setSheet(reply.value);
      }
      this.#isReadAgain ||= batchId !== this.#batchId;
    } while (this.#isReadAgain);
  }

  #setSheet(now: BatchSheetView): void {
    this.store.setState(({ sheet }) => ({ sheet: withKnownColumns(now, sheet) }));
  }

  async #readBlock({ rows, headers }: CellArea): Promise<string[][] | undefined> {
    if (rows.length === 0) return undefined;
    if (rows.length > FILL_ROWS) {
      const message = `Fill from at most ${countOf(FILL_ROWS, 'row')} at once, or copy and paste them.`;
      this.#ports.notices.show({ level: 'info', title: 'Too many rows to fill from', message });
      return undefined;
    }
    const { pages } = this.#ports.rows;
    const block: string[][] = [];
    for (const key of rows) {
      const place = pages.placeOf(key);
      const row = place === undefined ? undefined : pages.rowAt(place);
      const texts = headers.map(async (header) => {
        const cell = this.cellIndex(header);
        if (row === undefined || row.cutCells?.includes(cell) === true) return this.wholeText(key, header);
        return this.textOf(row, header, cell);
      });
      const line = (await Promise.all(texts)).filter((text) => text !== undefined);
      if (line.length < headers.length) return undefined;
      block.push(line);
    }
    return block;
  }

  #redraw(key: number): void {
    const index = this.#ports.rows.pages.placeOf(key);
    if (index !== undefined) this.#ports.rows.redraw({ kind: 'rows', indexes: [index] });
  }
}

/** Unchanged columns stay the same object, so that the grid does not lay itself out again after every edit. */
function withKnownColumns(sheet: BatchSheetView, before: BatchSheetView | undefined): BatchSheetView {
  const isSame = before !== undefined && JSON.stringify(before.columns) === JSON.stringify(sheet.columns);
  return isSame ? { ...sheet, columns: before.columns } : sheet;
}
