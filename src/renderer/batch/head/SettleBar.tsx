import { FileDown } from 'lucide-react';
import { useState } from 'react';
import { joinClasses } from '../../design/join-classes.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { resubmitCost } from '../../format/costs.ts';
import { countOf } from '../../../shared/domain/base/text.ts';
import { useAppModel, useRows } from '../../state/app-context.ts';
import { settleableRows } from '../../state/batch/rows-view.ts';
import { useUnknownSummary } from '../../state/batch/use-unknown-summary.ts';
import { SettleDialog, settledWords, type SettleQuestion } from './SettleDialog.tsx';
import styles from './SettleBar.module.css';

/** Resolves several rows at once: those of a selection, or all unknown ones while only those are shown. */
export function SettleBar({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const filter = useRows((state) => state.filter);
  const chosen = useRows((state) => state.unknownChosen);
  const rows = settleableRows(filter, chosen);
  const [asked, setAsked] = useState<SettleQuestion>();
  const [isBusy, run] = useBusy();
  return (
    <>
      {rows !== undefined && (
        <SettleChoices
          batch={batch}
          rows={rows === 'all' ? undefined : rows}
          isBusy={isBusy}
          run={run}
          ask={setAsked}
        />
      )}
      {asked !== undefined && (
        <SettleDialog
          asked={asked}
          isRehearsal={batch.rehearsal}
          onConfirm={() => run(() => model.settle(batch.id, asked.summary.shown, asked.decision))}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

interface SettleChoicesProps {
  readonly batch: BatchView;
  readonly rows: readonly number[] | undefined;
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<void>) => void;
  readonly ask: (question: SettleQuestion) => void;
}

function SettleChoices({ batch, rows, isBusy, run, ask }: SettleChoicesProps) {
  const model = useAppModel();
  const { summary, isCurrent } = useUnknownSummary(batch, rows);
  if (summary === undefined || summary.takes === 0) return null;
  const what = settledWords(summary);
  const isHeld = isBusy || !isCurrent;
  return (
    <section
      className={joinClasses('unknown row wrap', styles.bar)}
      aria-label="Resolve unknown outcomes"
      data-testid="settle-bar"
    >
      <p className={joinClasses('soft', styles.words)}>
        {countOf(summary.rows, 'row')} with an unknown outcome, {countOf(summary.takes, 'take')}.{' '}
        {resubmitCost(summary, batch.rehearsal)}
      </p>
      <Button
        size="small"
        look="quiet"
        icon={FileDown}
        disabled={isHeld}
        onClick={() => run(() => model.exportEvidence(batch.id, rows))}
      >
        Export evidence…
      </Button>
      <Button size="small" disabled={isHeld} onClick={() => ask({ decision: 'write-off', summary })}>
        Write off {what}…
      </Button>
      <Button size="small" look="danger" disabled={isHeld} onClick={() => ask({ decision: 'resubmit', summary })}>
        Resubmit {what}…
      </Button>
    </section>
  );
}
