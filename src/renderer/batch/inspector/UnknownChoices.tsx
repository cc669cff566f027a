import { useState, type FormEvent } from 'react';
import { joinClasses } from '../../design/join-classes.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import type { RowDetail, RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { ExportEvidence, useSettling, type SettleDecision } from '../head/SettleDialog.tsx';
import { Button, useBusy } from '../../design/Button.tsx';
import { TextField } from '../../design/Field.tsx';
import { askingAgainWords, resubmitCost } from '../../format/costs.ts';
import { useAppModel, useNow, useTyped } from '../../state/app-context.ts';
import { useUnknownSummary } from '../../state/batch/use-unknown-summary.ts';
import styles from './UnknownChoices.module.css';

const CLOCK_INTERVAL_MS = 5_000;

interface UnknownChoicesProps {
  readonly batch: BatchView;
  readonly row: RowView;
  readonly tasks: RowDetail['tasks'];
}

/** The three ways to resolve an unknown outcome. Nocturne takes none without the user's word. */
export function UnknownChoices({ batch, row, tasks }: UnknownChoicesProps) {
  const model = useAppModel();
  const [typed, type, saved] = useTyped(`task code of ${batch.id} ${row.key}`);
  const { taskCode = '' } = typed;
  const [problem, setProblem] = useState<string>();
  const { isBusy: isSettling, ask, settleDialog } = useSettling(batch);
  const [isAdopting, run] = useBusy();
  const isBusy = isSettling || isAdopting;
  const { summary } = useUnknownSummary(batch, [row.key]);
  const take = summary?.shown[0];
  const code = taskCode.trim();
  const askFor = (decision: SettleDecision): void => summary && ask({ decision, summary });
  const adopt = (event: FormEvent): void => {
    event.preventDefault();
    if (code === '' || take === undefined) return;
    run(async () => {
      const refused = await model.batchCommands.adopt(batch.id, row.row, take, code);
      setProblem(refused);
      if (refused === undefined) saved(typed);
    });
  };
  const asks = askingAgainWords(tasks, useNow(CLOCK_INTERVAL_MS));
  return (
    <section className={joinClasses('unknown stack', styles.choices)} aria-label={words.inspector.unknown.label}>
      {asks !== undefined && <p>{asks}</p>}
      <form className={joinClasses('row', styles.adopt)} onSubmit={adopt}>
        <TextField
          className="grow"
          label={words.inspector.unknown.adoptCode}
          placeholder={words.inspector.unknown.adoptPlaceholder}
          value={taskCode}
          onChange={(event) => {
            type({ taskCode: event.target.value });
            setProblem(undefined);
          }}
          problem={problem}
          hint={words.inspector.unknown.adoptHint}
        />
        <Button type="submit" disabled={code === '' || isBusy || take === undefined}>
          {words.inspector.unknown.adopt}
        </Button>
      </form>
      <div className="row wrap">
        {/* A take that settles itself would be paid for twice. */}
        {row.retryAt === undefined && (
          <Button look="danger" disabled={isBusy || take === undefined} onClick={() => askFor('resubmit')}>
            {words.inspector.unknown.resubmit}
          </Button>
        )}
        <Button look="quiet" disabled={isBusy || take === undefined} onClick={() => askFor('write-off')}>
          {words.inspector.unknown.writeOff}
        </Button>
        <ExportEvidence size="medium" batchId={batch.id} rows={[row.key]} />
      </div>
      {row.retryAt === undefined && <p className="soft">{resubmitCost(summary, batch)}</p>}
      {settleDialog}
    </section>
  );
}
