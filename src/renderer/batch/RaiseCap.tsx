import { useState, type FormEvent } from 'react';
import type { BatchView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { useBusy } from '../design/use-busy.ts';
import { useAppModel } from '../state/app-context.ts';
import { readRequestLimit } from '../state/start-forms.ts';
import styles from './RaiseCap.module.css';

/** The way on after a batch has used all submits that it may: another maximum, and on it goes. */
export function RaiseCap({ batch }: { readonly batch: BatchView }) {
  const model = useAppModel();
  const waiting = Object.values(batch.counts).reduce((sum, counts) => sum + counts.queued, 0);
  const [text, setText] = useState(String(batch.submitsUsed + waiting));
  const [isBusy, run] = useBusy();
  const max = readRequestLimit(text);
  const isMore = max.ok && (max.value ?? Number.POSITIVE_INFINITY) > batch.submitsUsed;
  const raise = (event: FormEvent): void => {
    event.preventDefault();
    if (!max.ok) return;
    run(async () => {
      const reply = await model.ask('batch.configure', { batchId: batch.id, maxSubmits: max.value ?? 0 });
      if (reply.ok) await model.command('batch.resume', batch.id);
    });
  };
  return (
    <form className={styles.form} onSubmit={raise}>
      <input
        className={styles.field}
        aria-label="Maximum submits"
        inputMode="numeric"
        value={text}
        placeholder="No maximum"
        aria-invalid={!max.ok}
        onChange={(event) => setText(event.target.value)}
      />
      <Button size="small" type="submit" disabled={!isMore || isBusy}>
        Raise and resume
      </Button>
    </form>
  );
}
