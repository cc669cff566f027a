/** An item and its place in the order: of equal keys, the one that was put in first comes first. */
interface Entry {
  readonly key: number;
  readonly turn: number;
  readonly item: number;
}

/** Whole numbers ordered by a key, the least first. */
export class MinHeap {
  readonly #entries: Entry[] = [];
  #puts = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** The least key; Infinity if there is none. */
  get first(): number {
    return this.#entries[0]?.key ?? Number.POSITIVE_INFINITY;
  }

  put(key: number, item: number): void {
    const entries = this.#entries;
    const entry = { key, turn: (this.#puts += 1), item };
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = entries[above];
      if (other === undefined || isBefore(other, entry)) break;
      entries[at] = other;
      at = above;
    }
    entries[at] = entry;
  }

  /** Takes out the first item; undefined if there is none. */
  take(): number | undefined {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (last !== undefined && entries.length > 0) this.#sink(last);
    return first?.item;
  }

  /** Puts an entry in place of the first. */
  #sink(entry: Entry): void {
    const entries = this.#entries;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let least = entries[below];
      const right = entries[below + 1];
      if (least !== undefined && right !== undefined && isBefore(right, least)) {
        below += 1;
        least = right;
      }
      if (least === undefined || isBefore(entry, least)) break;
      entries[at] = least;
      at = below;
    }
    entries[at] = entry;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.key === b.key ? a.turn < b.turn : a.key < b.key;
}
