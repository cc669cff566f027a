import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { BatchView, RowView } from '../../shared/ipc/views.ts';
import { RetryDialog } from '../batch/RetryDialog.tsx';
import { Button } from '../design/Button.tsx';
import { useBusy } from '../design/use-busy.ts';
import { useAppModel } from '../state/app-context.ts';
import styles from './RowActions.module.css';

const STOPPABLE: ReadonlySet<RowView['status']> = new Set<RowView['status']>([
  'queued',
  'submitting',
  'rendering',
  'downloading',
]);

/** What can be done with one row. */
export function RowActions({ batch, row }: { readonly batch: BatchView; readonly row: RowView }) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  const [asks, setAsks] = useState(false);
  const retry = (): void => run(() => model.retry(batch.id, [row.row]));
  const canRetry = row.status === 'failed' || row.status === 'cancelled';
  const canCancel = STOPPABLE.has(row.status);
  if (!canRetry && !canCancel) return null;
  return (
    <div className={styles.actions}>
      {canRetry && (
        <Button icon={RotateCcw} disabled={isBusy} onClick={() => (batch.rehearsal ? retry() : setAsks(true))}>
          Retry row
        </Button>
      )}
      <RetryDialog isOpen={asks} what="the row" onConfirm={retry} onClose={() => setAsks(false)} />
      {canCancel && (
        <Button
          look="quiet"
          icon={Ban}
          disabled={isBusy}
          onClick={() => run(() => model.cancelRows(batch.id, [row.row]))}
        >
          Cancel row
        </Button>
      )}
    </div>
  );
}
