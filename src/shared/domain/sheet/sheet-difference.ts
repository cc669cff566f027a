/** The living sheet: differences between a batch and its re-imported sheet. */
import { groupBy, takeBy } from '../base/result.ts';
import { RESULT_COLUMNS } from '../base/result-columns.ts';
import { requestText, cellText, type Row } from './row.ts';
import { rowsReferredTo } from '../cells/reference.ts';
import { withIdsOf } from './sheet-references.ts';
import { foldRowId } from './sheet-row-ids.ts';

/** A row of the batch, as far as a comparison needs it. */
export interface KnownRow {
  readonly key: number;
  readonly row: Row;
  /** Why it cannot be changed now: it is in flight. */
  readonly locked: string | undefined;
  /** It has an error and cannot run. */
  readonly isBlocked: boolean;
  /** All that it asks for is done. */
  readonly isDone?: true;
}

/** Whether the id of a row is not its author's: of a row of the sheet, or of the batch, which may have read it otherwise. */
export type IsIdMade = (row: Row, isOfBatch: boolean) => boolean;

/** How a re-imported row relates to the batch. */
export type RowDifference =
  | { readonly kind: 'new'; readonly after: Row }
  /** Its request has changed, or another row no longer keeps it from running: it renders. */
  | { readonly kind: 'changed'; readonly key: number; readonly before: Row; readonly after: Row }
  /**
   * It renders nothing new: notes, names, priorities and the author's own columns differ, it has fewer takes, or another
   * row keeps it from running now.
   */
  | { readonly kind: 'details'; readonly key: number; readonly before: Row; readonly after: Row }
  | { readonly kind: 'unchanged'; readonly key: number; readonly after: Row }
  /** Differs, but is in flight: it stays as it is. */
  | {
      readonly kind: 'locked';
      readonly key: number;
      readonly before: Row;
      readonly after: Row;
      readonly reason: string;
    }
  | { readonly kind: 'removed'; readonly key: number; readonly before: Row };

export interface SheetComparison {
  /** In the order of the sheet; rows that are no longer in it come at the end, in the order of the batch. */
  readonly rows: readonly RowDifference[];
  /** Ids of rows that did not change themselves but refer to a changed row, directly or not. */
  readonly dependents: ReadonlySet<string>;
}

/**
 * Matches the rows of a batch with those of a sheet by their ids. Rows without an id of their own (`isIdMade`) are
 * matched by their request before their line decides: a line that is inserted above them changes nothing. The same
 * holds for rows of the batch without an id that have got one in the sheet since.
 * @param known All rows of the batch, in its order.
 * @param invalid Places of the sheet's rows that have an error and cannot run.
 */
export function compareSheets(
  known: readonly KnownRow[],
  rows: readonly Row[],
  isIdMade: IsIdMade,
  invalid: ReadonlySet<number>,
): SheetComparison {
  const matched = matchRows(known, rows, isIdMade);
  const differences = [
    ...withKnownReferences(rows, matched).map((row, index): RowDifference => {
      const before = matched.of[index];
      return before === undefined
        ? { kind: 'new', after: row }
        : differenceOf(before, withKnownId(row, before.row, isIdMade), invalid.has(index));
    }),
    ...matched.left.map((before): RowDifference => ({ kind: 'removed', key: before.key, before: before.row })),
  ];
  const renamed = withFreeIds(differences, matched.taken);
  return { rows: renamed, dependents: dependentsOf(renamed) };
}

interface Matches {
  /** The known row of each row of the sheet, by its place. */
  readonly of: readonly (KnownRow | undefined)[];
  readonly left: readonly KnownRow[];
  /** Folded ids of all rows of the batch. */
  readonly taken: Set<string>;
}

function matchRows(known: readonly KnownRow[], rows: readonly Row[], isIdMade: IsIdMade): Matches {
  const byId = new Map(known.map((one) => [foldRowId(one.row.id), one]));
  const taken = new Set(byId.keys());
  const of: (KnownRow | undefined)[] = rows.map((row) => {
    if (isIdMade(row, false)) return undefined;
    const id = foldRowId(row.id);
    const found = byId.get(id);
    byId.delete(id);
    return found;
  });
  const withoutOwnId = [...byId.values()].filter(({ row }) => isIdMade(row, true));
  const takeByRequest = takeBy(withoutOwnId, ({ row }) => requestText(row));
  const take = (index: number, found: KnownRow | undefined): void => {
    if (found === undefined) return;
    of[index] = found;
    byId.delete(foldRowId(found.row.id));
  };
  for (const [index, row] of rows.entries()) {
    if (of[index] === undefined && isIdMade(row, false)) take(index, takeByRequest(requestText(row)));
  }
  // If the author adds ids to a sheet that had none, they name rows that were rendered before.
  for (const [index, row] of rows.entries()) {
    if (of[index] === undefined) take(index, takeByRequest(requestText(row)));
  }
  for (const [index, row] of rows.entries()) {
    if (of[index] !== undefined || !isIdMade(row, false)) continue;
    const onLine = byId.get(foldRowId(row.id));
    if (onLine !== undefined && isIdMade(onLine.row, true)) take(index, onLine);
  }
  return { of, left: [...byId.values()], taken };
}

