/** Places for rows that go between others: their positions, and the lines of new rows. */
import { ROW_GAP } from '../../shared/domain/task/task.ts';
import type { RowNeighbours } from '../ports/sheet-store.ts';
import type { Anchor, RowEdit } from './edit-by-row.ts';
import type { PlanContext, SheetPlan } from './sheet-plan.ts';

type PlacedEdit = Extract<RowEdit, { kind: 'insert' | 'move' }>;

export interface PlaceInSheet {
  readonly position: number;
  /** The line of a new row while nothing else has moved: for its error messages. */
  readonly line: number | undefined;
}

/** How far apart rows placed one behind another are, if there is enough room: so later rows fit on either side. */
const USUAL_STEP = 4_096;

/** The places of these rows by key; their anchors are loaded in `plan`. A missing anchor means the end. */
export async function placeRows(
  edits: readonly PlacedEdit[],
  plan: SheetPlan,
  context: PlanContext,
): Promise<ReadonlyMap<number, PlaceInSheet> | 'no-room'> {
  const room = await readRoom(edits, plan, context);
  const positions = new RowPlacer(plan, room).place(edits);
  if (positions === undefined) return 'no-room';
  const lines = linesOfInserts(edits, room);
  return new Map([...positions].map(([key, position]) => [key, { position, line: lines.get(key) }]));
}

/** What is stored at the places that rows go to. */
interface Room {
  /** By the keys of anchors. */
  readonly beside: ReadonlyMap<number, RowNeighbours>;
  /** The lines of the anchors of new rows. */
  readonly lines: ReadonlyMap<number, number>;
  readonly firstPosition: number | undefined;
  readonly lastPosition: number;
  readonly lastLine: number;
}

async function readRoom(edits: readonly PlacedEdit[], plan: SheetPlan, context: PlanContext): Promise<Room> {
  const { sheets, batch } = context;
  const { id, rowCount } = batch;
  const [firsts, lasts, lastPosition] = await Promise.all([
    sheets.keysInView(id, {}, 0, 1),
    sheets.keysInView(id, {}, Math.max(rowCount - 1, 0), 1),
    sheets.lastPosition(id),
  ]);
  const heads = edits.filter(({ after }, at) => after !== edits[at - 1]?.key);
  const inserts = edits.filter(({ kind }) => kind === 'insert');
  const [beside, lines] = await Promise.all([
    sheets.neighboursOf(id, anchorsOf(heads)),
    sheets.linesOf(id, [...anchorsOf(inserts), ...lasts]),
    plan.load(firsts),
  ]);
  const [first] = firsts.flatMap((key) => plan.row(key) ?? []);
  const lastLine = lines.get(lasts[0] ?? 0) ?? 1;
  return { beside, lines, firstPosition: first?.position, lastPosition, lastLine };
}

/** The keys of the stored rows that these rows go behind. */
function anchorsOf(edits: readonly PlacedEdit[]): readonly number[] {
  return edits.flatMap(({ after }) => (typeof after === 'number' && after >= 0 ? [after] : []));
}

class RowPlacer {
  readonly #plan: SheetPlan;
  readonly #stored: Room;
  /** Positions of the rows placed here. */
  readonly #positions = new Map<number, number>();
  /** What is now behind an anchor, after something was placed there. */
  readonly #next = new Map<Anchor, number | undefined>();
  #lastPlaced: number | undefined;

  constructor(plan: SheetPlan, stored: Room) {
    this.#plan = plan;
    this.#stored = stored;
  }

  /** Positions by key; undefined if there is no room left between two rows. */
  place(rows: readonly PlacedEdit[]): ReadonlyMap<number, number> | undefined {
    for (let at = 0; at < rows.length;) {
      const first = rows[at];
      if (first === undefined) break;
      let end = at + 1;
      // Rows that follow each other share the room behind the first one's anchor.
      while (end < rows.length && rows[end]?.after === rows[end - 1]?.key) end += 1;
      if (!this.#placeGroup(first.after, rows.slice(at, end))) return undefined;
      at = end;
    }
    return this.#positions;
  }

  #placeGroup(after: Anchor, rows: readonly PlacedEdit[]): boolean {
    const { lower, upper } = this.#room(after, rows.length);
    const even = upper === undefined ? ROW_GAP : Math.floor((upper - lower) / (rows.length + 1));
    const step = upper !== undefined && even > 2 * USUAL_STEP ? USUAL_STEP : even;
    const isFree = areFree(rows, lower, upper);
    if (!isFree && step < 1) return false;
    for (const [i, { key, position }] of rows.entries()) {
      this.#positions.set(key, isFree && position !== undefined ? position : lower + (i + 1) * step);
    }
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return true;
    this.#next.set(last.key, upper);
    this.#next.set(after, this.#positions.get(first.key));
    if (upper === undefined) this.#lastPlaced = this.#positions.get(last.key);
    return true;
  }

  /** The positions that bound the room behind an anchor; no upper bound behind the last row. */
  #room(after: Anchor, count: number): { readonly lower: number; readonly upper: number | undefined } {
    const { beside, firstPosition, lastPosition } = this.#stored;
    if (after === 'start') {
      const upper = this.#next.get('start') ?? firstPosition;
      return upper === undefined ? this.#room('end', count) : { lower: upper - ROW_GAP * (count + 1), upper };
    }
    if (after === 'end') return { lower: this.#lastPlaced ?? lastPosition, upper: undefined };
    const lower = this.#positions.get(after) ?? this.#plan.row(after)?.position;
    if (lower === undefined) return this.#room('end', count);
    const upper = this.#next.has(after) ? this.#next.get(after) : beside.get(after)?.after?.position;
    return upper === undefined ? this.#room('end', count) : { lower, upper };
  }
}

/** Whether rows can go where they were: in their order, and between their present neighbours. */
function areFree(rows: readonly PlacedEdit[], lower: number, upper: number | undefined): boolean {
  let at = lower;
  for (const { position } of rows) {
    if (position === undefined || position <= at) return false;
    at = position;
  }
  return upper === undefined || at < upper;
}

function linesOfInserts(edits: readonly PlacedEdit[], { lines, lastLine }: Room): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  let end = lastLine;
  for (const { kind, key, after } of edits) {
    if (kind !== 'insert') continue;
    if (after === 'end') found.set(key, (end += 1));
    else found.set(key, (after === 'start' ? 1 : (found.get(after) ?? lines.get(after) ?? lastLine)) + 1);
  }
  return found;
}
