import { useState, type ReactNode } from 'react';
import type { BatchView, ShownTakes } from '../../../shared/ipc/batches.ts';
import type { RouteOutput } from '../../../shared/ipc/contract.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { useBusy } from '../../design/Button.tsx';
import { retriedTogether, retryCost } from '../../format/costs.ts';
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
  const [asked, setAsked] = useState<RouteOutput<'batch.retryCost'>>();
  const [isRetrying, run] = useBusy();
  const retryTakes = async (takes: ShownTakes): Promise<void> => {
    if (batch.rehearsal) return model.batchCommands.retry(batch.id, takes);
    const reply = await model.ask('batch.retryCost', { batchId: batch.id, takes });
    if (reply.ok) setAsked(reply.value);
  };
  const retry = (rows?: readonly number[]): void =>
    run(async () => {
      const takes = await model.batchCommands.retryable(batch.id, rows);
      if (takes !== undefined) await retryTakes(takes);
    });
  const retryDialog = asked !== undefined && (
    <RetryDialog
      batch={batch}
      {...asked}
      onConfirm={(takes) => run(() => model.batchCommands.retry(batch.id, takes))}
      onClose={() => setAsked(undefined)}
    />
  );
  return { isRetrying, retry, retryTakes, retryDialog };
}

type RetryDialogProps = RouteOutput<'batch.retryCost'> & {
  readonly batch: BatchView;
  readonly onConfirm: (takes: ShownTakes) => void;
  readonly onClose: () => void;
};

/** Takes refused because of what they ask for are left out, unless the user includes them or retries nothing else. */
function RetryDialog({ batch, others, refused, onConfirm, onClose }: RetryDialogProps) {
  const hasOthers = others.shown.length > 0;
  const [isIncluded, include] = useState(!hasOthers);
  const chosen = isIncluded ? retriedTogether(others, refused) : others;
  const count = refused.shown.length;
  return (
    <ConfirmDialog
      title={words.batch.retry.title}
      confirm={words.batch.retry.confirm(chosen.shown.length)}
      decline={words.batch.retry.decline}
      onConfirm={() => onConfirm(chosen.shown)}
      onClose={onClose}
    >
      <div className="stack">
        {count > 0 && <p>{words.batch.retry.refused(count)}</p>}
        <p>{retryCost(chosen.shown, batch, chosen)}</p>
        {count > 0 && hasOthers && (
          <label className="row">
            <input type="checkbox" checked={isIncluded} onChange={(event) => include(event.target.checked)} />
            {words.batch.retry.refusedAsWell(count)}
          </label>
        )}
      </div>
    </ConfirmDialog>
  );
}

/** Takes of it have ended without a file. */
export function canRetry({ status }: Pick<RowView, 'status'>): boolean {
  return status === 'failed' || status === 'cancelled';
}
