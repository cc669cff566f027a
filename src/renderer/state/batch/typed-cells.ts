/** A row that was typed below the last one and is on its way into the sheet. */
export interface TypedRow {
  /** Where the grid shows it. */
  readonly index: number;
  /** Its cells by header. */
  readonly cells: Map<string, string>;
  /** Named by the application, once it is there. */
  key: number | undefined;
}

/** What was typed and is on its way: the grid shows it at once, over what it knows of the sheet. */
export class TypedCells {
  readonly #texts = new Map<string, string>();
  #newRows: TypedRow[] = [];
  /** Keys of new rows that the pages have by now, by their places: an editor may have been opened before. */
  readonly #arrived = new Map<number, number>();

  /** The text of a cell that is on its way. */
  textOf(key: number, header: string): string | undefined {
    return this.#texts.size === 0 ? undefined : this.#texts.get(nameOf(key, header));
  }

  put(key: number, header: string, text: string): void {
    this.#texts.set(nameOf(key, header), text);
  }

  /** It has arrived, or was refused. What was typed into the same cell since then stays. */
  remove(key: number, header: string, text: string): void {
    if (this.#texts.get(nameOf(key, header)) === text) this.#texts.delete(nameOf(key, header));
  }

  newRowAt(index: number): TypedRow | undefined {
    return this.#newRows.find((row) => row.index === index);
  }

  /** The place of the new row with this key, once the application has named it. */
  placeOf(key: number): number | undefined {
    return this.#newRows.find((row) => row.key === key)?.index;
  }

  /** How many places the grid needs, where the sheet has `total` rows that are known. */
  placesNeeded(total: number): number {
    return this.#newRows.reduce((needed, row) => Math.max(needed, row.index + 1), total);
  }

  /** The new row at a place, made where there is none. */
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

  /** Forgets new rows that the sheet's pages have by now. */
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
