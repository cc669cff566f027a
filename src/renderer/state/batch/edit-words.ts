import { assertNever } from '../../../shared/domain/base/result.ts';
import type { EditResult, SheetEdit } from '../../../shared/ipc/editing.ts';
import type { CellEdited, RowDetail } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
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
  const { edits } = words.notices;
  const reasons = result.refused
    .slice(0, REASONS_SHOWN)
    .map(({ row, line, reason }) => (line === 0 ? reason : edits.refusedRow(shownLine(row), line, reason)));
  const rest = result.refusedRows - reasons.length;
  const more = rest > 0 && reasons.length > 0 ? [edits.andMore(rest)] : [];
  return {
    level: 'warning',
    title: edits.refused(result.refusedRows),
    message: words.common.sentences([...reasons, ...more]),
  };
}

/** What an edit did, in a few words, for the line below the grid and for screen readers. */
export function doneWords({ kind, result: { changedCells, changedRows } }: EditDone): string {
  const { edits } = words.notices;
  switch (kind) {
    case 'copy':
      return edits.copied(changedCells);
    case 'cut':
      return edits.cut(changedCells);
    case 'paste':
      return edits.pasted(changedCells);
    case 'set-cells':
    case 'correct-cells':
      return edits.changed(changedCells);
    case 'fill-down':
      return edits.filled(changedRows);
    case 'clear-cells':
      return edits.cleared(changedCells);
    case 'insert-rows':
      return edits.inserted(changedRows);
    case 'remove-rows':
      return edits.deleted(changedRows);
    case 'render-again':
      return edits.toRenderAgain(changedRows);
    case 'keep-earlier':
      return edits.keptEarlier(changedRows);
    case 'duplicate-rows':
      return edits.duplicated(changedRows);
    case 'move-rows':
      return edits.moved(changedRows);
    case 'clear-unused':
      return edits.cleared(changedCells);
    case 'replace':
      return changedCells === 0 ? edits.nothingToReplace : edits.replaced(changedCells, changedRows);
    case 'add-column':
      return edits.addedColumn;
    case 'remove-column':
      return edits.removedColumn;
    case 'move-column':
      return edits.movedColumn;
    case 'map-column':
      return edits.mappedColumn;
    case 'set-variables':
      return edits.setVariables;
    case 'ignore-warnings':
      return edits.ignoredWarnings;
    case 'set-default-operation':
      return edits.setOperation;
    default:
      return assertNever(kind);
  }
}

/**
 * When a cell was last edited, and that the edit applies once its row is rendered, if that is certain: nothing was sent
 * for the row so far, the cell is sent, and its text has changed.
 * @param column What the cell's header maps to; blank if it maps to nothing.
 */
export function editedWords(
  { row: { status }, tasks, earlierTakes, earlierFiles, edits }: RowDetail,
  { header, after }: CellEdited,
  column: string,
  time: string,
): string {
  const said = words.inspector.edits;
  const isUnsent = tasks.every((task) => task.status === 'queued' && task.attempts === 0);
  const hasEarlier = earlierTakes.count > 0 || earlierFiles.length > 0;
  const isBack = edits?.changes.some((change) => change.header === header && change.before === after) === true;
  if (!isUnsent || hasEarlier || isBack || column === '') return said.at(time);
  if (status === 'queued') return said.waits(time);
  return status === 'draft' ? said.waitsForRun(time) : said.at(time);
}
