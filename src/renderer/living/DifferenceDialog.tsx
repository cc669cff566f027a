import { useState } from 'react';
import { useStore } from 'zustand';
import type { DifferenceView } from '../../shared/ipc/living.ts';
import { moneyText } from '../../shared/domain/base/money.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';
import { Dialog } from '../design/Dialog.tsx';
import { Phrase } from '../design/Page.tsx';
import { requestsOf } from '../format/costs.ts';
import { countText } from '../../shared/domain/base/text.ts';
import { shownLine } from '../format/shown-text.ts';
import { useWorks, WorkList } from '../notices/UnderWay.tsx';
import { shownDifference } from '../state/batch/living-sheet-view.ts';
import { useAppModel, useBatch } from '../state/app-context.ts';
import { DifferenceRows } from './DifferenceRows.tsx';
import { joinClasses } from '../design/join-classes.ts';
import styles from './DifferenceDialog.module.css';

const KINDS = ['new', 'changed', 'details', 'removed', 'locked', 'unchanged'] as const;

/** A file beside the batch that was made from it: the differences, their cost, and the way to apply them. */
export function DifferenceDialog({ batchId }: { readonly batchId: string }) {
  const { living } = useAppModel();
  const difference = useStore(living.store, (state) => shownDifference(state, batchId));
  return difference === undefined ? null : <Content key={difference.differenceId} difference={difference} />;
}

function Content({ difference: given }: { readonly difference: DifferenceView }) {
  const { living } = useAppModel();
  const batch = useBatch(given.batchId);
  const isRehearsal = batch?.rehearsal === true;
  const isBusy = useStore(living.store, (state) => state.isBusy);
  const [removed, setRemoved] = useState<'keep' | 'remove'>('keep');
  const [withDependents, setWithDependents] = useState(false);
  // Its rows may refer to those that are kept.
  const difference = removed === 'keep' ? { ...given, ...given.kept } : given;
  // The dialog covers the side bar, where work under way can otherwise be ended.
  const applying = useWorks().filter(({ name }) => isBusy && name === 'sheet.apply');
  const { counts } = difference;
  const submits = difference.submits + (withDependents ? difference.dependentSubmits : 0);
  // Starting it would run all of its rows: another dialog asks about that.
  const canRun = submits > 0 && batch?.state !== 'ready';
  const apply = (start: boolean): void => void living.apply({ removed, withDependents, start });
  return (
    <Dialog
      title={isSame(difference) ? words.home.difference.none : words.home.difference.some}
      about={shownLine(difference.file)}
      problem={counts.invalid === 0 ? undefined : words.home.difference.invalid(counts.invalid)}
      foot={
        applying.length > 0 ? (
          <WorkList works={applying} />
        ) : (
          <p className="soft selectable">{costWords(difference, submits, batch)}</p>
        )
      }
      decline={words.common.cancel}
      actions={[
        ...(isSame(difference)
          ? []
          : [
              {
                words: words.home.difference.apply,
                look: canRun ? 'secondary' : 'primary',
                onClick: () => apply(false),
              } as const,
            ]),
        ...(canRun
          ? [
              {
                words: words.home.difference.applyAndRun(requestsOf(submits, isRehearsal)),
                look: 'primary',
                onClick: () => apply(true),
              } as const,
            ]
          : []),
      ]}
      isBusy={isBusy}
      isWide
      testId="difference"
      onClose={() => living.close()}
    >
      <ul className="row wrap">
        {shownCounts(difference).map(({ kind, count }) => (
          <li key={kind} className={joinClasses('soft', styles.chip)} data-kind={kind}>
            <Phrase of={words.home.difference.counts[kind](<strong>{countText(count)}</strong>)} />
          </li>
        ))}
      </ul>
      <DifferenceRows difference={difference} />
      <div className="stack">
        {counts.removed > 0 && (
          <label className="row">
            <input
              type="checkbox"
              checked={removed === 'remove'}
              onChange={(event) => setRemoved(event.target.checked ? 'remove' : 'keep')}
            />
            {words.home.difference.removeRows(counts.removed)}
          </label>
        )}
        {counts.dependent > 0 && (
          <label className="row">
            <input
              type="checkbox"
              checked={withDependents}
              onChange={(event) => setWithDependents(event.target.checked)}
            />
            {words.home.difference.renderAgain(counts.dependent, requestsOf(difference.dependentSubmits, isRehearsal))}
          </label>
        )}
        {!isSame(difference) && <p className="soft">{words.home.difference.noUndo}</p>}
      </div>
    </Dialog>
  );
}

/** How many rows of each kind there are; zero counts are left out. */
function shownCounts({ counts }: DifferenceView) {
  return KINDS.map((kind) => ({ kind, count: counts[kind] })).filter(({ count }) => count > 0);
}

/** True if applying it would change nothing. */
function isSame({ counts, headersAdded, headersRemoved }: DifferenceView): boolean {
  const rows = counts.new + counts.changed + counts.details + counts.removed;
  return rows + headersAdded.length + headersRemoved.length === 0;
}

/** The cost of the changed and new rows of a batch that runs or ran; `submits` counts the chosen ones. */
function costWords(
  difference: DifferenceView,
  submits: number,
  batch: Pick<BatchView, 'state' | 'rehearsal'> | undefined,
): string {
  if (submits === 0) return words.home.difference.nothingPaid;
  if (batch?.state === 'ready') return words.home.difference.notStarted;
  if (batch?.rehearsal === true) return words.home.difference.rehearsed(submits);
  const isWhole = submits === difference.submits;
  const sum = words.common.and(difference.cost.map(moneyText));
  return sum !== '' && isWhole ? words.home.difference.priced(submits, sum) : words.home.difference.unpriced(submits);
}
