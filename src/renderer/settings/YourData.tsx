import { Button } from '../design/Button.tsx';
import page from '../design/Page.module.css';
import { useBusy } from '../design/use-busy.ts';
import { useAppModel } from '../state/app-context.ts';
import styles from './About.module.css';

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
