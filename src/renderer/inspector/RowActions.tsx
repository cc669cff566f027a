import { Ban, RotateCcw } from 'lucide-react';
import type { BatchView, RowView } from '../../shared/ipc/views.ts';
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
  const canRetry = row.status === 'failed' || row.status === 'cancelled';
  const canCancel = STOPPABLE.has(row.status);
  if (!canRetry && !canCancel) return null;
  return (
    <div className={styles.actions}>
      {canRetry && (
        <Button icon={RotateCcw} disabled={isBusy} onClick={() => run(() => model.retry(batch.id, [row.row]))}>
          Retry row
        </Button>
      )}
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
