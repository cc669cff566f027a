import { useState } from 'react';
import { againWords } from '../../../shared/domain/task/forecast/forecast-words.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { words } from '../../../shared/words/words.ts';
import { useBusy } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { useAppModel, useAsking } from '../../state/app-context.ts';
import { gatesEntered, readGates } from '../../state/opening/gate-answers.ts';
import { useForecast } from './ForecastCard.tsx';
import { GateFields } from './GateFields.tsx';
import styles from './StartDialog.module.css';

interface GatesDialogProps {
  readonly batch: BatchView;
  readonly onClose: () => void;
}

/** Changes the gates of a batch that has been started, and says what they would say about its files. */
export function GatesDialog({ batch, onClose }: GatesDialogProps) {
  const model = useAppModel();
  const [answers, setAnswers] = useState(() => gatesEntered(batch.gates));
  const [isBusy, run] = useBusy();
  const { ask, refused } = useAsking();
  const gates = readGates(answers);
  const wanted = gates.ok ? (gates.value ?? null) : undefined;
  const { forecast, isCurrent } = useForecast({
    of: { kind: 'batch', batchId: batch.id },
    ...(wanted === undefined ? {} : { gates: wanted }),
  });
  const most =
    isCurrent && forecast !== undefined ? againWords(forecast, batch.rehearsal ? 'request' : 'paid request') : '';
  const save = async (runs: boolean): Promise<void> => {
    if (wanted === undefined) return;
    const reply = await ask('batch.configure', { batchId: batch.id, gates: wanted });
    if (!reply.ok) return;
    if (runs) await model.batchCommands.command('batch.resume', batch.id);
    onClose();
  };
  // The user must see the most that it may cost before agreeing to it.
  const isDisabled = wanted === undefined || ((wanted?.again ?? 0) > 0 && !isCurrent);
  const isOver = batch.state === 'finished';
  return (
    <Dialog
      title={words.start.gates.ofBatch}
      problem={gates.ok ? undefined : gates.error}
      refusal={refused.besides()}
      decline={words.common.cancel}
      actions={[
        {
          words: words.common.save,
          look: isOver ? 'secondary' : 'primary',
          isDisabled,
          onClick: () => run(() => save(false)),
        },
        ...(isOver && wanted !== null
          ? [
              {
                words: words.start.gates.saveAndRun,
                look: 'primary' as const,
                isDisabled,
                onClick: () => run(() => save(true)),
              },
            ]
          : []),
      ]}
      isBusy={isBusy}
      onClose={onClose}
    >
      <div className={joinClasses(styles.fields, 'stack scroll')}>
        <p className="soft">
          {isOver
            ? words.common.sentences([words.start.gates.onceRun, wanted === null ? '' : words.start.gates.runNow])
            : words.start.gates.fromNow}
        </p>
        <GateFields
          answers={answers}
          onChange={setAnswers}
          againHint={most === '' ? undefined : words.start.sentence(words.start.begun(most))}
          tried={batch.files > 0 ? batch : undefined}
        />
      </div>
    </Dialog>
  );
}
