/** Values that the operations of their rows do not use, cleared in all rows at once. */
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { isBlank } from '../../shared/domain/base/text.ts';
import { templateNames } from '../../shared/domain/files/check-name-template.ts';
import { operationOf } from '../../shared/domain/operations/operations.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { cellText } from '../../shared/domain/sheet/row.ts';
import { layOutColumns, layOutOperation } from '../../shared/domain/sheet/sheet-columns.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { SheetEdit } from '../../shared/ipc/editing.ts';
import { domainWords } from '../../shared/words/domain-words.ts';
import type { SheetStore, StoredRow } from '../ports/sheet-store.ts';
import type { NamedEdit, RowEdit } from './edit-by-row.ts';
import { noColumn } from './edit-of-columns.ts';

/**
 * Clears the cells under a header that their rows' operations do not use, as far as the sheet has warnings about them;
 * none if a template for file names uses the column.
 */
export async function rowsOfUnused(
  { header }: Extract<SheetEdit, { kind: 'clear-unused' }>,
  sheets: SheetStore,
  { id, headers, sheet, settings }: BatchRecord,
  signal?: AbortSignal,
): Promise<Result<NamedEdit, string>> {
  const { edits } = domainWords.problems;
  const index = headers.findIndex((known) => known.trim() === header.trim());
  const own = headers[index];
  if (own === undefined) return err(noColumn(header));
  const isInName = (template: string): boolean => templateNames(template, own);
  if (isInName(settings.filename)) return err(edits.namesUse(header));
  const layout = layOutColumns(headers, sheet.mapping);
  const unusedBy = new Map<string, boolean>();
  const isUnused = ({ operation, skip, cells }: StoredRow['row']): boolean => {
    if (operation === undefined || skip || isBlank(cellText(cells, own))) return false;
    const known = unusedBy.get(operation) ?? layOutOperation(layout, operationOf(operation)).unused.includes(index);
    unusedBy.set(operation, known);
    return known;
  };
  // If other cells insert the column by its name, there is no warning: they use it.
  const isWarned = ({ code, column }: SheetProblem): boolean => code === 'unused-column' && column === own.trim();
  let isWarning = (await sheets.sheetProblems(id)).some(isWarned);
  const keys: number[] = [];
  for await (const { key, row, problems } of sheets.allRows(id)) {
    signal?.throwIfAborted();
    if (isInName(row.filename ?? '')) return err(edits.namesUse(header));
    if (!isUnused(row)) continue;
    keys.push(key);
    isWarning ||= problems.some(isWarned);
  }
  if (!isWarning || keys.length === 0) return err(edits.noneUnused(header));
  const cells = new Map([[own, '']]);
  const rows = keys.map((key): RowEdit => ({ kind: 'cells', key, cells }));
  return ok({
    labelOf: ({ changedCells }) => domainWords.problems.edits.labels.clearUnused(changedCells, own),
    edit: { rows },
  });
}
