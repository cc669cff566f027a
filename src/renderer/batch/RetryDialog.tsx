import { ConfirmDialog } from '../design/ConfirmDialog.tsx';

interface RetryDialogProps {
  readonly isOpen: boolean;
  /** What is retried, such as `3 rows`. */
  readonly what: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before a retry on a gateway that charges: it may be a rendering that is paid for again. */
export function RetryDialog({ isOpen, what, onConfirm, onClose }: RetryDialogProps) {
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Retry?"
      confirm={`Retry ${what}`}
      decline="Not now"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      If the gateway still has a result, it is fetched again free of charge. If not, the retry is a new paid request.
    </ConfirmDialog>
  );
}
