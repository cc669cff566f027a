import type { Reply } from '../../../shared/ipc/contract.ts';
import type { EditResult } from '../../../shared/ipc/editing.ts';
import type { IpcClient } from '../../ipc-client.ts';
import type { RowsView } from './rows-view.ts';

/** A new row that was typed below the last one and is not in the sheet yet. */
export interface TypedRow {
  /** Its place in the grid. */
  readonly index: number;
  /** Its cells by header. */
  readonly cells: Map<string, string>;
  /** Set by the application once the row exists. */
  key: number | undefined;
  /** It is being made. */
  isSent: boolean;
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

export interface TypedCellsPorts {
  readonly rows: RowsView;
  /** Asks, and shows a notice if it fails. */
  readonly ask: IpcClient['request'];
  /** Sends an edit of cells when its turn has come; undefined if it was refused as a whole. */
  readonly inTurn: (
    send: (batchId: string) => Promise<Reply<EditResult> | undefined>,
  ) => Promise<EditResult | undefined>;
}

/** Typed text until it is in the sheet: the grid shows it at once, over the known cells. */
export class TypedCells {
  /** The window is closing: nothing waits for the key of a new row any more. */
  isLeaving = false;
  readonly #ports: TypedCellsPorts;
  readonly #texts = new Map<string, string>();
  #newRows: TypedRow[] = [];
  /** Keys of new rows that the pages now contain, by place: an editor may have been opened before. */
  readonly #arrived = new Map<number, number>();

  constructor(ports: TypedCellsPorts) {
    this.#ports = ports;
    const { rows } = ports;
    // In another view, the new rows are at other places once they are in the sheet.
    rows.onDraw(() => this.#settle(rows.isSheetOrder ? (rows.pages.total ?? 0) : Number.POSITIVE_INFINITY));
  }

  /** The rows in the grid now. */
  get shown(): ShownRows {
    const { pages } = this.#ports.rows;
    return {
      total: pages.total,
      places: this.placesNeeded(pages.total ?? 0),
      keyAt: (place) => pages.keyAt(place) ?? this.newRowAt(place)?.key,
      placeOf: (key) => pages.placeOf(key) ?? this.#newRows.find((row) => row.key === key)?.index,
    };
  }

  /**
   * Writes a cell of the row with this key; without a key, of the new row at a place. The cell shows its text at once;
   * if the edit is refused, it shows the old text again and this returns false.
   */
  async commit(index: number, key: number | undefined, header: string, text: string): Promise<boolean> {
    if (key === undefined) return this.#commitNewRow(index, header, text);
    const cell = nameOf(key, header);
    this.#texts.set(cell, text);
    this.#redraw(key);
    const result = await this.#write([key], header, text);
    // The change arrived before the answer: the row itself has it from now on. What was typed since then stays.
    if (this.#texts.get(cell) === text) this.#texts.delete(cell);
    this.#redraw(key);
    return result !== undefined && result.refusedRows === 0;
  }

  /** Where a text typed now for the new row at a place goes: to that row, or to one below the last. */
  placeOfNewRow(index: number): number {
    const { pages } = this.#ports.rows;
    const total = pages.total ?? 0;
    const arrived = this.#arrivedAt(index);
    if (arrived !== undefined) return pages.placeOf(arrived) ?? index;
    // If another row has taken that place meanwhile, the new row goes below the last one.
    const isTaken = index < total && this.newRowAt(index) === undefined;
    return isTaken ? this.placesNeeded(total) : index;
  }

  #arrivedAt(index: number): number | undefined {
    return index < (this.#ports.rows.pages.total ?? 0) ? this.#arrived.get(index) : undefined;
  }

  async #commitNewRow(index: number, header: string, text: string): Promise<boolean> {
    const { rows } = this.#ports;
    const arrived = this.#arrivedAt(index);
    if (arrived !== undefined) return this.commit(index, arrived, header, text);
    const row = this.#startRow(this.placeOfNewRow(index));
    row.cells.set(header, text);
    rows.redraw({ kind: 'all' });
    const result = await this.#write(row, header, text);
    const isWritten = result !== undefined && result.refusedRows === 0;
    if (row.key === undefined) this.#newRows = this.#newRows.filter((other) => other !== row);
    else if (!isWritten) row.cells.delete(header);
    rows.redraw({ kind: 'all' });
    return isWritten && row.key !== undefined;
  }

  /** Writes into a row, or into the new one, which is made with its first cell. */
  #write(into: readonly [key: number] | TypedRow, header: string, text: string): Promise<EditResult | undefined> {
    return this.#ports.inTurn(async (batchId) => {
      const keys = 'cells' in into ? (into.key === undefined ? [] : [into.key]) : [...into];
      const newRow = 'cells' in into && into.key === undefined ? into : undefined;
      // Happens only when the window is closing: what was typed into the row by then went out with its first cell.
      if (newRow?.isSent === true) return undefined;
      const texts = newRow !== undefined && this.isLeaving ? newRow.cells : new Map([[header, text]]);
      const cells = { headers: [...texts.keys()], values: [[...texts.values()]] };
      const edit = { kind: 'set-cells' as const, rows: keys, added: keys.length === 0 ? 1 : 0, ...cells };
      if (newRow !== undefined) newRow.isSent = true;
      const reply = await this.#ports.ask('sheet.edit', { batchId, edit });
      if (newRow !== undefined) newRow.isSent = false;
      // Set before the next edit's turn, which writes into the same row.
      if ('cells' in into && reply.ok) into.key ??= reply.value.inserted[0];
      return reply;
    });
  }

  #redraw(key: number): void {
    const { rows } = this.#ports;
    const index = rows.pages.placeOf(key);
    if (index !== undefined) rows.redraw({ kind: 'rows', indexes: [index] });
  }

  /** The text of a cell that is not saved yet. */
  textOf(key: number, header: string): string | undefined {
    return this.#texts.size === 0 ? undefined : this.#texts.get(nameOf(key, header));
  }

  newRowAt(index: number): TypedRow | undefined {
    return this.#newRows.find((row) => row.index === index);
  }

  /** Places in the grid now: rows, new rows under way, and below them the empty one where the next is typed. */
  get places(): number {
    const { rows } = this.#ports;
    const { total } = rows.pages;
    return this.placesNeeded(total ?? 0) + (total !== undefined && rows.isSheetOrder ? 1 : 0);
  }

  /** How many places the grid needs if the sheet has `total` known rows. */
  placesNeeded(total: number): number {
    return this.#newRows.reduce((needed, row) => Math.max(needed, row.index + 1), total);
  }

  /** The new row at a place; makes one if there is none. */
  #startRow(index: number): TypedRow {
    const known = this.newRowAt(index);
    if (known !== undefined) return known;
    const row = { index, cells: new Map(), key: undefined, isSent: false };
    this.#newRows = [...this.#newRows, row];
    this.#arrived.delete(index);
    return row;
  }

  /** Forgets new rows that the sheet's pages now contain. */
  #settle(total: number): void {
    if (this.#newRows.length === 0) return;
    this.#newRows = this.#newRows.filter((row) => {
      if (row.key === undefined || row.index >= total) return true;
      this.#arrived.set(row.index, row.key);
      return false;
    });
  }

  clear(): void {
    this.#texts.clear();
    this.#newRows = [];
    this.#arrived.clear();
  }
}

function nameOf(key: number, header: string): string {
  return `${key} ${header}`;
}