/** A row may have another spelling of its id in the sheet than in the batch, which keeps its own. */
function withKnownReferences(rows: readonly Row[], { of }: Matches): readonly Row[] {
  const known = new Map<string, string>();
  for (const [index, { id }] of rows.entries()) {
    const before = of[index]?.row.id;
    if (before !== undefined && before !== id && foldRowId(before) === foldRowId(id)) known.set(id, before);
  }
  return known.size === 0 ? rows : rows.map((row) => withIdsOf(row, (id) => known.get(id) ?? id));
}

/** A row keeps the id that the batch has for it, unless its author has given it another since. */
function withKnownId(row: Row, known: Row, isIdMade: IsIdMade): Row {
  const isGiven = !isIdMade(row, false) && foldRowId(row.id) !== foldRowId(known.id);
  return isGiven ? row : withId(row, known.id);
}

function withId(row: Row, id: string): Row {
  return row.id === id ? row : { ...row, id };
}

/** New rows whose generated id belongs to another row of the batch get a free one. */
function withFreeIds(differences: readonly RowDifference[], taken: Set<string>): readonly RowDifference[] {
  return differences.map((difference) => {
    if (difference.kind !== 'new') return difference;
    const { id } = difference.after;
    let free = id;
    for (let suffix = 2; taken.has(foldRowId(free)); suffix++) free = `${id}-${suffix}`;
    taken.add(foldRowId(free));
    return { kind: 'new', after: withId(difference.after, free) };
  });
}

function differenceOf(
  { key, row: before, locked, isBlocked, isDone }: KnownRow,
  after: Row,
  isInvalid: boolean,
): RowDifference {
  // A row that it refers to may have been added: none of its own cells shows that.
  const isFreed = isBlocked && !isInvalid && !after.skip;
  const asksMore = isFreed || asksForMore(before, after);
  // Nor does any show that such a row is gone; what is under way or done does not need it any more.
  const isStopped = isInvalid && !isBlocked && isDone !== true && locked === undefined;
  if (!asksMore && !isStopped && !differsInDetails(before, after)) return { kind: 'unchanged', key, after };
  if (locked !== undefined) return { kind: 'locked', key, before, after, reason: locked };
  return { kind: asksMore ? 'changed' : 'details', key, before, after };
}

/** Whether the row as it is now renders something that it did not ask for before. */
function asksForMore(before: Row, after: Row): boolean {
  if (after.skip) return false;
  return before.skip || after.takes > before.takes || requestText(before) !== requestText(after);
}

function differsInDetails(before: Row, after: Row): boolean {
  if (before.id !== after.id) return true;
  if (before.skip !== after.skip || before.takes !== after.takes || before.priority !== after.priority) return true;
  return requestText(before) !== requestText(after) || changedCells(before, after).length > 0;
}

/** A cell that differs between two versions of a row; a header that one of them lacks counts as blank. */
export interface ChangedCell {
  readonly header: string;
  readonly before: string;
  readonly after: string;
}

/** The cells that differ, in the order of the headers, without Nocturne's own columns: results are no change. */
export function changedCells(before: Row, after: Row): readonly ChangedCell[] {
  if (areSameCells(before.cells, after.cells)) return [];
  const headers = new Set([...Object.keys(after.cells), ...Object.keys(before.cells)]);
  for (const header of RESULT_COLUMNS) headers.delete(header);
  return [...headers].flatMap((header) => {
    const own = cellText(before.cells, header);
    const other = cellText(after.cells, header);
    return own === other ? [] : { header, before: own, after: other };
  });
}

/** Most rows of a re-imported sheet are unchanged, cell for cell. */
function areSameCells(before: Row['cells'], after: Row['cells']): boolean {
  const headers = Object.keys(after);
  return headers.length === Object.keys(before).length && headers.every((header) => before[header] === after[header]);
}

/** Rows that refer to a changed row change too, and so do rows that refer to those. */
function dependentsOf(differences: readonly RowDifference[]): ReadonlySet<string> {
  const references = differences.flatMap((difference) =>
    difference.kind === 'removed'
      ? []
      : rowsReferredTo(difference.after.links).map((target) => ({ target, row: difference.after })),
  );
  const referring = groupBy(
    references,
    ({ target }) => foldRowId(target),
    ({ row }) => row,
  );
  const changed = differences.flatMap((d) => (d.kind === 'changed' ? [foldRowId(d.after.id)] : []));
  const own = new Set(changed);
  const dependents = new Set<string>();
  const seen = new Set(changed);
  for (let id = changed.pop(); id !== undefined; id = changed.pop()) {
    for (const row of referring.get(id) ?? []) {
      const folded = foldRowId(row.id);
      if (seen.has(folded)) continue;
      seen.add(folded);
      changed.push(folded);
      if (!own.has(folded)) dependents.add(row.id);
    }
  }
  return dependents;
}
