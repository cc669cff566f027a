import type { ReactNode } from 'react';
import { words } from '../../shared/words/words.ts';
import { joinClasses } from '../design/join-classes.ts';
import { Phrase } from '../design/Page.tsx';
import { MeaningTable, Steps } from './HelpTables.tsx';
import styles from './HelpTables.module.css';

const { language, living } = words.help;

/** The language of cells, with examples to copy. */
export function LanguageGuide() {
  return (
    <div className={joinClasses('stack soft', styles.guide)}>
      <p>
        <Phrase of={language.headers(code)} />
      </p>
      <h3>{language.otherRows}</h3>
      <p>{language.otherRowsText}</p>
      <ExampleTable examples={Object.values(language.references)} />
      <h3>{language.values}</h3>
      <p>
        <Phrase of={language.valuesText(code)} />
      </p>
      <ExampleTable examples={Object.values(language.draws)} />
      <h3>{language.exact}</h3>
      <ExampleTable examples={Object.values(language.exactly)} />
    </div>
  );
}

interface ExampleTableProps {
  /** What a cell can hold, and what that means. */
  readonly examples: readonly (readonly [cell: string, meaning: string])[];
}

function ExampleTable({ examples }: ExampleTableProps) {
  return <MeaningTable lines={examples.map(([cell, meaning]) => [<code key={cell}>{cell}</code>, meaning])} />;
}

/** How a batch and its file stay in step. */
export function LivingGuide() {
  return (
    <Steps
      steps={[
        living.edit,
        living.fix,
        living.view,
        living.edited,
        [living.reimport, <Phrase key="text" of={living.reimportText(code)} />],
        living.onlyChanged,
        living.again,
        living.results,
      ]}
    />
  );
}

function code(text: string): ReactNode {
  return <code>{text}</code>;
}
