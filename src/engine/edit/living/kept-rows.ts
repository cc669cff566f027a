/** What becomes of a file beside its batch if the rows that it no longer has are kept: its rows may refer to them. */
import { isBlank } from '../../../shared/domain/base/text.ts';
import { blockedRowIds, cellText, type CheckedSheet } from '../../../shared/domain/sheet/row.ts';
import type { RowBeside } from '../../../shared/domain/sheet/sheet-checker.ts';
import { layOutColumns } from '../../../shared/domain/sheet/sheet-columns.ts';
import {
  compareSheets,
  type IsIdMade,
  type KnownRow,
  type SheetComparison,
} from '../../../shared/domain/sheet/sheet-difference.ts';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import type { SheetSettings } from '../../../shared/domain/task/batch.ts';
import type { ApplyOptions } from './plan-difference.ts';

/** A checked file and its comparison with the batch. */
export interface ComparedFile {
  readonly sheet: CheckedSheet;
  readonly comparison: SheetComparison;
  /** Places of the compared rows that have an error in the file and cannot run. */
  readonly invalid: ReadonlySet<number>;
}

/** Compares a file with the rows of its batch as if nothing but the file remained. */
export function compareAlone(
  known: readonly KnownRow[],
  sheet: CheckedSheet,
  mapping: SheetSettings['mapping'],
): ComparedFile {
  const invalid = invalidRows(sheet);
  return { sheet, invalid, comparison: compareSheets(known, sheet.rows, madeIds(sheet, mapping), invalid) };
}

/**
 * The same if the rows that are no longer in the file are kept; undefined where that makes no difference: no row of the
 * file refers to one that it does not have.
 * @param recheck Checks the file with these rows beside its own.
 */
export function compareBeside(
  { sheet, comparison }: ComparedFile,
  known: readonly KnownRow[],
  recheck: (beside: readonly RowBeside[]) => CheckedSheet,
  mapping: SheetSettings['mapping'],
): ComparedFile | undefined {
  if (!sheet.problems.some(({ code }) => code === 'reference-missing')) return undefined;
  const removed = new Set(comparison.rows.flatMap((row) => (row.kind === 'removed' ? row.key : [])));
  if (removed.size === 0) return undefined;
  return compareAlone(known, recheck(known.filter(({ key }) => removed.has(key))), mapping);
}

/** A difference as it is if the rows that are no longer in the file are kept or removed. */
export function chosenOf<Difference extends { readonly kept?: object }>(
  difference: Difference,
  removed: ApplyOptions['removed'],
): Difference {
  return removed === 'keep' ? { ...difference, ...difference.kept } : difference;
}

/**
 * Whether a row's id comes from its line, because its sheet gives it none. That of a row of the batch does, too, if another
 * column holds the ids by now: the cell says something else then.
 */
function madeIds(sheet: CheckedSheet, mapping: SheetSettings['mapping']): IsIdMade {
  const index = layOutColumns(sheet.headers, mapping).indexes.get('row');
  const header = index === undefined ? undefined : sheet.headers[index];
  return ({ id, cells }, isOfBatch) => {
    const given = header === undefined ? '' : cellText(cells, header).trim();
    return isBlank(given) || (isOfBatch && foldRowId(given) !== foldRowId(id));
  };
}

/** The places of rows that have an error and cannot run. */
function invalidRows({ rows, problems }: CheckedSheet): ReadonlySet<number> {
  const blocked = blockedRowIds({ problems });
  return new Set(rows.flatMap((row, index) => (blocked.has(row.id) && !row.skip ? [index] : [])));
}
