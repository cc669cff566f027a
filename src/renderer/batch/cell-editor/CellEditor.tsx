import { Maximize2 } from 'lucide-react';
import { useLayoutEffect, useRef, useState, type CSSProperties, type FocusEvent, type KeyboardEvent } from 'react';
import { createPortal } from 'react-dom';
import { words } from '../../../shared/words/words.ts';
import { IconButton } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { shownLine } from '../../format/shown-text.ts';
import { useKeptTyping, useWindowEvent } from '../../shell/keyboard.ts';
import {
  complete,
  completionsAt,
  onlyOption,
  type Completion,
  type CompletionList,
  type CompletionSources,
} from './completions.ts';
import styles from './CellEditor.module.css';

/** Where the cursor goes after a cell is written: `next` and `previous` by Tab; `line` by Enter, to where Tab began. */
export type Step = 'stay' | 'down' | 'up' | 'right' | 'left' | 'next' | 'previous' | 'line';

export interface CellEditorProps {
  /** The cell's place on the screen, in pixels. */
  readonly bounds: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Names the cell for screen readers. */
  readonly label: string;
  readonly text: string;
  /** Editing began by typing: arrows write the cell and go on. Otherwise they move within the text. */
  readonly isTyping: boolean;
  readonly sources: CompletionSources;
  /** A note about the cell during editing, for example that its row has left the view. */
  readonly note: string | undefined;
  readonly onCommit: (text: string, step: Step) => void;
  /** Writes the text into every cell of the selection. */
  readonly onCommitAll: (text: string) => void;
  readonly onCancel: () => void;
  /** Continues in the large editor. */
  readonly onEnlarge: (text: string) => void;
}

const STEPS: Readonly<Record<string, Step>> = {
  ArrowDown: 'down',
  ArrowUp: 'up',
  ArrowRight: 'right',
  ArrowLeft: 'left',
};
/** One cell is edited at a time. */
const MENU_ID = 'completions';
/** How wide the menu and the note may become, in pixels. */
const MENU_WIDTH = 420;
const LARGEST_WIDTH = 520;
const LARGEST_HEIGHT = 260;

