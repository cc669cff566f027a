import type { LucideIcon } from 'lucide-react';
import { Dialog as Parts } from 'radix-ui';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { Button, type ButtonProps } from './Button.tsx';
import { joinClasses } from './join-classes.ts';
import styles from './Dialog.module.css';

/** A button that does what the dialog is for. */
interface DialogAction {
  readonly words: string;
  readonly onClick: () => void;
  readonly look?: NonNullable<ButtonProps['look']>;
  readonly icon?: LucideIcon;
  readonly isDisabled?: boolean;
  /** Its keyboard shortcut, as a tooltip. */
  readonly keys?: string;
}

/** The line of buttons. Whoever offers an action must also offer the way to leave everything as it is. */
interface ButtonLine {
  /** The label of the button that leaves everything as it is. */
  readonly decline: string;
  /** The actions, the most likely last. */
  readonly actions?: readonly DialogAction[];
  /** Shown before the buttons: the cost, the length of a text. */
  readonly foot?: ReactNode;
  /** While an action runs, no other can be chosen, and nobody can leave as if it did not run. */
  readonly isBusy?: boolean;
}

type NoButtonLine = { readonly [Key in keyof ButtonLine]?: never };

interface DialogFrame {
  readonly title: string;
  /** Beside the title, quieter: the file in question. */
  readonly about?: string;
  /** Its purpose, under the title. */
  readonly hint?: ReactNode;
  /** Buttons at the end of the title's line. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
  /** Why it could not do all that it was asked to do. */
  readonly problem?: string | undefined;
  /** Only a button or Escape answers it, never a click outside. */
  readonly isQuestion?: boolean;
  readonly isWide?: boolean;
  /** Its content reaches its edges. */
  readonly isBare?: boolean;
  /** A click outside would lose what was typed. */
  readonly staysOnClickBeside?: boolean;
  readonly className?: string | undefined;
  readonly testId?: string;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  /** A part of it that Escape closes first prevents the event's default. */
  readonly onEscape?: (event: globalThis.KeyboardEvent) => void;
  /** Chooses what gets the focus first. Default: the first field or button. */
  readonly onOpenFocus?: (content: HTMLElement) => void;
  /** False if somebody else takes the focus back. */
  readonly givesFocusBack?: boolean;
  readonly onClose: () => void;
}

type DialogProps = DialogFrame & (ButtonLine | NoButtonLine);

/**
 * A dialog over the window that keeps the focus. It is open as long as it is rendered.
 *
 * Radix's, not the platform's `<dialog>`: that one lies in the top layer and makes everything below it inert, even the
 * notices, which the user must be able to read and dismiss while a dialog is open.
 */
export function Dialog(props: DialogProps) {
  const { title, about, hint, tools, children, problem, isQuestion = false, onOpenFocus, onClose } = props;
  // Where the focus was: a dialog that opens by itself has no button to return to.
  const before = useRef<Element>(null);
  const openFocus = isQuestion ? focusDecline : onOpenFocus;
  return (
    <Parts.Root open onOpenChange={(isOpen) => !isOpen && props.isBusy !== true && onClose()}>
      <Parts.Portal>
        <Parts.Overlay className={styles.overlay} />
        <Parts.Content
          className={joinClasses(
            styles.content,
            isQuestion && styles.question,
            props.isWide === true && styles.wide,
            props.isBare === true && styles.bare,
            props.className,
          )}
          role={isQuestion ? 'alertdialog' : 'dialog'}
          data-testid={props.testId}
          {...(hint === undefined && !isQuestion && { 'aria-describedby': undefined })}
          onKeyDown={props.onKeyDown}
          onEscapeKeyDown={props.onEscape}
          onOpenAutoFocus={(event) => {
            const { currentTarget: content } = event;
            if (!(content instanceof HTMLElement)) return;
            if (!content.contains(document.activeElement)) before.current = document.activeElement;
            if (openFocus === undefined) return;
            event.preventDefault();
            openFocus(content);
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (props.givesFocusBack !== false) giveFocusBack(before.current);
          }}
          onInteractOutside={(event) => {
            if (isQuestion || props.staysOnClickBeside === true) event.preventDefault();
          }}
        >
          <header className={styles.head}>
            <div className="grow">
              <Parts.Title className={styles.title}>
                {title}
                {about !== undefined && <span className={joinClasses(styles.about, 'cut')}>{about}</span>}
              </Parts.Title>
              {hint !== undefined && <Parts.Description className={styles.hint}>{hint}</Parts.Description>}
            </div>
            {tools}
          </header>
          {isQuestion ? (
            <Parts.Description asChild>
              <div className={styles.text}>{children}</div>
            </Parts.Description>
          ) : (
            children
          )}
          {problem !== undefined && <p className={styles.problem}>{problem}</p>}
          {props.decline !== undefined && <Buttons {...props} />}
        </Parts.Content>
      </Parts.Portal>
    </Parts.Root>
  );
}

/** In the same order everywhere: the way to leave everything as it is, then the actions, the most likely last. */
function Buttons({ foot, decline, actions, isBusy = false, onClose }: ButtonLine & Pick<DialogFrame, 'onClose'>) {
  return (
    <footer className={styles.foot}>
      <div className="grow">{foot}</div>
      <Button data-declines disabled={isBusy} onClick={onClose}>
        {decline}
      </Button>
      {actions?.map(({ words, isDisabled = false, keys, ...rest }) => (
        <Button key={words} disabled={isBusy || isDisabled} title={keys} {...rest}>
          {words}
        </Button>
      ))}
    </footer>
  );
}

/** To what had it, or to the dialog below if that is gone: without the focus in it, no key reaches a dialog. */
function giveFocusBack(before: Element | null): void {
  const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
  const below = [...document.querySelectorAll<HTMLElement>('[role="dialog"], [role="alertdialog"]')].at(-1);
  (isThere ? before : below)?.focus();
}

function focusDecline(content: HTMLElement): void {
  content.querySelector<HTMLElement>('[data-declines]')?.focus();
}

interface ConfirmDialogProps extends Pick<DialogFrame, 'title' | 'children' | 'onClose'> {
  /** The label of the button that does it. */
  readonly confirm: string;
  /** The label of the button that leaves everything as it is. */
  readonly decline: string;
  /** For an action that undoes nothing and removes nothing. */
  readonly isHarmless?: boolean;
  readonly onConfirm: () => void;
}

/** Asks before something that cannot be undone, or that may cost. */
export function ConfirmDialog({ confirm, isHarmless = false, onConfirm, ...rest }: ConfirmDialogProps) {
  const answer: DialogAction = {
    words: confirm,
    look: isHarmless ? 'primary' : 'danger',
    onClick: () => {
      onConfirm();
      rest.onClose();
    },
  };
  return <Dialog {...rest} isQuestion actions={[answer]} />;
}
