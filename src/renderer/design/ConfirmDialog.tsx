import { AlertDialog } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import { Button } from './Button.tsx';
import styles from './ConfirmDialog.module.css';

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly children: ReactNode;
  /** The words of the button that does it. */
  readonly confirm: string;
  /** The words of the button that leaves everything as it is. */
  readonly decline: string;
  /** Where it undoes nothing and takes nothing away. */
  readonly isHarmless?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone, or that may cost. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, title, children, confirm, decline, isHarmless = false, onConfirm, onClose } = props;
  // Where the keyboard was: it goes back there, for a dialog that opens by itself has no button to return to.
  const before = useRef<Element>(null);
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={styles.overlay} />
        <AlertDialog.Content
          className={styles.content}
          onOpenAutoFocus={() => {
            before.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus();
          }}
        >
          <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className={styles.text}>{children}</div>
          </AlertDialog.Description>
          <div className={styles.buttons}>
            <AlertDialog.Cancel asChild>
              <Button look="secondary">{decline}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild onClick={onConfirm}>
              <Button look={isHarmless ? 'primary' : 'danger'}>{confirm}</Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
