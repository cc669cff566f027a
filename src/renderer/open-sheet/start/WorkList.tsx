import type { SheetView } from '../../../shared/ipc/views.ts';
import { operationOf } from '../../../shared/domain/operations/operations.ts';
import page from '../../design/Page.module.css';
import { OutputIcon } from '../../design/OutputIcon.tsx';
import { countOf } from '../../format/numbers.ts';
import styles from './WorkList.module.css';

/** What runs: a line for each operation, as long as its share of the submits. */
export function WorkList({ sheet }: { readonly sheet: SheetView }) {
  const most = Math.max(1, ...sheet.operations.map((operation) => operation.submits));
  return (
    <section className={page.section} aria-labelledby="work-title">
      <h2 id="work-title" className={page.sectionTitle}>
        What will be rendered
      </h2>
      {sheet.operations.length === 0 ? (
        <p className={page.sectionText}>Nothing in this sheet can run yet. Correct the errors below.</p>
      ) : (
        <ul className={styles.list}>
          {sheet.operations.map(({ operation, rows, submits }) => (
            <li key={operation} className={styles.line}>
              <OutputIcon kind={operationOf(operation).output} />
              <span className={styles.name}>{operationOf(operation).title}</span>
              <span className={styles.track} aria-hidden>
                <span className={styles.length} style={{ width: `${(submits / most) * 100}%` }} />
              </span>
              <span className={styles.counts}>
                <span className={styles.rows}>{countOf(rows, 'row')}</span> · {countOf(submits, 'request')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
