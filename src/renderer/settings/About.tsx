import { Button, useBusy } from '../design/Button.tsx';
import { Mark } from '../design/drawings.tsx';
import { Section } from '../design/Page.tsx';
import { outdatedElectronWords } from '../format/words.ts';
import { useApp, useAppModel } from '../state/app-context.ts';

/** The version, and where more is written. */
export function About() {
  const model = useAppModel();
  const info = useApp((state) => state.info);
  return (
    <Section title="About">
      <div className="row">
        <Mark size={44} />
        <div className="grow">
          <p className="name">Nocturne {info?.version}</p>
          <p className="soft">
            Renders a spreadsheet of prompts overnight. The mark is a fermata: hold, until morning.
          </p>
          {info?.outdatedElectron !== undefined && (
            <p className="wrong" role="alert">
              {outdatedElectronWords(info.outdatedElectron)}
            </p>
          )}
        </div>
        <Button onClick={() => void model.ask('help.open', { topic: 'readme' })}>Documentation</Button>
      </div>
    </Section>
  );
}

/** A copy of the store, and the log. */
export function YourData() {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  return (
    <Section title="Your data">
      <div className="row">
        <p className="grow soft">
          The store records every batch, paid request and file. Use this instead of copying its files: it is safe while
          rendering. The key is not included.
        </p>
        <Button look="quiet" onClick={() => void model.ask('log.openFolder')}>
          Open logs
        </Button>
        <Button disabled={isBusy} onClick={() => run(() => model.backUpStore())}>
          Back up the store…
        </Button>
      </div>
    </Section>
  );
}
