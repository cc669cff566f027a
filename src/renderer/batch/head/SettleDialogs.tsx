import type { UnknownSummary } from '../../../shared/ipc/views.ts';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { resubmitCost } from '../../format/costs.ts';
import { countOf } from '../../format/numbers.ts';

export type SettleDecision = 'resubmit' | 'write-off';

/** What the user is asked about. It is kept as it was shown: what turns unknown meanwhile is not among it. */
export interface SettleQuestion {
  readonly decision: SettleDecision;
  readonly summary: UnknownSummary;
}

interface SettleDialogsProps {
  /** Undefined while nothing is asked. */
  readonly asked: SettleQuestion | undefined;
  readonly isRehearsal: boolean;
  readonly onConfirm: (asked: SettleQuestion) => void;
  readonly onClose: () => void;
}

/** Asks before unknown outcomes are settled in a way that may cost. */
export function SettleDialogs({ asked, isRehearsal, onConfirm, onClose }: SettleDialogsProps) {
  const what = settledWords(asked?.summary);
  const confirm = (): void => asked && onConfirm(asked);
  return (
    <>
      <ConfirmDialog
        isOpen={asked?.decision === 'resubmit'}
        title="Resubmit, and maybe pay twice?"
        confirm={`Resubmit ${what}`}
        decline="Leave it unknown"
        onConfirm={confirm}
        onClose={onClose}
      >
        If the first request went through, you pay again. Look at the gateway’s own list of tasks first.{' '}
        {resubmitCost(asked?.summary, isRehearsal)}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked?.decision === 'write-off'}
        title={`Write off ${what}?`}
        confirm={`Write off ${what}`}
        decline="Leave it unknown"
        onConfirm={confirm}
        onClose={onClose}
      >
        What is written off counts as failed. If the gateway did accept it, it was paid for and its files are not
        fetched.
      </ConfirmDialog>
    </>
  );
}

/** What is settled, such as `3 rows`, or `2 takes` of one row. */
export function settledWords(summary: UnknownSummary | undefined): string {
  const { rows = 0, takes = 0 } = summary ?? {};
  return rows === 1 && takes > 1 ? countOf(takes, 'take') : countOf(rows, 'row');
}
