import { Button } from '../design/Button.tsx';
import { useAppModel, useBatch, useRows } from '../state/app-context.ts';
import { Inspector } from '../inspector/Inspector.tsx';
import { DifferenceDialog } from '../living/DifferenceDialog.tsx';
import { FileChangedBanner } from '../living/FileChangedBanner.tsx';
import { Look } from '../player/Look.tsx';
import { BatchHead } from './BatchHead.tsx';
import { FilterBar } from './FilterBar.tsx';
import { PauseBanner } from './PauseBanner.tsx';
import { RowGrid } from './RowGrid.tsx';
import { SettleBar } from './SettleBar.tsx';
import styles from './BatchScreen.module.css';

/** One batch: how far it is, what to press, and every row of it. */
export function BatchScreen({ batchId }: { readonly batchId: string }) {
  const model = useAppModel();
  const batch = useBatch(batchId);
  const selectedRow = useRows((state) => state.selectedRow);
  const isInspectorOpen = useRows((state) => state.isInspectorOpen);
  const isLookOpen = useRows((state) => state.isLookOpen);
  if (batch === undefined) {
    return (
      <div className={styles.missing}>
        <p>This batch is not there any more.</p>
        <Button onClick={() => model.go({ kind: 'welcome', page: 'choice' })}>Go to the beginning</Button>
      </div>
    );
  }
  return (
    <div className={styles.screen} data-testid="batch-screen" data-state={batch.state}>
      <BatchHead batch={batch} />
      <PauseBanner batch={batch} />
      <FileChangedBanner batch={batch} />
      <FilterBar batch={batch} />
      <SettleBar batch={batch} />
      <div className={styles.rows}>
        <RowGrid batch={batch} />
        {isInspectorOpen && selectedRow !== undefined && <Inspector batch={batch} row={selectedRow} />}
      </div>
      <DifferenceDialog />
      {isLookOpen && selectedRow !== undefined && <Look row={selectedRow} />}
    </div>
  );
}
