import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { createElement, Fragment, useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { joinClasses } from './join-classes.ts';
import styles from './Page.module.css';

interface PageProps {
  readonly title: string;
  /** Under the title. */
  readonly about?: ReactNode;
  /** At the end of the title's line. */
  readonly tools?: ReactNode;
  readonly testId: string;
  readonly children: ReactNode;
}

/** A screen that is read from top to bottom: a head that stays in view, and the content below it. */
export function Page({ title, about, tools, testId, children }: PageProps) {
  return (
    <div className={styles.page} data-testid={testId}>
      <header className={joinClasses('row wrap', styles.head)}>
        <div className={styles.titles}>
          <h1 className="cut">{title}</h1>
          {about !== undefined && <div className="row wrap soft">{about}</div>}
        </div>
        {tools}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  /** Unique on its page. */
  readonly id?: string;
  readonly title: string;
  /** Its subject, under the title. */
  readonly text?: ReactNode;
  /** It is a part of the window that F6 goes to. */
  readonly region?: 'tools';
  readonly children: ReactNode;
}

/** A part of a page, with its title. */
export function Section({ id, title, text, region, children }: SectionProps) {
  const titleId = useId();
  return (
    <section
      data-part={id}
      data-region={region}
      className={joinClasses(styles.section, 'stack')}
      aria-labelledby={titleId}
    >
      <h2 id={titleId} tabIndex={-1}>
        {title}
      </h2>
      {text !== undefined && <p className={joinClasses(styles.text, 'soft')}>{text}</p>}
      {children}
    </section>
  );
}

/** A part of a long page, as its list of parts names it. */
export interface PagePart {
  /** Unique on its page. */
  readonly id: string;
  readonly title: string;
  readonly text?: ReactNode;
  readonly content: ReactNode;
}

interface PagePartsProps {
  /** What the list of parts is, for the screen reader. */
  readonly label: string;
  readonly parts: readonly PagePart[];
  /** The part to begin at. */
  readonly first: string | undefined;
}

/** The content of a long page: its parts one below the other, and beside them a list that leads to each. */
export function PageParts({ label, parts, first }: PagePartsProps) {
  const [current, setCurrent] = useState(first ?? parts[0]?.id);
  const column = useRef<HTMLDivElement>(null);
  /** The part that it begins at, until the user does something. */
  const held = useRef<string>(undefined);
  useEffect(() => {
    const part = first === undefined ? undefined : partWith(first);
    if (!part || column.current === null) return undefined;
    held.current = first;
    // Parts above it may still get their content; it stays where it is until the user does something.
    const observer = new ResizeObserver(() => {
      part.scrollIntoView();
      setCurrent(first);
    });
    for (const one of column.current.children) observer.observe(one);
    const stop = new AbortController();
    const release = (): void => {
      held.current = undefined;
      observer.disconnect();
      stop.abort();
    };
    for (const name of ['wheel', 'pointerdown', 'keydown'])
      window.addEventListener(name, release, { signal: stop.signal, passive: true });
    return release;
  }, [first]);
  const show = (id: string): void => {
    const part = partWith(id);
    part?.scrollIntoView();
    // The next Tab goes on inside the part.
    part?.querySelector('h2')?.focus({ preventScroll: true });
    setCurrent(id);
  };
  return (
    <div className={styles.parts}>
      <nav className={joinClasses(styles.partList, 'scroll')} aria-label={label}>
        {parts.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            className={styles.partLink}
            aria-current={id === current ? 'true' : undefined}
            onClick={() => show(id)}
          >
            {title}
          </button>
        ))}
      </nav>
      <div
        ref={column}
        className={joinClasses(styles.column, 'stack scroll')}
        onScroll={({ currentTarget }) => setCurrent(held.current ?? partInView(currentTarget, current))}
      >
        {parts.map(({ id, title, text, content }) => (
          <Section key={id} id={id} title={title} text={text}>
            {content}
          </Section>
        ))}
      </div>
    </div>
  );
}

function partWith(id: string): HTMLElement | null {
  return document.querySelector(`[data-part="${CSS.escape(id)}"]`);
}

/** The part that is being read: the last one that begins in the upper third, or, at the end, one below that. */
function partInView(column: HTMLElement, current: string | undefined): string | undefined {
  const { top, height } = column.getBoundingClientRect();
  const parts = Array.from(column.querySelectorAll<HTMLElement>('[data-part]'), (part) => ({
    id: part.dataset['part'],
    top: part.getBoundingClientRect().top - top,
  }));
  const isAtEnd = column.scrollTop + column.clientHeight >= column.scrollHeight - 1;
  // The part that was jumped to stays current, even if it is so short that the next one begins in the upper third, too,
  // or is one of the last ones, which cannot reach the top.
  const stays = ({ id, top: begins }: (typeof parts)[number]): boolean =>
    id === current && begins >= 0 && (isAtEnd || begins <= height / 3);
  if (parts.some(stays)) return current;
  return (isAtEnd ? parts : parts.filter((part) => part.top <= height / 3)).at(-1)?.id ?? current;
}

interface DisclosureProps {
  /** What is on its line, after the arrow. */
  readonly head: ReactNode;
  /** Beside the line, outside its button. */
  readonly tools?: ReactNode;
  readonly isOpenFirst?: boolean;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A line that opens its details. */
export function Disclosure({ head, tools, isOpenFirst = false, className, children }: DisclosureProps) {
  return (
    <Collapsible.Root className={styles.disclosure} defaultOpen={isOpenFirst}>
      <div className="row">
        <Collapsible.Trigger className={joinClasses('row grow', styles.trigger)}>
          <ChevronRight size={15} strokeWidth={2} aria-hidden />
          {head}
        </Collapsible.Trigger>
        {tools}
      </div>
      <Collapsible.Content className={joinClasses(styles.disclosed, className)}>{children}</Collapsible.Content>
    </Collapsible.Root>
  );
}

interface SidePanelProps {
  readonly title: string;
  /** Under the title. */
  readonly about: ReactNode;
  readonly label: string;
  readonly testId: string;
  /** Buttons at the end of the title's line. */
  readonly tools: ReactNode;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly children: ReactNode;
}

/** A panel beside the grid; in a narrow window, over it. */
export function SidePanel({ title, about, label, testId, tools, onKeyDown, children }: SidePanelProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are those of whatever in it has the focus
    <aside
      className={styles.panel}
      aria-label={label}
      data-testid={testId}
      data-region="panel"
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <header className={styles.panelHead}>
        <div className="grow">
          <h2 className="cut">{title}</h2>
          <p className="faint">{about}</p>
        </div>
        {tools}
      </header>
      {children}
    </aside>
  );
}

/** A message of the catalogue with elements in it, such as a name in bold. */
export function Phrase({ of: parts }: { readonly of: readonly ReactNode[] }) {
  return createElement(Fragment, undefined, ...parts);
}
