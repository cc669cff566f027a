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

/** What can be undone and done again in one sheet, in memory: changes, not copies of the sheet. */
export class EditHistory {
  #undo: HistoryEntry[] = [];
  #redo: HistoryEntry[] = [];

  get undoLabel(): string | undefined {
    return this.#undo.at(-1)?.label;
  }

  get redoLabel(): string | undefined {
    return this.#redo.at(-1)?.label;
  }

  /** Notes what takes a new edit back. What was undone before it cannot be done again. */
  note(entry: HistoryEntry): void {
    this.#redo = [];
    this.#undo = trimmed([...this.#undo, entry]);
  }

  clear(): void {
    this.#undo = [];
    this.#redo = [];
  }

  takeUndo(): HistoryEntry | undefined {
    return this.#undo.pop();
  }

  takeRedo(): HistoryEntry | undefined {
    return this.#redo.pop();
  }

  noteUndone(entry: HistoryEntry): void {
    this.#redo = trimmed([...this.#redo, entry]);
  }

  noteRedone(entry: HistoryEntry): void {
    this.#undo = trimmed([...this.#undo, entry]);
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
