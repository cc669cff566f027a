/**
 * An edit of a sheet, row by row: doing, undoing and redoing all use this form. An edit of many rows is carried out
 * part by part.
 *
 * One transaction of 100,000 rows would block the engine's process for many seconds: a night's answers and downloads
 * would stop. So the whole edit is written down first, and then each part is planned and committed as an edit of its
 * own. Once written down, it is completed, by the next process if this one is killed: either all of an edit happens, or
 * nothing.
 */
import type { SheetSettings } from '../../shared/domain/task/batch.ts';
import type { Task } from '../../shared/domain/task/task.ts';

/** The text of a cell; a header such as `toString` is a name like any other. */
export function cellText(cells: Readonly<Record<string, string>>, header: string): string {
  return Object.hasOwn(cells, header) ? (cells[header] ?? '') : '';
}

/**
 * Where a row goes: behind another one, by its key, first, or last. Rows that are new in the same edit have negative
 * keys until they are stored.
 */
export type Anchor = number | 'start' | 'end';

/** Tasks superseded when the row stopped asking for what it now asks for again. */
export interface Superseded {
  /** The number of that request (see `requestKey`). */
  readonly request: number;
  readonly tasks: readonly Pick<Task, 'id' | 'take'>[];
}

/** What happens to one row. */
export type RowEdit =
  | {
      readonly kind: 'cells';
      readonly key: number;
      /** New texts by header. */
      readonly cells: ReadonlyMap<string, string>;
      /** Its id with these cells, if they name none. */
      readonly id?: string;
      /** Its id is assigned again although its cell stays: before the edit being undone it was another row's. */
      readonly reclaimsId?: true;
      readonly superseded?: Superseded;
    }
  | {
      readonly kind: 'insert';
      /** Negative, and unique in the edit. */
      readonly key: number;
      readonly after: Anchor;
      readonly cells: Readonly<Record<string, string>>;
      /** The row that comes back: its key before it was removed, and its id. */
      readonly was?: { readonly key: number; readonly id: string };
      /** Where it was, if that is still behind `after`. */
      readonly position?: number;
      readonly superseded?: Superseded;
    }
  | { readonly kind: 'remove'; readonly key: number }
  | {
      readonly kind: 'move';
      readonly key: number;
      readonly after: Anchor;
      /** Where it was, if that is still behind `after`. */
      readonly position?: number;
    };

/** One edit: a single transaction, unless it concerns many rows (see `partsOf`), the header line or the settings. */
export interface EditByRow {
  readonly headers?: readonly string[];
  readonly sheet?: Pick<SheetSettings, 'mapping' | 'variables' | 'defaultOperation'>;
  readonly rows: readonly RowEdit[];
  /** If it undoes an edit made in parts: the number of rows up to the end of each part. */
  readonly partEnds?: readonly number[];
}

/** An edit with its name in the undo list. */
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

/** The result of carrying out an edit. */
export interface EditOutcome {
  readonly changedRows: number;
  readonly changedCells: number;
  readonly refused: readonly RefusedRow[];
  /** Keys of the new rows, in the order of the edit. */
  readonly inserted: readonly number[];
  /** Keys of the rows that changed in place; undefined if rows were added, removed or moved, or the columns changed. */
  readonly changed: readonly number[] | undefined;
  /** The edit that undoes it; undefined if nothing has changed. */
  readonly inverse: EditByRow | undefined;
}

/** Few enough rows that planning and writing them takes about ten milliseconds. */
const ROWS_IN_PART = 200;

interface PartOptions {
  /** The header of the row ids; undefined if the sheet has no such column. */
  readonly idHeader: string | undefined;
  /** The batch was not started: nothing of it can be sent between two parts. */
  readonly isReady: boolean;
}

/** The parts of an edit, one after another; one part if it is small or must not be seen half done. */
export function partsOf(edit: EditByRow, options: PartOptions): readonly (readonly RowEdit[])[] {
  const { rows, partEnds } = edit;
  if (rows.length <= ROWS_IN_PART) return [rows];
  // An edit made in parts is undone in the same parts: each was a sheet of its own.
  if (partEnds !== undefined) return cut(rows, partEnds);
  if (isCrowded(rows) || (!options.isReady && givesIds(rows, options.idHeader))) return [rows];
  const count = Math.ceil(rows.length / ROWS_IN_PART);
  return cut(
    rows,
    Array.from({ length: count }, (_, i) => Math.min((i + 1) * ROWS_IN_PART, rows.length)),
  );
}

/** Between two parts: lets other work run, such as answers of the gateway and other requests of the window. */
export function letOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
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

function cut(rows: readonly RowEdit[], ends: readonly number[]): readonly (readonly RowEdit[])[] {
  return ends.map((end, i) => rows.slice(ends[i - 1] ?? 0, end));
}

/** Whether rows go side by side between two others: then all of them share that room at once. */
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

/** Whether rows may pass on their ids. Half done, one would lose its id, and with it its place in the queue. */
function givesIds(rows: readonly RowEdit[], idHeader: string | undefined): boolean {
  return rows.some(
    (edit) =>
      edit.kind === 'cells' && (edit.reclaimsId === true || (idHeader !== undefined && edit.cells.has(idHeader))),
  );
}

type WrittenEdit = readonly [edit: Omit<RowEdit, 'cells'>, cells: number];

interface WrittenPart {
  /** The cells of rows, each distinct set once: a cleared column is one text for 100,000 rows. */
  readonly cells: readonly (readonly (readonly [string, string])[])[];
  /** This name is on the disk: an earlier version may have left parts there. */
  readonly wishes: readonly WrittenEdit[];
}

/** A part as text that the next process can read. */
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
