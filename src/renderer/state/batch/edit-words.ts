import { assertNever } from '../../../shared/domain/base/result.ts';
import type { EditResult, SheetEdit } from '../../../shared/ipc/editing.ts';
import { countOf } from '../../../shared/domain/base/text.ts';
import { shownLine } from '../../format/shown-text.ts';
import type { NewNotice } from '../notices-store.ts';

/** More reasons do not fit into a notice, and they are usually alike. */
const REASONS_SHOWN = 3;

/** An edit, or what the clipboard did, with its result. */
export interface EditDone {
  readonly kind: SheetEdit['kind'] | 'copy' | 'cut' | 'paste';
  readonly result: EditResult;
}

/** The notice about the rows that were refused. */
export function refusalNotice(result: EditResult): NewNotice {
  const reasons = result.refused
    .slice(0, REASONS_SHOWN)
    .map(({ row, line, reason }) => (line === 0 ? reason : `${shownLine(row)} (line ${line}): ${reason}`));
  const rest = result.refusedRows - reasons.length;
  const more = rest > 0 && reasons.length > 0 ? ` And ${countOf(rest, 'more row', 'more rows')}.` : '';
  return {
    level: 'warning',
    title:
      result.refusedRows === 1 ? '1 row stays as it was' : `${countOf(result.refusedRows, 'row')} stay as they were`,
    message: `${reasons.join(' ')}${more}`,
  };
}

/** What an edit did, in a few words, for the line below the grid and for screen readers. */
export function doneWords({ kind, result }: EditDone): string {
  switch (kind) {
    case 'copy':
      return `Copied ${countOf(result.changedCells, 'cell')}`;
    case 'cut':
      return `Cut ${countOf(result.changedCells, 'cell')}`;
    case 'paste':
      return `Pasted ${countOf(result.changedCells, 'cell')}`;
    case 'set-cells':
      return `Changed ${countOf(result.changedCells, 'cell')}`;
    case 'fill-down':
      return `Filled ${countOf(result.changedRows, 'row')}`;
    case 'clear-cells':
      return `Cleared ${countOf(result.changedCells, 'cell')}`;
    case 'insert-rows':
      return `Inserted ${countOf(result.changedRows, 'row')}`;
    case 'remove-rows':
      return `Deleted ${countOf(result.changedRows, 'row')}`;
    case 'render-again':
      return `${countOf(result.changedRows, 'row')} to render again, once run`;
    case 'duplicate-rows':
      return `Duplicated ${countOf(result.changedRows, 'row')}`;
    case 'move-rows':
      return `Moved ${countOf(result.changedRows, 'row')}`;
    case 'replace':
      return result.changedCells === 0
        ? 'Nothing to replace'
        : `Replaced in ${countOf(result.changedCells, 'cell')} (${countOf(result.changedRows, 'row')})`;
    case 'add-column':
      return 'Added a column';
    case 'remove-column':
      return 'Removed a column';
    case 'move-column':
      return 'Moved a column';
    case 'map-column':
      return 'Changed the mapping of a column';
    case 'set-variables':
      return 'Changed the variables';
    case 'set-default-operation':
      return 'Changed the operation of rows without one';
    default:
      return assertNever(kind);
  }
}
