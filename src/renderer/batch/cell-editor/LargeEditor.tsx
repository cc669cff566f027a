import { ChevronDown, ChevronUp, Search, WrapText, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Button, IconButton } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { countOf, formatBytes } from '../../format/numbers.ts';
import { findInText, textSize } from './large-text.ts';
import styles from './LargeEditor.module.css';

export interface LargeEditorProps {
  /** The row and the column. */
  readonly title: string;
  /** What the column is for. */
  readonly help: string;
  /** The text to go on with; undefined while the whole of it is fetched. */
  readonly text: string | undefined;
  /** The text as it is in the sheet, where it differs from the one to go on with. */
  readonly savedText?: string | undefined;
  /** Why it can only be read. */
  readonly locked: string | undefined;
  readonly onCommit: (text: string) => void;
  readonly onClose: () => void;
}

/** Edits one long text: with room, a counter, and a search. */
export function LargeEditor({ title, help, text, savedText, locked, onCommit, onClose }: LargeEditorProps) {
  const [typed, setTyped] = useState<string>();
  const [isWrapped, setWrapped] = useState(true);
  const [isFinding, setFinding] = useState(false);
  const [asks, setAsks] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const current = typed ?? text ?? '';
  const isChanged = text !== undefined && current !== (savedText ?? text);
  const size = useMemo(() => textSize(current), [current]);
  const isLoaded = text !== undefined;
  useEffect(() => {
    if (isLoaded) beginAtStart(field.current);
  }, [isLoaded]);

  const close = (): void => (isChanged && locked === undefined ? setAsks(true) : onClose());
  const commit = (): void => {
    if (text !== undefined && locked === undefined) onCommit(current);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key === 'Enter') {
      event.preventDefault();
      commit();
    } else if (isCommand && event.key.toLowerCase() === 'f') {
      event.preventDefault();
      setFinding(true);
    }
  };

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.overlay} />
        <Dialog.Content
          className={styles.content}
          data-testid="large-editor"
          onKeyDown={onKeyDown}
          // A text that is known at once: the field is not there yet when the effect above runs.
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            beginAtStart(field.current);
          }}
          onPointerDownOutside={(event) => event.preventDefault()}
        >
          <header className={styles.head}>
            <div>
              <Dialog.Title className={styles.title}>{title}</Dialog.Title>
              <Dialog.Description className={styles.help}>{locked ?? help}</Dialog.Description>
            </div>
            <div className={styles.tools}>
              <IconButton
                icon={Search}
                label="Find in the text (Ctrl+F)"
                aria-pressed={isFinding}
                onClick={() => setFinding(!isFinding)}
              />
              <IconButton
                icon={WrapText}
                label="Wrap long lines"
                aria-pressed={isWrapped}
                onClick={() => setWrapped(!isWrapped)}
              />
              <IconButton icon={X} label="Close" onClick={close} />
            </div>
          </header>
          {isFinding && <FindLine field={field} onClose={() => setFinding(false)} />}
          <textarea
            ref={field}
            className={styles.text}
            aria-label={title}
            data-wrap={isWrapped}
            wrap={isWrapped ? 'soft' : 'off'}
            readOnly={locked !== undefined || text === undefined}
            placeholder={text === undefined ? 'Fetching the whole text…' : ''}
            spellCheck={false}
            value={current}
            onChange={(event) => setTyped(event.target.value)}
          />
          <footer className={styles.foot}>
            <p className={styles.count} aria-live="off" data-testid="large-editor-count">
              {countOf(size.characters, 'character')}, {countOf(size.lines, 'line')}, {formatBytes(size.bytes)}
            </p>
            <Button onClick={close}>{locked === undefined ? 'Cancel' : 'Close'}</Button>
            {locked === undefined && (
              <Button look="primary" disabled={text === undefined} title="Ctrl+Enter" onClick={commit}>
                Save
              </Button>
            )}
          </footer>
          <ConfirmDialog
            isOpen={asks}
            title="Leave without the change?"
            confirm="Leave it as it was"
            decline="Go on editing"
            onConfirm={onClose}
            onClose={() => setAsks(false)}
          >
            The text was changed. Nothing of the change has been written into the sheet.
          </ConfirmDialog>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function beginAtStart(field: HTMLTextAreaElement | null): void {
  field?.focus();
  field?.setSelectionRange(0, 0);
  field?.scrollTo(0, 0);
}

interface FindLineProps {
  readonly field: { readonly current: HTMLTextAreaElement | null };
  readonly onClose: () => void;
}

/** Finds a text in the large editor and selects it there. */
function FindLine({ field, onClose }: FindLineProps) {
  const [wanted, setWanted] = useState('');
  const [isMissing, setMissing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const go = (direction: 'forward' | 'backward'): void => {
    const { current } = field;
    if (current === null || wanted === '') return;
    const from = direction === 'forward' ? current.selectionEnd : current.selectionStart;
    const at = findInText(current.value, wanted, from, direction);
    setMissing(at === undefined);
    if (at === undefined) return;
    // A field scrolls to its selection when it gets the keyboard.
    current.focus();
    current.setSelectionRange(at, at + wanted.length);
  };
  return (
    <div className={styles.find}>
      <input
        className={styles.wanted}
        aria-label="Find in the text"
        ref={input}
        spellCheck={false}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) go(event.shiftKey ? 'backward' : 'forward');
          if (event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            onClose();
          }
        }}
      />
      <IconButton icon={ChevronUp} label="The one before" onClick={() => go('backward')} />
      <IconButton icon={ChevronDown} label="The next one" onClick={() => go('forward')} />
      <output className={styles.missing}>{isMissing ? 'It is not in this text.' : ''}</output>
    </div>
  );
}
