import { Button, useBusy } from '../design/Button.tsx';
import { Mark } from '../design/drawings.tsx';
import { Section, Page, PageColumn } from '../design/Page.tsx';
import { outdatedElectronWords } from '../format/words.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
import { useEffect } from 'react';
import { ThemeSwitch } from '../shell/theme.tsx';
import { GatewayForm } from './GatewayForm.tsx';
import { ListSettings } from './ListSettings.tsx';
import { OtherKeys } from './Keys.tsx';
import { ProfileEditor } from './ProfileEditor.tsx';

interface SettingsScreenProps {
  readonly part: string | undefined;
  /** The origin whose key a batch waits for. */
  readonly keyFor: string | undefined;
}

/** Gateway, keys, profile, appearance, and about Nocturne. */
export function SettingsScreen({ part, keyFor }: SettingsScreenProps) {
  useEffect(() => {
    if (part !== undefined) document.getElementById(`settings-${part}`)?.scrollIntoView();
  }, [part]);
  return (
    <Page title="Settings" testId="settings-screen">
      <PageColumn>
        <Section title="Gateway">
          <GatewayForm />
        </Section>
        <OtherKeys key={keyFor} wanted={keyFor} />
        <ProfileEditor />
        <Section title="Appearance">
          <ThemeSwitch isWide />
        </Section>
        <ListSettings />
        <YourData />
        <About />
      </PageColumn>
    </Page>
  );
}

/** The version, and links to more. */
function About() {
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
function YourData() {
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
