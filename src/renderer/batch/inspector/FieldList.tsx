import type { RowDetail } from '../../../shared/ipc/views.ts';
import { visibleText } from '../../format/visible-text.ts';
import { CodeBox } from './evidence/CodeBox.tsx';
import inspector from './Inspector.module.css';
import styles from './FieldList.module.css';

/** The row as the sheet has it, and the request as it was sent, byte for byte but for what cannot be seen. */
export function FieldList({ detail }: { readonly detail: RowDetail }) {
  const cells = detail.cells.filter((cell) => cell.value !== '');
  // What was not sent yet is shown as it will be.
  const wasSent = detail.tasks.some((task) => task.attempts > 0);
  return (
    <>
      {cells.length > 0 && (
        <section className={inspector.section}>
          <h3 className={inspector.sectionTitle}>The row in the sheet</h3>
          <dl className={styles.fields}>
            {cells.map(({ header, value }) => (
              <div key={header} className={styles.field}>
                <dt>{visibleText(header)}</dt>
                <dd className="selectable">{visibleText(value)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {wasSent && detail.row.operation !== undefined && (
        <section className={inspector.section}>
          <h3 className={inspector.sectionTitle}>The request</h3>
          <CodeBox>{`POST /${detail.row.operation}\n\n${visibleText(detail.body)}`}</CodeBox>
        </section>
      )}
    </>
  );
}
