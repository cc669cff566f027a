import { useState, type FormEvent } from 'react';
import { joinClasses } from '../../design/join-classes.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { moneyText } from '../../../shared/domain/base/money.ts';
import { countText } from '../../../shared/domain/base/text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { statusTotals } from '../../state/batch/batch-progress.ts';
import { readCostLimit, readRequestLimit } from '../../state/start-forms.ts';
import styles from './RaiseLimit.module.css';

/** One screen shows one batch, and so one such field. */
export const LIMIT_FIELD_ID = 'request-limit';

/** Lets the user raise the limit of a batch that has used all its paid requests, and resumes it. */
export function RaiseLimit({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const all = batch.submitsUsed + statusTotals(batch.counts).queued;
  const [text, setText] = useState('');
  const [isBusy, run] = useBusy();
  const limit = readRequestLimit(text);
  const wanted = limit.ok ? limit.value : undefined;
  const isMore = wanted !== undefined && wanted > batch.submitsUsed;
  const raise = (event: FormEvent): void => {
    event.preventDefault();
    if (!isMore) return;
    run(async () => {
      const reply = await model.ask('batch.configure', { batchId: batch.id, maxSubmits: wanted });
      if (reply.ok) await model.command('batch.resume', batch.id);
    });
  };
  return (
    <form className="row" onSubmit={raise}>
      <input
        id={LIMIT_FIELD_ID}
        className={joinClasses('input', styles.field)}
        aria-label={`Request limit, ${countText(all)} for all rows`}
        title={`${countText(all)} would be enough for all rows.`}
        inputMode="numeric"
        value={text}
        placeholder={`${countText(all)} for all`}
        aria-invalid={!limit.ok}
        onChange={(event) => setText(event.target.value)}
      />
      {!limit.ok && (
        <span className="wrong" role="alert">
          {limit.error}
        </span>
      )}
      <Button size="small" type="submit" disabled={!isMore || isBusy}>
        Raise and resume
      </Button>
    </form>
  );
}

/** Lets the user raise the spending limit of a batch in which no waiting row fits into the rest of it, and resumes it. */
export function RaiseCostLimit({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const [text, setText] = useState('');
  const [isBusy, run] = useBusy();
  const { maxCost } = batch;
  const limit = readCostLimit(text, maxCost === undefined ? [] : [maxCost.currency]);
  const wanted = limit.ok ? limit.value : undefined;
  const isMore = wanted !== undefined && (wanted.currency !== maxCost?.currency || wanted.amount > maxCost.amount);
  const raise = (event: FormEvent): void => {
    event.preventDefault();
    if (!isMore) return;
    run(async () => {
      const reply = await model.ask('batch.configure', { batchId: batch.id, maxCost: wanted });
      if (reply.ok) await model.command('batch.resume', batch.id);
    });
  };
  return (
    <form className="row" onSubmit={raise}>
      <input
        id={LIMIT_FIELD_ID}
        className={joinClasses('input', styles.field)}
        aria-label="Spending limit"
        value={text}
        placeholder={maxCost === undefined ? '12.50 EUR' : `more than ${moneyText(maxCost)}`}
        aria-invalid={!limit.ok}
        onChange={(event) => setText(event.target.value)}
      />
      {!limit.ok && (
        <span className="wrong" role="alert">
          {limit.error}
        </span>
      )}
      <Button size="small" type="submit" disabled={!isMore || isBusy}>
        Raise and resume
      </Button>
    </form>
  );
}
