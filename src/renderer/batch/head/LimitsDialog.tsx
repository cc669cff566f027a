import { useState } from 'react';
import { moneyText } from '../../../shared/domain/base/money.ts';
import { countText } from '../../../shared/domain/base/text.ts';
import type { BatchView } from '../../../shared/ipc/batches.ts';
import { useBusy } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { TextField } from '../../design/Field.tsx';
import { MoneyField } from '../../open-sheet/start/MoneyField.tsx';
import { useAppModel } from '../../state/app-context.ts';
import { readLimits } from '../../state/batch/limit-change.ts';

interface LimitsDialogProps {
  readonly batch: BatchView;
  readonly onClose: () => void;
}

/** Changes the limits of a batch that has been started, before they hold it up: from the next request on. */
export function LimitsDialog({ batch, onClose }: LimitsDialogProps) {
  const model = useAppModel();
  const { maxSubmits, maxCost, submitsUsed, spent } = batch;
  const [requests, setRequests] = useState(maxSubmits === undefined ? '' : countText(maxSubmits));
  const [cost, setCost] = useState(maxCost === undefined ? '' : moneyText(maxCost));
  const [isBusy, run] = useBusy();
  const read = readLimits(batch, { requests, cost });
  const { change } = read;
  const save = async (): Promise<void> => {
    if (change === undefined) return;
    const reply = await model.ask('batch.configure', { batchId: batch.id, ...change });
    if (reply.ok) onClose();
  };
  return (
    <Dialog
      title="Limits of this batch"
      decline="Cancel"
      actions={[{ words: 'Save', look: 'primary', isDisabled: change === undefined, onClick: () => run(save) }]}
      isBusy={isBusy}
      onClose={onClose}
    >
      <div className="stack">
        <TextField
          label="Request limit"
          inputMode="numeric"
          placeholder="No limit"
          value={requests}
          onChange={(event) => setRequests(event.target.value)}
          problem={read.problems.requests}
          hint={`${countText(submitsUsed)} sent so far. It pauses at this number.`}
        />
        <MoneyField
          label="Spending limit"
          value={cost}
          onChange={setCost}
          problem={read.problems.cost}
          hint={spent === undefined ? 'It pauses before more is spent.' : `${moneyText(spent)} spent at most so far.`}
        />
      </div>
    </Dialog>
  );
}
