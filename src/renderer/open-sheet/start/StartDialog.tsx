import { Play } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useEffect, useState } from 'react';
import type { RouteOutput } from '../../../shared/ipc/contract.ts';
import type { BatchView } from '../../../shared/ipc/views.ts';
import { Button } from '../../design/Button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { useBusy } from '../../design/use-busy.ts';
import { requestsOf, sumText } from '../../format/costs.ts';
import { countOf, formatCount } from '../../format/numbers.ts';
import { useAppModel } from '../../state/app-context.ts';
import { LongTextDialog } from '../LongTextDialog.tsx';
import styles from './StartDialog.module.css';
import { NOTHING_TO_START, startWords } from './start-words.ts';
import { StartFields } from './StartFields.tsx';
import { useStartForm } from './use-start-form.ts';

interface StartDialogProps {
  readonly batch: BatchView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks what is to be asked before a batch that was imported, or begun from nothing, is started. */
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
  const { name, rehearsal, maxSubmits, taskCount, rows } = batch;
  const form = useStartForm(batch.id, {
    name,
    wantsRehearsal: rehearsal,
    folder: undefined,
    limitText: maxSubmits === undefined ? '' : formatCount(maxSubmits),
  });
  const cost = useWaitingCost(batch);
  const [longRows, setLongRows] = useState(0);
  const [isBusy, run] = useBusy();
  const { isRehearsal, limit, choice } = form;

  const begin = async (): Promise<void> => {
    if (!choice.ok) return;
    // No limit is said as 0: what is not said at all stays as it was.
    const isStarted = await model.bringIn.start({ batchId: batch.id, maxSubmits: 0, ...choice.value }, taskCount);
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
        {taskCount === 0 ? (
          NOTHING_TO_START
        ) : (
          <>
            <strong>{requestsOf(taskCount, isRehearsal)}</strong>
            {sumText(isRehearsal, taskCount, cost?.cost ?? [], cost?.submitsWithoutPrice)}
          </>
        )}
        {rows.invalid > 0 &&
          ` ${countOf(rows.invalid, 'row')} with errors ${rows.invalid === 1 ? 'does' : 'do'} not run.`}
      </p>
      {taskCount === 0 && (
        <p className={styles.hint}>No row can run yet. Say what to render, or look at the problems.</p>
      )}
      <div className={styles.buttons}>
        <Dialog.Close asChild>
          <Button>Not yet</Button>
        </Dialog.Close>
        <Button look="primary" icon={Play} disabled={taskCount === 0 || !choice.ok || isBusy} onClick={() => run(ask)}>
          {startWords(isRehearsal, taskCount, limit.ok ? limit.value : undefined)}
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
