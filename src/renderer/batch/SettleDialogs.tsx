import { ConfirmDialog } from '../design/ConfirmDialog.tsx';

export type SettleDecision = 'resubmit' | 'write-off';

interface SettleDialogsProps {
  /** What is asked about; undefined while nothing is. */
  readonly asks: SettleDecision | undefined;
  /** What is settled, such as `3 rows`; undefined for the one that is looked at. */
  readonly what?: string | undefined;
  /** What submitting again costs, as a sentence. */
  readonly cost: string;
  readonly onConfirm: (decision: SettleDecision) => void;
  readonly onClose: () => void;
}

/** Asks before unknown outcomes are settled in a way that may cost. */
export function SettleDialogs({ asks, what, cost, onConfirm, onClose }: SettleDialogsProps) {
  const them = what === undefined ? '' : ` ${what}`;
  return (
    <>
      <ConfirmDialog
        isOpen={asks === 'resubmit'}
        title="Resubmit, and maybe pay twice?"
        confirm={`Resubmit${them}`}
        decline="Leave it unknown"
        onConfirm={() => onConfirm('resubmit')}
        onClose={onClose}
      >
        If the first request went through, you pay again. Look at the gateway’s own list of tasks first. {cost}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asks === 'write-off'}
        title={what === undefined ? 'Write it off?' : `Write off ${what}?`}
        confirm={`Write off${them}`}
        decline="Leave it unknown"
        onConfirm={() => onConfirm('write-off')}
        onClose={onClose}
      >
        What is written off counts as failed. If the gateway did accept it, it was paid for and its files are not
        fetched.
      </ConfirmDialog>
    </>
  );
}
