import type { RowView } from '../../../shared/ipc/views.ts';
import { visibleText } from '../../format/visible-text.ts';
import { rowReason } from '../../format/words.ts';
import type { SheetEditing } from '../../state/batch/sheet-editing.ts';
import type { RowColumn } from '../columns/grid-columns.ts';
import { problemsOf } from './use-cell-content.ts';

/** What is to be said about a cell: what is wrong with it and what to do, and why it cannot be edited now. */
export function cellNotes(editing: SheetEditing, row: RowView, about: RowColumn): readonly string[] {
  const { sheet } = about;
  if (sheet === undefined) {
    const reason = about.id === 'reason' || about.id === 'status' ? rowReason(row) : '';
    return [reason, about.id === 'line' ? (row.locked ?? '') : ''].filter((text) => text !== '').map(visibleText);
  }
  const problems = problemsOf(row, sheet).map(({ message, remedy }) => `${message} ${remedy}`.trim());
  const lock = editing.lockOf(row, sheet.view.column);
  return [...problems, ...(lock === undefined ? [] : [lock])].map(visibleText);
}
