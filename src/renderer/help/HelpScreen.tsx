import { useEffect } from 'react';
import { Button } from '../design/Button.tsx';
import { Page, PageColumn, Section } from '../design/Page.tsx';
import { FailureTable, KeyTable, MorningGuide, StatusMeanings, WordTable } from './HelpTables.tsx';
import { LanguageGuide, LivingGuide } from './LanguageGuide.tsx';
import { NightGuide, SafetyGuide } from './NightGuide.tsx';
import { OperationCatalogue } from './OperationCatalogue.tsx';

const PARTS = [
  { id: 'words', title: 'Words', content: <WordTable /> },
  { id: 'language', title: 'The language of sheets', content: <LanguageGuide /> },
  { id: 'living', title: 'The living sheet', content: <LivingGuide /> },
  { id: 'statuses', title: 'Statuses', content: <StatusMeanings /> },
  { id: 'night', title: 'At night', content: <NightGuide /> },
  { id: 'morning', title: 'In the morning', content: <MorningGuide /> },
  { id: 'failures', title: 'What can go wrong', content: <FailureTable /> },
  { id: 'safety', title: 'Safety', content: <SafetyGuide /> },
  { id: 'keyboard', title: 'Keyboard', content: <KeyTable /> },
  { id: 'operations', title: 'Operations', content: <OperationCatalogue /> },
] as const;

/** The whole help on one page. */
export function HelpScreen({ part }: { readonly part: string | undefined }) {
  useEffect(() => {
    if (part !== undefined) document.getElementById(`help-${part}`)?.scrollIntoView();
  }, [part]);
  return (
    <Page
      title="Help"
      testId="help-screen"
      tools={
        <nav className="row wrap" aria-label="Parts of the help">
          {PARTS.map(({ id, title }) => (
            <Button
              key={id}
              size="small"
              look="quiet"
              onClick={() => document.getElementById(`help-${id}`)?.scrollIntoView({ behavior: 'smooth' })}
            >
              {title}
            </Button>
          ))}
        </nav>
      }
    >
      <PageColumn>
        {PARTS.map(({ id, title, content }) => (
          <Section key={id} id={`help-${id}`} title={title}>
            <div className="selectable">{content}</div>
          </Section>
        ))}
      </PageColumn>
    </Page>
  );
}
