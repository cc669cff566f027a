import { joinClasses } from '../../design/join-classes.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { Button } from '../../design/Button.tsx';
import { resubmitCost } from '../../format/costs.ts';
import { useRows } from '../../state/app-context.ts';
import { settleableRows } from '../../state/batch/rows-view.ts';
import { useUnknownSummary } from '../../state/batch/use-unknown-summary.ts';
import { ExportEvidence, settledWords, useSettling, type SettleQuestion } from './SettleDialog.tsx';
import styles from './SettleBar.module.css';

/** Resolves several rows at once: those of a selection, or all unknown ones while only those are shown. */
export function SettleBar({ batch }: { readonly batch: BatchView }) {
  const filter = useRows((state) => state.filter);
  const chosen = useRows((state) => state.unknownChosen);
  const rows = settleableRows(filter, chosen);
  const { isBusy, ask, settleDialog } = useSettling(batch);
  return (
    <>
      {rows !== undefined && (
        <SettleChoices batch={batch} rows={rows === 'all' ? undefined : rows} isBusy={isBusy} ask={ask} />
      )}
      {settleDialog}
    </>
  );
}

interface SettleChoicesProps {
  readonly batch: BatchView;
  readonly rows: readonly number[] | undefined;
  readonly isBusy: boolean;
  readonly ask: (question: SettleQuestion) => void;
}

function SettleChoices({ batch, rows, isBusy, ask }: SettleChoicesProps) {
  const { summary, isCurrent } = useUnknownSummary(batch, rows);
  if (summary === undefined || summary.takes === 0) return null;
  const what = settledWords(summary);
  const isHeld = isBusy || !isCurrent;
  return (
    <section
      className={joinClasses('unknown row wrap', styles.bar)}
      aria-label={words.batch.settle.label}
      data-testid="settle-bar"
    >
      <p className={joinClasses('soft', styles.words)}>
        {words.common.sentences([
          words.batch.settle.summary(summary.rows, summary.takes),
          resubmitCost(summary, batch),
        ])}
      </p>
      <ExportEvidence batchId={batch.id} rows={rows} isDisabled={isHeld} />
      <Button size="small" disabled={isHeld} onClick={() => ask({ decision: 'write-off', summary })}>
        {words.batch.settle.writeOffAsks(what)}
      </Button>
      <Button size="small" look="danger" disabled={isHeld} onClick={() => ask({ decision: 'resubmit', summary })}>
        {words.batch.settle.resubmitAsks(what)}
      </Button>
    </section>
  );
}
