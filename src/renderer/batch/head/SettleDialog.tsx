import { FileDown } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { BatchView, UnknownSummary } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy, type ButtonProps } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { useAppModel } from '../../state/app-context.ts';
import { resubmitCost } from '../../format/costs.ts';

export type SettleDecision = 'resubmit' | 'write-off';

/** What the question is about, as the user saw it: rows that become unknown meanwhile are not part of it. */
export interface SettleQuestion {
  readonly decision: SettleDecision;
  readonly summary: UnknownSummary;
}

interface SettleDialogProps {
  readonly asked: SettleQuestion;
  readonly batch: BatchView;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before resolving unknown outcomes in a way that may cost something. */
function SettleDialog({ asked: { decision, summary }, batch, ...rest }: SettleDialogProps) {
  const what = settledWords(summary);
  if (decision === 'resubmit') {
    return (
      <ConfirmDialog
        title={words.batch.settle.resubmitTitle}
        confirm={words.batch.settle.resubmit(what)}
        decline={words.batch.settle.decline}
        {...rest}
      >
        {words.common.sentences([words.batch.settle.lookFirst, resubmitCost(summary, batch)])}
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      title={words.batch.settle.writeOffTitle(what)}
      confirm={words.batch.settle.writeOff(what)}
      decline={words.batch.settle.decline}
      {...rest}
    >
      {words.batch.settle.writeOffText}
    </ConfirmDialog>
  );
}

/** Asks for the user's word, and resolves what was asked about. */
export function useSettling(batch: BatchView): {
  readonly isBusy: boolean;
  readonly ask: (question: SettleQuestion) => void;
  readonly settleDialog: ReactNode;
} {
  const model = useAppModel();
  const [asked, setAsked] = useState<SettleQuestion>();
  const [isBusy, run] = useBusy();
  const settleDialog = asked !== undefined && (
    <SettleDialog
      asked={asked}
      batch={batch}
      onConfirm={() => run(() => model.batchCommands.settle(batch.id, asked.summary.shown, asked.decision))}
      onClose={() => setAsked(undefined)}
    />
  );
  return { isBusy, ask: setAsked, settleDialog };
}

interface ExportEvidenceProps extends Pick<ButtonProps, 'size'> {
  readonly batchId: string;
  /** The keys of the rows; undefined for all with an unknown outcome. */
  readonly rows: readonly number[] | undefined;
  readonly isDisabled?: boolean;
}

/** Writes what was sent and answered to a file. */
export function ExportEvidence({ batchId, rows, isDisabled = false, ...rest }: ExportEvidenceProps) {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  return (
    <Button
      size="small"
      look="quiet"
      icon={FileDown}
      disabled={isDisabled || isBusy}
      onClick={() => run(() => model.batchCommands.exportEvidence(batchId, rows))}
      {...rest}
    >
      {words.batch.settle.exportEvidence}
    </Button>
  );
}

/** What is resolved, for example `3 rows`, or `2 takes` of one row. */
export function settledWords({ rows, takes }: UnknownSummary): string {
  return rows === 1 && takes > 1 ? words.common.takes(takes) : words.common.rows(rows);
}
