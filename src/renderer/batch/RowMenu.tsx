import type { GridSelection } from '@glideapps/glide-data-grid';
import { Ban, FolderOpen, PanelRight, Play, RotateCcw } from 'lucide-react';
import { ContextMenu } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import type { BatchView, RowView } from '../../shared/ipc/views.ts';
import { ACTIVE_STATUSES } from '../../shared/domain/task.ts';
import { countOf } from '../format/numbers.ts';
import { useAppModel } from '../state/app-context.ts';
import { RetryDialog } from './RetryDialog.tsx';
import { selectedRows } from './selected-rows.ts';
import styles from './RowMenu.module.css';

interface RowMenuProps {
  readonly batch: BatchView;
  readonly selection: GridSelection;
  /** The grid that the menu belongs to; one element. */
  readonly children: ReactNode;
}

/** What can be done with the rows under the cursor. */
export function RowMenu({ batch, selection, children }: RowMenuProps) {
  const model = useAppModel();
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
          <ContextMenu.Content className={styles.menu} collisionPadding={8}>
            {first === undefined ? (
              <ContextMenu.Label className={styles.label}>No row is chosen</ContextMenu.Label>
            ) : (
              <>
                <ContextMenu.Item className={styles.item} onSelect={() => model.rows.inspect(first.row)}>
                  <PanelRight size={15} strokeWidth={1.75} aria-hidden />
                  Inspect
                  <kbd>Enter</kbd>
                </ContextMenu.Item>
                <ContextMenu.Item
                  className={styles.item}
                  disabled={first.files.length === 0}
                  onSelect={() => model.rows.look(first.row)}
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

function isActive(status: Exclude<RowView['status'], 'draft' | 'invalid' | 'skipped'>): boolean {
  return ACTIVE_STATUSES.has(status);
}

function idsOf(rows: readonly RowView[]): readonly string[] {
  return rows.map((row) => row.row);
}
