import type { UnknownSummary } from '../../../shared/ipc/batches.ts';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { resubmitCost } from '../../format/costs.ts';
import { countOf } from '../../../shared/domain/base/text.ts';

export type SettleDecision = 'resubmit' | 'write-off';

/** What the question is about, as the user saw it: rows that become unknown meanwhile are not part of it. */
export interface SettleQuestion {
  readonly decision: SettleDecision;
  readonly summary: UnknownSummary;
}

interface SettleDialogProps {
  readonly asked: SettleQuestion;
  readonly isRehearsal: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before resolving unknown outcomes in a way that may cost something. */
export function SettleDialog({ asked: { decision, summary }, isRehearsal, ...rest }: SettleDialogProps) {
  const what = settledWords(summary);
  if (decision === 'resubmit') {
    return (
      <ConfirmDialog
        title="Resubmit, and maybe pay twice?"
        confirm={`Resubmit ${what}`}
        decline="Leave it unknown"
        {...rest}
      >
        Look at the gateway’s own list of tasks first. {resubmitCost(summary, isRehearsal)}
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog title={`Write off ${what}?`} confirm={`Write off ${what}`} decline="Leave it unknown" {...rest}>
      What is written off counts as failed. If the gateway did accept it, it was paid for, and its files are not
      fetched.
    </ConfirmDialog>
  );
}

/** What is resolved, for example `3 rows`, or `2 takes` of one row. */
export function settledWords({ rows, takes }: UnknownSummary): string {
  return rows === 1 && takes > 1 ? countOf(takes, 'take') : countOf(rows, 'row');
}
