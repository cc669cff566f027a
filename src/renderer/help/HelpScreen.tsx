import type { ReactNode } from 'react';
import { HELP_PARTS } from '../state/app-state.ts';
import { words } from '../../shared/words/words.ts';
import { Page, type PagePart, PageParts } from '../design/Page.tsx';
import {
  FailureTable,
  KeyTable,
  MorningGuide,
  NightGuide,
  SafetyGuide,
  StatusMeanings,
  WordTable,
} from './HelpTables.tsx';
import { LanguageGuide, LivingGuide } from './LanguageGuide.tsx';
import { OperationCatalogue } from './OperationCatalogue.tsx';
import { TourButton } from '../welcome/Tour.tsx';
import { Support } from './Support.tsx';

const CONTENTS: Readonly<Record<Exclude<keyof typeof HELP_PARTS, 'support'>, ReactNode>> = {
  words: <WordTable />,
  language: <LanguageGuide />,
  living: <LivingGuide />,
  statuses: <StatusMeanings />,
  night: <NightGuide />,
  morning: <MorningGuide />,
  failures: <FailureTable />,
  safety: <SafetyGuide />,
  keyboard: <KeyTable />,
  operations: <OperationCatalogue />,
};

interface HelpScreenProps {
  /** The part to begin at. */
  readonly part: string | undefined;
}

/** The whole help on one page. */
export function HelpScreen({ part }: HelpScreenProps) {
  const support = { id: 'support', title: HELP_PARTS.support, content: <Support isAsked={part === 'support'} /> };
  return (
    <Page title={words.help.title} testId="help-screen" tools={<TourButton />}>
      <PageParts label={words.help.parts} first={part} parts={[...SELECTABLE_PARTS, support]} />
    </Page>
  );
}

/** What the help says may be copied out of it. */
const SELECTABLE_PARTS: readonly PagePart[] = Object.entries(CONTENTS).map(([id, content]) => ({
  id,
  title: HELP_PARTS[id as keyof typeof CONTENTS],
  content: <div className="selectable">{content}</div>,
}));
