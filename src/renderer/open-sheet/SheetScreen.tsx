import { X } from 'lucide-react';
import { useStore } from 'zustand';
import type { SheetView } from '../../shared/ipc/views.ts';
import { Button } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { joinClasses } from '../design/join-classes.ts';
import page from '../design/Page.module.css';
import { countOf, formatCount } from '../format/numbers.ts';
import { visibleLine } from '../format/visible-text.ts';
import { useAppModel } from '../state/app-context.ts';
import { EarlierCallout } from './EarlierCallout.tsx';
import { MappingPanel } from './columns/MappingPanel.tsx';
import { ProblemList } from './columns/ProblemList.tsx';
import { ReadingChoices } from './ReadingChoices.tsx';
import { SheetPreview } from './SheetPreview.tsx';
import { StartPanel } from './start/StartPanel.tsx';
import { WorkList } from './start/WorkList.tsx';
import styles from './SheetScreen.module.css';

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  csv: 'CSV',
  tsv: 'TSV',
  xlsx: 'Excel workbook',
  ods: 'OpenDocument spreadsheet',
  clipboard: 'Pasted table',
};

/** A sheet that was opened: what would be rendered, what is wrong with it, a look at it, and the way to start. */
export function SheetScreen() {
  const model = useAppModel();
  const open = useStore(model.bringIn.store, (state) => state.open);
  const isChecking = useStore(model.bringIn.store, (state) => state.isChecking);
  if (open === undefined) return null;
  const { sheet } = open;
  return (
    <div className={page.page} data-testid="sheet-screen">
      <header className={page.head}>
        <div className={styles.titles}>
          <h1 className={page.title}>{visibleLine(sheet.name)}</h1>
          <p className={joinClasses(page.subtitle, styles.summary)}>
            {summaryOf(sheet)}
            <ReadingChoices sheet={sheet} />
            {isChecking && <span className={styles.checking}>Checking…</span>}
          </p>
        </div>
        <Button look="quiet" icon={X} onClick={() => model.bringIn.close()}>
          Discard
        </Button>
      </header>
      <div className={styles.columns}>
        <div className={joinClasses(styles.content, 'scroll')}>
          {sheet.earlier !== undefined && <EarlierCallout earlier={sheet.earlier} submits={sheet.submits} />}
          {isHeaderless(sheet) && (
            <Callout
              level="warning"
              title={`Line ${formatCount(sheet.headerLine ?? 1)} was read as the header, and none of its cells is a known column.`}
            >
              {sheet.format === 'clipboard'
                ? 'If it is already data, add a line with the headers above it and copy the table again. '
                : 'If the header is further down, choose its line above. If this is already data, add a line with the headers above it, save the file and import it again. '}
              Otherwise map the columns below.
            </Callout>
          )}
          <MappingPanel key={sheet.sheetId} sheet={sheet} />
          <WorkList sheet={sheet} />
          <ProblemList sheet={sheet} />
          <SheetPreview preview={sheet.preview} rowCount={sheet.rowCount} />
        </div>
        <StartPanel key={sheet.sheetId} open={open} />
      </div>
    </div>
  );
}

function isHeaderless({ columns }: SheetView): boolean {
  return columns.length > 0 && columns.every(({ how }) => how === 'unknown' || how === 'nameless');
}

function summaryOf(sheet: SheetView): string {
  const parts = [FORMAT_NAMES[sheet.format] ?? sheet.format, countOf(sheet.rowCount, 'row')];
  if (sheet.runnableRows !== sheet.rowCount) parts.push(`${formatCount(sheet.runnableRows)} can run`);
  if (sheet.skippedRows > 0) parts.push(`${formatCount(sheet.skippedRows)} skipped`);
  return parts.join(' · ');
}
