/** An edit of a sheet, row by row: doing, undoing and redoing all use this form. */
import type { Row } from '../../shared/domain/sheet/row.ts';
import type { RowEdits } from '../../shared/domain/cells/row-edits.ts';
import type { WarningKind } from '../../shared/domain/sheet/problems.ts';
import type { SheetSettings } from '../../shared/domain/task/batch.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import { domainWords } from '../../shared/words/domain-words.ts';

/**
 * Where a row goes: behind another row, given by its key, or first, or last. Rows that are new in the same edit have
 * negative keys until they are stored.
 */
export type Anchor = number | 'start' | 'end';

/** Takes that a row should have had but lacked when `newest` was the highest number of its tasks. */
export interface Lacked {
  readonly takes: readonly number[];
  readonly newest: number;
  /** Takes among these that waited, and that the user had let run on these terms. */
  readonly agreed?: { readonly takes: readonly Pick<Task, 'take' | 'madeAgain'>[]; readonly terms: string };
}

/** Tasks superseded when the row stopped asking for what it now asks for again. */
export interface Superseded {
  /** The number of that request (see `requestKey`). */
  readonly request: number;
  readonly tasks: readonly Pick<Task, 'id' | 'take'>[];
  /** Takes that the row was to have anew but lacked: nothing that existed at that time is put in their place. */
  readonly lacked?: Lacked;
}

/** Whether this means rendering again, and not taking that back. */
export function isAnew(superseded: Superseded | undefined): boolean {
  return superseded === undefined || superseded.tasks.length === 0;
}

/** What happens to one row. */
export type RowEdit =
  | {
      readonly kind: 'cells';
      readonly key: number;
      /** New texts by header. */
      readonly cells: ReadonlyMap<string, string>;
      /** Its id with these cells, if they name none, or the same in other letters. */
      readonly id?: string;
      /**
       * Its id is assigned again although its cell stays: before the edit that is being undone, the id was another
       * row's.
       */
      readonly reclaimsId?: true;
      /** Its finished takes are requested once more; with `superseded`, this is taken back or redone. */
      readonly rendersAgain?: true;
      /** Rendering again is taken back, whoever remembers it: what it has set aside counts again. */
      readonly keepsEarlier?: true;
      /** Nobody edited it: it waited for rows that were edited, and does so again. */
      readonly waitsAgain?: true;
      readonly superseded?: Superseded;
    }
  | {
      readonly kind: 'insert';
      /** Negative, and unique in the edit. */
      readonly key: number;
      readonly after: Anchor;
      readonly cells: Row['cells'];
      /** The row that comes back: its key before it was removed, its id, and the edits that were kept of it. */
      readonly was?: { readonly key: number; readonly id: string; readonly edits?: RowEdits };
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
  /**
   * Kinds of warnings that are ignored from now on, or no longer ignored. This changes no row, and none is checked
   * again.
   */
  readonly ignoring?: { readonly kinds: readonly WarningKind[]; readonly isIgnored: boolean };
  readonly rows: readonly RowEdit[];
  /** If it undoes an edit made in parts: the number of rows up to the end of each part. */
  readonly partEnds?: readonly number[];
}

/**
 * The edit that redoes what was undone. Undoing lets takes wait that the user had let run; but what an edit left to the
 * user's word, redoing it leaves to it, too.
 */
export function asRedone(edit: EditByRow): EditByRow {
  return { ...edit, rows: edit.rows.map(withoutWord) };
}

function withoutWord(edit: RowEdit): RowEdit {
  if (!('superseded' in edit) || edit.superseded?.lacked?.agreed === undefined) return edit;
  if (edit.kind === 'cells' && edit.waitsAgain && edit.superseded.tasks.length === 0) {
    const { superseded: _superseded, ...rest } = edit;
    return rest;
  }
  const { agreed: _agreed, ...lacked } = edit.superseded.lacked;
  return { ...edit, superseded: { ...edit.superseded, lacked } };
}

/** An edit with its name in the undo list, which counts what was done: rows that were refused are not among it. */
export interface NamedEdit {
  readonly labelOf: (done: Pick<EditOutcome, 'changedRows' | 'changedCells'>) => string;
  readonly edit: EditByRow;
}

/** Names an edit by the rows that it has changed. The history keeps it: it holds no more of the edit than that. */
export function countRows(
  kind: 'fillDown' | 'insert' | 'remove' | 'renderAgain' | 'keepEarlier' | 'duplicate' | 'move' | 'correct',
): NamedEdit['labelOf'] {
  return ({ changedRows }) => domainWords.problems.edits.labels[kind](changedRows);
}

/** What undoes or redoes an edit, under the name that it has got. */
export interface EditStep extends NamedEdit {
  /** The same for an edit, what undoes it and what redoes it. */
  readonly id: number;
  /** In the language of this process, which may change after the edit. */
  readonly label: () => string;
}

/** A row that stays as it is, with the reason. */
export interface RefusedRow {
  /** Undefined for one that is not in the sheet. Its line is where it is after the edit. */
  readonly key: number | undefined;
  readonly row: string;
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
  /** The edit that undoes this one; undefined if nothing has changed. */
  readonly inverse: EditByRow | undefined;
}
