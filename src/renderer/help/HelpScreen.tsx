import { useEffect } from 'react';
import { joinClasses } from '../design/join-classes.ts';
import page from '../design/Page.module.css';
import { FailureTable, KeyTable, MorningGuide, StatusMeanings, WordTable } from './HelpTables.tsx';
import { LanguageGuide, LivingGuide } from './LanguageGuide.tsx';
import { NightGuide, SafetyGuide } from './NightGuide.tsx';
import { OperationCatalogue } from './OperationCatalogue.tsx';
import styles from './HelpScreen.module.css';

const PARTS = [
  { id: 'words', title: 'Words', content: <WordTable /> },
  { id: 'language', title: 'The language of sheets', content: <LanguageGuide /> },
  { id: 'living', title: 'The living sheet', content: <LivingGuide /> },
  { id: 'statuses', title: 'Statuses', content: <StatusMeanings /> },
  { id: 'night', title: 'In the night', content: <NightGuide /> },
  { id: 'morning', title: 'In the morning', content: <MorningGuide /> },
  { id: 'failures', title: 'What can go wrong', content: <FailureTable /> },
  { id: 'safety', title: 'Safety', content: <SafetyGuide /> },
  { id: 'keyboard', title: 'Keyboard', content: <KeyTable /> },
  { id: 'operations', title: 'Operations', content: <OperationCatalogue /> },
] as const;

/** Everything that one may have to look up, on one page. */
export function HelpScreen({ part }: { readonly part: string | undefined }) {
  useEffect(() => {
    if (part !== undefined) document.getElementById(`help-${part}`)?.scrollIntoView();
  }, [part]);
  return (
    <div className={page.page} data-testid="help-screen">
      <header className={page.head}>
        <h1 className={page.title}>Help</h1>
        <nav className={styles.parts} aria-label="Parts of the help">
          {PARTS.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              className={styles.part}
              onClick={() => document.getElementById(`help-${id}`)?.scrollIntoView({ behavior: 'smooth' })}
            >
              {title}
            </button>
          ))}
        </nav>
      </header>
      <div className={joinClasses(page.body, styles.body, 'scroll', 'selectable')}>
        {PARTS.map(({ id, title, content }) => (
          <section key={id} id={`help-${id}`} className={page.section} aria-labelledby={`help-${id}-title`}>
            <h2 id={`help-${id}-title`} className={page.sectionTitle}>
              {title}
            </h2>
            {content}
          </section>
        ))}
      </div>
    </div>
  );
}
