/**
 * Steps of many rows, carried out part by part. One transaction of 100,000 rows would hold the engine's process up for
 * many seconds: a night's answers and downloads would stand still. So what is to be done is written down first, whole,
 * and then each part is planned and written as a step of its own. Once it is written down it is carried through, by the
 * next process where this one is killed: of an edit there is nothing, or all.
 */
import type { RowWish, SheetStep, StepOutcome } from './sheet-step.ts';

/** So few rows that planning and writing them takes some ten milliseconds. */
const ROWS_IN_PART = 200;

interface PartOptions {
  /** The header that means a row's id; undefined where the sheet has no such column. */
  readonly idHeader: string | undefined;
  /** The batch was not started: nothing of it can be sent between two parts. */
  readonly isReady: boolean;
}

/** The parts of a step, one after the other; one part where it is small or must not be seen half done. */
export function partsOf(step: SheetStep, options: PartOptions): readonly (readonly RowWish[])[] {
  const { rows, partEnds } = step;
  if (rows.length <= ROWS_IN_PART) return [rows];
  // What was made in parts is taken back in the very same ones: each was a sheet of its own.
  if (partEnds !== undefined) return cut(rows, partEnds);
  if (isCrowded(rows) || (!options.isReady && givesIds(rows, options.idHeader))) return [rows];
  const count = Math.ceil(rows.length / ROWS_IN_PART);
  return cut(
    rows,
    Array.from({ length: count }, (_, i) => Math.min((i + 1) * ROWS_IN_PART, rows.length)),
  );
}

/** What parts came to, as one edit. It is taken back part by part, the last one first. */
export function joined(outcomes: readonly StepOutcome[]): StepOutcome {
  const sum = (numberOf: (outcome: StepOutcome) => number): number =>
    outcomes.reduce((all, outcome) => all + numberOf(outcome), 0);
  const rows: RowWish[] = [];
  const partEnds: number[] = [];
  for (const { inverse } of outcomes.toReversed()) {
    if (inverse === undefined || inverse.rows.length === 0) continue;
    for (const wish of inverse.rows) rows.push(wish);
    partEnds.push(rows.length);
  }
  const hasChanged = outcomes.some(({ inverse }) => inverse !== undefined);
  return {
    changedRows: sum((outcome) => outcome.changedRows),
    changedCells: sum((outcome) => outcome.changedCells),
    refused: outcomes.flatMap(({ refused }) => refused),
    inserted: outcomes.flatMap(({ inserted }) => inserted),
    inverse: hasChanged ? { rows, partEnds } : undefined,
  };
}

function cut(rows: readonly RowWish[], ends: readonly number[]): readonly (readonly RowWish[])[] {
  return ends.map((end, i) => rows.slice(ends[i - 1] ?? 0, end));
}

/** Whether rows go side by side into the room between two others: it is shared out among all of them at once. */
function isCrowded(rows: readonly RowWish[]): boolean {
  const anchors = new Set<number>();
  return rows.some((wish) => {
    if (wish.kind === 'cells' || wish.kind === 'remove' || wish.after === 'end' || wish.position !== undefined) {
      return false;
    }
    if (wish.after === 'start' || anchors.has(wish.after)) return true;
    anchors.add(wish.after);
    anchors.add(wish.key);
    return false;
  });
}

/** Whether rows may hand their ids on to others. Half done, one would lose its id, and with it its place in the queue. */
function givesIds(rows: readonly RowWish[], idHeader: string | undefined): boolean {
  return rows.some(
    (wish) =>
      wish.kind === 'cells' && (wish.reclaimsId === true || (idHeader !== undefined && wish.cells.has(idHeader))),
  );
}

type WrittenWish = readonly [wish: Omit<RowWish, 'cells'>, cells: number];

interface WrittenPart {
  /** The cells of wishes, each kind of them once: a column that is cleared is one text in 100,000 rows. */
  readonly cells: readonly (readonly (readonly [string, string])[])[];
  readonly wishes: readonly WrittenWish[];
}

/** A part as a text that the next process can read. */
export function writePart(part: readonly RowWish[]): string {
  const cells: (readonly (readonly [string, string])[])[] = [];
  const places = new Map<object, number>();
  const placeOf = (own: ReadonlyMap<string, string> | Readonly<Record<string, string>>): number => {
    const known = places.get(own);
    if (known !== undefined) return known;
    places.set(own, cells.length);
    return cells.push(own instanceof Map ? [...own] : Object.entries(own)) - 1;
  };
  const wishes = part.map((wish): WrittenWish => {
    if (!('cells' in wish)) return [wish, -1];
    const { cells: own, ...rest } = wish;
    return [rest, placeOf(own)];
  });
  return JSON.stringify({ cells, wishes } satisfies WrittenPart);
}

/** Reads what {@link writePart} wrote. */
export function readPart(text: string): readonly RowWish[] {
  const { cells, wishes } = JSON.parse(text) as WrittenPart;
  return wishes.map(([wish, place]): RowWish => {
    const own = cells[place];
    if (own === undefined) return wish as RowWish;
    return { ...wish, cells: wish.kind === 'cells' ? new Map(own) : Object.fromEntries(own) } as RowWish;
  });
}
