import { Ban, RotateCcw } from 'lucide-react';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { hasRequest, isUnderWay, useCancelRows } from '../head/use-cancel-rows.tsx';
import { canRetry, useRetry } from '../head/use-retry.tsx';
import { Button } from '../../design/Button.tsx';

/** What can be done with one row. */
export function RowActions({ batch, row }: { readonly batch: BatchView; readonly row: RowView }) {
  const { isRetrying, retry, retryDialog } = useRetry(batch);
  const { isCancelling, cancel, cancelDialog } = useCancelRows(batch);
  const isBusy = isRetrying || isCancelling;
  if (!canRetry(row) && !isUnderWay(row)) return null;
  return (
    <div className="row">
      {canRetry(row) && (
        <Button icon={RotateCcw} disabled={isBusy} onClick={() => retry(Promise.resolve([row.key]))}>
          Retry row
        </Button>
      )}
      {retryDialog}
      {cancelDialog}
      {isUnderWay(row) && (
        <Button
          look="quiet"
          icon={Ban}
          disabled={isBusy}
          onClick={() => cancel({ rows: Promise.resolve([row.key]), what: 'row', mayHaveRequest: hasRequest(row) })}
        >
          Cancel row
        </Button>
      )}
    </div>
  );
}
