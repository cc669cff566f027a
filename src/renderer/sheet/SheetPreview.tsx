import type { SheetView } from '../../shared/ipc/views.ts';
import { joinClasses } from '../design/join-classes.ts';
import page from '../design/Page.module.css';
import { formatCount } from '../format/numbers.ts';
import { visibleLine } from '../format/visible-text.ts';
import styles from './SheetPreview.module.css';

interface SheetPreviewProps {
  readonly preview: SheetView['preview'];
  readonly rowCount: number;
}

/** The first rows as the sheet has them. Columns that are empty in all of them are left out. */
export function SheetPreview({ preview, rowCount }: SheetPreviewProps) {
  const columns = preview.headers
    .map((header, index) => ({ header, index }))
    .filter(({ index }) => preview.rows.some((row) => (row[index] ?? '') !== ''));
  if (columns.length === 0) return null;
  const rows = preview.rows.map((cells, number) => ({ id: `row-${number}`, cells }));
  return (
    <section className={page.section} aria-labelledby="preview-title">
      <h2 id="preview-title" className={page.sectionTitle}>
        The sheet
      </h2>
      {rowCount > rows.length && (
        <p className={page.sectionText}>{`The first ${rows.length} of ${formatCount(rowCount)} rows.`}</p>
      )}
      <section
        className={joinClasses(page.card, styles.box, 'scroll')}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label="The sheet’s first rows"
      >
        <table className={styles.table}>
          <thead>
            <tr>
              {columns.map(({ header, index }) => (
                <th key={index} scope="col">
                  {visibleLine(header)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, cells }) => (
              <tr key={id}>
                {columns.map(({ index }) => (
                  <td key={index}>{visibleLine(cells[index] ?? '')}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
