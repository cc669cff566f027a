/** What puts warnings about several rows right: identical rows become one, values that nothing uses are cleared. */
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { isBlank } from '../../shared/domain/base/text.ts';
import { rowsPerhapsMeant } from '../../shared/domain/cells/reference.ts';
import { operationOf } from '../../shared/domain/operations/operations.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { cellText, MOST_TAKES, requestKey, requestText } from '../../shared/domain/sheet/row.ts';
import { layOutColumns, layOutOperation } from '../../shared/domain/sheet/sheet-columns.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { SheetEdit } from '../../shared/ipc/editing.ts';
import { domainWords } from '../../shared/words/domain-words.ts';
import type { SheetStore, StoredRow } from '../sheet-ports.ts';
import type { EditByRow, NamedEdit, RowEdit } from './edit-by-row.ts';
import { editOfColumns, noColumn } from './edit-of-columns.ts';
import { isUnsent } from './sheet-plan.ts';

/** Of more identical rows than these, the rest would be more takes than a row can have. */
const MOST_COMPARED = 1_000;

/** Makes the rows that ask for the same as one of them into a single row with all of their takes. */
export async function rowsOfJoin(
  { row: key }: Extract<SheetEdit, { kind: 'join-rows' }>,
  sheets: SheetStore,
  batch: BatchRecord,
): Promise<Result<NamedEdit, string>> {
  const { edits } = domainWords.problems;
  const rows = await joinableRows(key, sheets, batch.id);
  const others = rows.joining;
  if (rows.stays === undefined || others.length === 0) return err(edits.nothingToJoin);
  const stays = rows.stays;
  const takes = [stays, ...others].reduce((sum, { row }) => sum + row.takes, 0);
  if (takes > MOST_TAKES) return err(edits.mostTakes(takes, MOST_TAKES));
  const label = edits.labels.join(others.length + 1);
  const joined = (header: string): EditByRow => ({
    isOfUnsent: true,
    rows: [
      { kind: 'cells', key: stays.key, cells: new Map([[header, String(takes)]]) },
      ...others.map((row): RowEdit => ({ kind: 'remove', key: row.key })),
    ],
  });
  const index = layOutColumns(batch.headers, batch.sheet.mapping).indexes.get('takes');
  const header = index === undefined ? undefined : batch.headers[index];
  if (header !== undefined) return ok({ label, edit: joined(header) });
  const column = editOfColumns({ kind: 'add-column', header: 'takes' }, batch);
  return column.ok ? ok({ label, edit: column.value.edit, then: joined('takes') }) : column;
}

/** Identical rows of which one stays and gets the takes of the others. */
interface JoinableRows {
  readonly stays: StoredRow | undefined;
  readonly joining: readonly StoredRow[];
}

/** The rows that ask for the same as this one, and of which nobody will miss those that go. */
async function joinableRows(key: number, sheets: SheetStore, batchId: string): Promise<JoinableRows> {
  const [one] = await sheets.rowsByKeys(batchId, [key]);
  if (one === undefined) return { stays: undefined, joining: [] };
  const request = requestKey(one.row);
  const places = await sheets.placesByRequests(batchId, [request], MOST_COMPARED);
  const keys = (places.get(request) ?? []).map((place) => place.key);
  const text = requestText(one.row);
  const unsent = (await sheets.rowsByKeys(batchId, keys)).filter(
    ({ row, tasks }) => requestText(row) === text && isUnsent(tasks),
  );
  const referred = await idsReferredTo(unsent, sheets, batchId);
  const isReferredTo = ({ row }: StoredRow): boolean => referred.has(foldRowId(row.id));
  const stays = unsent.find(isReferredTo) ?? unsent[0];
  // What refers to a row would lose it, and another account would pay.
  const joining = unsent.filter((row) => row !== stays && !isReferredTo(row) && row.row.account === stays?.row.account);
  return { stays, joining };
}

/** The folded ids of those of these rows that others refer to. */
async function idsReferredTo(
  rows: readonly StoredRow[],
  sheets: SheetStore,
  batchId: string,
): Promise<ReadonlySet<string>> {
  const ids = rows.map(({ row }) => foldRowId(row.id));
  const referring = await sheets.rowsByKeys(batchId, await sheets.keysReferringTo(batchId, ids));
  return new Set(referring.flatMap(({ row }) => rowsPerhapsMeant(row.links).map(foldRowId)));
}

/** Clears the cells under a header that the operations of their rows do not use, as far as the sheet is warned of them. */
export async function rowsOfUnused(
  { header }: Extract<SheetEdit, { kind: 'clear-unused' }>,
  sheets: SheetStore,
  { id, headers, sheet }: BatchRecord,
  signal?: AbortSignal,
): Promise<Result<NamedEdit, string>> {
  const { edits } = domainWords.problems;
  const index = headers.findIndex((known) => known.trim() === header.trim());
  const own = headers[index];
  if (own === undefined) return err(noColumn(header));
  const layout = layOutColumns(headers, sheet.mapping);
  const unusedBy = new Map<string, boolean>();
  const isUnused = ({ operation, skip, cells }: StoredRow['row']): boolean => {
    if (operation === undefined || skip || isBlank(cellText(cells, own))) return false;
    const known = unusedBy.get(operation) ?? layOutOperation(layout, operationOf(operation)).unused.includes(index);
    unusedBy.set(operation, known);
    return known;
  };
  // Where other cells put the column in by its name, nothing is warned of: they use it.
  const isWarned = ({ code, column }: SheetProblem): boolean => code === 'unused-column' && column === own.trim();
  let isWarning = (await sheets.sheetProblems(id)).some(isWarned);
  const keys: number[] = [];
  for await (const { key, row, problems } of sheets.allRows(id)) {
    signal?.throwIfAborted();
    if (!isUnused(row)) continue;
    keys.push(key);
    isWarning ||= problems.some(isWarned);
  }
  if (!isWarning || keys.length === 0) return err(edits.noneUnused(header));
  const cells = new Map([[own, '']]);
  const rows = keys.map((key): RowEdit => ({ kind: 'cells', key, cells }));
  return ok({ label: edits.labels.clearUnused(rows.length, own), edit: { rows } });
}
