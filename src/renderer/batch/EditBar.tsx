import {
  BetweenHorizontalStart,
  CircleCheck,
  Columns3,
  CopyPlus,
  Play,
  Redo2,
  Search,
  Trash2,
  TriangleAlert,
  Undo2,
} from 'lucide-react';
import { useState } from 'react';
import type { BatchView } from '../../shared/ipc/views.ts';
import { Button, IconButton } from '../design/Button.tsx';
import { ConfirmDialog } from '../design/ConfirmDialog.tsx';
import { useBusy } from '../design/use-busy.ts';
import { countOf, formatCount } from '../format/numbers.ts';
import { problemWords } from '../format/words.ts';
import { RUN_SHORTCUT } from '../shell/use-shell-keys.ts';
import { useAppModel, useEditing, usePlaces } from '../state/app-context.ts';
import type { GridActions } from './use-grid-actions.ts';
import type { Grid } from './use-grid.ts';
import styles from './EditBar.module.css';

interface EditBarProps {
  readonly grid: Grid;
  readonly actions: GridActions;
  readonly onColumnMenu: () => void;
  readonly onAddColumn: () => void;
}

/** What can be done with the sheet, for the pointer and for those who do not know the keys. */
export function EditBar({ grid, actions, onColumnMenu, onAddColumn }: EditBarProps) {
  const model = useAppModel();
  const sheet = useEditing((state) => state.sheet);
  const find = usePlaces((state) => state.find);
  const isProblemsOpen = usePlaces((state) => state.isProblemsOpen);
  const hasSelection = grid.current !== undefined;
  const hasRows = hasSelection && grid.current.index < grid.total;
  const problems = (sheet?.errorCount ?? 0) + (sheet?.warningCount ?? 0);
  return (
    <div className={styles.bar} role="toolbar" aria-label="Edit the sheet">
      <IconButton
        icon={Undo2}
        label={sheet?.undo === undefined ? 'Nothing to undo' : `Undo: ${sheet.undo} (Ctrl+Z)`}
        disabled={sheet?.undo === undefined}
        onClick={actions.undo}
      />
      <IconButton
        icon={Redo2}
        label={sheet?.redo === undefined ? 'Nothing to redo' : `Redo: ${sheet.redo} (Ctrl+Y)`}
        disabled={sheet?.redo === undefined}
        onClick={actions.redo}
      />
      <span className={styles.gap} />
      <IconButton
        icon={BetweenHorizontalStart}
        label="Insert rows above (Ctrl++)"
        disabled={!hasSelection}
        onClick={() => actions.insertRows('above')}
      />
      <IconButton icon={CopyPlus} label="Duplicate rows" disabled={!hasRows} onClick={actions.duplicateRows} />
      <IconButton icon={Trash2} label="Delete rows (Ctrl+−)" disabled={!hasRows} onClick={actions.removeRows} />
      <span className={styles.gap} />
      <Button
        size="small"
        look="quiet"
        icon={Columns3}
        className={styles.column}
        onClick={() => (grid.current?.about.sheet === undefined ? onAddColumn() : onColumnMenu())}
      >
        {grid.current?.about.sheet === undefined ? 'Add column…' : 'Column'}
      </Button>
      <Button
        size="small"
        look="quiet"
        icon={Search}
        aria-pressed={find !== undefined}
        title="Ctrl+F, Ctrl+H"
        onClick={() => model.places.showFind(find === undefined ? 'replace' : undefined)}
      >
        Find and replace
      </Button>
      <Button
        size="small"
        look="quiet"
        icon={problems > 0 ? TriangleAlert : CircleCheck}
        aria-pressed={isProblemsOpen}
        data-level={(sheet?.errorCount ?? 0) > 0 ? 'error' : problems > 0 ? 'warning' : 'none'}
        className={styles.problems}
        onClick={() => model.places.showProblems(!isProblemsOpen)}
      >
        {problemWords(sheet?.errorCount ?? 0, sheet?.warningCount ?? 0)}
      </Button>
      <span className={styles.rest} />
      {grid.batch.draftSubmits > 0 && <ReleaseButton batch={grid.batch} />}
    </div>
  );
}

/**
 * Lets rows that were typed or changed run, and takes that were added to rows at work, after the user has seen what that
 * asks for.
 */
function ReleaseButton({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const [asks, setAsks] = useState(false);
  const [isBusy, run] = useBusy();
  const rows = batch.rows.draft;
  const what = rows > 0 ? countOf(rows, 'changed row') : countOf(batch.draftSubmits, 'more take');
  const release = (): void =>
    run(async () => {
      const reply = await model.ask('batch.release', { batchId: batch.id });
      if (!reply.ok) return;
      const title = `${countOf(reply.value.tasks, 'take')} ${reply.value.tasks === 1 ? 'waits' : 'wait'} to be rendered`;
      model.notices.show({ level: 'info', title, message: '' });
    });
  return (
    <>
      <Button size="small" look="primary" icon={Play} disabled={isBusy} onClick={() => setAsks(true)} {...RUN_SHORTCUT}>
        Run {what}
      </Button>
      <ConfirmDialog
        isOpen={asks}
        title={`Run ${what}?`}
        confirm={rows > 0 ? `Run ${countOf(rows, 'row')}` : `Run ${what}`}
        decline="Not yet"
        isHarmless={batch.rehearsal}
        onConfirm={release}
        onClose={() => setAsks(false)}
      >
        {releaseWords(batch)}
      </ConfirmDialog>
    </>
  );
}

function releaseWords({ rehearsal, draftSubmits, submitsUsed, maxSubmits }: BatchView): string {
  const submits = `This makes ${countOf(draftSubmits, 'paid request')}.`;
  if (rehearsal) return `${submits} This is a rehearsal: nothing is paid.`;
  const cap =
    maxSubmits === undefined
      ? ''
      : ` ${formatCount(submitsUsed)} of ${countOf(maxSubmits, 'paid request')} are used; the batch pauses at that limit.`;
  return `${submits} The gateway charges each that it accepts, also for rows that were rendered before.${cap}`;
}
