/** An edit of a sheet as what becomes of its rows: what is done, undone and done again has this one form. */
import type { SheetSettings } from '../../shared/domain/task/batch.ts';
import type { Task } from '../../shared/domain/task/task.ts';

/** The text of a cell; a header such as `toString` is a name like any other. */
export function cellText(cells: Readonly<Record<string, string>>, header: string): string {
  return Object.hasOwn(cells, header) ? (cells[header] ?? '') : '';
}

/**
 * Where a row goes: behind another one, by its key, before the first one or behind the last one. Rows that come to be in
 * the same step have negative keys until they are there.
 */
export type Anchor = number | 'start' | 'end';

/** Tasks that were superseded when the row ceased to ask for what it asks for again. */
export interface Superseded {
  /** The number of that request (see `requestKey`). */
  readonly request: number;
  readonly tasks: readonly Pick<Task, 'id' | 'take'>[];
}

/** What becomes of one row. */
export type RowWish =
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
      /** Negative, and no other row's of the step. */
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
export interface SheetStep {
  readonly headers?: readonly string[];
  readonly sheet?: Pick<SheetSettings, 'mapping' | 'variables' | 'defaultOperation'>;
  readonly rows: readonly RowWish[];
  /** Where it takes back what was made in parts: the number of wishes up to the end of each. */
  readonly partEnds?: readonly number[];
}

/** A row that stays as it is, with the reason. */
export interface RefusedRow {
  readonly row: string;
  readonly line: number;
  readonly reason: string;
}

/** What carrying a step out came to. */
export interface StepOutcome {
  readonly changedRows: number;
  readonly changedCells: number;
  readonly refused: readonly RefusedRow[];
  /** Keys of the rows that came to be, in the order of the step. */
  readonly inserted: readonly number[];
  /** The step that takes it back; undefined where nothing has changed. */
  readonly inverse: SheetStep | undefined;
}
