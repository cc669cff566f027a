import { useState, type ReactNode } from 'react';
import { ACTIVE_STATUSES } from '../../../shared/domain/task/task.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { useAppModel } from '../../state/app-context.ts';

/** What to cancel. */
interface Cancelling {
  readonly rows: readonly number[];
  /** For example `3 rows`; of one row, `words.batch.row`. */
  readonly what: string;
  /** A request may be under way: {@link hasRequest} says so, or the window does not know all the rows. */
  readonly mayHaveRequest: boolean;
}

/** Cancels rows; asks first if a paid request is under way. */
export function useCancelRows(batch: BatchView): {
  readonly isCancelling: boolean;
  readonly cancel: (cancelling: Cancelling) => void;
  readonly cancelDialog: ReactNode;
} {
  const model = useAppModel();
  const [asked, setAsked] = useState<Cancelling>();
  const [underWay, setUnderWay] = useState(0);
  // Other rows may be chosen while some are being cancelled: a menu that did nothing then would not say so.
  const cancelNow = ({ rows }: Cancelling): void => {
    setUnderWay((count) => count + 1);
    void model.batchCommands.cancelRows(batch.id, rows).finally(() => setUnderWay((count) => count - 1));
  };
  const cancel = (cancelling: Cancelling): void => {
    if (cancelling.mayHaveRequest && !batch.rehearsal) setAsked(cancelling);
    else cancelNow(cancelling);
  };
  const cancelDialog = asked !== undefined && (
    <ConfirmDialog
      title={words.batch.cancel.title(asked.what)}
      confirm={words.batch.cancel.confirm(asked.what)}
      decline={words.batch.cancel.decline}
      onConfirm={() => cancelNow(asked)}
      onClose={() => setAsked(undefined)}
    >
      {words.batch.cancel.text}
    </ConfirmDialog>
  );
  return { isCancelling: underWay > 0, cancel, cancelDialog };
}

/** Takes of it wait or are running. Not `draft`: the user has not agreed yet to takes added to a running row. */
export function isUnderWay({ status }: Pick<RowView, 'status'>): boolean {
  return (ACTIVE_STATUSES as ReadonlySet<RowView['status']>).has(status);
}

/** Whether a request of a row is on its way or was accepted, and its result is not here yet. */
export function hasRequest({ status }: Pick<RowView, 'status'>): boolean {
  return status !== 'queued' && isUnderWay({ status });
}
