import { useEffect } from 'react';
import { Page, PageColumn, Section } from '../design/Page.tsx';
import { ThemeSwitch } from '../shell/theme.tsx';
import { About, YourData } from './About.tsx';
import { GatewayForm } from './GatewayForm.tsx';
import { ListSettings } from './ListSettings.tsx';
import { OtherKeys } from './Keys.tsx';
import { ProfileEditor } from './ProfileEditor.tsx';

interface SettingsScreenProps {
  readonly part: string | undefined;
  /** The origin whose key a batch waits for. */
  readonly keyFor: string | undefined;
}

/** Gateway, keys, profile, appearance, and what this is. */
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
