import { ArrowLeft, ExternalLink, FolderOpen, ListPlus, Play, Send } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';
import { Button, useBusy } from '../design/Button.tsx';
import { Page } from '../design/Page.tsx';
import { shownLine } from '../format/shown-text.ts';
import { nameOfKey } from '../review/review-keys.ts';
import { ReviewDialog } from '../review/ReviewDialog.tsx';
import { commandButton } from '../shell/commands.ts';
import { focusRegion, useWindowEvent } from '../shell/keyboard.ts';
import { useAppModel, useBatch } from '../state/app-context.ts';
import type { AppModel } from '../state/app-model.ts';
import { DeliverDialog } from './DeliverDialog.tsx';
import { GalleryFilters, isAll } from './GalleryFilters.tsx';
import { GalleryWall, type WallHandle } from './GalleryWall.tsx';
import styles from './GalleryScreen.module.css';

/** All files of a batch at a glance. */
export function GalleryScreen({ batchId }: { readonly batchId: string }) {
  const model = useAppModel();
  const { gallery, review, playThrough } = model;
  const batch = useBatch(batchId);
  const { order, arrived, filter, problem, selection, said } = useStore(gallery.store);
  const isReviewed = useStore(review.store, (state) => state.batchId === batchId);
  const [isDelivering, setDelivering] = useState(false);
  const wall = useRef<WallHandle>(null);
  const [isBusy, run] = useBusy();
  const ofGoneRows = isAll(filter) ? filesOfGoneRows(batch, order, arrived) : 0;
  useFocusAfterReview(model, isReviewed, (fileId) => wall.current?.focus(fileId));
  const playAll = (): void => {
    const { order: shown = [], current, selection } = gallery.store.getState();
    const several = selection.ids.size > 1 ? shown.filter((id) => selection.ids.has(id)) : shown;
    if (several.length > 0) void playThrough.start(batchId, several, current);
  };
  const takeBack = (): void => {
    const fileId = gallery.undo();
    if (fileId !== undefined) wall.current?.focus(fileId);
  };
  useWindowEvent(['keydown'], (event) => {
    const { target, key, defaultPrevented, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
    const name = nameOfKey(event);
    const isElsewhere =
      target instanceof Element && target.closest('[role$="dialog"], [role="listbox"], [role="menu"]') !== null;
    const isField = target instanceof HTMLInputElement;
    const isCommand = ctrlKey || metaKey;
    if (defaultPrevented || isElsewhere || altKey || (isCommand && (name !== 'z' || shiftKey || isField))) return;
    if (isCommand || (name === 'u' && !isField)) {
      // A key that is held down takes only one thing back.
      if (!repeat) takeBack();
    } else if (key === 'Escape' && isField) focusRegion('grid');
    else if (key === 'Escape' && gallery.selectNone()) focusRegion('grid');
    else if (key === 'Escape' || key === 'F7') model.go({ kind: 'batch', batchId });
    else if (key === 'F8') openReview(model, batchId);
    else if (name === 't' && !isField) playAll();
    else if (name === 'r' && !isField) gallery.addArrived();
    else return;
    event.preventDefault();
  });
  return (
    <Page
      title={batch === undefined ? words.gallery.title : shownLine(batch.name)}
      about={
        <>
          <span data-testid="gallery-count">{countWords(order?.length, isAll(filter))}</span>
          {ofGoneRows > 0 && (
            <Button
              size="small"
              look="quiet"
              icon={FolderOpen}
              title={words.gallery.ofGoneRowsMeans}
              disabled={isBusy}
              onClick={() => run(async () => void (await model.ask('batch.openFolder', { batchId })))}
            >
              {words.gallery.ofGoneRows(ofGoneRows)}
            </Button>
          )}
          {selection.ids.size > 0 && <output>{words.gallery.selected(selection.ids.size)}</output>}
          <span className={styles.said}>
            <span className="faint" data-hidden={said !== undefined}>
              {words.gallery.keys}
            </span>
            {said !== undefined && <output className="soft cut">{shownLine(said)}</output>}
          </span>
        </>
      }
      testId="gallery-screen"
      tools={
        <div className="row wrap">
          {arrived > 0 && (
            <Button icon={ListPlus} title="R" onClick={() => gallery.addArrived()}>
              {words.gallery.arrived(arrived)}
            </Button>
          )}
          <Button
            look="quiet"
            icon={Play}
            title={words.gallery.playThroughMeans}
            disabled={order === undefined || order.length === 0}
            onClick={playAll}
            {...commandButton('playThrough')}
          >
            {words.review.playThrough}
          </Button>
          {order !== undefined && order.length > 0 && batch !== undefined && (
            <Button
              look="quiet"
              icon={Send}
              title={words.gallery.delivery.deliverMeans}
              {...commandButton('deliver')}
              onClick={() => setDelivering(true)}
            >
              {words.gallery.delivery.deliver}
            </Button>
          )}
          <Button
            look="quiet"
            icon={ExternalLink}
            title={words.gallery.openInBrowserMeans}
            {...commandButton('browser')}
            disabled={isBusy}
            onClick={() => run(async () => void (await model.ask('batch.openGallery', { batchId })))}
          >
            {words.gallery.openInBrowser}
          </Button>
          <Button icon={ArrowLeft} title="Escape" onClick={() => model.go({ kind: 'batch', batchId })}>
            {words.gallery.backToBatch}
          </Button>
        </div>
      }
    >
      <GalleryFilters filter={filter} onFilter={(next) => gallery.filter(next)} />
      {order !== undefined && order.length > 0 ? (
        <GalleryWall batchId={batchId} handle={wall} order={order} onOpen={() => openReview(model, batchId)} />
      ) : (
        // While files are looked for, the focus waits for the wall.
        <p className={styles.empty} data-region={order === undefined ? 'grid' : undefined}>
          {problem ?? emptyWords(order, filter, batch)}
        </p>
      )}
      {isDelivering && batch !== undefined && <DeliverDialog batch={batch} onClose={() => setDelivering(false)} />}
      {isReviewed && <ReviewDialog />}
    </Page>
  );
}

/** Opens the review at the file with the cursor, in its row. */
function openReview({ gallery, review }: AppModel, batchId: string): void {
  gallery.hush();
  const { current, files } = gallery.store.getState();
  const known = current === undefined ? undefined : files.get(current);
  if (known) return review.open(batchId, known.key, known.id);
  void gallery.readCurrent().then((file) => {
    // Another file was chosen meanwhile, or something else is looked at.
    const now = gallery.store.getState();
    if (now.batchId !== batchId || now.current !== current || review.store.getState().batchId === batchId) return;
    review.open(batchId, file?.key, file?.id);
  });
}

/** Once the review is left, the tile of the file that was looked at last has the focus. */
function useFocusAfterReview({ review }: AppModel, isReviewed: boolean, focus: (fileId: string) => void): void {
  const last = useRef<string>(undefined);
  const onLeft = useEffectEvent(() => {
    if (last.current !== undefined) focus(last.current);
    last.current = undefined;
  });
  useEffect(() => review.store.subscribe(({ chosen }) => (last.current = chosen ?? last.current)), [review]);
  useEffect(() => {
    if (isReviewed) return undefined;
    // The dialog gives the focus back first, to where it was when it was opened.
    const timer = setTimeout(onLeft);
    return () => clearTimeout(timer);
  }, [isReviewed]);
}

function countWords(files: number | undefined, isWhole: boolean): string {
  if (files === undefined) return words.gallery.lookingForFiles;
  return isWhole ? words.common.files(files) : words.gallery.someFiles(files);
}

/** What the head of the batch counts as well: files of rows that were removed stay in the folder. */
function filesOfGoneRows(
  batch: Pick<BatchView, 'state' | 'files'> | undefined,
  order: readonly string[] | undefined,
  arrived: number,
): number {
  // While it runs, files come that are not found yet.
  if (batch === undefined || batch.state === 'running' || order === undefined) return 0;
  return Math.max(0, batch.files - order.length - arrived);
}

function emptyWords(
  order: readonly string[] | undefined,
  filter: Parameters<typeof isAll>[0],
  batch: BatchView | undefined,
): string {
  if (order === undefined) return words.gallery.lookingForFiles;
  if (!isAll(filter)) return words.gallery.noneLikeThis;
  return batch?.state === 'running' ? words.gallery.noneYetRunning : words.gallery.noneYet;
}
