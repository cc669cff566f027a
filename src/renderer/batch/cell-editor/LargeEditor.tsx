import { ChevronDown, ChevronUp, Search, WrapText } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { joinClasses } from '../../design/join-classes.ts';
import { IconButton } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { words } from '../../../shared/words/words.ts';
import { formatBytes } from '../../format/phrases.ts';
import { useKeptTyping } from '../../shell/keyboard.ts';
import { findInText, textSize } from './large-text.ts';
import styles from './LargeEditor.module.css';

export interface LargeEditorProps {
  /** The row and the column. */
  readonly title: string;
  /** What the column is for. */
  readonly help: string;
  /** The text to continue with; undefined while the whole text is being fetched. */
  readonly text: string | undefined;
  /** The text in the sheet, if it differs from the one to continue with. */
  readonly savedText?: string | undefined;
  /** Why it is read-only. */
  readonly locked: string | undefined;
  readonly onCommit: (text: string) => void;
  readonly onClose: () => void;
}

/** Edits one long text, with room, a counter, and a search. */
export function LargeEditor({ title, help, text, savedText, locked, onCommit, onClose }: LargeEditorProps) {
  const [typed, setTyped] = useState<string>();
  const [isWrapped, setWrapped] = useState(true);
  const [isFinding, setFinding] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const finding = useRef<HTMLInputElement>(null);
  const current = typed ?? text ?? '';
  const isChanged = text !== undefined && current !== (savedText ?? text);
  const size = useMemo(() => textSize(current), [current]);
  const isLoaded = text !== undefined;
  useEffect(() => {
    if (isLoaded) beginAtStart(field.current);
  }, [isLoaded]);

  const commit = (): void => {
    if (text !== undefined && locked === undefined) onCommit(current);
  };
  // A saved text can be undone, a lost one cannot be recovered.
  useKeptTyping(commit);
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
    <Dialog
      title={title}
      hint={locked ?? help}
      tools={
        <>
          <IconButton
            icon={Search}
            label={words.grid.editor.findKey}
            aria-pressed={isFinding}
            onClick={() => setFinding(!isFinding)}
          />
          <IconButton
            icon={WrapText}
            label={words.grid.editor.wrap}
            aria-pressed={isWrapped}
            onClick={() => setWrapped(!isWrapped)}
          />
        </>
      }
      foot={
        <p className="faint tabular" aria-live="off" data-testid="large-editor-count">
          {words.grid.editor.size(size.characters, size.lines, formatBytes(size.bytes))}
        </p>
      }
      decline={locked === undefined ? words.common.cancel : words.common.close}
      actions={
        locked === undefined
          ? [
              {
                words: words.common.save,
                look: 'primary',
                isDisabled: text === undefined,
                keys: 'Ctrl+Enter',
                onClick: commit,
              },
            ]
          : []
      }
      isWide
      className={styles.editor}
      testId="large-editor"
      hasClose
      unsaved={isChanged && locked === undefined ? words.grid.editor.unsaved : undefined}
      onKeyDown={onKeyDown}
      onEscape={(event) => {
        if (event.target !== finding.current) return;
        event.preventDefault();
        setFinding(false);
        field.current?.focus();
      }}
      // For a text that is known at once: the field does not exist yet when the effect above runs.
      onOpenFocus={() => beginAtStart(field.current)}
      onClose={onClose}
    >
      {isFinding && <FindLine field={field} input={finding} />}
      <textarea
        ref={field}
        className={joinClasses('input', styles.text)}
        aria-label={title}
        data-wrap={isWrapped}
        wrap={isWrapped ? 'soft' : 'off'}
        readOnly={locked !== undefined || text === undefined}
        placeholder={text === undefined ? words.grid.editor.fetching : ''}
        spellCheck={false}
        value={current}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Dialog>
  );
}

function beginAtStart(field: HTMLTextAreaElement | null): void {
  field?.focus();
  field?.setSelectionRange(0, 0);
  field?.scrollTo(0, 0);
}

interface FindLineProps {
  readonly field: { readonly current: HTMLTextAreaElement | null };
  readonly input: RefObject<HTMLInputElement | null>;
}

/** Finds a text in the large editor and selects it there. */
function FindLine({ field, input }: FindLineProps) {
  const [wanted, setWanted] = useState('');
  const [isMissing, setMissing] = useState(false);
  useEffect(() => input.current?.focus(), [input]);
  const go = (direction: 'forward' | 'backward'): void => {
    const { current } = field;
    if (current === null || wanted === '') return;
    const from = direction === 'forward' ? current.selectionEnd : current.selectionStart;
    const at = findInText(current.value, wanted, from, direction);
    setMissing(at === undefined);
    if (at === undefined) return;
    // A field scrolls to its selection when it gets the focus.
    current.focus();
    current.setSelectionRange(at, at + wanted.length);
  };
  return (
    <div className="row">
      <input
        className={joinClasses('input', styles.wanted)}
        aria-label={words.grid.editor.find}
        ref={input}
        spellCheck={false}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
          // The text now has the focus: the key would replace the match.
          event.preventDefault();
          go(event.shiftKey ? 'backward' : 'forward');
        }}
      />
      <IconButton icon={ChevronUp} label={words.grid.editor.previousMatch} onClick={() => go('backward')} />
      <IconButton icon={ChevronDown} label={words.grid.editor.nextMatch} onClick={() => go('forward')} />
      <output className="faint">{isMissing ? words.grid.editor.notFound : ''}</output>
    </div>
  );
}
