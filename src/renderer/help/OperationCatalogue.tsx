import { columnsOf, OPERATIONS, type Operation } from '../../shared/domain/operations/operations.ts';
import { words } from '../../shared/words/words.ts';
import { OutputIcon } from '../design/drawings.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { Disclosure, Phrase } from '../design/Page.tsx';
import styles from './OperationCatalogue.module.css';

/** Every operation with the columns that it accepts. */
export function OperationCatalogue() {
  return (
    <div className="card">
      {OPERATIONS.map((operation) => (
        <OperationEntry key={operation.path} operation={operation} />
      ))}
    </div>
  );
}

function OperationEntry({ operation }: { readonly operation: Operation }) {
  return (
    <Disclosure
      className={styles.content}
      head={
        <>
          <OutputIcon kind={operation.output} />
          <span className={joinClasses('name', styles.title)}>{operation.title}</span>
          <code className={joinClasses('soft', styles.short)}>{operation.short}</code>
          <span className="soft cut">{operation.help}</span>
        </>
      }
    >
      <p className="soft">
        <Phrase of={words.help.operations.inSheet(<code>{operation.short}</code>, <code>{operation.path}</code>)} />
      </p>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.help.operations.column}</th>
            <th scope="col">{words.help.operations.type}</th>
            <th scope="col">{words.help.operations.what}</th>
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
    </Disclosure>
  );
}
