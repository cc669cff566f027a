/**
 * An edit of many rows, part by part.
 *
 * One transaction of 100,000 rows would block the engine's process for many seconds: a night's answers and downloads
 * would stop. So the whole edit is written down first, and then each part is planned and committed as an edit of its
 * own. Once written down, the edit is completed, by the next process if this one is killed: either all of it happens,
 * or nothing.
 */
import type { Row } from '../../shared/domain/sheet/row.ts';
import type { Clock } from '../ports/base.ts';
import type { EditByRow, EditOutcome, RowEdit } from './edit-by-row.ts';

/** How many rows make a part: few enough that planning and writing them takes about ten milliseconds. */
export const ROWS_IN_PART = 200;

/**
 * How long an edit is planned again while the queue stands still: if the edit is still too late then, something is
 * wrong.
 */
const LONGEST_MS = 60_000;

/** What keeps the night from overtaking an edit again and again. */
export interface QueueHolder {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly night: {
    /** Carries out `work` while no new submit of a batch begins. */
    holdingSubmits<T>(batchId: string, work: () => Promise<T>): Promise<T>;
    /**
     * Resolves when the store has the present state of a batch. Rejects while the disk refuses it: an edit planned for
     * a batch that was not started could otherwise be paid for at once.
     */
    stateStored(batchId: string): Promise<void>;
  };
}

interface PartOptions {
  /** The header of the row ids; undefined if the sheet has no such column. */
  readonly idHeader: string | undefined;
  /** The batch was not started: nothing of it can be sent between two parts. */
  readonly isReady: boolean;
}

/** The parts of an edit of many rows, one after another; a single part if the edit must not be seen half done. */
export function partsOf(edit: EditByRow, options: PartOptions): readonly (readonly RowEdit[])[] {
  const { rows, partEnds } = edit;
  // An edit made in parts is undone in the same parts: each of them left a sheet of its own.
  if (partEnds !== undefined) return cutParts(rows, partEnds);
  if (isCrowded(rows) || (!options.isReady && givesIds(rows, options.idHeader))) return [rows];
  const count = Math.ceil(rows.length / ROWS_IN_PART);
  return cutParts(
    rows,
    Array.from({ length: count }, (_, i) => Math.min((i + 1) * ROWS_IN_PART, rows.length)),
  );
}

/** Between two parts: lets other work run, such as answers of the gateway and other requests of the window. */
export function letOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Repeats `attempt`, which resolves to undefined if a row of the edit left the queue between the plan and the change.
 * After the first time, the queue stands still: in a fast night, a large edit would otherwise come too late each time.
 * Resolves to undefined if it came too late all the same.
 */
export async function untilWritten<T>(
  batchId: string,
  { clock, night }: QueueHolder,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const written = await attempt();
  if (written !== undefined) return written;
  return night.holdingSubmits(batchId, async () => {
    const end = clock.monotonic() + LONGEST_MS;
    do {
      const late = await attempt();
      if (late !== undefined) return late;
    } while (clock.monotonic() < end);
    return undefined;
  });
}

/** The results of all parts as one edit. It is undone part by part, the last one first. */
export function joined(outcomes: readonly EditOutcome[]): EditOutcome {
  const sum = (numberOf: (outcome: EditOutcome) => number): number =>
    outcomes.reduce((all, outcome) => all + numberOf(outcome), 0);
  const rows: RowEdit[] = [];
  const partEnds: number[] = [];
  for (const { inverse } of outcomes.toReversed()) {
    if (inverse === undefined || inverse.rows.length === 0) continue;
    for (const edit of inverse.rows) rows.push(edit);
    partEnds.push(rows.length);
  }
  const hasChanged = outcomes.some(({ inverse }) => inverse !== undefined);
  return {
    changedRows: sum((outcome) => outcome.changedRows),
    changedCells: sum((outcome) => outcome.changedCells),
    refused: outcomes.flatMap(({ refused }) => refused),
    inserted: outcomes.flatMap(({ inserted }) => inserted),
    changed: outcomes.some(({ changed }) => changed === undefined)
      ? undefined
      : outcomes.flatMap(({ changed = [] }) => changed),
    inverse: hasChanged ? { rows, partEnds } : undefined,
  };
}

/** Rows as parts that end at these places. */
export function cutParts(rows: readonly RowEdit[], ends: readonly number[]): readonly (readonly RowEdit[])[] {
  return ends.map((end, i) => rows.slice(ends[i - 1] ?? 0, end));
}

/** Whether rows go side by side between two others: all of them then share that room at once. */
function isCrowded(rows: readonly RowEdit[]): boolean {
  const anchors = new Set<number>();
  return rows.some((edit) => {
    if (edit.kind === 'cells' || edit.kind === 'remove' || edit.after === 'end' || edit.position !== undefined) {
      return false;
    }
    if (edit.after === 'start' || anchors.has(edit.after)) return true;
    anchors.add(edit.after);
    anchors.add(edit.key);
    return false;
  });
}

/**
 * Whether rows may pass on their ids. If that were half done, a row would lose its id, and with it its place in the
 * queue.
 */
export function givesIds(rows: readonly RowEdit[], idHeader: string | undefined): boolean {
  return rows.some(
    (edit) =>
      edit.kind === 'cells' && (edit.reclaimsId === true || (idHeader !== undefined && edit.cells.has(idHeader))),
  );
}

type WrittenEdit = readonly [edit: Omit<RowEdit, 'cells'>, cells: number];

interface WrittenPart {
  /** The cells of rows, each distinct set once: a cleared column is the same text for 100,000 rows. */
  readonly cells: readonly (readonly (readonly [string, string])[])[];
  /** This name is on the disk: an earlier version may have left parts there. */
  readonly wishes: readonly WrittenEdit[];
}

/** A part as text that the next process can read. */
export function writePart(part: readonly RowEdit[]): string {
  const cells: (readonly (readonly [string, string])[])[] = [];
  const places = new Map<object, number>();
  const placeOf = (own: ReadonlyMap<string, string> | Row['cells']): number => {
    const known = places.get(own);
    if (known !== undefined) return known;
    places.set(own, cells.length);
    return cells.push(own instanceof Map ? [...own] : Object.entries(own)) - 1;
  };
  const wishes = part.map((edit): WrittenEdit => {
    if (!('cells' in edit)) return [edit, -1];
    const { cells: own, ...rest } = edit;
    return [rest, placeOf(own)];
  });
  return JSON.stringify({ cells, wishes } satisfies WrittenPart);
}

/** Reads what {@link writePart} wrote. */
export function readPart(text: string): readonly RowEdit[] {
  const { cells, wishes } = JSON.parse(text) as WrittenPart;
  return wishes.map(([edit, place]): RowEdit => {
    const own = cells[place];
    if (own === undefined) return edit as RowEdit;
    return { ...edit, cells: edit.kind === 'cells' ? new Map(own) : Object.fromEntries(own) } as RowEdit;
  });
}
