import { ChevronRight } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { columnsOf, OPERATIONS, type Operation } from '../../shared/domain/operations/operations.ts';
import { OutputIcon } from '../design/drawings.tsx';
import page from '../design/Page.module.css';
import styles from './OperationCatalogue.module.css';

/** Every operation with the columns that it understands. */
export function OperationCatalogue() {
  return (
    <div className={page.card}>
      {OPERATIONS.map((operation) => (
        <OperationEntry key={operation.path} operation={operation} />
      ))}
    </div>
  );
}

function OperationEntry({ operation }: { readonly operation: Operation }) {
  return (
    <Collapsible.Root className={styles.entry}>
      <Collapsible.Trigger className={styles.trigger}>
        <ChevronRight className={styles.chevron} size={15} strokeWidth={2} aria-hidden />
        <OutputIcon kind={operation.output} />
        <span className={styles.title}>{operation.title}</span>
        <code className={styles.short}>{operation.short}</code>
        <span className={styles.help}>{operation.help}</span>
      </Collapsible.Trigger>
      <Collapsible.Content className={styles.content}>
        <p className={styles.path}>
          In a sheet: <code>{operation.short}</code> or <code>{operation.path}</code>
        </p>
        <table className={styles.columns}>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Type</th>
              <th scope="col">What it is</th>
            </tr>
          </thead>
          <tbody>
            {columnsOf(operation).map(({ column, field }) => (
              <tr key={column}>
                <td>
                  <code>{column}</code>
                </td>
                <td>{field.type}</td>
                <td>{field.help}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Collapsible.Content>
    </Collapsible.Root>
  );
}
