import { Play } from 'lucide-react';
import { useState } from 'react';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { moneyText } from '../../../shared/domain/base/money.ts';
import { words } from '../../../shared/words/words.ts';
import { PausedByFailure } from '../../batch/head/PauseBanner.tsx';
import { Callout } from '../../design/Callout.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { useBusy } from '../../design/Button.tsx';
import { NOTHING_TO_START, sentBy, someOf, startLabel, sumText } from '../../format/costs.ts';
import { countText } from '../../../shared/domain/base/text.ts';
import { isCanaryUsual } from '../../../shared/domain/task/canary.ts';
import { accountsOfBatch, otherAccounts } from '../../state/account-choices.ts';
import { useAnswer, useAppModel } from '../../state/app-context.ts';
import { answerToCorrect } from '../../state/opening/start-forms.ts';
import { gatesEntered } from '../../state/opening/gate-answers.ts';
import { whenOf } from '../../state/opening/when-answers.ts';
import { ForecastCard, useForecast } from './ForecastCard.tsx';
import { LongTextDialog, StartFields, useStartForm } from './StartForm.tsx';
import styles from './StartDialog.module.css';

interface StartDialogProps {
  readonly batch: BatchView;
  readonly onClose: () => void;
}

/** The questions before an imported or new batch starts. */
export function StartDialog({ batch, onClose }: StartDialogProps) {
  const model = useAppModel();
  const { name, rehearsal, maxSubmits, maxCost, taskCount, rows } = batch;
  const runnable = rows.queued;
  const [when] = useState(() => whenOf(batch.schedule, Date.now()));
  const form = useStartForm(batch.id, {
    name,
    wantsRehearsal: rehearsal,
    folder: undefined,
    limitText: maxSubmits === undefined ? '' : countText(maxSubmits),
    costText: maxCost === undefined ? '' : moneyText(maxCost),
    ...(batch.fuse === undefined ? {} : { fuseText: String(batch.fuse) }),
    ...(batch.canary === undefined ? {} : { canary: true }),
    ...(batch.picks === undefined ? {} : { picks: true }),
    ...(batch.schedule === undefined ? {} : { when }),
    ...(batch.gates === undefined ? {} : { gates: gatesEntered(batch.gates) }),
    accounts: accountsOfBatch(batch),
  });
  const cost = useAnswer('batch.cost', { batchId: batch.id });
  const [longRows, setLongRows] = useState(0);
  const [isRechecked, setRechecked] = useState(false);
  const [isBusy, run] = useBusy();
  const { isRehearsal, limit, choice } = form;
  // 0 and null mean none; leaving it out would keep the old one.
  const unlessChosen = {
    maxSubmits: 0,
    schedule: null,
    gates: null,
    maxCost: null,
    canary: isCanaryUsual(runnable, isRehearsal),
  };

  const { accounts: _, ...asked } = form.run;
  const accounts = otherAccounts(batch, isRehearsal ? undefined : form.answers.accounts);
  const { forecast, isCurrent } = useForecast(
    {
      of: { kind: 'batch', batchId: batch.id },
      ...unlessChosen,
      ...asked,
      ...(accounts !== undefined && { accounts }),
    },
    taskCount,
  );
  const waiting = { submits: taskCount, cost: cost?.cost ?? [], withoutPrice: cost?.submitsWithoutPrice ?? 0 };
  const sent = sentBy(waiting, isCurrent ? forecast : undefined);
  const again = isCurrent && forecast !== undefined ? (forecast.again?.requests ?? 0) : form.again * taskCount;
  const problem = choice.ok ? sent.problem : answerToCorrect(choice.error);

  const invalid = rows.invalid > 0 ? words.start.invalidRows(rows.invalid) : '';

  const begin = async (): Promise<void> => {
    if (!choice.ok) return;
    const { accounts: _accounts, ...chosen } = choice.value;
    const outcome = await model.newBatches.start(
      { batchId: batch.id, ...unlessChosen, ...chosen, ...(accounts !== undefined && { accounts }) },
      taskCount,
    );
    setRechecked(outcome === 'rechecked');
    if (outcome === 'started') onClose();
  };
  const ask = async (): Promise<void> => {
    const long = await model.newBatches.countLongRows(batch.id);
    if (long === undefined) return;
    if (long > 0) setLongRows(long);
    else await begin();
  };
  return (
    <Dialog
      title={words.start.title}
      problem={taskCount === 0 ? words.start.noneRunsYet : problem && words.start.sentence(problem)}
      decline={words.start.notYet}
      actions={[
        {
          words: startLabel(isRehearsal, sent, limit.ok ? limit.value : undefined, again),
          look: 'primary',
          icon: Play,
          isDisabled: taskCount === 0 || problem !== undefined,
          onClick: () => run(ask),
        },
      ]}
      isBusy={isBusy}
      onClose={onClose}
    >
      <div className={joinClasses(styles.fields, 'stack scroll')}>
        {isRechecked && (
          <Callout isSlim level="warning" title={words.start.rechecked}>
            {words.start.recheckedAbout}
          </Callout>
        )}
        {batch.pause?.by === 'failure' && <PausedByFailure batch={batch} failure={batch.pause.failure} />}
        <StartFields
          form={form}
          submits={taskCount}
          cost={cost?.cost}
          rows={runnable}
          folder={batch.folder}
          folderHint={words.start.ownFolder}
          own={accounts === undefined ? batch.accounts : undefined}
          tried={batch}
          place={{ place: batch.filesPlace, choose: () => model.choosePlace(batch.id) }}
        />
        {taskCount > 0 && <ForecastCard forecast={forecast} isRehearsal={isRehearsal} />}
      </div>
      <p className="soft">
        {taskCount === 0 ? (
          words.common.sentences([NOTHING_TO_START, invalid])
        ) : (
          <>
            <strong>{someOf(sent.submits, taskCount, isRehearsal)}</strong>
            {words.common.sentences([sumText(isRehearsal, sent.submits, sent.cost, sent.withoutPrice), invalid])}
          </>
        )}
      </p>
      {longRows > 0 && <LongTextDialog rows={longRows} onConfirm={() => run(begin)} onClose={() => setLongRows(0)} />}
    </Dialog>
  );
}
