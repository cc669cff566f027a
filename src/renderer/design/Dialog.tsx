import { X, type LucideIcon } from 'lucide-react';
import { Dialog as Parts } from 'radix-ui';
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { words } from '../../shared/words/words.ts';
import { Button, IconButton, type ButtonProps } from './Button.tsx';
import { focusPlaceOf, type FocusPlace } from '../shell/focus-place.ts';
import { joinClasses } from './join-classes.ts';
import styles from './Dialog.module.css';

/** A button that does what the dialog is for. */
interface DialogAction {
  readonly words: string;
  readonly onClick: () => void;
  readonly look?: NonNullable<ButtonProps['look']>;
  readonly icon?: LucideIcon;
  readonly isDisabled?: boolean;
  /** Its keyboard shortcut, as `Ctrl+Enter`: a tooltip. */
  readonly keys?: string;
}

/** The line of buttons. A dialog that offers an action must also offer a way to leave everything as it is. */
interface ButtonLine {
  /** The label of the button that leaves everything as it is. */
  readonly decline: string;
  /** The actions, the most likely last. */
  readonly actions?: readonly DialogAction[];
  /** Shown before the buttons: the cost, the length of a text. */
  readonly foot?: ReactNode;
  /** While an action runs, no other can be chosen, and the dialog cannot be left as if it did not run. */
  readonly isBusy?: boolean;
}

type NoButtonLine = { readonly [Key in keyof ButtonLine]?: never };

interface DialogFrame {
  readonly title: string;
  /** The whole of a title that is only the beginning of a text. */
  readonly wholeTitle?: string | undefined;
  /** Beside the title, quieter: the file in question. */
  readonly about?: string;
  /** Its purpose, under the title. */
  readonly hint?: ReactNode;
  /** Buttons at the end of the title's line. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
  /** Why it could not do all that it was asked to do. */
  readonly problem?: string | undefined;
  /** Why what it asked for was refused, if that concerns none of its fields; it is read out. */
  readonly refusal?: string | undefined;
  /** Only a button or Escape answers it, never a click outside. */
  readonly isQuestion?: boolean;
  readonly isWide?: boolean;
  /** Its content reaches its edges. */
  readonly isBare?: boolean;
  /** What would be lost by leaving now: asks first, whichever way the user leaves. */
  readonly unsaved?: string | undefined;
  /** A button at the end of the title's line closes it, too. */
  readonly hasClose?: boolean;
  readonly className?: string | undefined;
  readonly testId?: string;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  /** A part of it that Escape closes first prevents the event's default. */
  readonly onEscape?: (event: globalThis.KeyboardEvent) => void;
  /** Chooses what gets the focus first. Default: the first field or button. */
  readonly onOpenFocus?: (content: HTMLElement) => void;
  readonly onClose: () => void;
  /** Called once the dialog is gone and the focus is back: what opens then returns the focus to the same place. */
  readonly onClosed?: () => void;
}

type DialogProps = DialogFrame & (ButtonLine | NoButtonLine);

/**
 * A dialog over the window that keeps the focus. It is open as long as it is rendered.
 *
 * Radix's, not the platform's `<dialog>`: that one is in the top layer and makes everything below it inert, even the
 * notices, which the user must be able to read and dismiss while a dialog is open.
 */
export function Dialog(props: DialogProps) {
  const { title, about, hint, tools, children, problem, unsaved, isQuestion = false, onOpenFocus, onClose } = props;
  const [asks, setAsks] = useState(false);
  // Where the focus was: a dialog that opens by itself has no button to return to.
  const before = useRef<FocusPlace>(undefined);
  const openFocus = isQuestion ? focusDecline : onOpenFocus;
  const leave = (): void => {
    if (props.isBusy === true) return;
    if (unsaved === undefined) onClose();
    else setAsks(true);
  };
  return (
    <Parts.Root open onOpenChange={(isOpen) => !isOpen && leave()}>
      <Parts.Portal>
        <Parts.Overlay className={styles.overlay} />
        <Parts.Content
          className={joinClasses(
            'stack',
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
            const { activeElement } = document;
            if (activeElement instanceof HTMLElement && !content.contains(activeElement)) {
              before.current = focusPlaceOf(activeElement);
            }
            if (openFocus === undefined) return;
            event.preventDefault();
            openFocus(content);
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            giveFocusBack(before.current);
            props.onClosed?.();
          }}
          onInteractOutside={(event) => {
            if (isQuestion) event.preventDefault();
          }}
        >
          <header className={joinClasses('row', styles.head)}>
            <div className="grow">
              <Parts.Title className={styles.title} title={props.wholeTitle}>
                {title}
                {about !== undefined && <span className="faint cut">{about}</span>}
              </Parts.Title>
              {hint !== undefined && <Parts.Description className="faint">{hint}</Parts.Description>}
            </div>
            {tools}
            {props.hasClose === true && <IconButton icon={X} label={words.common.close} onClick={leave} />}
          </header>
          {isQuestion ? (
            <Parts.Description asChild>
              <div className="soft">{children}</div>
            </Parts.Description>
          ) : (
            children
          )}
          {problem !== undefined && <p className={styles.problem}>{problem}</p>}
          {props.refusal !== undefined && (
            <p role="alert" className={styles.problem}>
              {props.refusal}
            </p>
          )}
          {props.decline !== undefined && <Buttons {...props} onClose={leave} />}
          {asks && (
            <ConfirmDialog
              title={words.shell.dialog.leave}
              confirm={words.shell.dialog.discard}
              decline={words.shell.dialog.keepEditing}
              onConfirm={onClose}
              onClose={() => setAsks(false)}
            >
              {unsaved}
            </ConfirmDialog>
          )}
        </Parts.Content>
      </Parts.Portal>
    </Parts.Root>
  );
}

/** In the same order everywhere: the way to leave everything as it is, then the actions, the most likely last. */
function Buttons({ foot, decline, actions, isBusy = false, onClose }: ButtonLine & Pick<DialogFrame, 'onClose'>) {
  return (
    <footer className={joinClasses('row', styles.foot)}>
      <div className="grow">{foot}</div>
      <Button data-declines disabled={isBusy} onClick={onClose}>
        {decline}
      </Button>
      {actions?.map(({ words: label, isDisabled = false, keys, ...rest }) => (
        <Button key={label} disabled={isBusy || isDisabled} title={keys} {...rest}>
          {label}
        </Button>
      ))}
    </footer>
  );
}

/** Gives the focus back to where it was, or to the dialog below: without the focus in it, no key reaches a dialog. */
function giveFocusBack(before: FocusPlace | undefined): void {
  const below = [...document.querySelectorAll<HTMLElement>('[role="dialog"], [role="alertdialog"]')].at(-1);
  // Another one has opened meanwhile, and somebody types there.
  if (below?.contains(document.activeElement) === true) return;
  if (before?.take() !== true) below?.focus();
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

/** Asks before something that cannot be undone, or that may cost money. */
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
