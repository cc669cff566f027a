import { ChevronRight } from 'lucide-react';
import { Fragment, useState, type KeyboardEvent } from 'react';
import type { SheetBeginning } from '../../shared/ipc/opening.ts';
import { words } from '../../shared/words/words.ts';
import { joinClasses } from '../design/join-classes.ts';
import { Section } from '../design/Page.tsx';
import { shownLine, shownText } from '../format/shown-text.ts';
import styles from './SheetPreview.module.css';

interface SheetPreviewProps {
  readonly preview: SheetBeginning['preview'];
  /** Undefined until all are read. */
  readonly rowCount: number | undefined;
}

/** The sheet's first rows, each with the request it makes. Columns that are empty in all of them are left out. */
export function SheetPreview({ preview, rowCount }: SheetPreviewProps) {
  const [shown, setShown] = useState<number>();
  /** All rows are one tab stop; the arrows go from row to row. */
  const [reached, setReached] = useState(0);
  const columns = preview.headers
    .map((header, index) => ({ header, index }))
    .filter(({ index }) => preview.rows.some((row) => (row[index] ?? '') !== ''));
  if (columns.length === 0) return null;
  const rows = preview.rows.map((cells, number) => ({ id: `row-${number}`, number, cells }));
  return (
    <Section
      title={words.sheet.preview.title}
      text={words.common.sentences([firstWords(rows.length, rowCount), words.sheet.preview.openRow])}
    >
      <section
        className={joinClasses('card scroll', styles.box)}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={words.sheet.preview.table}
      >
        <table className={joinClasses('sheet-table', styles.table)}>
          <thead>
            <tr>
              <th scope="col">
                <span className="visually-hidden">{words.sheet.preview.sent}</span>
              </th>
              {columns.map(({ header, index }) => (
                <th key={index} scope="col">
                  {shownLine(header)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, number, cells }) => (
              <Fragment key={id}>
                <tr>
                  <td className={styles.opener}>
                    <button
                      type="button"
                      className={styles.open}
                      data-row={number}
                      tabIndex={number === Math.min(reached, rows.length - 1) ? 0 : -1}
                      aria-expanded={shown === number}
                      onFocus={() => setReached(number)}
                      onKeyDown={goToRow}
                      aria-label={words.sheet.preview.sentFor(number + 1)}
                      onClick={() => setShown(shown === number ? undefined : number)}
                    >
                      <ChevronRight size={14} strokeWidth={2} aria-hidden />
                    </button>
                  </td>
                  {columns.map(({ index }) => (
                    <td key={index} translate="no">
                      {shownLine(cells[index] ?? '')}
                    </td>
                  ))}
                </tr>
                {shown === number && (
                  <tr>
                    <td className={styles.body} colSpan={columns.length + 1}>
                      <Body text={preview.bodies[number] ?? ''} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  );
}

/** How many of the rows are shown; nothing if these are all. */
function firstWords(shown: number, rowCount: number | undefined): string {
  if (rowCount === undefined) return words.sheet.preview.first(shown);
  return rowCount > shown ? words.sheet.preview.firstOf(shown, rowCount) : '';
}

/** Moves the focus to the row above or below. */
function goToRow(event: KeyboardEvent<HTMLButtonElement>): void {
  const { key, currentTarget } = event;
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return;
  event.preventDefault();
  const row = Number(currentTarget.dataset['row']) + (key === 'ArrowDown' ? 1 : -1);
  currentTarget.closest('tbody')?.querySelector<HTMLElement>(`[data-row="${row}"]`)?.focus();
}

function Body({ text }: { readonly text: string }) {
  if (text === '') return <p>{words.sheet.preview.nothingSent}</p>;
  return <pre className="selectable">{shownText(text)}</pre>;
}
