import { CircleAlert, Lock, TriangleAlert } from 'lucide-react';
import { joinClasses } from '../../design/join-classes.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { columnHelp } from '../cell-editor/column-help.ts';
import { countOf, countText } from '../../../shared/domain/base/text.ts';
import { shownLine } from '../../format/shown-text.ts';
import { rowReason } from '../../format/words.ts';
import { useAppModel, useEditing } from '../../state/app-context.ts';
import { doneWords } from '../../state/batch/edit-words.ts';
import { ADD_COLUMN_ID, type RowColumn } from '../columns/grid-columns.ts';
import { headersIn } from '../keys/grid-selection.ts';
import { problemsOf } from '../grid/use-cell-content.ts';
import { chosenRows } from '../keys/use-grid-actions.ts';
import type { Grid } from '../grid/use-grid.ts';
import styles from './StatusLine.module.css';

const WORDS = joinClasses('row grow', styles.words);

/** Information about the cursor's cell, the last action, and the size of the selection. */
export function StatusLine({ grid }: { readonly grid: Grid }) {
  const lastDone = useEditing((state) => state.lastDone);
  const isBusy = useEditing((state) => state.isBusy);
  return (
    <footer className={joinClasses('row', styles.line)} data-testid="status-line">
      <CellWords grid={grid} />
      <output className="tabular" data-testid="last-done">
        {isBusy ? 'Working…' : typeof lastDone === 'string' ? lastDone : doneWords(lastDone)}
      </output>
      <p className="faint tabular">{selectionWords(grid)}</p>
    </footer>
  );
}

function CellWords({ grid }: { readonly grid: Grid }) {
  const model = useAppModel();
  const { current } = grid;
  const sheet = current?.about.sheet;
  if (current === undefined) return <p className={WORDS} />;
  if (sheet === undefined) return <ToldWords about={current.about} row={current.row} />;
  const [problem] = current.row === undefined ? [] : problemsOf(current.row, sheet);
  if (problem !== undefined) {
    const Icon = problem.severity === 'error' ? CircleAlert : TriangleAlert;
    return (
      <p className={WORDS} data-level={problem.severity}>
        <Icon size={14} strokeWidth={1.75} aria-hidden />
        <span>
          {shownLine(problem.message)} {shownLine(problem.remedy)}
        </span>
      </p>
    );
  }
  const lock = current.row === undefined ? undefined : model.editing.lockOf(current.row, sheet.view.column);
  if (lock !== undefined) {
    return (
      <p className={WORDS}>
        <Lock size={14} strokeWidth={1.75} aria-hidden />
        <span>{shownLine(lock)}</span>
      </p>
    );
  }
  const help = columnHelp(sheet.view.column)?.help ?? 'This column is not sent.';
  return (
    <p className={WORDS}>
      <span className="name">{shownLine(sheet.header)}</span>
      <span>{help}</span>
    </p>
  );
}

/** For a column outside the sheet: why the row has its status, or who fills the column in. */
function ToldWords({ about, row }: { readonly about: RowColumn; readonly row: RowView | undefined }) {
  const reason = row === undefined ? '' : rowReason(row);
  const words = about.id === ADD_COLUMN_ID ? 'Press + above to add a column.' : 'Nocturne fills in this column.';
  return (
    <p className={WORDS}>
      {about.id !== ADD_COLUMN_ID && <span className="name">{about.title}</span>}
      <span>{reason === '' ? words : shownLine(reason)}</span>
    </p>
  );
}

function selectionWords(grid: Grid): string {
  const range = grid.selection.current?.range;
  const rows = chosenRows(grid).reduce((sum, { height }) => sum + height, 0);
  const cells = range === undefined ? 0 : headersIn(range, grid.columns).length;
  if (rows > 1 || cells > 1) return `${countText(rows)} × ${countOf(cells, 'cell')} selected`;
  return countOf(grid.total, 'row');
}
