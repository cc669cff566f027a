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
import { useState, type ReactNode } from 'react';
import type { RowView } from '../../shared/ipc/views.ts';
import { ACTIVE_STATUSES } from '../../shared/domain/task.ts';
import { countOf } from '../format/numbers.ts';
import { useAppModel } from '../state/app-context.ts';
import { RetryDialog } from './RetryDialog.tsx';
import { selectedRows } from './selected-rows.ts';
import { chosenRows, type GridActions } from './use-grid-actions.ts';
import type { Grid } from './use-grid.ts';
import styles from './RowMenu.module.css';

interface RowMenuProps {
  readonly grid: Grid;
  readonly actions: GridActions;
  /** The grid that the menu belongs to; one element. */
  readonly children: ReactNode;
}

/** What can be done with the rows under the cursor. */
export function RowMenu({ grid, actions, children }: RowMenuProps) {
  const model = useAppModel();
  const { batch, selection } = grid;
  const rows = selectedRows(model.rows.pages, selection);
  const [first] = rows;
  const retryable = rows.filter(({ status }) => status === 'failed' || status === 'cancelled');
  const stoppable = rows.filter(
    ({ status }) => status !== 'draft' && status !== 'invalid' && status !== 'skipped' && isActive(status),
  );
  const file = first?.files[0];
  // What is asked about is kept: the selection may have moved on when the answer comes.
  const [asked, setAsked] = useState<readonly string[]>([]);
  const askOrRetry = (): void => {
    if (batch.rehearsal) void model.retry(batch.id, idsOf(retryable));
    else setAsked(idsOf(retryable));
  };
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
            {first === undefined ? (
              <ContextMenu.Label className={styles.label}>No row is chosen</ContextMenu.Label>
            ) : (
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
                <ContextMenu.Item className={styles.item} disabled={retryable.length === 0} onSelect={askOrRetry}>
                  <RotateCcw size={15} strokeWidth={1.75} aria-hidden />
                  Retry {countOf(Math.max(1, retryable.length), 'row')}
                </ContextMenu.Item>
                <ContextMenu.Item
                  className={styles.item}
                  disabled={stoppable.length === 0}
                  onSelect={() => void model.cancelRows(batch.id, idsOf(stoppable))}
                >
                  <Ban size={15} strokeWidth={1.75} aria-hidden />
                  Cancel {countOf(Math.max(1, stoppable.length), 'row')}
                </ContextMenu.Item>
              </>
            )}
          </ContextMenu.Content>
        </ContextMenu.Portal>
      </ContextMenu.Root>
      <RetryDialog
        isOpen={asked.length > 0}
        what={countOf(asked.length, 'row')}
        onConfirm={() => void model.retry(batch.id, asked)}
        onClose={() => setAsked([])}
      />
    </>
  );
}

/** What can be done with the rows as lines of the sheet. */
function EditItems({ grid, actions }: Pick<RowMenuProps, 'grid' | 'actions'>) {
  const count = chosenRows(grid).reduce((sum, { height }) => sum + height, 0);
  const rows = countOf(Math.max(1, count), 'row');
  return (
    <>
      <EditItem icon={BetweenHorizontalStart} keys="Ctrl++" onSelect={() => actions.insertRows('above')}>
        Insert {rows} above
      </EditItem>
      <EditItem icon={BetweenHorizontalEnd} onSelect={() => actions.insertRows('below')}>
        Insert {rows} below
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

function isActive(status: Exclude<RowView['status'], 'draft' | 'invalid' | 'skipped'>): boolean {
  return ACTIVE_STATUSES.has(status);
}

function idsOf(rows: readonly RowView[]): readonly string[] {
  return rows.map((row) => row.row);
}
