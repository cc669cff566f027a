import { useState, type ReactNode } from 'react';
import type { BatchView, ShownTakes } from '../../../shared/ipc/batches.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { useBusy } from '../../design/Button.tsx';
import { retryCost } from '../../format/costs.ts';
import { countOf } from '../../../shared/domain/base/text.ts';
import { useAppModel } from '../../state/app-context.ts';

interface Retrying {
  readonly isRetrying: boolean;
  /** Retries what failed or was cancelled: in the batch, or in these rows. */
  readonly retry: (rows?: readonly number[]) => void;
  /** Retries these takes, in the same way. */
  readonly retryTakes: (takes: ShownTakes) => Promise<void>;
  readonly retryDialog: ReactNode;
}

/**
 * Asks before a retry on a gateway that charges: it may pay for a rendering again. Only the takes in the question are
 * retried, not those that fail while it is open.
 */
export function useRetry(batch: BatchView): Retrying {
  const model = useAppModel();
  const [asked, setAsked] = useState<ShownTakes>();
  const [isRetrying, run] = useBusy();
  const retryTakes = async (takes: ShownTakes): Promise<void> => {
    if (batch.rehearsal) await model.retry(batch.id, takes);
    else setAsked(takes);
  };
  const retry = (rows?: readonly number[]): void =>
    run(async () => {
      const takes = await model.retryable(batch.id, rows);
      if (takes !== undefined) await retryTakes(takes);
    });
  const retryDialog = asked !== undefined && (
    <ConfirmDialog
      title="Retry?"
      confirm={`Retry ${countOf(asked.length, 'take')}`}
      decline="Not now"
      onConfirm={() => run(() => model.retry(batch.id, asked))}
      onClose={() => setAsked(undefined)}
    >
      {retryCost(asked, batch)}
    </ConfirmDialog>
  );
  return { isRetrying, retry, retryTakes, retryDialog };
}

/** Takes of it have ended without a file. */
export function canRetry({ status }: Pick<RowView, 'status'>): boolean {
  return status === 'failed' || status === 'cancelled';
}
