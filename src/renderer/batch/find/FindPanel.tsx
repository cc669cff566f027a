import { ArrowDown, ArrowUp, CaseSensitive, Regex, WholeWord, X } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { joinClasses } from '../../design/join-classes.ts';
import { Button, IconButton } from '../../design/Button.tsx';
import { words } from '../../../shared/words/words.ts';
import { useWindowEvent } from '../../shell/keyboard.ts';
import { useAppModel, usePlaces } from '../../state/app-context.ts';
import type { FindQuery } from '../../state/batch/sheet-places.ts';
import { cellBlocks } from '../keys/grid-selection.ts';
import { chosenCells } from '../keys/use-grid-actions.ts';
import type { Grid } from '../grid/use-grid.ts';
import styles from './FindPanel.module.css';

const WAYS = [
  { way: 'isCaseSensitive', icon: CaseSensitive, label: words.find.matchCase },
  { way: 'isWholeCell', icon: WholeWord, label: words.find.wholeCells },
  { way: 'isPattern', icon: Regex, label: words.find.pattern },
] as const;
const PLAIN: FindQuery = { text: '', isCaseSensitive: false, isWholeCell: false, isPattern: false };

/** Finds a text in the visible cells, and replaces it there or in the selection. */
export function FindPanel({ grid }: { readonly grid: Grid }) {
  const model = useAppModel();
  const find = usePlaces((state) => state.find);
  const matches = usePlaces((state) => state.matches);
  const [query, setQuery] = useState(PLAIN);
  const [replaceWith, setReplaceWith] = useState('');
  const [isInSelection, setInSelection] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const panel = useRef<HTMLElement>(null);
  /** The focus returns to the cells. */
  const close = (): void => {
    model.places.showFind(undefined);
    grid.editor.current?.focus();
  };
  useEffect(() => {
    if (find !== undefined) input.current?.select();
  }, [find]);
  const isOpen = find !== undefined;
  useEffect(() => (isOpen ? model.editing.onEdited(() => model.places.forgetMatches()) : undefined), [isOpen, model]);
  useWindowEvent(['keydown'], (event) => {
    const { key, target } = event;
    // Escape works from its buttons, too: a pressed button keeps the focus.
    if (key !== 'Escape' || !(target instanceof Node) || panel.current?.contains(target) !== true) return;
    event.preventDefault();
    close();
  });
  if (find === undefined) return null;

  const blocks = cellBlocks(grid.selection, grid.columns, grid.total);
  const cellCount = blocks.reduce(
    (sum, { spans, headers }) => sum + headers.length * spans.reduce((rows, { height }) => rows + height, 0),
    0,
  );
  const isSeveral = cellCount > 1;
  const change = (changes: Partial<FindQuery>): void => {
    setQuery((before) => ({ ...before, ...changes }));
    // The matches are not for the text that is searched for now.
    model.places.forgetMatches();
  };
  const go = (direction: 'forward' | 'backward'): void => {
    const columns = model.editing.store.getState().sheet?.columns.length ?? 0;
    const header = grid.current?.about.sheet?.header;
    const cell = header === undefined ? undefined : model.editing.cellIndex(header);
    // Outside the sheet's columns, the search takes the row as a whole.
    const column = cell ?? (direction === 'forward' ? -1 : columns);
    void model.places.findNext(query, { key: grid.choice.cursorKey, column }, direction);
  };
  const replaceAll = async (): Promise<void> => {
    const { text, ...how } = query;
    const what = { find: text, replaceWith, ...how };
    if (!isInSelection || !isSeveral) {
      await model.editing.replace(what, undefined);
      return;
    }
    await model.editing.replaceInBlocks(what, chosenCells(grid));
  };
  /** Replaces in the cursor's cell only, then finds the next match. */
  const replaceOne = async (): Promise<void> => {
    const sheet = grid.current?.about.sheet;
    if (grid.current === undefined || sheet === undefined) {
      go('forward');
      return;
    }
    const { text, ...how } = query;
    const rows = grid.choice.keys([{ y: grid.current.index, height: 1 }]);
    const where = { rows, headers: [sheet.header] };
    await model.editing.replace({ find: text, replaceWith, ...how }, where);
    go('forward');
  };
  const onKeyDown = (event: KeyboardEvent, onEnter: () => void): void => {
    if (event.key !== 'Enter') return;
    onEnter();
    event.preventDefault();
  };

  return (
    <search
      ref={panel}
      className={joinClasses('card stack', styles.panel)}
      aria-label={words.find.title}
      data-testid="find-panel"
      data-keeps-keyboard
    >
      <div className="row">
        <input
          ref={input}
          className={joinClasses('input', styles.input)}
          aria-label={words.find.find}
          placeholder={words.find.find}
          spellCheck={false}
          value={query.text}
          onChange={(event) => change({ text: event.target.value })}
          onKeyDown={(event) => onKeyDown(event, () => go(event.shiftKey ? 'backward' : 'forward'))}
        />
        {WAYS.map(({ way, icon, label }) => (
          <IconButton
            key={way}
            icon={icon}
            label={label}
            aria-pressed={query[way]}
            onClick={() => change({ [way]: !query[way] })}
          />
        ))}
        <IconButton icon={ArrowUp} label={words.find.previous} onClick={() => go('backward')} />
        <IconButton icon={ArrowDown} label={words.find.next} onClick={() => go('forward')} />
        <output className={joinClasses('faint tabular', styles.matches)}>
          {matches !== undefined &&
            (matches.of === 0 ? words.find.notFound : words.find.match(matches.nth, matches.of))}
        </output>
        {find === 'find' && (
          <Button size="small" look="quiet" onClick={() => model.places.showFind('replace')}>
            {words.find.openReplace}
          </Button>
        )}
        <span className="grow" />
        <IconButton icon={X} label={words.common.close} onClick={close} />
      </div>
      {find === 'replace' && (
        <div className="row">
          <input
            className={joinClasses('input', styles.input)}
            aria-label={words.find.replaceWith}
            placeholder={words.find.replaceWith}
            spellCheck={false}
            value={replaceWith}
            onChange={(event) => setReplaceWith(event.target.value)}
            onKeyDown={(event) => onKeyDown(event, () => void replaceOne())}
          />
          <Button size="small" disabled={query.text === ''} onClick={() => void replaceOne()}>
            {words.find.replace}
          </Button>
          <Button size="small" disabled={query.text === ''} onClick={() => void replaceAll()}>
            {words.find.replaceAll}
          </Button>
          <label className={joinClasses('row soft', styles.scope)}>
            <input
              type="checkbox"
              checked={isInSelection && isSeveral}
              disabled={!isSeveral}
              onChange={(event) => setInSelection(event.target.checked)}
            />
            {isSeveral ? words.find.onlyInSelected(cellCount) : words.find.inSelection}
          </label>
        </div>
      )}
    </search>
  );
}
