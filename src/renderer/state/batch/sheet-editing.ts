/** The sheet of the batch on screen as something that is edited: one edit after the other, each told when it is refused. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Reply } from '../../../shared/ipc/contract.ts';
import type { BatchSheetView, EditResult, SheetEdit } from '../../../shared/ipc/editing.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { pastedRows, repeatedBlock, type FillDirection } from '../../../shared/domain/sheet/paste-block.ts';
import { countOf } from '../../format/numbers.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { IpcClient } from '../../ipc-client.ts';
import { editDone, refusalNotice } from './edit-words.ts';
import type { Notices } from '../notices-store.ts';
import type { RowsView } from './rows-view.ts';
import { TypedCells } from './typed-cells.ts';

export interface SheetEditingState {
  readonly sheet: BatchSheetView | undefined;
  /** An edit is on its way. */
  readonly isBusy: boolean;
  /** What was done last, for the line below the grid. */
  readonly lastDone: string;
  /** Counts the edits that have changed something. */
  readonly revision: number;
}

export interface SheetEditingPorts {
  /** Asks, and shows a notice where it could not be done. */
  readonly ask: IpcClient['request'];
  /** Asks without a word. */
  readonly request: IpcClient['request'];
  readonly rows: RowsView;
  readonly notices: Pick<Notices, 'show'>;
}

/** Rows of the view, one below the other. */
export interface RowSpan {
  readonly y: number;
  readonly height: number;
}

/** The rows that the grid shows, by their keys: those of the view, and below them those that were just typed. */
export interface ShownRows {
  /** Rows of the view; undefined before they are known. */
  readonly total: number | undefined;
  /** Places that they take up, with the rows that were typed below the last one. */
  readonly places: number;
  keyAt(place: number): number | undefined;
  placeOf(key: number): number | undefined;
}

/** Cells of the sheet in one piece: an edit goes to the rows with these keys, wherever they stand by its turn. */
export interface CellArea {
  readonly rows: readonly number[];
  readonly headers: readonly string[];
}

type EditKind = Parameters<typeof editDone>[0];

const NOTHING: SheetEditingState = { sheet: undefined, isBusy: false, lastDone: '', revision: 0 };
/** Cells that a fill reads before it writes them. */
const FILL_ROWS = 1_000;

export class SheetEditing {
  readonly store: StoreApi<SheetEditingState> = createStore(() => NOTHING);
  readonly typed = new TypedCells();
  readonly #ports: SheetEditingPorts;
  /** The edit before the next one: they reach the sheet in the order of the user's hand. */
  #lastEdit: Promise<unknown> = Promise.resolve();
  #editsWaiting = 0;
  #batchId: string | undefined;
  #reading: Promise<void> | undefined;
  #isReadAgain = false;

  constructor(ports: SheetEditingPorts) {
    this.#ports = ports;
    ports.rows.onDraw(() => {
      // In another view, what is in the sheet by now stands somewhere else.
      this.typed.settle(ports.rows.isSheetOrder ? (ports.rows.pages.total ?? 0) : Number.POSITIVE_INFINITY);
    });
  }

  /** Says something in the line below the grid. */
  say(words: string): void {
    this.store.setState({ lastDone: words });
  }

  /** The engine is another one, and what could be undone ended with the one before: that is said where it is missed. */
  endHistory(): void {
    const { sheet } = this.store.getState();
    if (sheet?.undo === undefined && sheet?.redo === undefined) return;
    this.say('Earlier edits stay, and cannot be undone any more: the engine was restarted.');
  }

