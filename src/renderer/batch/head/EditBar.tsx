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
import { joinClasses } from '../../design/join-classes.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { ReleaseCostView } from '../../../shared/ipc/forecast.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, IconButton, useBusy } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { releaseCost } from '../../format/costs.ts';
import { problemWords } from '../../format/phrases.ts';
import { commandButton } from '../../shell/commands.ts';
import { RUN_SHORTCUT } from '../../shell/keyboard.ts';
import { useAppModel, useEditing, usePlaces } from '../../state/app-context.ts';
import type { GridActions } from '../keys/use-grid-actions.ts';
import type { Grid } from '../grid/use-grid.ts';
import styles from './EditBar.module.css';

interface EditBarProps {
  readonly grid: Grid;
  readonly actions: GridActions;
  readonly onColumnMenu: () => void;
  readonly onAddColumn: () => void;
}

/** The sheet's actions, for the pointer and for users who do not know the keys. */
export function EditBar({ grid, actions, onColumnMenu, onAddColumn }: EditBarProps) {
  const model = useAppModel();
  const sheet = useEditing((state) => state.sheet);
  const find = usePlaces((state) => state.find);
  const isProblemsOpen = usePlaces((state) => state.isProblemsOpen);
  const hasSelection = grid.current !== undefined;
  const hasColumnMenu = (grid.current?.about.sheet ?? grid.current?.about.help) !== undefined;
  const hasRows = hasSelection && grid.current.index < grid.total;
  const problems = (sheet?.errorCount ?? 0) + (sheet?.warningCount ?? 0);
  return (
    <div
      className={joinClasses('row wrap', styles.bar)}
      role="toolbar"
      aria-label={words.batch.edit.toolbar}
      data-region="tools"
    >
      <IconButton
        icon={Undo2}
        label={sheet?.undo === undefined ? words.batch.edit.nothingToUndo : words.batch.edit.undo(sheet.undo)}
        disabled={sheet?.undo === undefined}
        onClick={actions.undo}
      />
      <IconButton
        icon={Redo2}
        label={sheet?.redo === undefined ? words.batch.edit.nothingToRedo : words.batch.edit.redo(sheet.redo)}
        disabled={sheet?.redo === undefined}
        onClick={actions.redo}
      />
      <span className={styles.gap} />
      <IconButton
        icon={BetweenHorizontalStart}
        label={words.batch.edit.insertRows}
        disabled={!hasSelection}
        onClick={() => actions.insertRows('above')}
      />
      <IconButton
        icon={CopyPlus}
        label={words.batch.edit.duplicateRows}
        disabled={!hasRows}
        onClick={actions.duplicateRows}
      />
      <IconButton icon={Trash2} label={words.batch.edit.deleteRows} disabled={!hasRows} onClick={actions.removeRows} />
      <span className={styles.gap} />
      <Button
        size="small"
        look="quiet"
        icon={Columns3}
        className={styles.column}
        onClick={hasColumnMenu ? onColumnMenu : onAddColumn}
      >
        {hasColumnMenu ? words.batch.edit.column : words.batch.edit.addColumn}
      </Button>
      <Button
        size="small"
        look="quiet"
        icon={Search}
        aria-pressed={find !== undefined}
        title="Ctrl+F, Ctrl+H"
        {...commandButton('find')}
        onClick={() => model.places.showFind(find === undefined ? 'replace' : undefined)}
      >
        {words.batch.edit.find}
      </Button>
      <Button
        size="small"
        look="quiet"
        icon={problems > 0 ? TriangleAlert : CircleCheck}
        aria-pressed={isProblemsOpen}
        data-level={(sheet?.errorCount ?? 0) > 0 ? 'error' : problems > 0 ? 'warning' : 'none'}
        className={styles.problems}
        {...commandButton('problems')}
        onClick={() => model.places.showProblems(!isProblemsOpen)}
      >
        {problemWords(sheet?.errorCount ?? 0, sheet?.warningCount ?? 0)}
      </Button>
      <span className="grow" />
      {grid.batch.draftSubmits > 0 && <ReleaseButton batch={grid.batch} />}
    </div>
  );
}

interface ReleaseButtonProps {
  readonly batch: BatchView;
  /** Called before the question: where the focus is then, it goes back to, as this button goes once all is run. */
  readonly onAsk?: () => void;
}

/** Runs new and changed rows, and takes added to rows that are running, after the user has seen the cost. */
export function ReleaseButton({ batch, onAsk }: ReleaseButtonProps) {
  const model = useAppModel();
  // Runs what the dialog shows: the user has not agreed to an edit that is still under way.
  const [asked, setAsked] = useState<{ readonly batch: BatchView; readonly cost: ReleaseCostView | undefined }>();
  const [isBusy, run] = useBusy();
  const ask = (): void =>
    run(async () => {
      const reply = batch.rehearsal ? undefined : await model.ask('batch.releaseCost', { batchId: batch.id });
      if (reply?.ok !== false) setAsked({ batch, cost: reply?.value });
    });
  const release = ({ id: batchId, draftSubmits: submits }: BatchView): void =>
    run(async () => {
      const reply = await model.ask('batch.release', { batchId, submits });
      if (!reply.ok) return;
      model.notices.show({ level: 'info', title: words.batch.drafts.wait(reply.value.tasks), message: '' });
    });
  return (
    <>
      <Button
        size="small"
        look="primary"
        icon={Play}
        disabled={isBusy}
        onClick={() => {
          onAsk?.();
          ask();
        }}
        {...RUN_SHORTCUT}
      >
        {words.batch.drafts.run(...draftsIn(batch))}
      </Button>
      {asked !== undefined && (
        <ConfirmDialog
          title={words.batch.drafts.title(...draftsIn(asked.batch))}
          confirm={words.batch.drafts.confirm(...draftsIn(asked.batch))}
          decline={words.batch.drafts.decline}
          isHarmless={batch.rehearsal}
          onConfirm={() => release(asked.batch)}
          onClose={() => setAsked(undefined)}
        >
          {releaseCost(asked.batch, asked.cost)}
        </ConfirmDialog>
      )}
    </>
  );
}

/** What will run: new and changed rows, or more takes. */
function draftsIn({ rows, draftSubmits }: BatchView): [n: number, of: 'rows' | 'takes'] {
  return rows.draft > 0 ? [rows.draft, 'rows'] : [draftSubmits, 'takes'];
}