/** Edits one cell in its place: grows with its text, offers completions, and accepts any text. */
export function CellEditor(props: CellEditorProps) {
  const { bounds, label, isTyping, sources, note, onCommit, onCommitAll, onCancel, onEnlarge } = props;
  const [text, setText] = useState(props.text);
  const [caret, setCaret] = useState(props.text.length);
  /** The option that the arrows selected; none at first, so that Enter writes the typed text. */
  const [arrowed, setChosen] = useState(-1);
  const [isMenuOpen, setMenuOpen] = useState(isTyping);
  const [isMoving, setMoving] = useState(isTyping);
  const input = useRef<HTMLTextAreaElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const menu = isMenuOpen ? completionsAt(text, caret, sources) : undefined;
  const isAtEnd = bounds.x + MENU_WIDTH > window.innerWidth;
  const chosen = arrowed >= 0 ? arrowed : onlyOption(text, menu, sources);

  useLayoutEffect(() => {
    const field = input.current;
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  useLayoutEffect(() => growToText(input.current, text, bounds), [text, bounds]);
  useWindowEvent(
    ['pointerdown'],
    ({ target }) => {
      if (target instanceof Node && box.current?.contains(target) !== true) onCommit(text, 'stay');
    },
    true,
  );
  // What was typed goes into the sheet, where it can be undone.
  useKeptTyping(() => onCommit(text, 'stay'));

  const take = (option: Completion): void => {
    if (menu === undefined) return;
    const next = complete(text, menu, option);
    setText(next.text);
    setCaret(next.caret);
    setChosen(-1);
    setMenuOpen(menu.kind === 'part');
    placeCaret(input.current, next.caret);
  };
  /** Writes the cell, with an option of the menu if there is one. */
  const commit = (step: Step, option = menu?.options[chosen]): void => {
    if (menu === undefined || option === undefined) onCommit(text, step);
    else if (menu.kind === 'value') onCommit(complete(text, menu, option).text, step);
    else take(option);
  };
  const closeMenu = (): void => {
    setMenuOpen(false);
    setChosen(-1);
  };
  /** What a key does in the editor; undefined if the text field handles it. */
  const actionOf = ({ key, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent): (() => void) | undefined => {
    if (key === 'Escape') return chosen >= 0 ? closeMenu : onCancel;
    if (key === 'F4' || (key === 'F2' && shiftKey)) return () => onEnlarge(text);
    if (key === 'F2') return () => setMoving(false);
    if (key === 'Enter') {
      if (ctrlKey || metaKey) return () => onCommitAll(text);
      return altKey ? () => insertAtCaret(input.current, '\n') : () => commit(shiftKey ? 'up' : 'line');
    }
    if (key === 'Tab') return () => commit(shiftKey ? 'previous' : 'next');
    if (ctrlKey || metaKey || altKey || shiftKey) return undefined;
    const options = menu?.options.length ?? 0;
    if (options > 0 && key === 'ArrowDown') return () => setChosen((chosen + 1) % options);
    if (options > 0 && chosen >= 0 && key === 'ArrowUp') return () => setChosen(chosen - 1);
    const step = STEPS[key];
    return isMoving && step !== undefined ? () => commit(step) : undefined;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // The grid also listens around this editor.
    event.stopPropagation();
    const act = event.nativeEvent.isComposing ? undefined : actionOf(event);
    if (act === undefined) return;
    event.preventDefault();
    act();
  };

  return createPortal(
    <div ref={box} className={styles.editor} style={placeOf(bounds)} data-testid="cell-editor">
      <textarea
        ref={input}
        className={styles.input}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={menu && MENU_ID}
        aria-activedescendant={menu && chosen >= 0 ? `${MENU_ID}-${chosen}` : undefined}
        spellCheck={false}
        rows={1}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setCaret(event.target.selectionStart);
          setChosen(-1);
          setMenuOpen(true);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onPointerDown={() => setMoving(false)}
        onBlur={(event) => keepKeyboard(event, box.current)}
        onKeyDown={onKeyDown}
      />
      <IconButton
        className={styles.enlarge}
        icon={Maximize2}
        label={words.grid.editor.enlarge}
        tabIndex={-1}
        onClick={() => onEnlarge(text)}
      />
      {note !== undefined && (
        <output className={styles.note} data-end={isAtEnd}>
          {note}
        </output>
      )}
      {menu !== undefined && (
        <CompletionMenu list={menu} chosen={chosen} isAtEnd={isAtEnd} onTake={(option) => commit('stay', option)} />
      )}
    </div>,
    document.getElementById('portal') ?? document.body,
  );
}

interface CompletionMenuProps {
  readonly list: CompletionList;
  readonly chosen: number;
  /** There is no room for it to the right. */
  readonly isAtEnd: boolean;
  readonly onTake: (option: Completion) => void;
}

/** The completions, below the text; the focus stays in the text. */
function CompletionMenu({ list, chosen, isAtEnd, onTake }: CompletionMenuProps) {
  return (
    <div
      id={MENU_ID}
      className={styles.menu}
      data-end={isAtEnd}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a native list takes the focus from the text
      role="listbox"
      aria-label={words.grid.editor.suggestions}
    >
      {list.options.map((option, index) => (
        <div
          key={option.insert}
          id={`${MENU_ID}-${index}`}
          className={joinClasses('row', styles.option)}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- see above
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onPointerDown={(event) => {
            // The text keeps the focus.
            event.preventDefault();
            onTake(option);
          }}
        >
          <span className="cut">{shownLine(option.label)}</span>
          {option.hint !== undefined && <span className={styles.optionHint}>{option.hint}</span>}
        </div>
      ))}
    </div>
  );
}

function placeOf({ x, y, width, height }: CellEditorProps['bounds']): CSSProperties {
  return { left: x - 1, top: y - 1, minWidth: width + 2, minHeight: height + 2 };
}

/** Makes the field as large as its text, as far as the window allows. */
function growToText(field: HTMLTextAreaElement | null, text: string, bounds: CellEditorProps['bounds']): void {
  // Measures only text that is already drawn.
  if (field?.value !== text) return;
  const right = window.innerWidth - bounds.x - 48;
  // Measures lines without wrapping.
  field.style.whiteSpace = 'pre';
  field.style.width = '0';
  field.style.width = `${Math.max(bounds.width, Math.min(field.scrollWidth + 44, LARGEST_WIDTH, right))}px`;
  field.style.whiteSpace = '';
  field.style.height = '0';
  field.style.height = `${Math.max(bounds.height, Math.min(field.scrollHeight, LARGEST_HEIGHT))}px`;
}

function placeCaret(field: HTMLTextAreaElement | null, caret: number): void {
  // After the text has been drawn.
  queueMicrotask(() => field?.setSelectionRange(caret, caret));
}

/** Inserts as typing does, so that the field's own undo knows it. */
function insertAtCaret(field: HTMLTextAreaElement | null, text: string): void {
  if (field === null) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/**
 * The grid takes the focus a moment after a click, even after the one that opened the editor. If the user clicks
 * elsewhere, the click has already ended the editing.
 */
function keepKeyboard(event: FocusEvent<HTMLTextAreaElement>, box: HTMLElement | null): void {
  const { currentTarget: field, relatedTarget } = event;
  if (relatedTarget === null || box?.contains(relatedTarget) === true) return;
  queueMicrotask(() => field.isConnected && field.focus({ preventScroll: true }));
}
