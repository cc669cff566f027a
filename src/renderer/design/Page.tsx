import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { useId, type KeyboardEvent, type ReactNode } from 'react';
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

/** The content below the head, as one scrolling column. */
export function PageColumn({ children }: { readonly children: ReactNode }) {
  return <div className={joinClasses(styles.column, 'stack scroll')}>{children}</div>;
}

interface SectionProps {
  /** The name by which the app can scroll to it. */
  readonly id?: string;
  readonly title: string;
  /** Its subject, under the title. */
  readonly text?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page, with its title. */
export function Section({ id, title, text, children }: SectionProps) {
  const titleId = useId();
  return (
    <section id={id} className={joinClasses(styles.section, 'stack')} aria-labelledby={titleId}>
      <h2 id={titleId}>{title}</h2>
      {text !== undefined && <p className={joinClasses(styles.text, 'soft')}>{text}</p>}
      {children}
    </section>
  );
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
