// oxlint-disable jsx-a11y/prefer-tag-over-role -- a native list can neither be searched nor say what its items are
import { Check, ChevronDown, Search } from 'lucide-react';
import { Popover, Select as Parts } from 'radix-ui';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { words } from '../../shared/words/words.ts';
import { PlainButton } from './Button.tsx';
import { joinClasses } from './join-classes.ts';
import styles from './Popup.module.css';

interface SelectItem {
  readonly value: string;
  readonly words: string;
  readonly icon?: ReactNode;
  /** What it is, after its words: the user's own text, which the button does not show. */
  readonly about?: string;
}

interface SelectProps {
  /** What it chooses. */
  readonly label: string;
  readonly value: string;
  readonly options: readonly SelectItem[];
  /** Shown as long as nothing is chosen. */
  readonly unchosen?: string;
  readonly isDisabled?: boolean;
  readonly align?: 'start' | 'end';
  readonly onChoose: (value: string) => void;
  /** Where the focus goes once it is closed. Default: to its own button. */
  readonly onClosed?: () => void;
}

/** Chooses one of a few options. */
export function Select({
  label,
  value,
  options,
  unchosen,
  isDisabled = false,
  align = 'start',
  onChoose,
  onClosed,
}: SelectProps) {
  const hasIcons = options.some(({ icon }) => icon !== undefined);
  const [isOpen, setOpen] = useState(false);
  return (
    // Not disabled as a whole: it would lose the focus while its choice is carried out.
    <Parts.Root
      value={value}
      onValueChange={(chosen) => isDisabled || onChoose(chosen)}
      open={isOpen}
      onOpenChange={(open) => setOpen(open && !isDisabled)}
    >
      <Parts.Trigger
        className={styles.trigger}
        aria-label={label}
        aria-disabled={isDisabled || undefined}
        title={label}
      >
        <Parts.Value placeholder={unchosen}>{options.find((option) => option.value === value)?.words}</Parts.Value>
        <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
      </Parts.Trigger>
      <Parts.Portal>
        <Parts.Content
          className={joinClasses(styles.popup, styles.menu)}
          position="popper"
          sideOffset={4}
          align={align}
          onCloseAutoFocus={(event) => {
            if (onClosed === undefined) return;
            event.preventDefault();
            onClosed();
          }}
        >
          <Parts.Viewport>
            {options.map((option) => (
              <Parts.Item key={option.value} className={styles.item} value={option.value}>
                {hasIcons && <span className={styles.check}>{option.icon}</span>}
                <span className="grow">
                  <Parts.ItemText>
                    {option.words}
                    {option.about !== undefined && option.about !== '' && (
                      <span className={joinClasses('faint', styles.about)} translate="no">
                        {' '}
                        {option.about}
                      </span>
                    )}
                  </Parts.ItemText>
                </span>
                <Parts.ItemIndicator>
                  <Check size={14} strokeWidth={2} aria-hidden />
                </Parts.ItemIndicator>
              </Parts.Item>
            ))}
          </Parts.Viewport>
        </Parts.Content>
      </Parts.Portal>
    </Parts.Root>
  );
}

export interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly help?: string;
  /** The label is the user's own text. */
  readonly isOwn?: boolean;
}

export interface SelectGroup {
  readonly title: string;
  readonly options: readonly SelectOption[];
}

export interface SearchSelectProps {
  /** What it chooses, for the screen reader, before the choice itself. */
  readonly label: string;
  /** What the button shows. */
  readonly children: ReactNode;
  readonly value: string;
  /** The options for a search; the first group has no title. */
  readonly groupsFor: (search: string) => readonly SelectGroup[];
  readonly onChoose: (value: string) => void;
  readonly isDisabled?: boolean;
  readonly look?: 'plain' | 'attention';
}

/** A grouped list of options that typing searches. */
export function SearchSelect(props: SearchSelectProps) {
  const { label, children, isDisabled = false, look = 'plain' } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <PlainButton
          aria-haspopup="dialog"
          className={joinClasses(styles.trigger, 'full')}
          data-look={look}
          disabled={isDisabled}
        >
          {/* The name also says what is chosen. */}
          <span className="visually-hidden">{words.shell.list.before(label)}</span>
          <span className="cut">{children}</span>
          <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
        </PlainButton>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={joinClasses(styles.popup, styles.searched)}
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={12}
        >
          <OptionList {...props} onClose={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** How far a key goes in the list. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 8,
  PageUp: -8,
  Home: -Infinity,
  End: Infinity,
};

function showOption(list: HTMLElement | null, selector: string): void {
  list?.querySelector(selector)?.scrollIntoView({ block: 'nearest' });
}

type OptionListProps = Pick<SearchSelectProps, 'label' | 'value' | 'groupsFor' | 'onChoose'> & {
  readonly onClose: () => void;
};

/** The search and the list without the button, for places where they are always open. */
export function OptionList({ label, value, groupsFor, onChoose, onClose }: OptionListProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useState('');
  const groups = groupsFor(search);
  const options = groups.flatMap((group) => group.options);
  const chosen = options.findIndex((option) => option.value === value);
  const [active, setActive] = useState(Math.max(0, chosen));
  useEffect(() => {
    // The list gets its place and its height after it was drawn.
    const frame = requestAnimationFrame(() => showOption(list.current, '[aria-selected="true"]'));
    return () => cancelAnimationFrame(frame);
  }, []);
  const choose = (option: SelectOption | undefined): void => {
    if (option === undefined) return;
    onChoose(option.value);
    onClose();
  };
  const press = (event: KeyboardEvent): void => {
    const { key, shiftKey, ctrlKey, metaKey, altKey, nativeEvent } = event;
    // With a modifier, these keys select text in the search; an input method takes Enter for itself.
    if (shiftKey || ctrlKey || metaKey || altKey || nativeEvent.isComposing) return;
    const step = STEPS[key];
    if (key === 'Enter') choose(options[active]);
    else if (step === undefined) return;
    else {
      const next = Math.max(0, Math.min(active + step, options.length - 1));
      setActive(next);
      showOption(list.current, `#${CSS.escape(`${id}-${next}`)}`);
    }
    event.preventDefault();
  };
  return (
    <>
      <label className={styles.search}>
        <Search size={14} strokeWidth={1.75} aria-hidden />
        <input
          value={search}
          placeholder={words.shell.list.search}
          aria-label={words.shell.list.searchFor(label)}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={options.length === 0 ? undefined : `${id}-${active}`}
          spellCheck={false}
          onChange={(event) => {
            setSearch(event.target.value);
            setActive(0);
          }}
          onKeyDown={press}
        />
      </label>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        className={joinClasses(styles.list, 'scroll')}
      >
        {groups.map((group) => (
          <div key={group.title} role="group" aria-label={group.title}>
            <p className={styles.options} aria-hidden>
              {group.title}
            </p>
            {group.options.map((option) => {
              const index = options.indexOf(option);
              return (
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are those of the search field, which has the focus
                <div
                  key={option.value}
                  id={`${id}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={option.value === value}
                  className={styles.option}
                  data-active={index === active}
                  onMouseMove={() => setActive(index)}
                  onClick={() => choose(option)}
                >
                  <span className={styles.label} translate={option.isOwn === true ? 'no' : undefined}>
                    {option.label}
                  </span>
                  {option.help !== undefined && <span className={styles.help}>{option.help}</span>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <output className={styles.none}>{options.length === 0 && words.shell.list.noMatch}</output>
    </>
  );
}