  /** Turns to a batch's sheet. */
  open(batchId: string): void {
    if (batchId === this.#batchId) return;
    this.#batchId = batchId;
    this.typed.clear();
    this.store.setState(NOTHING);
    void this.read();
  }

  /** The sheet has changed, by this window or by another hand. */
  changed(batchId: string, sheet: BatchSheetView): void {
    if (batchId !== this.#batchId) return;
    this.#isReadAgain = this.#reading !== undefined;
    this.store.setState(({ revision }) => ({ revision: revision + 1 }));
    this.#setSheet(sheet);
  }

  /** Reads the sheet's columns and what can be undone; once more where it changes meanwhile. Ends when it is known. */
  async read(): Promise<void> {
    this.#isReadAgain = this.#reading !== undefined;
    this.#reading ??= this.#readUntilKnown().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /** The rows that the grid shows now. */
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

  /** The keys of the rows of a span, from the top down, fewer where the view ends. */
  keysIn({ y, height }: RowSpan): readonly number[] {
    const { shown } = this;
    const end = Math.min(y + height, shown.places);
    return Array.from({ length: Math.max(0, end - y) }, (_, line) => shown.keyAt(y + line)).filter(
      (key) => key !== undefined,
    );
  }

  /** The index of a header among the cells of a row; -1 where the sheet has none. */
  cellIndex(header: string): number {
    return this.store.getState().sheet?.columns.findIndex((column) => column.header === header) ?? -1;
  }

  /** What a cell shows: what was typed, else what is known of the sheet. */
  textOf(row: RowView, header: string, cell: number): string {
    return this.typed.textOf(row.key, header) ?? row.cells?.[cell] ?? '';
  }

  /** Why a cell of a row cannot be edited now; undefined where it can. */
  lockOf(row: RowView, column: string): string | undefined {
    // A note is the user's own and is never sent.
    return column === 'note' ? undefined : row.locked;
  }

  /**
   * Writes a cell of the row with this key; without a key, of the new row at a place. The cell shows its text at once;
   * where it is refused, it shows the old one again, and this gives false.
   */
  async commitCell(index: number, key: number | undefined, header: string, text: string): Promise<boolean> {
    if (key === undefined) return this.#commitNewRow(index, header, text);
    this.typed.put(key, header, text);
    this.#redraw(key);
    const result = await this.edit({ kind: 'set-cells', rows: [key], added: 0, headers: [header], values: [[text]] });
    // What has changed has come before the answer: the row shows it from now on.
    this.typed.remove(key, header, text);
    this.#redraw(key);
    return result !== undefined && result.refusedRows === 0;
  }

  /** Writes lines of cells into rows; a block that is smaller than the rows is repeated. False where none took it. */
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

  /** Inserts empty rows beside a row, or where there is none below the last one; gives the key of the first. */
  async insertRows(beside: number | undefined, where: 'above' | 'below', count: number): Promise<number | undefined> {
    const at = beside === undefined ? ({ kind: 'end' } as const) : ({ kind: 'row', key: beside } as const);
    const result = await this.edit({ kind: 'insert-rows', at, where, count });
    return result?.inserted[0];
  }

  async duplicateRows(rows: readonly number[]): Promise<number | undefined> {
    const result = await this.#editRows(rows, (keys) => ({ kind: 'duplicate-rows', rows: keys }));
    return result?.inserted[0];
  }

  /** False where all rows stay. */
  async removeRows(rows: readonly number[]): Promise<boolean> {
    const result = await this.#editRows(rows, (keys) => ({ kind: 'remove-rows', rows: keys }));
    return result !== undefined && result.changedRows > 0;
  }

  /** Moves rows that stand at a span by one place among those that are shown. */
  async moveRows(rows: readonly number[], span: RowSpan, direction: 'up' | 'down'): Promise<boolean> {
    if (this.#ports.rows.store.getState().sort.column !== 'line') {
      const message = 'Sort by the line, with a click on the header “#”, and move them then.';
      this.#ports.notices.show({ level: 'info', title: 'Rows can be moved in the order of the sheet', message });
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

  /** Puts cells into the clipboard; `isCut` clears them. */
  async copy({ rows, headers }: CellArea, isCut: boolean): Promise<void> {
    await this.#run(isCut ? 'cut' : 'copy', (batchId) =>
      this.#ports.ask('sheet.copy', { batchId, rows: [...rows], headers: [...headers], isCut }),
    );
  }

  /** Writes the clipboard's table from a place on, repeated over a selection that is a multiple of it. */
  async paste({ y, height }: RowSpan, headers: readonly string[], columns: number): Promise<void> {
    // Those that are shown now, although others may stand there by its turn.
    const below = this.keysIn({ y, height: Number.POSITIVE_INFINITY });
    await this.#run('paste', async (batchId) => {
      const size = await this.#ports.ask('sheet.pasteSize');
      if (!size.ok) return undefined;
      // Of nothing at all, one line: it is refused with the reason.
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
    // Those of now: by its turn, the night or an edit may have moved others into the view.
    const rows = where === undefined ? Array.from(this.#ports.rows.pages.keys) : [...where.rows];
    const edit = { kind: 'replace', ...what, rows } as const;
    return this.edit(where === undefined ? edit : { ...edit, headers: [...where.headers] });
  }

  /** Changes the sheet's columns, or what they mean. */
  async changeColumns(
    edit: Extract<SheetEdit, { kind: 'add-column' | 'remove-column' | 'move-column' | 'map-column' }>,
  ): Promise<EditResult | undefined> {
    return this.edit(edit);
  }

  /** The whole text of a cell, where the page holds its beginning only. */
  async wholeText(key: number, header: string): Promise<string | undefined> {
    if (this.#batchId === undefined) return undefined;
    const reply = await this.#ports.ask('sheet.cell', { batchId: this.#batchId, key, header });
    return reply.ok ? reply.value.text : undefined;
  }

  /** Sends an edit when its turn has come. */
  async edit(edit: SheetEdit): Promise<EditResult | undefined> {
    return this.#run(edit.kind, (batchId) => this.#ports.ask('sheet.edit', { batchId, edit }));
  }

  /** Sends an edit of rows where there are some. */
  async #editRows(rows: readonly number[], make: (keys: number[]) => SheetEdit): Promise<EditResult | undefined> {
    return rows.length === 0 ? undefined : this.edit(make([...rows]));
  }

  async #turnBack(way: 'undo' | 'redo'): Promise<void> {
    await this.#inTurn(async (batchId) => {
      const { sheet } = this.store.getState();
      const label = sheet?.[way];
      if (sheet !== undefined && label === undefined) {
        this.store.setState({ lastDone: way === 'undo' ? 'Nothing to undo' : 'Nothing to redo' });
        return undefined;
      }
      const reply = await this.#ports.ask(way === 'undo' ? 'sheet.undo' : 'sheet.redo', { batchId });
      if (!reply.ok) return undefined;
      const words = way === 'undo' ? 'Undone' : 'Redone';
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

  /** In its turn, for the batch that was on screen when it was asked for. */
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
    // Where another row came to stand there meanwhile, what was typed begins one below the last.
    const row = this.typed.startRow(index < total ? this.typed.placesNeeded(total) : index);
    row.cells.set(header, text);
    this.#ports.rows.redraw({ kind: 'all' });
    const result = await this.#run('set-cells', async (batchId) => {
      const into = row.key === undefined ? { rows: [], added: 1 } : { rows: [row.key], added: 0 };
      const edit = { kind: 'set-cells' as const, ...into, headers: [header], values: [[text]] };
      const reply = await this.#ports.ask('sheet.edit', { batchId, edit });
      // Before the next one's turn: it writes into the same row.
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
      this.#ports.notices.show({ level: 'info', title: 'These are too many rows to fill from', message });
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

/** Columns that are as they were stay the same object: the grid is laid out anew for others only, not after each edit. */
function withKnownColumns(sheet: BatchSheetView, before: BatchSheetView | undefined): BatchSheetView {
  const isSame = before !== undefined && JSON.stringify(before.columns) === JSON.stringify(sheet.columns);
  return isSame ? { ...sheet, columns: before.columns } : sheet;
}
