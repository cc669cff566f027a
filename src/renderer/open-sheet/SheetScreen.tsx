import { X } from 'lucide-react';
import { useStore } from 'zustand';
import { operationOf } from '../../shared/domain/operations/operations.ts';
import type { SheetBeginning, SheetView } from '../../shared/ipc/opening.ts';
import { words } from '../../shared/words/words.ts';
import { Button } from '../design/Button.tsx';
import { Callout } from '../design/Callout.tsx';
import { OutputIcon } from '../design/drawings.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { Page, Section } from '../design/Page.tsx';
import { noOperationWords } from '../../shared/domain/sheet/problems.ts';
import { shownLine } from '../format/shown-text.ts';
import { earlierWords } from '../format/phrases.ts';
import { useAppModel } from '../state/app-context.ts';
import { isWhole } from '../state/opening/sheet-understanding.ts';
import { MappingPanel } from './columns/MappingPanel.tsx';
import { ProblemList } from './columns/ProblemList.tsx';
import { ReadingChoices } from './ReadingChoices.tsx';
import { SheetPreview } from './SheetPreview.tsx';
import { StartPanel } from './start/StartPanel.tsx';
import styles from './SheetScreen.module.css';

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  csv: 'CSV',
  tsv: 'TSV',
  ...words.sheet.formats,
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
      // Another sheet starts at its top.
      key={sheet.sheetId}
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
          {isChecking && <span className="faint">{words.sheet.checking}</span>}
        </>
      }
      tools={
        <Button look="quiet" icon={X} onClick={() => model.bringIn.close()}>
          {words.sheet.discard}
        </Button>
      }
    >
      <div className={styles.columns}>
        <div className={joinClasses(styles.content, 'stack scroll')}>
          {sheet.earlier !== undefined && <EarlierCallout earlier={sheet.earlier} submits={whole?.submits} />}
          {isHeaderless(sheet) && (
            <Callout level="warning" title={words.sheet.noHeader.title(sheet.headerLine ?? 1)}>
              {words.common.sentences([
                sheet.format === 'clipboard' ? words.sheet.noHeader.pasted : words.sheet.noHeader.ofFile,
                words.sheet.noHeader.orMap,
              ])}
            </Callout>
          )}
          <MappingPanel key={`${sheet.sheetId}/${asksLate}`} sheet={sheet} />
          <WorkList sheet={whole} />
          {whole === undefined ? (
            <Section title={words.sheet.problems.title}>
              <p className="soft">{words.sheet.awaited}</p>
            </Section>
          ) : (
            <ProblemList sheet={whole} />
          )}
          <SheetPreview preview={sheet.preview} rowCount={whole && (whole.rowsWithoutOperation ?? whole.rowCount)} />
        </div>
        <StartPanel key={sheet.sheetId} open={open} />
      </div>
    </Page>
  );
}

/** How far the reading is, while only the first rows are there. */
function ReadSoFar({ format }: Pick<SheetBeginning, 'format'>) {
  const model = useAppModel();
  const rows = useStore(model.bringIn.store, (state) => state.rowsRead);
  return `${FORMAT_NAMES[format] ?? format} · ${words.sheet.readSoFar(rows)}`;
}

function isHeaderless({ columns }: SheetBeginning): boolean {
  return columns.length > 0 && columns.every(({ how }) => how === 'unknown' || how === 'nameless');
}

function endWords(sheet: SheetView): string {
  if (sheet.rowCount === 0 && sheet.rowsWithoutOperation === undefined) return words.sheet.unreadable;
  return words.sheet.allRead(summaryOf(sheet));
}

function summaryOf(sheet: SheetView): string {
  const format = FORMAT_NAMES[sheet.format] ?? sheet.format;
  if (sheet.rowsWithoutOperation !== undefined) return `${format} · ${noOperationWords(sheet.rowsWithoutOperation)}`;
  const parts = [format, words.common.rows(sheet.rowCount)];
  if (sheet.runnableRows !== sheet.rowCount) parts.push(words.sheet.canRun(sheet.runnableRows));
  if (sheet.skippedRows > 0) parts.push(words.sheet.skipped(sheet.skippedRows));
  return parts.filter((part) => part !== '').join(' · ');
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
      level={earlier.rehearsal || !earlier.isStarted ? 'info' : 'warning'}
      title={title}
      actions={
        <Button size="small" onClick={() => model.go({ kind: 'batch', batchId: earlier.batchId })}>
          {words.sheet.openBatch}
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
    <Section title={words.sheet.work.title}>
      {sheet === undefined ? (
        <p className={joinClasses('soft', styles.awaited)}>{words.sheet.awaited}</p>
      ) : sheet.operations.length === 0 ? (
        <p className="soft">{words.sheet.work.none}</p>
      ) : (
        <ul className={styles.work}>
          {sheet.operations.map(({ operation, rows, submits }) => (
            <li key={operation} className={styles.line}>
              <OutputIcon kind={operationOf(operation).output} />
              <span className="name">{operationOf(operation).title}</span>
              <span className={styles.track} aria-hidden>
                <span className={styles.length} style={{ width: `${(submits / most) * 100}%` }} />
              </span>
              <span className="tabular">
                <span className="faint">{words.common.rows(rows)}</span> · {words.common.requests(submits)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
