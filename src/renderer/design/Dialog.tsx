import type { LucideIcon } from 'lucide-react';
import { Dialog as Parts } from 'radix-ui';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { Button, type ButtonProps } from './Button.tsx';
import { joinClasses } from './join-classes.ts';
import styles from './Dialog.module.css';

/** A button that does what the dialog is there for. */
interface DialogAction {
  readonly words: string;
  readonly onClick: () => void;
  readonly look?: NonNullable<ButtonProps['look']>;
  readonly icon?: LucideIcon;
  readonly isDisabled?: boolean;
  /** Its keys, as a tooltip. */
  readonly keys?: string;
}

/** The line of buttons. What can be done is never without the way to leave everything as it is. */
interface ButtonLine {
  /** The words of the button that leaves everything as it is. */
  readonly decline: string;
  /** What can be done, the most likely last. */
  readonly actions?: readonly DialogAction[];
  /** Before the buttons: what it costs, how long a text is. */
  readonly foot?: ReactNode;
  /** While something goes on, nothing else can be chosen. */
  readonly isBusy?: boolean;
}

type NoButtonLine = { readonly [Key in keyof ButtonLine]?: never };

interface DialogFrame {
  readonly title: string;
  /** Beside the title, quieter: the file that it is about. */
  readonly about?: string;
  /** What it is for, under the title. */
  readonly hint?: ReactNode;
  /** Buttons at the end of the title's line. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
  /** What keeps it from doing all that is asked of it. */
  readonly problem?: string | undefined;
  /** It is answered by a button or Escape, never by a click beside it. */
  readonly isQuestion?: boolean;
  readonly isWide?: boolean;
  /** What is in it reaches its edges. */
  readonly isBare?: boolean;
  /** A click beside it would lose what was typed. */
  readonly staysOnClickBeside?: boolean;
  readonly className?: string | undefined;
  readonly testId?: string;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  /** Chooses what has the keyboard first: the first field or button, unless it is said here. */
  readonly onOpenFocus?: (content: HTMLElement) => void;
  /** False where somebody else takes the keyboard back. */
  readonly givesFocusBack?: boolean;
  readonly onClose: () => void;
}

type DialogProps = DialogFrame & (ButtonLine | NoButtonLine);

/**
 * What stands over the window and holds it. It is there as long as it is rendered.
 *
 * Radix's, not the platform's `<dialog>`: that one lies in the top layer and makes everything below it inert, also the
 * notices, which have to be read and dismissed while a dialog is open.
 */
export function Dialog(props: DialogProps) {
  const { title, about, hint, tools, children, problem, isQuestion = false, onOpenFocus, onClose } = props;
  // Where the keyboard was: a dialog that opens by itself has no button to return to.
  const before = useRef<Element>(null);
  const openFocus = isQuestion ? focusDecline : onOpenFocus;
  return (
    <Parts.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
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
            const { current } = before;
            if (props.givesFocusBack !== false && current instanceof HTMLElement && current.isConnected)
              current.focus();
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

/** In one order everywhere: what leaves all as it is, then what does something, the likeliest last. */
function Buttons({ foot, decline, actions, isBusy = false, onClose }: ButtonLine & Pick<DialogFrame, 'onClose'>) {
  return (
    <footer className={styles.foot}>
      <div className="grow">{foot}</div>
      <Button data-declines onClick={onClose}>
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

function focusDecline(content: HTMLElement): void {
  content.querySelector<HTMLElement>('[data-declines]')?.focus();
}

interface ConfirmDialogProps extends Pick<DialogFrame, 'title' | 'children' | 'onClose'> {
  /** The words of the button that does it. */
  readonly confirm: string;
  /** The words of the button that leaves everything as it is. */
  readonly decline: string;
  /** Where it undoes nothing and takes nothing away. */
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
