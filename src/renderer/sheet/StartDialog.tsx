import { Play } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useEffect, useState } from 'react';
import type { RouteOutput } from '../../shared/ipc/contract.ts';
import type { BatchView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { useBusy } from '../design/use-busy.ts';
import { sumText } from '../format/costs.ts';
import { countOf } from '../format/numbers.ts';
import { useAppModel } from '../state/app-context.ts';
import { LongTextDialog } from './LongTextDialog.tsx';
import styles from './StartDialog.module.css';
import { StartFields } from './StartFields.tsx';
import { useStartForm } from './use-start-form.ts';

interface StartDialogProps {
  readonly batch: BatchView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks what is to be asked before a batch that was brought in, or begun from nothing, is started. */
export function StartDialog({ batch, isOpen, onClose }: StartDialogProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.overlay} />
        <Dialog.Content className={styles.content} aria-describedby={undefined}>
          <Dialog.Title className={styles.title}>Start</Dialog.Title>
          <StartQuestions batch={batch} onClose={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function StartQuestions({ batch, onClose }: Omit<StartDialogProps, 'isOpen'>) {
  const model = useAppModel();
  const { name, rehearsal, maxSubmits, taskCount, invalidRows } = batch;
  const form = useStartForm({ name, isRehearsal: rehearsal, maxSubmits });
  const cost = useWaitingCost(batch);
  const [longRows, setLongRows] = useState(0);
  const [isBusy, run] = useBusy();
  const { isRehearsal, max, folder } = form;

  const begin = async (): Promise<void> => {
    const isStarted = await model.bringIn.start({
      batchId: batch.id,
      name: form.name.trim(),
      rehearsal: isRehearsal,
      maxSubmits: max.ok ? (max.value ?? 0) : 0,
      ...(folder === undefined ? {} : { folderId: folder.folderId }),
    });
    if (isStarted) onClose();
  };
  const ask = async (): Promise<void> => {
    const long = await model.bringIn.countLongRows(batch.id);
    if (long > 0) setLongRows(long);
    else await begin();
  };
  return (
    <>
      <div className={joinClasses(styles.fields, 'scroll')}>
        <StartFields
          form={form}
          submits={taskCount}
          folder={batch.folder}
          folderHint="The folder of this batch alone."
        />
      </div>
      <p className={styles.sum}>
        <strong>{countOf(taskCount, 'submit')}</strong>
        {sumText(isRehearsal, cost?.cost ?? [], cost?.submitsWithoutPrice)}
        {invalidRows > 0 && ` ${countOf(invalidRows, 'row')} with errors ${invalidRows === 1 ? 'does' : 'do'} not run.`}
      </p>
      {taskCount === 0 && <p className={styles.hint}>No row can run yet: write what to render, or see the problems.</p>}
      <div className={styles.buttons}>
        <Dialog.Close asChild>
          <Button>Not yet</Button>
        </Dialog.Close>
        <Button
          look="primary"
          icon={Play}
          disabled={taskCount === 0 || !form.isComplete || isBusy}
          onClick={() => run(ask)}
        >
          {isRehearsal ? 'Start rehearsal' : `Start ${countOf(taskCount, 'submit')}`}
        </Button>
      </div>
      <LongTextDialog
        isOpen={longRows > 0}
        rows={longRows}
        onConfirm={() => run(begin)}
        onClose={() => setLongRows(0)}
      />
    </>
  );
}

type WaitingCost = RouteOutput<'batch.cost'>;

/** What the waiting submits of a batch cost; undefined until that is known. */
function useWaitingCost({ id }: BatchView): WaitingCost | undefined {
  const { client } = useAppModel();
  const [cost, setCost] = useState<WaitingCost>();
  useEffect(() => {
    let isCurrent = true;
    void client.request('batch.cost', { batchId: id }).then((reply) => {
      if (isCurrent && reply.ok) setCost(reply.value);
    });
    return () => {
      isCurrent = false;
    };
  }, [client, id]);
  return cost;
}
