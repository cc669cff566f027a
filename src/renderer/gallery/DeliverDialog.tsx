import { useEffect, useRef, useState } from 'react';
import type { DeliveryView } from '../../shared/ipc/batches.ts';
import type { RouteInput } from '../../shared/ipc/contract.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Dialog } from '../design/Dialog.tsx';
import { Choices, Labelled, TextField } from '../design/Field.tsx';
import { shownLine } from '../format/shown-text.ts';
import { useAppModel } from '../state/app-context.ts';

type Wish = Omit<RouteInput<'batch.deliver'>, 'batchId' | 'folderId' | 'template'>;
type Extra = 'hasTags' | 'hasSidecars' | 'hasTimeline' | 'isZip';

/** What was chosen last stays for the next time, while the window is open: delivering again adds what is new. */
interface Chosen {
  readonly wish: Wish;
  readonly template: string;
  readonly folder?: { readonly folderId: string; readonly path: string };
}

const FIRST: Chosen = {
  wish: { isKeptOnly: true, hasTags: true, hasSidecars: false, hasTimeline: false, isZip: false },
  template: '',
};
const chosenBefore = new Map<string, Chosen>();

const EXTRAS: readonly (readonly [name: Extra, title: string, text: string])[] = [
  ['hasTags', 'Tags in the copies', 'Title, lyrics, cover, prompt, model, rating and origin.'],
  [
    'hasSidecars',
    'The same in a file beside each',
    'XMP; the copies are the originals, byte for byte, without tags in them.',
  ],
  ['hasTimeline', 'A timeline', 'timeline.otio, in the order of the sheet, for editing programs.'],
  ['isZip', 'As a ZIP', 'One new file, named after the batch, in that folder.'],
];

interface DeliverDialogProps {
  readonly batch: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** Hands the files of a batch on: copies in a folder of the user's choice, or in a ZIP. */
export function DeliverDialog({ batch, onClose }: DeliverDialogProps) {
  const model = useAppModel();
  const [chosen, setChosen] = useState(() => chosenBefore.get(batch.id) ?? FIRST);
  const [delivered, setDelivered] = useState<DeliveryView>();
  const [isDelivering, setDelivering] = useState(false);
  const [isBusy, run] = useBusy();
  // It may take as long as copying does: who closes the dialog is told of its end.
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);
  const { wish, template, folder } = chosen;
  const change = (changed: Partial<Chosen>): void => {
    const next = { ...chosen, ...changed };
    chosenBefore.set(batch.id, next);
    setChosen(next);
  };
  const changeWish = (changed: Partial<Wish>): void => change({ wish: { ...wish, ...changed } });
  const choose = async (): Promise<void> => {
    const reply = await model.ask('folder.choose');
    if (reply.ok && reply.value !== undefined) change({ folder: reply.value });
  };
  const deliver = async (folderId: string): Promise<void> => {
    // What was just said of a file counts, too.
    await model.verdicts.settled();
    const named = template.trim();
    const wanted = { batchId: batch.id, folderId, ...wish, ...(named === '' ? {} : { template: named }) };
    setDelivering(true);
    const reply = await model.ask('batch.deliver', wanted);
    setDelivering(false);
    if (!reply.ok) return;
    const { place, lines } = reply.value;
    if (isOpen.current) setDelivered(reply.value);
    else
      model.notices.show({ level: 'info', title: `${batch.name}: delivered`, message: `${lines[0] ?? ''} → ${place}` });
  };
  const open = async (folderId: string): Promise<void> => void (await model.ask('folder.open', { folderId }));
  if (delivered !== undefined && folder !== undefined) {
    return (
      <Dialog
        title={delivered.files === 0 ? 'Nothing new to deliver' : 'Delivered'}
        decline="Close"
        actions={[{ words: 'Open folder', look: 'primary', onClick: () => run(() => open(folder.folderId)) }]}
        onClose={onClose}
      >
        <div className="stack" data-testid="delivered">
          <p>{shownLine(delivered.place)}</p>
          <ul className="stack">
            {delivered.lines.map((line) => (
              <li key={line}>{shownLine(line)}</li>
            ))}
          </ul>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title="Deliver files"
      about={shownLine(batch.name)}
      hint="Copies for others, under names of your choice. The media folder stays as it is."
      decline={isDelivering ? 'Close, and be told' : 'Cancel'}
      actions={[
        {
          words: isDelivering ? 'Delivering…' : 'Deliver',
          look: 'primary',
          isDisabled: folder === undefined || isBusy,
          onClick: () => folder !== undefined && run(() => deliver(folder.folderId)),
        },
      ]}
      isBusy={isBusy && !isDelivering}
      onClose={onClose}
    >
      <div className="stack scroll">
        <Choices
          label="Which files"
          value={wish.isKeptOnly ? 'kept' : 'all'}
          onChoose={(which) => changeWish({ isKeptOnly: which === 'kept' })}
          options={[
            { value: 'kept', title: 'What you kept', text: 'Also files of earlier versions.' },
            { value: 'all', title: 'Every file', text: 'Of the sheet as it is now, also what you rejected.' },
          ]}
        />
        <TextField
          label="Folders and names"
          placeholder="As in the media folder"
          value={template}
          onChange={(event) => change({ template: event.target.value })}
          hint="Such as {operation}/{title}: the language of file names, and each / makes a folder."
        />
        {EXTRAS.map(([name, title, text]) => (
          <label key={name} className="row">
            <input
              type="checkbox"
              checked={wish[name]}
              onChange={(event) => changeWish({ [name]: event.target.checked })}
            />
            <span>
              {title} <span className="faint">{text}</span>
            </span>
          </label>
        ))}
        <Labelled label="To">
          <div className="row">
            <span className="grow soft">
              {folder === undefined ? 'No folder is chosen yet.' : shownLine(folder.path)}
            </span>
            <Button size="small" disabled={isBusy} onClick={() => run(choose)}>
              Choose folder…
            </Button>
          </div>
        </Labelled>
      </div>
    </Dialog>
  );
}
