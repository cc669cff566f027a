import { Copy } from 'lucide-react';
import { ContextMenu } from 'radix-ui';
import { SegmentedBar } from '../design/SegmentedBar.tsx';
import { formatPercent } from '../format/numbers.ts';
import { visibleLine } from '../format/visible-text.ts';
import { BATCH_STATE_NAMES } from '../format/words.ts';
import type { BatchView } from '../../shared/ipc/views.ts';
import { useAppModel } from '../state/app-context.ts';
import { endedTasks, statusTotals, tasksInTotal } from '../state/batch-progress.ts';
import styles from './BatchLink.module.css';

/** One batch in the side: its name, its state in words and as a dot, and how far it is. */
export function BatchLink({ batch, isCurrent }: { readonly batch: BatchView; readonly isCurrent: boolean }) {
  const model = useAppModel();
  const totals = statusTotals(batch.counts);
  const isMoving = batch.state === 'running' || batch.state === 'paused';
  const needsWord = batch.pause?.by === 'failure' || totals['submit-unknown'] > 0;
  // Finished is not well: green is kept for nights of which every row came home.
  const hasFallen = batch.state === 'finished' && totals.failed > 0;
  const link = (
    <button
      type="button"
      className={styles.link}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={() => model.go({ kind: 'batch', batchId: batch.id })}
    >
      <span className={styles.line}>
        <span
          className={styles.dot}
          data-state={needsWord ? 'attention' : hasFallen ? 'fallen' : batch.state}
          aria-hidden
        />
        <span className={styles.name}>{visibleLine(batch.name)}</span>
      </span>
      <span className={styles.state}>
        {needsWord ? 'Needs you' : BATCH_STATE_NAMES[batch.state]}
        {isMoving && ` · ${formatPercent(endedTasks(totals), tasksInTotal(totals))}`}
        {totals.failed > 0 && ` · ${totals.failed} failed`}
      </span>
      {isMoving && <SegmentedBar totals={totals} size="thin" />}
    </button>
  );
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger asChild>{link}</ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Content className={styles.menu}>
          <ContextMenu.Item className={styles.item} onSelect={() => void model.bringIn.duplicate(batch.id)}>
            <Copy size={15} strokeWidth={1.75} aria-hidden />
            Duplicate
          </ContextMenu.Item>
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  );
}
