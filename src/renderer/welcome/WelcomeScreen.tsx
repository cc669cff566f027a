import { Button } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { countOf } from '../../shared/domain/base/text.ts';
import { shownLine } from '../format/shown-text.ts';
import { useAppModel, useBatches } from '../state/app-context.ts';
import { batchesInNeed } from '../state/batches-store.ts';
import type { Screen } from '../state/app-state.ts';
import { BeginPanel } from './BeginPanel.tsx';
import { ConnectPanel } from './ConnectPanel.tsx';
import { NightScore } from './NightScore.tsx';
import { RehearsePanel } from './RehearsePanel.tsx';
import { TemplatePanel } from './TemplatePanel.tsx';
import { WayChoice } from './WayChoice.tsx';
import styles from './WelcomeScreen.module.css';

interface WelcomeScreenProps {
  readonly page: Extract<Screen, { kind: 'welcome' }>['page'];
  /** Where the user came from to connect a gateway. */
  readonly from: Screen | undefined;
}

/** The first screen: what Nocturne is for, and the two ways to begin. */
export function WelcomeScreen({ page, from }: WelcomeScreenProps) {
  return (
    <div className={joinClasses(styles.screen, 'scroll')}>
      <div className={joinClasses('stack', styles.column)}>
        {page !== 'new' && <Greeting />}
        <WelcomePage page={page} from={from} />
      </div>
    </div>
  );
}

function Greeting() {
  return (
    <header>
      <NightScore />
      <h1 className={styles.title}>Give it a sheet at night.</h1>
      <p className={joinClasses('soft', styles.promise)}>
        Nocturne renders a spreadsheet of prompts overnight: songs, videos and images from your AI gateway. By morning
        every row is a verified, correctly named file or an explained exception. No row is paid for twice unless you say
        so.
      </p>
    </header>
  );
}

/** For returning users: whatever waits for them comes first. */
function NeedsYou() {
  const model = useAppModel();
  const waiting = batchesInNeed(useBatches());
  const [first] = waiting;
  if (first === undefined) return null;
  return (
    <Callout
      level="warning"
      title={waiting.length === 1 ? '1 batch needs you' : `${countOf(waiting.length, 'batch', 'batches')} need you`}
      actions={
        <Button size="small" onClick={() => model.go({ kind: 'batch', batchId: first.id })}>
          Open {waiting.length === 1 ? 'it' : 'the newest'}
        </Button>
      }
    >
      {waiting.map((batch) => shownLine(batch.name)).join(', ')}
    </Callout>
  );
}

function WelcomePage({ page, from }: WelcomeScreenProps) {
  switch (page) {
    case 'choice':
      return (
        <>
          <NeedsYou />
          <WayChoice />
          <BeginPanel />
        </>
      );
    case 'rehearse':
      return <RehearsePanel />;
    case 'connect':
      return <ConnectPanel from={from} />;
    case 'new':
      return <TemplatePanel />;
  }
}
