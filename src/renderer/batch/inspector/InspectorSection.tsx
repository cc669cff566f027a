import type { ReactNode } from 'react';
import { words } from '../../../shared/words/words.ts';
import { shownLine } from '../../format/shown-text.ts';
import { joinClasses } from '../../design/join-classes.ts';
import { Phrase } from '../../design/Page.tsx';
import styles from './Inspector.module.css';

interface InspectorSectionProps {
  readonly title: string;
  /** At the end of the title's line. */
  readonly tools?: ReactNode;
  readonly testId?: string;
  readonly children: ReactNode;
}

/** One part of the inspector. */
export function InspectorSection({ title, tools, testId, children }: InspectorSectionProps) {
  return (
    <section className="stack" data-testid={testId}>
      <div className={joinClasses('row', styles.sectionHead)}>
        <h3 className="grow faint">{title}</h3>
        {tools}
      </div>
      {children}
    </section>
  );
}

/** Text as it is sent or was received, line by line. */
export function CodeBox({ children }: { readonly children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard
    <pre className={styles.code} tabIndex={0}>
      {children}
    </pre>
  );
}

/** One box of what was sent or received, with its title. */
export function TitledCode({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <>
      <h4 className={joinClasses('faint', styles.codeTitle)}>{title}</h4>
      <CodeBox>{children}</CodeBox>
    </>
  );
}

/** The code under which the gateway knows a take. */
export function TaskCode({ code }: { readonly code: string | undefined }) {
  if (code === undefined) return null;
  return (
    <p className="faint">
      <Phrase of={words.inspector.taskCode(<code className="selectable">{shownLine(code)}</code>)} />
    </p>
  );
}

interface FieldsProps {
  readonly label?: string;
  readonly fields: readonly { readonly name: string; readonly value: ReactNode }[];
}

/** Names and values in order; a name may occur twice. */
export function Fields({ label, fields }: FieldsProps) {
  return (
    <dl aria-label={label}>
      {fields.map(({ name, value }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the list is always replaced as a whole
        <div key={index} className={styles.field}>
          <dt className="faint">{name}</dt>
          <dd className="selectable">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
