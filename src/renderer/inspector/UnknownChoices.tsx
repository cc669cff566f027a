import { useState, type FormEvent } from 'react';
import type { BatchView, RowView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { ConfirmDialog } from '../design/ConfirmDialog.tsx';
import { TextField } from '../design/Field.tsx';
import { useBusy } from '../design/use-busy.ts';
import { useAppModel } from '../state/app-context.ts';
import styles from './UnknownChoices.module.css';

type Decision = 'resubmit' | 'write-off';

/** The three ways out of an unknown outcome. None is taken without the user's word. */
export function UnknownChoices({ batch, row }: { readonly batch: BatchView; readonly row: RowView }) {
  const model = useAppModel();
  const [taskCode, setTaskCode] = useState('');
  const [asks, setAsks] = useState<Decision>();
  const [isBusy, run] = useBusy();
  const ref = { batchId: batch.id, row: row.row };
  const code = taskCode.trim();
  const decide = (kind: Decision): void => run(() => model.resolve({ ...ref, decision: { kind } }));
  const adopt = (event: FormEvent): void => {
    event.preventDefault();
    if (code !== '') run(() => model.resolve({ ...ref, decision: { kind: 'adopt', taskCode: code } }));
  };
  return (
    <section className={styles.choices} aria-label="Ways out">
      <form className={styles.adopt} onSubmit={adopt}>
        <TextField
          className={styles.code}
          label="Adopt its task code"
          placeholder="As the gateway’s own page shows it"
          value={taskCode}
          onChange={(event) => setTaskCode(event.target.value)}
          hint="The surest way: look at the gateway’s own list of tasks. Nothing is paid again."
        />
        <Button type="submit" disabled={code === '' || isBusy}>
          Adopt
        </Button>
      </form>
      <div className={styles.others}>
        <Button look="danger" disabled={isBusy} onClick={() => setAsks('resubmit')}>
          Resubmit…
        </Button>
        <Button look="quiet" disabled={isBusy} onClick={() => setAsks('write-off')}>
          Write off…
        </Button>
      </div>
      <ConfirmDialog
        isOpen={asks === 'resubmit'}
        title="Resubmit, and maybe pay twice?"
        confirm="Resubmit"
        decline="Leave it unknown"
        onConfirm={() => decide('resubmit')}
        onClose={() => setAsks(undefined)}
      >
        If the gateway accepted the first submit, this one is charged as well. Look at the gateway’s own list of tasks
        first.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asks === 'write-off'}
        title="Write it off?"
        confirm="Write off"
        decline="Leave it unknown"
        onConfirm={() => decide('write-off')}
        onClose={() => setAsks(undefined)}
      >
        The row counts as failed. If the gateway did accept it, it was paid for and its files are not fetched.
      </ConfirmDialog>
    </section>
  );
}
