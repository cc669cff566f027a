import {
  ArrowDown,
  ArrowUp,
  Ban,
  BetweenHorizontalEnd,
  BetweenHorizontalStart,
  CopyPlus,
  FolderOpen,
  PanelRight,
  Play,
  RotateCcw,
  Trash2,
  type LucideIcon,
} from 'lucide-react';
import { ContextMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import type { RowView } from '../../../shared/ipc/views.ts';
import { ACTIVE_STATUSES } from '../../../shared/domain/task/task.ts';
import { countOf } from '../../format/numbers.ts';
import { useAppModel } from '../../state/app-context.ts';
import type { Rows } from '../../state/batch/sheet-editing.ts';
import { chosenRowsOf } from '../keys/selected-rows.ts';
import { chosenRows, rowsToInsert, type GridActions } from '../keys/use-grid-actions.ts';
import type { Grid } from './use-grid.ts';
import { hasRequest, useCancelRows } from '../head/use-cancel-rows.tsx';
import { useRetry } from '../head/use-retry.tsx';
import styles from './RowMenu.module.css';

interface RowMenuProps {
  readonly grid: Grid;
  readonly actions: GridActions;
  /** The grid that the menu belongs to; one element. */
  readonly children: ReactNode;
}

/** What can be done with the rows under the cursor. */
export function RowMenu({ grid, actions, children }: RowMenuProps) {
  const { retry, retryDialog } = useRetry(grid.batch);
  const { cancel, cancelDialog } = useCancelRows(grid.batch);
  return (
    <>
      <ContextMenu.Root modal={false}>
        <ContextMenu.Trigger asChild>{children}</ContextMenu.Trigger>
        <ContextMenu.Portal>
          <ContextMenu.Content
            className={styles.menu}
            collisionPadding={8}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              grid.editor.current?.focus();
            }}
          >
            <RowItems grid={grid} actions={actions} retry={retry} cancel={cancel} />
          </ContextMenu.Content>
        </ContextMenu.Portal>
      </ContextMenu.Root>
      {retryDialog}
      {cancelDialog}
    </>
  );
}

interface RowItemsProps extends Pick<RowMenuProps, 'grid' | 'actions'> {
  readonly retry: (rows: Rows) => void;
  readonly cancel: ReturnType<typeof useCancelRows>['cancel'];
}

function RowItems({ grid, actions, retry, cancel }: RowItemsProps) {
  const model = useAppModel();
  const { choice } = grid;
  const { known, spans, isWhole } = chosenRowsOf(model.rows.pages, choice, grid.total);
  const first = grid.current?.row ?? known[0];
  if (first === undefined) return <ContextMenu.Label className={styles.label}>No row is chosen</ContextMenu.Label>;
  const retryable = known.filter(({ status }) => status === 'failed' || status === 'cancelled');
  const stoppable = known.filter(({ status }) => isActive(status));
  const file = first.files[0];
  // Of rows that were never in sight it is not known how many are meant; what cannot be done names the chosen rows.
  const countWords = (rows: readonly RowView[]): string =>
    isWhole ? countOf(rows.length > 0 ? rows.length : Math.max(1, known.length), 'row') : 'rows';
  const keysOf = (rows: readonly RowView[]): Rows =>
    isWhole ? Promise.resolve(rows.map(({ key }) => key)) : choice.keys(spans);
  return (
    <>
      <ContextMenu.Item className={styles.item} onSelect={() => model.rows.inspect(first.key)}>
        <PanelRight size={15} strokeWidth={1.75} aria-hidden />
        Inspect
        <kbd>Ctrl+I</kbd>
      </ContextMenu.Item>
      <ContextMenu.Item
        className={styles.item}
        disabled={first.files.length === 0}
        onSelect={() => model.rows.look(first.key)}
      >
        <Play size={15} strokeWidth={1.75} aria-hidden />
        Play
        <kbd>Space</kbd>
      </ContextMenu.Item>
      <ContextMenu.Item
        className={styles.item}
        disabled={file === undefined}
        onSelect={() => file && void model.ask('file.showInFolder', { fileId: file.id })}
      >
        <FolderOpen size={15} strokeWidth={1.75} aria-hidden />
        Show file in its folder
      </ContextMenu.Item>
      <ContextMenu.Separator className={styles.separator} />
      <EditItems grid={grid} actions={actions} />
      <ContextMenu.Separator className={styles.separator} />
      <ContextMenu.Item
        className={styles.item}
        disabled={isWhole && retryable.length === 0}
        onSelect={() => retry(keysOf(retryable))}
      >
        <RotateCcw size={15} strokeWidth={1.75} aria-hidden />
        Retry {countWords(retryable)}
      </ContextMenu.Item>
      <ContextMenu.Item
        className={styles.item}
        disabled={isWhole && stoppable.length === 0}
        onSelect={() =>
          cancel({
            rows: keysOf(stoppable),
            what: countWords(stoppable),
            mayHaveRequest: !isWhole || stoppable.some(hasRequest),
          })
        }
      >
        <Ban size={15} strokeWidth={1.75} aria-hidden />
        Cancel {countWords(stoppable)}
      </ContextMenu.Item>
    </>
  );
}

/** What can be done with the rows as lines of the sheet. */
function EditItems({ grid, actions }: Pick<RowMenuProps, 'grid' | 'actions'>) {
  const count = chosenRows(grid).reduce((sum, { height }) => sum + height, 0);
  const rows = countOf(Math.max(1, count), 'row');
  const empty = countOf(rowsToInsert(grid), 'row');
  return (
    <>
      <EditItem icon={BetweenHorizontalStart} keys="Ctrl++" onSelect={() => actions.insertRows('above')}>
        Insert {empty} above
      </EditItem>
      <EditItem icon={BetweenHorizontalEnd} onSelect={() => actions.insertRows('below')}>
        Insert {empty} below
      </EditItem>
      <EditItem icon={CopyPlus} onSelect={actions.duplicateRows}>
        Duplicate {rows}
      </EditItem>
      <EditItem icon={ArrowUp} keys="Alt+↑" onSelect={() => actions.moveRows('up')}>
        Move up
      </EditItem>
      <EditItem icon={ArrowDown} keys="Alt+↓" onSelect={() => actions.moveRows('down')}>
        Move down
      </EditItem>
      <EditItem icon={Trash2} keys="Ctrl+−" onSelect={actions.removeRows}>
        Delete {rows}
      </EditItem>
    </>
  );
}

interface EditItemProps {
  readonly icon: LucideIcon;
  readonly keys?: string;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

function EditItem({ icon: Icon, keys, onSelect, children }: EditItemProps) {
  return (
    <ContextMenu.Item className={styles.item} onSelect={onSelect}>
      <Icon size={15} strokeWidth={1.75} aria-hidden />
      {children}
      {keys !== undefined && <kbd>{keys}</kbd>}
    </ContextMenu.Item>
  );
}

/** Not `draft`: what was added to a row at work is not agreed to yet. */
function isActive(status: RowView['status']): boolean {
  const active: ReadonlySet<RowView['status']> = ACTIVE_STATUSES;
  return active.has(status);
}
