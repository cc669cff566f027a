import type { SheetStep } from './sheet-step.ts';

/** Something that can be undone or done again. */
export interface HistoryEntry {
  readonly label: string;
  readonly step: SheetStep;
}

const MOST_STEPS = 200;
const MOST_BYTES = 64 * 1024 * 1024;
/** What a wish takes in memory besides its texts. */
const WISH_BYTES = 200;

/** Back to what was, or forth again. */
export type HistoryWay = 'undo' | 'redo';

/** What can be undone and done again in one sheet, in memory: changes, not copies of the sheet. */
export class EditHistory {
  readonly #entries: Record<HistoryWay, HistoryEntry[]> = { undo: [], redo: [] };

  /** What would be undone, or done again, next. */
  label(way: HistoryWay): string | undefined {
    return this.#entries[way].at(-1)?.label;
  }

  /** Notes what takes a new edit back. What was undone before it cannot be done again. */
  note(entry: HistoryEntry): void {
    this.#entries.redo = [];
    this.put('undo', entry);
  }

  take(way: HistoryWay): HistoryEntry | undefined {
    return this.#entries[way].pop();
  }

  put(way: HistoryWay, entry: HistoryEntry): void {
    this.#entries[way] = trimmed([...this.#entries[way], entry]);
  }

  clear(): void {
    this.#entries.undo = [];
    this.#entries.redo = [];
  }
}

/** The newest entries that are not too many and not too large. */
function trimmed(entries: readonly HistoryEntry[]): HistoryEntry[] {
  const kept = entries.slice(-MOST_STEPS);
  let bytes = 0;
  for (let at = kept.length - 1; at >= 0; at -= 1) {
    bytes += bytesOf(kept[at]?.step);
    if (bytes > MOST_BYTES) return kept.slice(at + 1);
  }
  return kept;
}

const SIZES = new WeakMap<SheetStep, number>();

function bytesOf(step: SheetStep | undefined): number {
  if (step === undefined) return 0;
  const known = SIZES.get(step);
  if (known !== undefined) return known;
  let bytes = 0;
  for (const wish of step.rows) {
    bytes += WISH_BYTES;
    if (!('cells' in wish)) continue;
    const cells = wish.kind === 'cells' ? wish.cells.values() : Object.values(wish.cells);
    for (const text of cells) bytes += 2 * text.length + 32;
  }
  SIZES.set(step, bytes);
  return bytes;
}
