/** Places for rows that go between others: their positions, and the lines of new ones. */
import { ROW_GAP } from '../../shared/domain/task/task.ts';
import type { Anchor, RowEdit } from './edit-by-row.ts';
import type { PlanContext, SheetPlan } from './sheet-plan.ts';

type PlacedEdit = Extract<RowEdit, { kind: 'insert' | 'move' }>;

export interface PlaceInSheet {
  readonly position: number;
  /** The line of a new row while nothing else has moved: for its error messages. */
  readonly line: number | undefined;
}

/** Rows placed one behind another are this far apart if there is enough room: so later ones fit on either side. */
const USUAL_STEP = 4_096;

/** The places of these rows by key. A missing anchor means the end. */
export function placeRows(
  edits: readonly PlacedEdit[],
  plan: SheetPlan,
  context: PlanContext,
): ReadonlyMap<number, PlaceInSheet> | 'no-room' {
  const positions = new RowPlacer(plan, context).place(edits);
  if (positions === undefined) return 'no-room';
  const lines = linesOfInserts(edits, context);
  return new Map([...positions].map(([key, position]) => [key, { position, line: lines.get(key) }]));
}

class RowPlacer {
  readonly #plan: SheetPlan;
  readonly #context: PlanContext;
  /** Positions of the rows placed here. */
  readonly #positions = new Map<number, number>();
  /** What stands behind an anchor since something was placed there. */
  readonly #next = new Map<Anchor, number | undefined>();
  #lastPlaced: number | undefined;

  constructor(plan: SheetPlan, context: PlanContext) {
    this.#plan = plan;
    this.#context = context;
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
    const { sheets, batch } = this.#context;
    if (after === 'start') {
      const upper = this.#next.get('start') ?? this.#firstPosition();
      return upper === undefined ? this.#room('end', count) : { lower: upper - ROW_GAP * (count + 1), upper };
    }
    if (after === 'end') return { lower: this.#lastPlaced ?? sheets.lastPosition(batch.id), upper: undefined };
    const lower = this.#positions.get(after) ?? this.#plan.row(after)?.position;
    if (lower === undefined) return this.#room('end', count);
    const upper = this.#next.has(after) ? this.#next.get(after) : sheets.neighboursOf(batch.id, after).after?.position;
    return upper === undefined ? this.#room('end', count) : { lower, upper };
  }

  #firstPosition(): number | undefined {
    const [first] = this.#context.sheets.keysInView(this.#context.batch.id, {}, 0, 1);
    return first === undefined ? undefined : this.#plan.row(first)?.position;
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

function linesOfInserts(edits: readonly PlacedEdit[], { batch, sheets }: PlanContext): ReadonlyMap<number, number> {
  const inserts = edits.filter(({ kind }) => kind === 'insert');
  const anchors = inserts.flatMap(({ after }) => (typeof after === 'number' && after >= 0 ? [after] : []));
  const known = new Map(anchors.length === 0 ? [] : sheets.linesOf(batch.id, anchors));
  const lastLine = (): number => {
    const [last] = sheets.keysInView(batch.id, {}, Math.max(batch.rowCount - 1, 0), 1);
    return (last === undefined ? undefined : sheets.linesOf(batch.id, [last]).get(last)) ?? 1;
  };
  const found = new Map<number, number>();
  let end: number | undefined;
  for (const { key, after } of inserts) {
    if (after === 'end') found.set(key, (end = (end ?? lastLine()) + 1));
    else found.set(key, (after === 'start' ? 1 : (found.get(after) ?? known.get(after) ?? lastLine())) + 1);
  }
  return found;
}
