import { useEffect } from 'react';
import { joinClasses } from '../design/join-classes.ts';
import page from '../design/Page.module.css';
import { ThemeSwitch } from '../shell/theme.tsx';
import { About, YourData } from './About.tsx';
import { GatewayForm } from './GatewayForm.tsx';
import { ListSettings } from './ListSettings.tsx';
import { OtherKeys } from './Keys.tsx';
import { ProfileEditor } from './ProfileEditor.tsx';
import styles from './SettingsScreen.module.css';

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
    <div className={page.page} data-testid="settings-screen">
      <header className={page.head}>
        <h1 className={page.title}>Settings</h1>
      </header>
      <div className={joinClasses(page.body, styles.body, 'scroll')}>
        <section className={page.section} aria-labelledby="gateway-title">
          <h2 id="gateway-title" className={page.sectionTitle}>
            Gateway
          </h2>
          <GatewayForm />
        </section>
        <OtherKeys key={keyFor} wanted={keyFor} />
        <ProfileEditor />
        <section className={page.section} aria-labelledby="appearance-title">
          <h2 id="appearance-title" className={page.sectionTitle}>
            Appearance
          </h2>
          <ThemeSwitch isWide />
        </section>
        <ListSettings />
        <YourData />
        <About />
      </div>
    </div>
  );
}
