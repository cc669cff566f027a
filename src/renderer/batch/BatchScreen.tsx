import { words } from '../../shared/words/words.ts';
import { joinClasses } from '../design/join-classes.ts';
import { Button } from '../design/Button.tsx';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { ReviewDialog } from '../review/ReviewDialog.tsx';
import { useAppModel, useBatch, useRows } from '../state/app-context.ts';
import { focusRegion } from '../shell/keyboard.ts';
import { DifferenceDialog } from '../living/DifferenceDialog.tsx';
import { FileChangedBanner } from '../living/SheetFile.tsx';
import { Compare } from '../player/Compare.tsx';
import { Look } from '../player/Look.tsx';
import { ShelfBanner } from '../shell/ShelfDialogs.tsx';
import { NoKeyBanner } from '../store/StorePanel.tsx';
import { BatchHead } from './head/BatchHead.tsx';
import { FilterBar } from './find/FilterBar.tsx';
import { MissingFiles, PauseBanner } from './head/PauseBanner.tsx';
import { SettleBar } from './head/SettleBar.tsx';
import { SheetArea } from './SheetArea.tsx';
import styles from './BatchScreen.module.css';

/** One batch: its progress, its actions, and all its rows. */
export function BatchScreen({ batchId }: { readonly batchId: string }) {
  const model = useAppModel();
  const batch = useBatch(batchId);
  const selectedRow = useRows((state) => state.selectedRow);
  const selectedKey = useRows((state) => state.selectedKey);
  const isLookOpen = useRows((state) => state.isLookOpen);
  const compared = useRows((state) => state.compared);
  const isReviewed = useStore(model.review.store, (state) => state.batchId === batchId);
  useGridAfterReview(isReviewed);
  if (batch === undefined) {
    return (
      <div className={joinClasses('stack soft', styles.missing)}>
        <p>{words.batch.isGone}</p>
        <Button onClick={() => model.go({ kind: 'welcome', page: 'choice' })}>{words.batch.goToWelcome}</Button>
      </div>
    );
  }
  return (
    <div className={styles.screen} data-testid="batch-screen" data-state={batch.state}>
      <BatchHead batch={batch} />
      <ShelfBanner batch={batch} />
      <PauseBanner batch={batch} />
      {batch.hadOtherFolder === true && batch.state !== 'running' && <MissingFiles batch={batch} />}
      <NoKeyBanner batch={batch} />
      <FileChangedBanner batch={batch} />
      <FilterBar batch={batch} />
      <SettleBar batch={batch} />
      <SheetArea key={batch.id} batch={batch} />
      <DifferenceDialog batchId={batch.id} />
      {isReviewed && <ReviewDialog />}
      {isLookOpen && selectedRow !== undefined && selectedKey !== undefined && (
        <Look row={selectedRow} rowKey={selectedKey} />
      )}
      {compared !== undefined && selectedRow !== undefined && selectedKey !== undefined && (
        <Compare batchId={batch.id} row={selectedRow} rowKey={selectedKey} fileId={compared} />
      )}
    </div>
  );
}

/** Once the review is left, the keyboard is in the grid, wherever it was opened from. */
function useGridAfterReview(isReviewed: boolean): void {
  const wasReviewed = useRef(false);
  useEffect(() => {
    const isLeft = wasReviewed.current && !isReviewed;
    wasReviewed.current = isReviewed;
    if (!isLeft) return undefined;
    // The dialog gives the focus back first, to where it was when it was opened.
    const timer = setTimeout(() => focusRegion('grid'));
    return () => clearTimeout(timer);
  }, [isReviewed]);
}
