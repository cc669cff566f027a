import type { EditByRow, NamedEdit } from './edit-by-row.ts';

const MOST_STEPS = 200;
const MOST_BYTES = 64 * 1024 * 1024;
/** What the edit of a row takes in memory besides its texts. */
const ROW_BYTES = 200;

/** Undo or redo. */
export type HistoryWay = 'undo' | 'redo';

/** What can be undone and redone in one sheet, in memory: changes, not copies of the sheet. */
export class EditHistory {
  readonly #entries: Record<HistoryWay, NamedEdit[]> = { undo: [], redo: [] };

  /** What would be undone or redone next. */
  label(way: HistoryWay): string | undefined {
    return this.#entries[way].at(-1)?.label;
  }

  /** Notes how to undo a new edit. Edits undone before it can no longer be redone. */
  note(entry: NamedEdit): void {
    this.#entries.redo = [];
    this.put('undo', entry);
  }

  take(way: HistoryWay): NamedEdit | undefined {
    return this.#entries[way].pop();
  }

  put(way: HistoryWay, entry: NamedEdit): void {
    this.#entries[way] = trimmed([...this.#entries[way], entry]);
  }

  clear(): void {
    this.#entries.undo = [];
    this.#entries.redo = [];
  }
}

/** The newest entries within the limits of number and size. */
function trimmed(entries: readonly NamedEdit[]): NamedEdit[] {
  const kept = entries.slice(-MOST_STEPS);
  let bytes = 0;
  for (let at = kept.length - 1; at >= 0; at -= 1) {
    bytes += bytesOf(kept[at]?.edit);
    if (bytes > MOST_BYTES) return kept.slice(at + 1);
  }
  return kept;
}

const SIZES = new WeakMap<EditByRow, number>();

function bytesOf(edit: EditByRow | undefined): number {
  if (edit === undefined) return 0;
  const known = SIZES.get(edit);
  if (known !== undefined) return known;
  let bytes = 0;
  for (const row of edit.rows) {
    bytes += ROW_BYTES;
    if (!('cells' in row)) continue;
    const cells = row.kind === 'cells' ? row.cells.values() : Object.values(row.cells);
    for (const text of cells) bytes += 2 * text.length + 32;
  }
  SIZES.set(edit, bytes);
  return bytes;
}
