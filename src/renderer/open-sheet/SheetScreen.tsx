import { X } from 'lucide-react';
import { useStore } from 'zustand';
import { operationOf } from '../../shared/domain/operations/operations.ts';
import type { SheetBeginning, SheetView } from '../../shared/ipc/opening.ts';
import { Button } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { OutputIcon } from '../design/drawings.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { Page, Section } from '../design/Page.tsx';
import { countOf, countText } from '../../shared/domain/base/text.ts';
import { noOperationWords } from '../../shared/domain/sheet/problems.ts';
import { shownLine } from '../format/shown-text.ts';
import { earlierWords } from '../format/words.ts';
import { useAppModel } from '../state/app-context.ts';
import { isWhole } from '../state/sheet-understanding.ts';
import { MappingPanel } from './columns/MappingPanel.tsx';
import { ProblemList } from './columns/ProblemList.tsx';
import { ReadingChoices } from './ReadingChoices.tsx';
import { SheetPreview } from './SheetPreview.tsx';
import { StartPanel } from './start/StartPanel.tsx';
import styles from './SheetScreen.module.css';

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  csv: 'CSV',
  tsv: 'TSV',
  xlsx: 'Excel workbook',
  ods: 'OpenDocument spreadsheet',
  clipboard: 'Pasted table',
};

/**
 * An opened sheet: what it would render, its problems, a preview, and the way to start. Everything already has its
 * place while only the beginning is there.
 */
export function SheetScreen() {
  const model = useAppModel();
  const open = useStore(model.bringIn.store, (state) => state.open);
  const isChecking = useStore(model.bringIn.store, (state) => state.isChecking);
  if (open === undefined) return null;
  const { sheet, hadBeginning, asksLate } = open;
  const whole = isWhole(sheet) ? sheet : undefined;
  return (
    <Page
      title={shownLine(sheet.name)}
      testId="sheet-screen"
      about={
        <>
          <span className={joinClasses('tabular', hadBeginning && styles.summary)}>
            {whole === undefined ? <ReadSoFar format={sheet.format} /> : summaryOf(whole)}
          </span>
          {/* Rendered while it is still empty: a screen reader announces only what changes. */}
          <output className="visually-hidden">{whole !== undefined && hadBeginning && endWords(whole)}</output>
          <ReadingChoices sheet={sheet} />
          {isChecking && <span className="faint">Checking…</span>}
        </>
      }
      tools={
        <Button look="quiet" icon={X} onClick={() => model.bringIn.close()}>
          Discard
        </Button>
      }
    >
      <div className={styles.columns}>
        <div className={joinClasses(styles.content, 'stack scroll')}>
          {sheet.earlier !== undefined && <EarlierCallout earlier={sheet.earlier} submits={whole?.submits} />}
          {isHeaderless(sheet) && (
            <Callout
              level="warning"
              title={`Line ${countText(sheet.headerLine ?? 1)} was read as the header, and none of its cells is a known column.`}
            >
              {sheet.format === 'clipboard'
                ? 'If it is already data, add a line with the headers above it and copy the table again. '
                : 'If the header is further down, choose its line above. If this is already data, add a line with the headers above it, save the file and import it again. '}
              Otherwise map the columns below.
            </Callout>
          )}
          <MappingPanel key={`${sheet.sheetId}/${asksLate}`} sheet={sheet} />
          <WorkList sheet={whole} />
          {whole === undefined ? (
            <Section title="Errors and warnings">
              <p className="soft">{AWAITED}</p>
            </Section>
          ) : (
            <ProblemList sheet={whole} />
          )}
          <SheetPreview preview={sheet.preview} rowCount={whole?.rowCount} />
        </div>
        <StartPanel key={sheet.sheetId} open={open} />
      </div>
    </Page>
  );
}

const AWAITED = 'Known once all rows are read.';

/** How far the reading is, while only the first rows are there. */
function ReadSoFar({ format }: Pick<SheetBeginning, 'format'>) {
  const model = useAppModel();
  const rows = useStore(model.bringIn.store, (state) => state.rowsRead);
  return `${FORMAT_NAMES[format] ?? format} · Reading… ${countOf(rows, 'row')} so far`;
}

function isHeaderless({ columns }: SheetBeginning): boolean {
  return columns.length > 0 && columns.every(({ how }) => how === 'unknown' || how === 'nameless');
}

function endWords(sheet: SheetView): string {
  if (sheet.rowCount === 0 && sheet.rowsWithoutOperation === undefined)
    return 'The file cannot be read: see the errors.';
  return `All rows are read: ${summaryOf(sheet)}.`;
}

function summaryOf(sheet: SheetView): string {
  const format = FORMAT_NAMES[sheet.format] ?? sheet.format;
  if (sheet.rowsWithoutOperation !== undefined) return `${format} · ${noOperationWords(sheet.rowsWithoutOperation)}`;
  const parts = [format, countOf(sheet.rowCount, 'row')];
  if (sheet.runnableRows !== sheet.rowCount) parts.push(`${countText(sheet.runnableRows)} can run`);
  if (sheet.skippedRows > 0) parts.push(`${countText(sheet.skippedRows)} skipped`);
  return parts.join(' · ');
}

interface EarlierCalloutProps {
  readonly earlier: NonNullable<SheetView['earlier']>;
  /** Undefined until they are counted. */
  readonly submits: number | undefined;
}

/** Says that the same file was imported before, and links to its batch. */
function EarlierCallout({ earlier, submits }: EarlierCalloutProps) {
  const model = useAppModel();
  const { title, text } = earlierWords(earlier, submits);
  return (
    <Callout
      level={earlier.rehearsal ? 'info' : 'warning'}
      title={title}
      actions={
        <Button size="small" onClick={() => model.go({ kind: 'batch', batchId: earlier.batchId })}>
          Open that batch
        </Button>
      }
    >
      {text}
    </Callout>
  );
}

/** What runs: one bar for each operation, as long as its share of the requests. */
function WorkList({ sheet }: { readonly sheet: SheetView | undefined }) {
  const most = Math.max(1, ...(sheet?.operations ?? []).map((operation) => operation.submits));
  return (
    <Section title="What will be rendered">
      {sheet === undefined ? (
        <p className={joinClasses('soft', styles.awaited)}>{AWAITED}</p>
      ) : sheet.operations.length === 0 ? (
        <p className="soft">Nothing in this sheet can run yet. Correct the errors below.</p>
      ) : (
        <ul>
          {sheet.operations.map(({ operation, rows, submits }) => (
            <li key={operation} className={styles.line}>
              <OutputIcon kind={operationOf(operation).output} />
              <span className="name">{operationOf(operation).title}</span>
              <span className={styles.track} aria-hidden>
                <span className={styles.length} style={{ width: `${(submits / most) * 100}%` }} />
              </span>
              <span className="tabular">
                <span className="faint">{countOf(rows, 'row')}</span> · {countOf(submits, 'request')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
