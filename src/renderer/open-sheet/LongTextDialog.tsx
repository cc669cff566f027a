import { ConfirmDialog } from '../design/Dialog.tsx';
import { countOf } from '../format/numbers.ts';

interface LongTextDialogProps {
  /** How many rows hold such a text. */
  readonly rows: number;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before texts are sent that are so long that they are likely a mistake. */
export function LongTextDialog({ rows, onConfirm, onClose }: LongTextDialogProps) {
  return (
    <ConfirmDialog title="Send very long texts?" confirm="Start" decline="Back" onConfirm={onConfirm} onClose={onClose}>
      {`${countOf(rows, 'row')} ${rows === 1 ? 'holds' : 'hold'} more than 100 kB of text. It is sent as it is.`}
    </ConfirmDialog>
  );
}
