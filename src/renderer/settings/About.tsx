import { Button } from '../design/Button.tsx';
import { Mark } from '../design/Mark.tsx';
import page from '../design/Page.module.css';
import { useApp, useAppModel } from '../state/app-context.ts';
import { outdatedElectronWords } from '../format/outdated-electron.ts';
import styles from './About.module.css';

/** The version, and where more is written. */
export function About() {
  const model = useAppModel();
  const info = useApp((state) => state.info);
  return (
    <section className={page.section} aria-labelledby="about-title">
      <h2 id="about-title" className={page.sectionTitle}>
        About
      </h2>
      <div className={styles.about}>
        <Mark size={44} />
        <div className={styles.words}>
          <p className={styles.name}>Nocturne {info?.version}</p>
          <p className={styles.text}>
            Renders a spreadsheet of prompts overnight. The mark is a fermata: hold, until morning.
          </p>
          {info?.outdatedElectron !== undefined && (
            <p className={styles.outdated} role="alert">
              {outdatedElectronWords(info.outdatedElectron)}
            </p>
          )}
        </div>
        <Button onClick={() => void model.ask('help.open', { topic: 'readme' })}>Documentation</Button>
      </div>
    </section>
  );
}
