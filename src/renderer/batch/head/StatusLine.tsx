import { CircleAlert, Lock, TriangleAlert, type LucideIcon } from 'lucide-react';
import { words } from '../../../shared/words/words.ts';
import { joinClasses } from '../../design/join-classes.ts';
import { columnHelp } from '../cell-editor/column-help.ts';
import { shownLine } from '../../format/shown-text.ts';
import { formatBytes } from '../../format/phrases.ts';
import { useAnswer, useAppModel, useEditing, useNow } from '../../state/app-context.ts';
import { reasonOf } from '../../state/batch/why-waiting.ts';
import { doneWords } from '../../state/batch/edit-words.ts';
import { ADD_COLUMN_ID, type SheetColumn } from '../columns/grid-columns.ts';
import { headersIn } from '../keys/grid-selection.ts';
import { isEditedCell, problemsOf } from '../grid/use-cell-content.ts';
import { chosenRows } from '../keys/use-grid-actions.ts';
import type { Grid } from '../grid/use-grid.ts';
import styles from './StatusLine.module.css';

/** How old the time in a reason may be. */
const CLOCK_INTERVAL_MS = 1_000;

/** Information about the cursor's cell, the last action, and the size of the selection. */
export function StatusLine({ grid }: { readonly grid: Grid }) {
  const lastDone = useEditing((state) => state.lastDone);
  const isBusy = useEditing((state) => state.isBusy);
  return (
    <footer className={joinClasses('row', styles.line)} data-testid="status-line">
      <CellWords grid={grid} />
      <output className="tabular" data-testid="last-done">
        {isBusy ? words.batch.line.working : typeof lastDone === 'string' ? lastDone : doneWords(lastDone)}
      </output>
      <p className="faint tabular">{selectionWords(grid)}</p>
    </footer>
  );
}

function CellWords({ grid }: { readonly grid: Grid }) {
  const model = useAppModel();
  const now = useNow(CLOCK_INTERVAL_MS);
  const { current } = grid;
  const sheet = current?.about.sheet;
  if (current === undefined) return <Words />;
  const { row, about } = current;
  if (sheet === undefined) {
    // Outside the sheet: why the row has its status, or who fills the column in.
    const reason = row === undefined ? '' : shownLine(reasonOf(row, grid.batch, now));
    if (about.id === ADD_COLUMN_ID) return <Words>{reason || words.batch.line.pressPlus}</Words>;
    return <Words name={about.title}>{reason || words.batch.line.filledIn}</Words>;
  }
  const [problem] = row === undefined ? [] : problemsOf(row, sheet);
  if (problem !== undefined) {
    return (
      <Words icon={problem.severity === 'error' ? CircleAlert : TriangleAlert} level={problem.severity}>
        {words.common.sentences([shownLine(problem.message), shownLine(problem.remedy)])}
      </Words>
    );
  }
  const lock = row === undefined ? undefined : model.editing.lockOf(row, sheet.view.column);
  if (lock !== undefined) return <Words icon={Lock}>{shownLine(lock)}</Words>;
  const known = columnHelp(sheet.view.column);
  const help = known?.help ?? words.batch.line.notSent;
  const text = row?.cells?.[sheet.cell] ?? '';
  if (row !== undefined && known?.field?.media !== undefined && text !== '')
    return <FileWords key={`${row.key} ${text}`} batchId={grid.batch.id} rowKey={row.key} sheet={sheet} help={help} />;
  const edited = row !== undefined && isEditedCell(row, sheet) ? words.grid.edited : '';
  return <Words name={shownLine(sheet.header)}>{words.common.sentences([edited, help])}</Words>;
}

interface FileWordsProps {
  readonly batchId: string;
  readonly rowKey: number;
  readonly sheet: SheetColumn;
  readonly help: string;
}

/** The files on this computer that a cell names, as they are now; what its column is for if it names none. */
function FileWords({ batchId, rowKey, sheet: { header, view }, help }: FileWordsProps) {
  const found = useAnswer('batch.localFiles', { batchId, rows: [rowKey] });
  const problem = found?.problems.find(({ column }) => column === view.column);
  if (problem !== undefined) {
    return (
      <Words icon={CircleAlert} level="error">
        {shownLine(problem.message)}
      </Words>
    );
  }
  const files = found?.files.filter(({ column }) => column === view.column) ?? [];
  const named = files.map(({ written, bytes, mediaType }) =>
    words.batch.line.file(written, mediaType, formatBytes(bytes)),
  );
  return <Words name={shownLine(header)}>{named.length === 0 ? help : shownLine(named.join(' · '))}</Words>;
}

interface WordsProps {
  readonly icon?: LucideIcon;
  readonly level?: 'error' | 'warning';
  readonly name?: string;
  readonly children?: string;
}

function Words({ icon: Icon, level, name, children }: WordsProps) {
  return (
    <p className={joinClasses('row grow', styles.words)} data-level={level}>
      {Icon && <Icon size={14} strokeWidth={1.75} aria-hidden />}
      {name !== undefined && <span className="name">{name}</span>}
      {children !== undefined && <span>{children}</span>}
    </p>
  );
}

function selectionWords(grid: Grid): string {
  const range = grid.selection.current?.range;
  const rows = chosenRows(grid).reduce((sum, { height }) => sum + height, 0);
  const cells = range === undefined ? 0 : headersIn(range, grid.columns).length;
  if (rows > 1 || cells > 1) return words.batch.line.selected(rows, cells);
  return words.common.rows(grid.total);
}
