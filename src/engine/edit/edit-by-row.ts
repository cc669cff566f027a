/**
 * An edit of a sheet as what becomes of its rows: what is done, undone and done again has this one form.
 *
 * One of many rows is carried out part by part. One transaction of 100,000 rows would hold the engine's process up for
 * many seconds: a night's answers and downloads would stand still. So the edit is written down first, whole, and then
 * each part is planned and committed as an edit of its own. Once it is written down it is carried through, by the next
 * process where this one is killed: of an edit there is nothing, or all.
 */
import type { SheetSettings } from '../../shared/domain/task/batch.ts';
import type { Task } from '../../shared/domain/task/task.ts';

/** The text of a cell; a header such as `toString` is a name like any other. */
export function cellText(cells: Readonly<Record<string, string>>, header: string): string {
  return Object.hasOwn(cells, header) ? (cells[header] ?? '') : '';
}

/**
 * Where a row goes: behind another one, by its key, before the first one or behind the last one. Rows that come to be in
 * the same edit have negative keys until they are there.
 */
export type Anchor = number | 'start' | 'end';

/** Tasks that were superseded when the row ceased to ask for what it asks for again. */
export interface Superseded {
  /** The number of that request (see `requestKey`). */
  readonly request: number;
  readonly tasks: readonly Pick<Task, 'id' | 'take'>[];
}

/** What is to become of one row. */
export type RowEdit =
  | {
      readonly kind: 'cells';
      readonly key: number;
      /** New texts by header. */
      readonly cells: ReadonlyMap<string, string>;
      /** The id that it had with these cells, for where they name none. */
      readonly id?: string;
      /** Its id is given anew although its cell stays: it was another row's before the edit that is taken back. */
      readonly reclaimsId?: true;
      readonly superseded?: Superseded;
    }
  | {
      readonly kind: 'insert';
      /** Negative, and no other row's of the edit. */
      readonly key: number;
      readonly after: Anchor;
      readonly cells: Readonly<Record<string, string>>;
      /** The row that comes back: its key until it was removed, and its id. */
      readonly was?: { readonly key: number; readonly id: string };
      /** Where it was, for where that is still behind `after`. */
      readonly position?: number;
      readonly superseded?: Superseded;
    }
  | { readonly kind: 'remove'; readonly key: number }
  | {
      readonly kind: 'move';
      readonly key: number;
      readonly after: Anchor;
      /** Where it was, for where that is still behind `after`. */
      readonly position?: number;
    };

/**
 * One edit: all of it is one transaction, but for one of many rows (see `partsOf`) and a change of the header line or the
 * settings.
 */
export interface EditByRow {
  readonly headers?: readonly string[];
  readonly sheet?: Pick<SheetSettings, 'mapping' | 'variables' | 'defaultOperation'>;
  readonly rows: readonly RowEdit[];
  /** Where it takes back what was made in parts: the number of rows up to the end of each. */
  readonly partEnds?: readonly number[];
}

/** An edit with its name in the list of what can be undone. */
export interface NamedEdit {
  readonly label: string;
  readonly edit: EditByRow;
}

/** A row that stays as it is, with the reason. */
export interface RefusedRow {
  readonly row: string;
  readonly line: number;
  readonly reason: string;
}

/** What carrying an edit out came to. */
export interface EditOutcome {
  readonly changedRows: number;
  readonly changedCells: number;
  readonly refused: readonly RefusedRow[];
  /** Keys of the rows that came to be, in the order of the edit. */
  readonly inserted: readonly number[];
  /** Keys of the rows that changed where they stand; undefined where rows came, went or moved, or the columns changed. */
  readonly changed: readonly number[] | undefined;
  /** The edit that takes it back; undefined where nothing has changed. */
  readonly inverse: EditByRow | undefined;
}

/** So few rows that planning and writing them takes some ten milliseconds. */
const ROWS_IN_PART = 200;

interface PartOptions {
  /** The header that means a row's id; undefined where the sheet has no such column. */
  readonly idHeader: string | undefined;
  /** The batch was not started: nothing of it can be sent between two parts. */
  readonly isReady: boolean;
}

/** The parts of an edit, one after the other; one part where it is small or must not be seen half done. */
export function partsOf(edit: EditByRow, options: PartOptions): readonly (readonly RowEdit[])[] {
  const { rows, partEnds } = edit;
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

/** Between two parts: lets whatever waits go on, such as answers of the gateway and other requests of the window. */
export function letOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What parts came to, as one edit. It is taken back part by part, the last one first. */
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

function cut(rows: readonly RowEdit[], ends: readonly number[]): readonly (readonly RowEdit[])[] {
  return ends.map((end, i) => rows.slice(ends[i - 1] ?? 0, end));
}

/** Whether rows go side by side into the room between two others: it is shared out among all of them at once. */
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

/** Whether rows may hand their ids on to others. Half done, one would lose its id, and with it its place in the queue. */
function givesIds(rows: readonly RowEdit[], idHeader: string | undefined): boolean {
  return rows.some(
    (edit) =>
      edit.kind === 'cells' && (edit.reclaimsId === true || (idHeader !== undefined && edit.cells.has(idHeader))),
  );
}

type WrittenEdit = readonly [edit: Omit<RowEdit, 'cells'>, cells: number];

interface WrittenPart {
  /** The cells of rows, each kind of them once: a column that is cleared is one text in 100,000 rows. */
  readonly cells: readonly (readonly (readonly [string, string])[])[];
  /** Called so on the disk, where an earlier version may have left some. */
  readonly wishes: readonly WrittenEdit[];
}

/** A part as a text that the next process can read. */
export function writePart(part: readonly RowEdit[]): string {
  const cells: (readonly (readonly [string, string])[])[] = [];
  const places = new Map<object, number>();
  const placeOf = (own: ReadonlyMap<string, string> | Readonly<Record<string, string>>): number => {
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
