import { useEffect, useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { templateProblem } from '../../shared/domain/files/check-name-template.ts';
import type { RouteInput } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Dialog } from '../design/Dialog.tsx';
import { Choices, Labelled, TextField } from '../design/Field.tsx';
import { ShareBar } from '../design/Status.tsx';
import { shownLine } from '../format/shown-text.ts';
import { useAnswer, useAppModel } from '../state/app-context.ts';
import { progressWords, TITLES, type DeliveryStanding } from '../state/under-way/deliveries-under-way.ts';

type Wish = Omit<RouteInput<'batch.deliver'>, 'batchId' | 'folderId' | 'template'>;
type Extra = 'hasTags' | 'hasSidecars' | 'hasTimeline' | 'isZip';

/** The last choices are kept for the next time, while the window is open: delivering again adds what is new. */
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
  ['hasTags', words.gallery.delivery.tags, words.gallery.delivery.tagsMeans],
  ['hasSidecars', words.gallery.delivery.sidecars, words.gallery.delivery.sidecarsMeans],
  ['hasTimeline', words.gallery.delivery.timeline, words.gallery.delivery.timelineMeans],
  ['isZip', words.gallery.delivery.zip, words.gallery.delivery.zipMeans],
];

interface DeliverDialogProps {
  readonly batch: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** Hands on the files of a batch, as copies in a folder or in a ZIP. One dialog, so that it keeps the focus. */
export function DeliverDialog({ batch, onClose }: DeliverDialogProps) {
  const model = useAppModel();
  const { deliveries, works } = model;
  const standing = useDelivery(batch.id);
  useEffect(() => deliveries.opened(batch.id), [deliveries, batch.id]);
  const [chosen, setChosen] = useState(() => chosenBefore.get(batch.id) ?? FIRST);
  const [isBusy, run] = useBusy();
  const { wish, template, folder } = chosen;
  const { columns, hasClips = true, kept, all } = useAnswer('batch.deliveryColumns', { batchId: batch.id }) ?? {};
  const named = template.trim();
  const hasTimeline = wish.hasTimeline && hasClips;
  const problem = named === '' || columns === undefined ? undefined : templateProblem(template, columns);
  const change = (changed: Partial<Chosen>): void => {
    // As it is by now: a folder may be chosen while something is typed.
    const next = { ...(chosenBefore.get(batch.id) ?? FIRST), ...changed };
    chosenBefore.set(batch.id, next);
    setChosen(next);
  };
  const choose = async (): Promise<void> => {
    const reply = await model.ask('folder.choose');
    if (reply.ok && reply.value !== undefined) change({ folder: reply.value });
  };
  const deliver = async (folderId: string): Promise<void> => {
    // What was just said about a file counts, too.
    await model.verdicts.settled();
    const wanted = { batchId: batch.id, folderId, ...wish, hasTimeline, ...(named === '' ? {} : { template: named }) };
    await deliveries.deliver(batch.name, wanted);
  };
  const open = async (folderId: string): Promise<void> => void (await model.ask('folder.open', { folderId }));
  if (standing?.kind === 'ended') {
    const { folderId, view } = standing;
    const opener = {
      words: words.gallery.delivery.openFolder,
      look: 'primary',
      onClick: () => run(() => open(folderId)),
    } as const;
    return (
      <Dialog
        title={TITLES[view.outcome]}
        decline={words.common.close}
        actions={view.outcome === 'nothing' ? [] : [opener]}
        onClose={onClose}
      >
        <div className="stack" data-testid="delivered">
          {view.outcome !== 'nothing' && <p>{shownLine(view.place)}</p>}
          <ul className="stack">
            {view.lines.map((line) => (
              <li key={line}>{shownLine(line)}</li>
            ))}
          </ul>
        </div>
      </Dialog>
    );
  }
  if (standing?.kind === 'under-way') {
    const { work } = standing;
    const cancel = (): void => void (work && works.cancel(work.workId));
    return (
      <Dialog
        title={words.gallery.delivery.underWay}
        about={shownLine(batch.name)}
        hint={words.gallery.delivery.underWayAbout}
        decline={words.gallery.delivery.closeAndBeTold}
        actions={[{ words: words.gallery.delivery.cancel, isDisabled: work?.isCancelling !== false, onClick: cancel }]}
        onClose={onClose}
      >
        <div className="stack" data-testid="delivering">
          <ShareBar
            label={words.gallery.delivery.delivered}
            done={work?.progress?.done ?? 0}
            of={work?.progress?.of ?? 0}
          />
          <output className="tabular">{progressWords(standing)}</output>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={words.gallery.delivery.title}
      about={shownLine(batch.name)}
      hint={words.gallery.delivery.about}
      decline={words.common.cancel}
      actions={[
        {
          words: words.gallery.delivery.deliver,
          look: 'primary',
          isDisabled: folder === undefined || problem !== undefined || isBusy,
          onClick: () => folder !== undefined && run(() => deliver(folder.folderId)),
        },
      ]}
      isBusy={isBusy}
      onClose={onClose}
    >
      <WishFields chosen={chosen} counts={{ kept, all }} hasClips={hasClips} problem={problem} onChange={change}>
        <Button size="small" disabled={isBusy} onClick={() => run(choose)}>
          {words.gallery.delivery.chooseFolder}
        </Button>
      </WishFields>
    </Dialog>
  );
}

interface WishFieldsProps {
  readonly chosen: Chosen;
  /** How many files either choice has; undefined while nobody knows. */
  readonly counts: Readonly<Record<'kept' | 'all', number | undefined>>;
  /** It has a film or a song: a timeline has nothing else. */
  readonly hasClips: boolean;
  /** What is wrong with the template. */
  readonly problem: string | undefined;
  readonly onChange: (changed: Partial<Chosen>) => void;
  /** The button that chooses the folder. */
  readonly children: ReactNode;
}

function WishFields({
  chosen: { wish, template, folder },
  counts,
  hasClips,
  problem,
  onChange,
  children,
}: WishFieldsProps) {
  const changeWish = (changed: Partial<Wish>): void => onChange({ wish: { ...wish, ...changed } });
  return (
    <div className="stack scroll">
      <Choices
        label={words.gallery.delivery.which}
        value={wish.isKeptOnly ? 'kept' : 'all'}
        onChoose={(which) => changeWish({ isKeptOnly: which === 'kept' })}
        options={[
          { value: 'kept', title: words.gallery.delivery.kept, text: words.gallery.delivery.keptMeans(counts.kept) },
          { value: 'all', title: words.gallery.delivery.all, text: words.gallery.delivery.allMeans(counts.all) },
        ]}
      />
      <TextField
        label={words.gallery.delivery.template}
        placeholder={words.gallery.delivery.templateDefault}
        value={template}
        onChange={(event) => onChange({ template: event.target.value })}
        problem={problem}
        hint={words.gallery.delivery.templateHint}
      />
      {EXTRAS.map(([name, title, text]) => {
        const isOut = name === 'hasTimeline' && !hasClips;
        return (
          <label key={name} className="row">
            <input
              type="checkbox"
              checked={wish[name] && !isOut}
              disabled={isOut}
              onChange={(event) => changeWish({ [name]: event.target.checked })}
            />
            <span className={isOut ? 'faint' : undefined}>
              {title} <span className="faint">{isOut ? words.gallery.delivery.noTimeline : text}</span>
            </span>
          </label>
        );
      })}
      <Labelled label={words.gallery.delivery.to}>
        <div className="row">
          <span className="grow soft">
            {folder === undefined ? words.gallery.delivery.noFolder : shownLine(folder.path)}
          </span>
          {children}
        </div>
      </Labelled>
    </div>
  );
}

/** The state of the delivery of a batch; undefined if there is nothing to say about it. */
function useDelivery(batchId: string): DeliveryStanding | undefined {
  return useStore(useAppModel().deliveries.store, ({ standings }) => standings[batchId]);
}
