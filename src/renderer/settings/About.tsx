import { Button, useBusy } from '../design/Button.tsx';
import { Mark } from '../design/drawings.tsx';
import page from '../design/Page.module.css';
import { outdatedElectronWords } from '../format/words.ts';
import { useApp, useAppModel } from '../state/app-context.ts';
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

/** A copy of the store, and the log. */
export function YourData() {
  const model = useAppModel();
  const [isBusy, run] = useBusy();
  return (
    <section className={page.section} aria-labelledby="data-title">
      <h2 id="data-title" className={page.sectionTitle}>
        Your data
      </h2>
      <div className={styles.about}>
        <p className={`${styles.words} ${styles.text}`}>
          The store records every batch, paid request and file. Use this instead of copying the files: it is safe while
          rendering. The key is not included.
        </p>
        <Button look="quiet" onClick={() => void model.ask('log.openFolder')}>
          Open logs
        </Button>
        <Button disabled={isBusy} onClick={() => run(() => model.backUpStore())}>
          Back up the store…
        </Button>
      </div>
    </section>
  );
}
