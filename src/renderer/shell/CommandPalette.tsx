import { Search } from 'lucide-react';
import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useStore } from 'zustand';
import { Dialog } from '../design/Dialog.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { words } from '../../shared/words/words.ts';
import { KeyTable } from '../help/HelpTables.tsx';
import { useAppModel } from '../state/app-context.ts';
import { findEntries, paletteEntries, rowEntries, type PaletteEntry } from './commands.ts';
import { keysShown } from './shortcuts.ts';
import { useFoundRows, type FoundRowsNow } from './use-found-rows.ts';
import styles from './CommandPalette.module.css';

const TEXTS = words.shell.palette;

/** What the shortcuts of the window open over any screen. */
export function Overlays() {
  const { overlay } = useAppModel();
  const open = useStore(overlay, (state) => state.open);
  const onClose = (): void => overlay.setState({ open: undefined });
  if (open === 'commands') return <CommandPalette onClose={onClose} />;
  if (open !== 'shortcuts') return null;
  return (
    <Dialog title={TEXTS.shortcuts} decline={words.common.close} isWide onClose={onClose}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled by keys */}
      <section className={joinClasses('scroll', styles.shortcuts)} tabIndex={0} aria-label={TEXTS.shortcutList}>
        <KeyTable />
      </section>
    </Dialog>
  );
}

/** As many as a user can look through; one more word finds the others. */
const SHOWN = 200;

function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const model = useAppModel();
  const id = useId();
  const [search, setSearch] = useState('');
  const [activeId, setActiveId] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const chosen = useRef<PaletteEntry>(undefined);
  // As the screen was when the palette was opened: the buttons that it presses are behind it.
  const [entries] = useState(() => paletteEntries(model));
  const { rows, hasMore, isSearching } = useFoundRows(search);
  const found = useMemo(
    () => [...findEntries(entries, search).slice(0, SHOWN), ...rowEntries(model, rows)],
    [model, entries, search, rows],
  );
  // By its id: rows that are found meanwhile put others in its place.
  const active = Math.max(
    0,
    found.findIndex((entry) => entry.id === activeId),
  );
  const choose = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    chosen.current = entry;
    onClose();
  };
  const move = (to: number): void => {
    const index = Math.max(0, Math.min(found.length - 1, to));
    setActiveId(found[index]?.id);
    list.current?.querySelector(`#${CSS.escape(optionId(id, index))}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, nativeEvent } = event;
    if (nativeEvent.isComposing) return;
    if (key === 'ArrowDown') move(active === found.length - 1 ? 0 : active + 1);
    else if (key === 'ArrowUp') move(active === 0 ? found.length - 1 : active - 1);
    else if (key === 'PageDown') move(active + 8);
    else if (key === 'PageUp') move(active - 8);
    else if (key === 'Enter') choose(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
      title={TEXTS.title}
      className={styles.palette}
      isBare
      onClose={onClose}
      onClosed={() => chosen.current?.run()}
    >
      <div className={joinClasses('row', styles.search)}>
        <Search size={16} strokeWidth={1.75} aria-hidden />
        <input
          role="combobox"
          aria-label={TEXTS.title}
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          {...(found.length > 0 && { 'aria-activedescendant': optionId(id, active) })}
          autoComplete="off"
          spellCheck={false}
          value={search}
          onChange={({ target }) => {
            setSearch(target.value);
            setActiveId(undefined);
            list.current?.scrollTo({ top: 0 });
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a list of the platform cannot be searched */}
      <div ref={list} id={id} role="listbox" aria-label={TEXTS.commands} className={joinClasses('scroll', styles.list)}>
        {found.map((entry, index) => (
          <Option
            key={entry.id}
            id={optionId(id, index)}
            entry={entry}
            isActive={index === active}
            // With a search, the best matches come first, wherever they belong.
            hasPlace={
              (search !== '' && entry.place !== words.shell.places.rows) || entry.place !== found[index - 1]?.place
            }
            onPoint={() => setActiveId(entry.id)}
            onChoose={() => choose(entry)}
          />
        ))}
      </div>
      <output className={styles.none}>
        {search === '' ? '' : foundWords(found.length, { rows, hasMore, isSearching })}
      </output>
    </Dialog>
  );
}

function foundWords(count: number, { rows, hasMore, isSearching }: FoundRowsNow): string {
  if (hasMore) return TEXTS.moreRows(count, rows.length);
  if (count > 0) return TEXTS.results(count);
  return isSearching ? TEXTS.searching : TEXTS.nothing;
}

interface OptionProps {
  readonly id: string;
  readonly entry: PaletteEntry;
  readonly isActive: boolean;
  readonly hasPlace: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
}

function Option({ id, entry, isActive, hasPlace, onPoint, onChoose }: OptionProps) {
  const { title, about, below, place, isOwnText, keys } = entry;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keyboard stays in the field, which has them
    <div
      id={id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      className={joinClasses('row', styles.option)}
      onPointerMove={onPoint}
      onClick={onChoose}
    >
      <span className={joinClasses('faint', styles.place)}>{hasPlace ? place : ''}</span>
      <span className={joinClasses('stack cut', styles.texts)}>
        <span className="cut" translate={isOwnText === true ? 'no' : undefined}>
          {title}
        </span>
        {below !== undefined && <span className={joinClasses('faint cut', styles.about)}>{below}</span>}
      </span>
      {about !== undefined && <span className={joinClasses('faint cut', styles.about)}>{about}</span>}
      <span className="grow" />
      {keys !== undefined && (
        <span>
          {keysShown(keys).map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </div>
  );
}

function optionId(list: string, index: number): string {
  return `${list}-${index}`;
}
