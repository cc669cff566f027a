import { Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { Button, useBusy } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { ConfirmDialog, Dialog } from '../design/Dialog.tsx';
import { TextField } from '../design/Field.tsx';
import { Phrase } from '../design/Page.tsx';
import { hasTag, MOST_TAGS, tagsIn, tagsOfAll } from '../../shared/domain/base/tags.ts';
import { words } from '../../shared/words/words.ts';
import { removableFrom } from '../../shared/domain/task/batch-standing.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { shownLine } from '../format/shown-text.ts';
import { formatDayAndClock } from '../format/times.ts';
import { useAppModel, useBatch, useBatches } from '../state/app-context.ts';
import { whyNotShelved } from '../state/batch-shelf.ts';

/** The longest that the application takes. */
const LONGEST_NAME = 200;

/** The question about a batch that its menu or the palette has opened. */
export function ShelfDialogs() {
  const { shelf } = useAppModel();
  const question = useStore(shelf.store, (state) => state.question);
  const batch = useBatch(question?.batchId ?? '');
  if (question === undefined || batch === undefined) return null;
  const onClose = (): void => shelf.ask(undefined);
  switch (question.about) {
    case 'name':
      return <RenameBatch key={batch.id} batch={batch} onClose={onClose} />;
    case 'tags':
      return <TagBatch key={batch.id} batch={batch} onClose={onClose} />;
    case 'deletion':
      return <DeleteBatch batch={batch} onClose={onClose} />;
  }
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
        title={until === undefined ? words.shell.shelf.isArchived : words.shell.shelf.isDeleted}
        actions={
          <Button size="small" disabled={isBusy} onClick={() => run(() => shelf.bringBack(batch.id))}>
            {words.shell.batchLink.bringBack}
          </Button>
        }
      >
        {until !== undefined && words.shell.shelf.removedAfter(formatDayAndClock(until))}
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
      title={words.shell.shelf.rename}
      decline={words.common.cancel}
      isBusy={isBusy}
      actions={[{ words: words.common.rename, look: 'primary', isDisabled: wanted === '', onClick: rename }]}
      onOpenFocus={(content) => content.querySelector('input')?.select()}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) rename();
      }}
      onClose={onClose}
    >
      <TextField
        label={words.common.name}
        value={name}
        maxLength={LONGEST_NAME}
        hint={
          batch.state === 'ready'
            ? words.shell.shelf.folderFollows
            : words.shell.shelf.folderStays(shownLine(batch.folder))
        }
        onChange={({ target }) => setName(target.value)}
      />
    </Dialog>
  );
}

function TagBatch({ batch, onClose }: QuestionProps) {
  const { shelf } = useAppModel();
  const batches = useBatches();
  const { tags = [] } = batch;
  const [text, setText] = useState(tags.join(', '));
  const [isBusy, run] = useBusy();
  const wanted = tagsIn(text);
  const known = tagsOfAll(batches).filter((tag) => !hasTag({ tags: wanted }, tag));
  const save = (): void => {
    if (wanted.join() === tags.join()) onClose();
    else
      run(async () => {
        if (await shelf.tag(batch.id, wanted)) onClose();
      });
  };
  return (
    <Dialog
      title={words.shell.shelf.tags}
      about={shownLine(batch.name)}
      decline={words.common.cancel}
      isBusy={isBusy}
      actions={[{ words: words.common.save, look: 'primary', onClick: save }]}
      onOpenFocus={(content) => content.querySelector('input')?.focus()}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) save();
      }}
      onClose={onClose}
    >
      <div className="stack">
        <TextField
          label={words.shell.shelf.tagsOf}
          value={text}
          translate="no"
          hint={words.shell.shelf.tagsHint(MOST_TAGS)}
          onChange={({ target }) => setText(target.value)}
        />
        {known.length > 0 && (
          <ul className="row wrap" aria-label={words.shell.shelf.knownTags}>
            {known.map((tag) => (
              <li key={tag}>
                <Button size="small" icon={Plus} translate="no" onClick={() => setText([...wanted, tag].join(', '))}>
                  {shownLine(tag)}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}

function DeleteBatch({ batch, onClose }: QuestionProps) {
  const { shelf } = useAppModel();
  const name = shownLine(batch.name);
  const whyNot = whyNotShelved(batch, 'deleted');
  if (whyNot !== undefined) {
    return (
      <Dialog title={words.shell.shelf.cannotDelete(name)} decline={words.common.close} isQuestion onClose={onClose}>
        {whyNot}
      </Dialog>
    );
  }
  const hasPaid = !batch.rehearsal && batch.submitsUsed > 0;
  const folder = <span className="selectable">{shownLine(batch.folder)}</span>;
  return (
    <ConfirmDialog
      title={words.shell.shelf.askDelete(name)}
      confirm={words.shell.shelf.delete}
      decline={words.shell.shelf.keep}
      onConfirm={() => void shelf.putAway(batch.id, 'deleted')}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          <Phrase of={words.shell.shelf.goes(bold, batch.rowCount)} />
        </p>
        <p>
          <Phrase of={words.shell.shelf.stays(bold, batch.files, folder, hasPaid)} />
        </p>
        {hasPaid && <p>{words.shell.shelf.paidAgain}</p>}
        <p>{words.shell.shelf.aDay}</p>
      </div>
    </ConfirmDialog>
  );
}

function bold(text: string): ReactNode {
  return <strong>{text}</strong>;
}
