import type { Item } from '@glideapps/glide-data-grid';

/** Cells passed with Tab: Enter goes to the line below, where the run began. */
export interface TabRun {
  readonly startColumn: number;
  /** Where the last Tab led; if the cursor is elsewhere, the run is over. */
  readonly cursor: Item;
}

type Move = 'next' | 'previous' | 'line' | 'down' | 'up' | 'right' | 'left';

const MOVES: Readonly<Record<Move, Item>> = {
  next: [1, 0],
  previous: [-1, 0],
  line: [0, 1],
  down: [0, 1],
  up: [0, -1],
  right: [1, 0],
  left: [-1, 0],
};

/** How far the cursor can go, and which columns can be edited. */
interface Ends {
  readonly columns: number;
  readonly rows: number;
  /** In order. */
  readonly written: readonly number[];
}

/**
 * Where a key moves the cursor within these ends, and the Tab run that continues. Tab skips columns that cannot be
 * edited if others follow: a user who types a row does not want to stop at its status.
 */
export function moveCursor(
  cursor: Item,
  move: Move,
  ends: Ends,
  run: TabRun | undefined,
): { readonly cursor: Item; readonly run: TabRun | undefined } {
  const isGoingOn = run?.cursor[0] === cursor[0] && run.cursor[1] === cursor[1];
  const startColumn = isGoingOn ? run.startColumn : cursor[0];
  const [x, y] = MOVES[move];
  const column = move === 'line' ? startColumn : (tabStop(cursor[0], move, ends.written) ?? cursor[0] + x);
  const next: Item = [clamp(column, 1, ends.columns - 1), clamp(cursor[1] + y, 0, ends.rows - 1)];
  return { cursor: next, run: move === 'next' || move === 'previous' ? { startColumn, cursor: next } : undefined };
}

function tabStop(from: number, move: Move, written: readonly number[]): number | undefined {
  if (move === 'next') return written.find((column) => column > from);
  return move === 'previous' ? written.findLast((column) => column < from) : undefined;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
