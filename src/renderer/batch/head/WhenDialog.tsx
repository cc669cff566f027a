import { useState } from 'react';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { useBusy } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { WhenFields } from '../../open-sheet/start/WhenFields.tsx';
import { useAppModel, useAsking, useNow } from '../../state/app-context.ts';
import { readWhen, whenOf } from '../../state/opening/when-answers.ts';

const CLOCK_INTERVAL_MS = 15_000;

interface WhenDialogProps {
  readonly batch: BatchView;
  readonly onClose: () => void;
}

/** Changes when a batch that has been started may submit. One that has reached its time to finish by goes on then. */
export function WhenDialog({ batch, onClose }: WhenDialogProps) {
  const model = useAppModel();
  const { ask, refused } = useAsking();
  const [answers, setAnswers] = useState(() => whenOf(batch.schedule, Date.now()));
  const [isBusy, run] = useBusy();
  const schedule = readWhen(answers, useNow(CLOCK_INTERVAL_MS));
  const resumes = batch.pause?.by === 'failure' && batch.pause.failure.code === 'FINISH_BY';
  const save = async (): Promise<void> => {
    // A time that was typed relative to now counts from this moment.
    const wanted = readWhen(answers, Date.now());
    if (!wanted.ok) return;
    const reply = await ask('batch.schedule', { batchId: batch.id, schedule: wanted.value ?? null });
    if (!reply.ok) return;
    if (resumes) await model.batchCommands.command('batch.resume', batch.id);
    onClose();
  };
  return (
    <Dialog
      title={words.batch.when.title}
      refusal={refused.besides()}
      decline={words.common.cancel}
      actions={[
        {
          words: resumes ? words.batch.when.saveAndResume : words.common.save,
          look: 'primary',
          isDisabled: !schedule.ok,
          onClick: () => run(save),
        },
      ]}
      isBusy={isBusy}
      onClose={onClose}
    >
      <div className="stack">
        <WhenFields answers={answers} onChange={setAnswers} />
      </div>
    </Dialog>
  );
}
