import { useEffect, useState, type FormEvent } from 'react';
import type { BatchView, SpendingView } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, useBusy } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/Dialog.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { useAppModel, useTyped } from '../../state/app-context.ts';
import { limitReached, pausingLimit, statusTotals } from '../../state/batch/batch-progress.ts';
import { limitForm, type LimitForm } from '../../state/batch/limit-change.ts';
import styles from './ChangeLimit.module.css';

/** The field in which the limit that holds a batch up is changed. */
export function limitFieldId({ id }: Pick<BatchView, 'id'>): string {
  return `limit-of-${id}`;
}

/** What a batch is paused, resumed and started by: one button, whichever of these it is. */
export function mainActionId({ id }: Pick<BatchView, 'id'>): string {
  return `main-action-of-${id}`;
}

interface ChangeLimitProps {
  readonly batch: BatchView;
  readonly lacks: Parameters<typeof limitForm>[1];
}

/** Raises or removes the limit that holds a batch up, and resumes it. */
export function ChangeLimit({ batch, lacks }: ChangeLimitProps) {
  const model = useAppModel();
  const [typed, type, saved] = useTyped(`${lacks} of ${batch.id}`);
  const { text = '' } = typed;
  const [asksToRemove, setAsksToRemove] = useState(false);
  const [isBusy, run] = useBusy();
  const { label, placeholder, isNumber, words: raise, name, none, read } = limitForm(batch, lacks);
  const limit = read(text);
  const wanted = limit.ok ? limit.value : undefined;
  const set = (limit: LimitForm['none']): void =>
    run(async () => {
      const reply = await model.ask('batch.configure', { batchId: batch.id, ...limit });
      if (!reply.ok) return;
      saved(typed);
      // This field goes with the pause, and what was done here is undone or done again there.
      document.getElementById(mainActionId(batch))?.focus();
      await model.batchCommands.command('batch.resume', batch.id);
    });
  const change = (event: FormEvent): void => {
    event.preventDefault();
    if (wanted !== undefined) set(wanted);
  };
  return (
    <form className="row" onSubmit={change}>
      <input
        id={limitFieldId(batch)}
        className={joinClasses('input', styles.field)}
        aria-label={label}
        title={label}
        inputMode={isNumber ? 'numeric' : 'text'}
        value={text}
        placeholder={placeholder}
        aria-invalid={!limit.ok}
        onChange={(event) => type({ text: event.target.value })}
      />
      {!limit.ok && (
        <span className="wrong" role="alert">
          {limit.error}
        </span>
      )}
      <Button size="small" type="submit" disabled={wanted === undefined || isBusy}>
        {raise}
      </Button>
      <Button size="small" look="quiet" disabled={isBusy} onClick={() => setAsksToRemove(true)}>
        {words.batch.limit.remove}
      </Button>
      {asksToRemove && (
        <ConfirmDialog
          title={words.batch.limit.removeTitle(name)}
          confirm={words.batch.limit.removeConfirm}
          decline={words.batch.limit.removeDecline}
          onConfirm={() => set(none)}
          onClose={() => setAsksToRemove(false)}
        >
          {words.batch.limit.removeText(statusTotals(batch.counts).queued)}
        </ConfirmDialog>
      )}
    </form>
  );
}

/** Whether a limit is one for all batches together. */
export function isOfAll(of: ReturnType<typeof limitReached>): boolean {
  return of === 'night' || of === 'month';
}

/** What all batches have spent starts again at noon and at the end of a month. */
const RENEWED_MS = 60_000;

/** Whose limit has paused the batch and is still used up; asks about the limits of all batches only where it is theirs. */
export function useLimitReached(batch: BatchView): ReturnType<typeof limitReached> {
  const { client } = useAppModel();
  const [known, setKnown] = useState<{ readonly sent: number; readonly spending: SpendingView }>();
  const isAsked = isOfAll(pausingLimit(batch)?.of);
  const sent = batch.submitsUsed;
  useEffect(() => {
    if (!isAsked) return undefined;
    let isCurrent = true;
    const ask = (): void =>
      void client.request('spending.get').then((reply) => {
        if (isCurrent && reply.ok) setKnown({ sent, spending: reply.value });
      });
    ask();
    const timer = setInterval(ask, RENEWED_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [client, isAsked, sent]);
  return limitReached(batch, known?.sent === sent ? known.spending : undefined);
}
