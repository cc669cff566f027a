import { useState } from 'react';
import { useStore } from 'zustand';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { ConfirmDialog, Dialog } from '../design/Dialog.tsx';
import { TextField } from '../design/Field.tsx';
import { countOf } from '../../shared/domain/base/text.ts';
import { removableFrom } from '../../shared/domain/task/batch-standing.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { shownLine } from '../format/shown-text.ts';
import { formatDayAndClock } from '../format/times.ts';
import { useAppModel, useBatch } from '../state/app-context.ts';
import { whyNotShelved } from '../state/shelf.ts';

/** As many as the application takes. */
const LONGEST_NAME = 200;

/** The question about a batch that its menu or the palette has opened. */
export function ShelfDialogs() {
  const { shelf } = useAppModel();
  const question = useStore(shelf.store, (state) => state.question);
  const batch = useBatch(question?.batchId ?? '');
  if (question === undefined || batch === undefined) return null;
  const onClose = (): void => shelf.ask(undefined);
  return question.about === 'name' ? (
    <RenameBatch key={batch.id} batch={batch} onClose={onClose} />
  ) : (
    <DeleteBatch batch={batch} onClose={onClose} />
  );
}

/** Says that a batch is put away, and until when it can be brought back. */
export function ShelfBanner({ batch }: { readonly batch: BatchView }) {
  const { shelf } = useAppModel();
  const [isBusy, run] = useBusy();
  const until = removableFrom(batch.shelf);
  if (batch.shelf === undefined) return null;
  return (
    <div className="stack banners">
      <Callout
        isSlim
        level={until === undefined ? 'info' : 'warning'}
        title={until === undefined ? 'This batch is archived' : 'This batch is deleted'}
        actions={
          <Button size="small" disabled={isBusy} onClick={() => run(() => shelf.bringBack(batch.id))}>
            Bring back
          </Button>
        }
      >
        {until !== undefined &&
          `It is removed, with what you change in it, when Nocturne starts after ${formatDayAndClock(until)}. Its files stay.`}
      </Callout>
    </div>
  );
}

interface QuestionProps {
  readonly batch: BatchView;
  readonly onClose: () => void;
}

function RenameBatch({ batch, onClose }: QuestionProps) {
  const { shelf } = useAppModel();
  const [name, setName] = useState(batch.name);
  const [isBusy, run] = useBusy();
  const wanted = name.trim();
  const rename = (): void => {
    if (wanted === '') return;
    if (wanted === batch.name) onClose();
    else
      run(async () => {
        if (await shelf.rename(batch.id, wanted)) onClose();
      });
  };
  return (
    <Dialog
      title="Rename the batch"
      decline="Cancel"
      isBusy={isBusy}
      actions={[{ words: 'Rename', look: 'primary', isDisabled: wanted === '', onClick: rename }]}
      onOpenFocus={(content) => content.querySelector('input')?.select()}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) rename();
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        maxLength={LONGEST_NAME}
        hint={
          batch.state === 'ready'
            ? 'A folder that was made for it and is still empty gets the new name, too.'
            : `Its folder keeps its name: ${shownLine(batch.folder)}`
        }
        onChange={({ target }) => setName(target.value)}
      />
    </Dialog>
  );
}

function DeleteBatch({ batch, onClose }: QuestionProps) {
  const { shelf } = useAppModel();
  const name = shownLine(batch.name);
  const whyNot = whyNotShelved(batch, 'deleted');
  if (whyNot !== undefined) {
    return (
      <Dialog title={`“${name}” cannot be deleted now`} decline="Close" isQuestion onClose={onClose}>
        {whyNot}
      </Dialog>
    );
  }
  const hasPaid = !batch.rehearsal && batch.submitsUsed > 0;
  const files = batch.files === 0 ? 'whatever lies in it' : `all ${countOf(batch.files, 'file')}`;
  return (
    <ConfirmDialog
      title={`Delete “${name}”?`}
      confirm="Delete the batch"
      decline="Keep it"
      onConfirm={() => void shelf.putAway(batch.id, 'deleted')}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          <strong>Goes:</strong> its {countOf(batch.rowCount, 'row')}, with their history, what was sent and answered,
          and your ratings.
        </p>
        <p>
          <strong>Stays:</strong> its folder with {files}: <span className="selectable">{shownLine(batch.folder)}</span>
          {hasPaid && '. What it has paid stays in the ledger, and counts for your limits'}.
        </p>
        {hasPaid && (
          <p>
            Nocturne no longer knows what was rendered: from a new import of its sheet, every row is paid for again.
          </p>
        )}
        <p>You can bring it back for a day. It is removed when Nocturne next starts after that.</p>
      </div>
    </ConfirmDialog>
  );
}
