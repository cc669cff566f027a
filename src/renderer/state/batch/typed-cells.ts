/** A new row that was typed below the last one and is not in the sheet yet. */
export interface TypedRow {
  /** Its place in the grid. */
  readonly index: number;
  /** Its cells by header. */
  readonly cells: Map<string, string>;
  /** Set by the application once the row exists. */
  key: number | undefined;
}

/** Typed text that is not in the sheet yet: the grid shows it at once, over the known cells. */
export class TypedCells {
  readonly #texts = new Map<string, string>();
  #newRows: TypedRow[] = [];
  /** Keys of new rows that the pages contain by now, by place: an editor may have been opened before. */
  readonly #arrived = new Map<number, number>();

  /** The text of a cell that is not saved yet. */
  textOf(key: number, header: string): string | undefined {
    return this.#texts.size === 0 ? undefined : this.#texts.get(nameOf(key, header));
  }

  put(key: number, header: string, text: string): void {
    this.#texts.set(nameOf(key, header), text);
  }

  /** The text was saved or refused. Anything typed into the same cell since then stays. */
  remove(key: number, header: string, text: string): void {
    if (this.#texts.get(nameOf(key, header)) === text) this.#texts.delete(nameOf(key, header));
  }

  newRowAt(index: number): TypedRow | undefined {
    return this.#newRows.find((row) => row.index === index);
  }

  /** The place of the new row with this key, once the application has set it. */
  placeOf(key: number): number | undefined {
    return this.#newRows.find((row) => row.key === key)?.index;
  }

  /** How many places the grid needs if the sheet has `total` known rows. */
  placesNeeded(total: number): number {
    return this.#newRows.reduce((needed, row) => Math.max(needed, row.index + 1), total);
  }

  /** The new row at a place; makes one if there is none. */
  startRow(index: number): TypedRow {
    const known = this.newRowAt(index);
    if (known !== undefined) return known;
    const row = { index, cells: new Map(), key: undefined };
    this.#newRows = [...this.#newRows, row];
    this.#arrived.delete(index);
    return row;
  }

  /** The key of a new row that was typed at a place and is in the sheet by now. */
  arrivedAt(index: number): number | undefined {
    return this.#arrived.get(index);
  }

  endRow(row: TypedRow): void {
    this.#newRows = this.#newRows.filter((other) => other !== row);
  }

  /** Forgets new rows that the sheet's pages contain by now. */
  settle(total: number): void {
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
