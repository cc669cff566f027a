import { FileDown } from 'lucide-react';
import { useState } from 'react';
import type { BatchView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { useBusy } from '../design/use-busy.ts';
import { resubmitCost } from '../format/costs.ts';
import { countOf } from '../format/numbers.ts';
import { useAppModel, useRows } from '../state/app-context.ts';
import { settleableRows } from '../state/settleable-rows.ts';
import { useUnknownSummary } from '../state/use-unknown-summary.ts';
import { SettleDialogs, type SettleDecision } from './SettleDialogs.tsx';
import styles from './SettleBar.module.css';

/** Settles several rows at once: those of a selection, or all that are unknown while only those are shown. */
export function SettleBar({ batch }: { readonly batch: BatchView }) {
  const filter = useRows((state) => state.filter);
  const chosen = useRows((state) => state.unknownChosen);
  const rows = settleableRows(filter, chosen);
  if (rows === undefined) return null;
  return <SettleChoices batch={batch} rows={rows === 'all' ? undefined : rows} />;
}

function SettleChoices({ batch, rows }: { readonly batch: BatchView; readonly rows: readonly string[] | undefined }) {
  const model = useAppModel();
  const summary = useUnknownSummary(batch, rows);
  // What is asked about is kept: the selection may have moved on when the answer comes.
  const [asked, setAsked] = useState<{ decision: SettleDecision; rows: readonly string[] | undefined }>();
  const [isBusy, run] = useBusy();
  if (summary === undefined || summary.takes === 0) return null;
  const what = countOf(summary.rows, 'row');
  const ask = (decision: SettleDecision): void => setAsked({ decision, rows });
  return (
    <section className={styles.bar} aria-label="Settle unknown outcomes" data-testid="settle-bar">
      <p className={styles.words}>
        {what} with an unknown outcome, {countOf(summary.takes, 'take')}. {resubmitCost(summary, batch.rehearsal)}
      </p>
      <Button
        size="small"
        look="quiet"
        icon={FileDown}
        disabled={isBusy}
        onClick={() => run(() => model.exportEvidence(batch.id, rows))}
      >
        Export evidence…
      </Button>
      <Button size="small" disabled={isBusy} onClick={() => ask('write-off')}>
        Write off {what}…
      </Button>
      <Button size="small" look="danger" disabled={isBusy} onClick={() => ask('resubmit')}>
        Resubmit {what}…
      </Button>
      <SettleDialogs
        asks={asked?.decision}
        what={what}
        cost={resubmitCost(summary, batch.rehearsal)}
        onConfirm={(decision) => run(() => model.settle(batch.id, asked?.rows, decision))}
        onClose={() => setAsked(undefined)}
      />
    </section>
  );
}
