import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { SheetDifference } from '../../shared/ipc/sheet-views.ts';
import { Button } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { requestsOf } from '../format/costs.ts';
import { countOf, formatCount } from '../format/numbers.ts';
import { visibleLine } from '../format/visible-text.ts';
import { useAppModel, useBatch } from '../state/app-context.ts';
import { DifferenceRows } from './DifferenceRows.tsx';
import { applyWords, costWords, countChips, isSame } from './difference-words.ts';
import styles from './DifferenceDialog.module.css';

/** A file beside the batch that was made of it: what differs, what it would cost, and the way to take it over. */
export function DifferenceDialog() {
  const { living } = useAppModel();
  const difference = useStore(living.store, (state) => state.difference);
  return (
    <Dialog.Root open={difference !== undefined} onOpenChange={(open) => !open && living.close()}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.overlay} />
        {difference !== undefined && <Content key={difference.differenceId} difference={difference} />}
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Content({ difference }: { readonly difference: SheetDifference }) {
  const { living } = useAppModel();
  const batch = useBatch(difference.batchId);
  const isRehearsal = batch?.rehearsal === true;
  const isBusy = useStore(living.store, (state) => state.isBusy);
  const [removed, setRemoved] = useState<'keep' | 'remove'>('keep');
  const [withDependents, setWithDependents] = useState(false);
  const { counts } = difference;
  const submits = difference.submits + (withDependents ? difference.dependentSubmits : 0);
  // To start it would let all of its rows run: that has a question of its own.
  const canRun = submits > 0 && batch?.state !== 'ready';
  const apply = (start: boolean): void => void living.apply({ removed, withDependents, submits, start });
  return (
    <Dialog.Content className={styles.content} aria-describedby={undefined} data-testid="difference">
      <Dialog.Title className={styles.title}>
        {isSame(difference) ? 'Nothing has changed' : 'What changed'}
        <span className={styles.file}>{visibleLine(difference.file)}</span>
      </Dialog.Title>
      <ul className={styles.chips}>
        {countChips(difference).map(({ kind, count, words }) => (
          <li key={kind} className={styles.chip} data-kind={kind}>
            <strong>{formatCount(count)}</strong> {words}
          </li>
        ))}
      </ul>
      <DifferenceRows difference={difference} />
      <div className={styles.choices}>
        {counts.removed > 0 && (
          <label className={styles.choice}>
            <input
              type="checkbox"
              checked={removed === 'remove'}
              onChange={(event) => setRemoved(event.target.checked ? 'remove' : 'keep')}
            />
            Remove {countOf(counts.removed, 'row')} that the file does not have. Files that were rendered stay.
          </label>
        )}
        {counts.dependent > 0 && (
          <label className={styles.choice}>
            <input
              type="checkbox"
              checked={withDependents}
              onChange={(event) => setWithDependents(event.target.checked)}
            />
            Render {countOf(counts.dependent, 'row')} again that refer to a changed row (
            {requestsOf(difference.dependentSubmits, isRehearsal)}).
          </label>
        )}
        {counts.invalid > 0 && (
          <p className={styles.warning}>
            {countOf(counts.invalid, 'row')} of the file cannot run; the grid shows what is wrong with{' '}
            {counts.invalid === 1 ? 'it' : 'them'}.
          </p>
        )}
      </div>
      <div className={styles.foot}>
        <p className={joinClasses(styles.cost, 'selectable')}>{costWords(difference, submits, batch)}</p>
        <Dialog.Close asChild>
          <Button look="quiet">Cancel</Button>
        </Dialog.Close>
        {!isSame(difference) && (
          <Button disabled={isBusy} look={canRun ? 'secondary' : 'primary'} onClick={() => apply(false)}>
            Apply changes
          </Button>
        )}
        {canRun && (
          <Button look="primary" disabled={isBusy} onClick={() => apply(true)}>
            {applyWords(submits, isRehearsal)}
          </Button>
        )}
      </div>
    </Dialog.Content>
  );
}
