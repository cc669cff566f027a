import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { words } from '../../shared/words/words.ts';
import { IconButton } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { Page } from '../design/Page.tsx';
import { ShareBar } from '../design/Status.tsx';
import { shownLine } from '../format/shown-text.ts';
import { useAppModel, useBatches } from '../state/app-context.ts';
import { type ShownWork, workProgressText } from '../state/under-way/works-under-way.ts';
import styles from './UnderWay.module.css';

/** The side bar has room for this many; the rest is among the notices. */
const BESIDE = 2;

/** What is under way. */
export function useWorks(): readonly ShownWork[] {
  return useStore(useAppModel().works.store, (state) => state.works);
}

/** What is under way, at the foot of the side bar: how far each is, and the way to end it. */
export function UnderWay() {
  const works = useWorks();
  return (
    <>
      {/* There before anything is under way, so that new work is read out, but not each step of it. */}
      <output className="visually-hidden">
        {works.map(({ workId, name }) => (
          <span key={workId}>{words.shell.works.begun(words.shell.works.names[name])}</span>
        ))}
      </output>
      {works.length > 0 && (
        <div className={styles.beside}>
          <WorkList works={works.slice(0, BESIDE)} />
          {works.length > BESIDE && (
            <p className={joinClasses('faint', styles.detail)}>{words.shell.works.more(works.length - BESIDE)}</p>
          )}
        </div>
      )}
    </>
  );
}

/** A first screen that comes sooner is waited for in silence. */
const SILENT_MS = 400;

/** In place of the first screen while the store is busy with something that a user of an earlier page asked for. */
export function BeforeFirstScreen() {
  const works = useWorks();
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), SILENT_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isLong || works.length === 0) return null;
  return (
    <Page title={words.shell.works.underWay} about={words.shell.works.beforeFirst} testId="before-first">
      <div className={styles.alone}>
        <WorkList works={works} />
      </div>
    </Page>
  );
}

/** Work as a list. */
export function WorkList({ works }: { readonly works: readonly ShownWork[] }) {
  return (
    <ul className={joinClasses('stack', styles.list)} aria-label={words.shell.works.underWay}>
      {works.map((work) => (
        <Work key={work.workId} work={work} />
      ))}
    </ul>
  );
}

function Work({ work }: { readonly work: ShownWork }) {
  const { works } = useAppModel();
  const batch = useBatches().find(({ id }) => id === work.batchId);
  const name = words.shell.works.names[work.name];
  const progress = workProgressText(work);
  return (
    <li className={styles.work}>
      <div className="row">
        <div className="grow">
          <p className={joinClasses('cut', styles.name)} title={name}>
            {name}
          </p>
          <p className={joinClasses('row faint tabular', styles.facts)}>
            {batch !== undefined && (
              <span className="cut" translate="no">
                {shownLine(batch.name)}
              </span>
            )}
            {progress !== undefined && <span className={styles.share}>{progress}</span>}
          </p>
          {work.detail !== undefined && (
            <p className={joinClasses('cut faint tabular', styles.detail)} title={work.detail}>
              {work.detail}
            </p>
          )}
        </div>
        {work.isCancellable && (
          <IconButton
            className={styles.cancel}
            icon={X}
            label={words.shell.works.cancel(name)}
            disabled={work.isCancelling}
            onClick={() => void works.cancel(work.workId)}
          />
        )}
      </div>
      {work.progress !== undefined && <ShareBar label={name} done={work.progress.done} of={work.progress.of} />}
    </li>
  );
}
