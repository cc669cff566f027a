import { X } from 'lucide-react';
import { useStore } from 'zustand';
import type { SheetView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { joinClasses } from '../design/join-classes.ts';
import page from '../design/Page.module.css';
import { countOf } from '../format/numbers.ts';
import { visibleLine } from '../format/visible-text.ts';
import { useAppModel } from '../state/app-context.ts';
import { EarlierCallout } from './EarlierCallout.tsx';
import { EncodingSelect } from './EncodingSelect.tsx';
import { ProblemList } from './ProblemList.tsx';
import { SheetPreview } from './SheetPreview.tsx';
import { StartPanel } from './StartPanel.tsx';
import { WorkList } from './WorkList.tsx';
import styles from './SheetScreen.module.css';

/** A sheet that was opened: what would run, what is wrong with it, a look at it, and the way to start. */
export function SheetScreen() {
  const model = useAppModel();
  const open = useStore(model.openSheet, (state) => state.open);
  if (open === undefined) return null;
  const { sheet } = open;
  return (
    <div className={page.page} data-testid="sheet-screen">
      <header className={page.head}>
        <div className={styles.titles}>
          <h1 className={page.title}>{visibleLine(sheet.name)}</h1>
          <p className={joinClasses(page.subtitle, styles.summary)}>
            {summaryOf(sheet)}
            {sheet.encoding !== undefined && <EncodingSelect sheetId={sheet.sheetId} encoding={sheet.encoding} />}
          </p>
        </div>
        <Button look="quiet" icon={X} onClick={() => model.closeSheet()}>
          Close without bringing it in
        </Button>
      </header>
      <div className={styles.columns}>
        <div className={joinClasses(styles.content, 'scroll')}>
          {sheet.earlier !== undefined && <EarlierCallout earlier={sheet.earlier} submits={sheet.submits} />}
          <WorkList sheet={sheet} />
          <ProblemList sheet={sheet} />
          <SheetPreview preview={sheet.preview} rowCount={sheet.rowCount} />
        </div>
        <StartPanel key={sheet.sheetId} sheet={sheet} isRehearsalFirst={open.isRehearsal} />
      </div>
    </div>
  );
}

function summaryOf(sheet: SheetView): string {
  const parts = [sheet.format.toUpperCase(), countOf(sheet.rowCount, 'row')];
  if (sheet.runnableRows !== sheet.rowCount) parts.push(`${sheet.runnableRows} can run`);
  if (sheet.skippedRows > 0) parts.push(`${sheet.skippedRows} left out`);
  return parts.join(' · ');
}
