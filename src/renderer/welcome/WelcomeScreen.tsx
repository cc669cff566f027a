import { words } from '../../shared/words/words.ts';
import { joinClasses } from '../design/join-classes.ts';
import { useBatches } from '../state/app-context.ts';
import type { Screen } from '../state/app-state.ts';
import { BeginPanel } from './BeginPanel.tsx';
import { ConnectPanel } from './ConnectPanel.tsx';
import { NightScore } from './NightScore.tsx';
import { RehearsePanel } from './RehearsePanel.tsx';
import { ReturnPanel } from './ReturnPanel.tsx';
import { TemplatePanel } from './TemplatePanel.tsx';
import { WayChoice } from './WayChoice.tsx';
import styles from './WelcomeScreen.module.css';

interface WelcomeScreenProps {
  readonly page: Extract<Screen, { kind: 'welcome' }>['page'];
  /** Where the user came from to connect a gateway. */
  readonly from: Screen | undefined;
}

/**
 * The first screen. For a new user: what Nocturne is for, and the two ways to begin; otherwise what there is to know
 * first.
 */
export function WelcomeScreen({ page, from }: WelcomeScreenProps) {
  const isKnown = useBatches().length > 0;
  return (
    <div className={joinClasses(styles.screen, 'scroll')}>
      <div className={joinClasses('stack', styles.column)}>
        {page !== 'new' && !isKnown && <Greeting />}
        <WelcomePage page={page} from={from} isKnown={isKnown} />
      </div>
    </div>
  );
}

function Greeting() {
  return (
    <header>
      <NightScore />
      <h1 className={styles.title}>{words.home.greeting}</h1>
      <p className={joinClasses('soft', styles.promise)}>{words.home.promise}</p>
    </header>
  );
}

interface WelcomePageProps extends WelcomeScreenProps {
  /** There are batches, so no poster is above it. */
  readonly isKnown: boolean;
}

function WelcomePage({ page, from, isKnown }: WelcomePageProps) {
  switch (page) {
    case 'choice':
      return (
        <>
          {isKnown && <ReturnPanel />}
          {isKnown && <BeginPanel />}
          <WayChoice />
          {!isKnown && <BeginPanel />}
        </>
      );
    case 'rehearse':
      return <RehearsePanel isFirst={isKnown} />;
    case 'connect':
      return <ConnectPanel from={from} isFirst={isKnown} />;
    case 'new':
      return <TemplatePanel />;
  }
}
