import { rowsReferredTo } from '../../../shared/domain/cells/reference.ts';
import type { Row } from '../../../shared/domain/sheet/row.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import { checkChains, linkRow, type RowFinder } from '../../../shared/domain/sheet/sheet-references.ts';
import { isError, type PendingRow, type PendingSheet } from '../pending-sheet.ts';

/** A row whose links and their problems were found anew. */
interface Linked {
  readonly row: Row;
  readonly own: readonly SheetProblem[];
  readonly problems: readonly SheetProblem[];
}

/**
 * Looks again at the references of the rows that an edit may concern: those that were edited, and all that refer to one
 * of them, directly or not, where what others see of it has changed. Puts them into `pending` with what is wrong now.
 * @param changedIds Folded ids that came to be, ceased to be, or changed hands in the edit.
 * @param edited Keys of the edited rows.
 */
export function checkReferences(
  pending: PendingSheet,
  edited: readonly number[],
  changedIds: ReadonlySet<string>,
): readonly number[] {
  const touched = withDependents(pending, edited, changedIds);
  const finder = finderIn(pending);
  const linked = new Map<number, Linked>();
  for (const key of touched) {
    const pendingRow = pending.row(key);
    if (pendingRow === undefined) continue;
    const { row, problems } = linkRow(pendingRow.row, finder);
    linked.set(key, { row, own: pendingRow.own, problems });
  }
  const chains = problemsOfChains(pending, linked);
  for (const [key, { row, problems }] of linked) {
    const before = pending.row(key);
    if (before === undefined) continue;
    const others = before.cross.filter((problem) => !problem.code.startsWith('reference-'));
    pending.put({ ...before, row, cross: [...problems, ...(chains.get(row.id) ?? []), ...others] });
  }
  return [...linked.keys()];
}

/** The edited rows, and every row that waits for one of which others see something else than before. */
function withDependents(
  pending: PendingSheet,
  edited: readonly number[],
  changedIds: ReadonlySet<string>,
): ReadonlySet<number> {
  const touched = new Set(edited);
  let ids = new Set(changedIds);
  for (const key of edited) {
    const row = pending.row(key);
    if (row !== undefined && looksDifferent(pending, row)) ids.add(foldRowId(row.row.id));
  }
  while (ids.size > 0) {
    const found = pending.keysReferringTo([...ids]).filter((key) => !touched.has(key));
    pending.load(found);
    ids = new Set();
    for (const key of found) {
      touched.add(key);
      const row = pending.row(key);
      if (row !== undefined) ids.add(foldRowId(row.row.id));
    }
  }
  return touched;
}

/** Whether a row's references, or whether it runs, may have changed. What it asks for itself is no matter to others. */
function looksDifferent(pending: PendingSheet, { key, row, own }: PendingRow): boolean {
  const stored = key < 0 ? undefined : pending.stored(key);
  if (stored === undefined) return true;
  const wasBroken = stored.problems.some(isError);
  const isBroken = own.some(isError);
  if (stored.row.skip !== row.skip || wasBroken !== isBroken) return true;
  return textsOfLinks(stored.row) !== textsOfLinks(row);
}

function textsOfLinks({ links }: Row): string {
  return links === undefined ? '' : rowsReferredTo(links).map(foldRowId).join('\n');
}

function finderIn(pending: PendingSheet): RowFinder {
  const known = new Map<string, string | undefined>();
  return {
    find(written) {
      const folded = foldRowId(written);
      if (!known.has(folded)) {
        const [key] = pending.keysByIds([folded]).get(folded) ?? [];
        known.set(folded, key === undefined ? undefined : pending.row(key)?.row.id);
      }
      return known.get(folded);
    },
    // To look for the nearest of 100,000 ids takes longer than an edit may.
    nearest: () => undefined,
  };
}

/** What is wrong with how these rows wait for others, by their ids. Rows that they refer to are as they stand. */
function problemsOfChains(
  pending: PendingSheet,
  linked: ReadonlyMap<number, Linked>,
): ReadonlyMap<string, readonly SheetProblem[]> {
  const rows = [...linked.values()].map(({ row }) => row);
  const invalid = new Set(
    [...linked.values()].filter((one) => [...one.own, ...one.problems].some(isError)).map(({ row }) => row.id),
  );
  const own = new Set(rows.map((row) => foldRowId(row.id)));
  const targets = [...new Set(rows.flatMap((row) => rowsReferredTo(row.links).map(foldRowId)))];
  const others = targets.filter((id) => !own.has(id));
  const standing: Row[] = [];
  for (const keys of pending.keysByIds(others).values()) {
    const row = keys[0] === undefined ? undefined : pending.row(keys[0]);
    if (row === undefined) continue;
    const { links: _, ...alone } = row.row;
    standing.push(alone);
    if ([...row.own, ...row.cross].some(isError)) invalid.add(row.row.id);
  }
  const found = new Map<string, SheetProblem[]>();
  for (const problem of checkChains([...rows, ...standing], invalid)) {
    const id = problem.row ?? '';
    found.set(id, [...(found.get(id) ?? []), problem]);
  }
  return found;
}
