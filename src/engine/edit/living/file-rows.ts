/** Which line of a file each row of its batch came from, so that its results can be written beside it. */
import { takeBy } from '../../../shared/domain/base/result.ts';
import { isResultColumn } from '../../../shared/domain/base/result-columns.ts';
import type { RowEdits } from '../../../shared/domain/cells/row-edits.ts';
import type { Row } from '../../../shared/domain/sheet/row.ts';
import type { SheetComparison } from '../../../shared/domain/sheet/sheet-difference.ts';

/** A row of a batch, and its line of the file; `after` is undefined if the file has none. */
export interface RowOfFile {
  readonly before: Row;
  readonly after: Row | undefined;
}

/**
 * The rows of a batch with their lines of the file. A row whose id the user has changed since is found by what its
 * cells said at the import.
 * @param edits What was edited in the rows since their import, by key.
 */
export function fileRowsOf({ rows }: SheetComparison, edits: ReadonlyMap<number, RowEdits>): readonly RowOfFile[] {
  const added = rows.flatMap((difference) => (difference.kind === 'new' ? [difference.after] : []));
  const takeAdded = takeBy(added, ({ cells }) => textOf(cells));
  return rows.flatMap((difference): RowOfFile | [] => {
    if (difference.kind === 'new') return [];
    // Its cells are those of the file.
    if (difference.kind === 'unchanged') return { before: difference.after, after: difference.after };
    const { before } = difference;
    if (difference.kind !== 'removed') return { before, after: difference.after };
    const own = edits.get(difference.key);
    const isFromFile = own !== undefined && own.addedAt === undefined;
    const after = isFromFile ? takeAdded(textOf(importedCells(before.cells, own))) : undefined;
    return { before, after };
  });
}

/** The first text that is kept of a cell is the imported one. */
function importedCells(cells: Row['cells'], { earlier }: RowEdits): Row['cells'] {
  return { ...cells, ...Object.fromEntries(earlier.toReversed().map(({ header, was }) => [header, was])) };
}

function textOf(cells: Row['cells']): string {
  const own = Object.entries(cells).filter(([header, text]) => text !== '' && !isResultColumn(header));
  return JSON.stringify(own.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
