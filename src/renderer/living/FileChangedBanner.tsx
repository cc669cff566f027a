import { useStore } from 'zustand';
import type { BatchView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { visibleLine } from '../format/visible-text.ts';
import { useAppModel } from '../state/app-context.ts';
import styles from './FileChangedBanner.module.css';

/** Says that the watched file of a batch has changed. Nothing is taken over before the user has seen what. */
export function FileChangedBanner({ batch }: { readonly batch: BatchView }) {
  const { living } = useAppModel();
  const name = useStore(living.store, (state) => state.changedFiles[batch.id]);
  const isBusy = useStore(living.store, (state) => state.isBusy);
  if (name === undefined) return null;
  return (
    <div className={styles.banner}>
      <Callout
        isSlim
        level="info"
        title={`${visibleLine(name)} has changed`}
        actions={
          <>
            <Button size="small" disabled={isBusy} onClick={() => void living.compare(batch.id, false)}>
              See what changed
            </Button>
            <Button size="small" look="quiet" onClick={() => living.dismissChange(batch.id)}>
              Not now
            </Button>
          </>
        }
      >
        <span className={styles.hint}>Review the changes before anything is applied.</span>
      </Callout>
    </div>
  );
}
