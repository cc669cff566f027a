import { Page, type PagePart, PageParts } from '../design/Page.tsx';
import { FailureTable, KeyTable, MorningGuide, StatusMeanings, WordTable } from './HelpTables.tsx';
import { LanguageGuide, LivingGuide } from './LanguageGuide.tsx';
import { NightGuide, SafetyGuide } from './NightGuide.tsx';
import { OperationCatalogue } from './OperationCatalogue.tsx';
import { Support } from './Support.tsx';

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

interface HelpScreenProps {
  /** The part to begin at. */
  readonly part: string | undefined;
}

/** The whole help on one page. */
export function HelpScreen({ part }: HelpScreenProps) {
  const support = { id: 'support', title: 'Getting help', content: <Support isAsked={part === 'support'} /> };
  return (
    <Page title="Help" testId="help-screen">
      <PageParts label="Parts of the help" first={part} parts={[...SELECTABLE_PARTS, support]} />
    </Page>
  );
}

/** What the help says may be copied out of it. */
const SELECTABLE_PARTS: readonly PagePart[] = PARTS.map(({ content, ...rest }) => ({
  ...rest,
  content: <div className="selectable">{content}</div>,
}));
