import { OPERATIONS, operationOf } from '../../../shared/domain/operations/operations.ts';
import type { SheetBeginning } from '../../../shared/ipc/opening.ts';
import { SearchSelect } from '../../design/Select.tsx';
import { useAppModel } from '../../state/app-context.ts';
import styles from './MappingPanel.module.css';

/** Asks what to render for rows without an operation, if there are any. */
export function DefaultOperation({ sheet }: { readonly sheet: SheetBeginning }) {
  const model = useAppModel();
  const { defaultOperation, needsOperation } = sheet;
  if (!needsOperation && defaultOperation === undefined) return null;
  const choose = (value: string): void => {
    const found = OPERATIONS.find(({ path }) => path === value);
    void model.bringIn.interpret({ defaultOperation: found?.path });
  };
  return (
    <div className="row wrap">
      <p className="soft">
        {needsOperation ? 'Some rows have no operation. What should they render?' : 'Rows without an operation render:'}
      </p>
      <div className={styles.value}>
        <SearchSelect
          label="Operation of rows without one"
          value={defaultOperation ?? ''}
          groupsFor={(search) => operationGroups(search, true)}
          onChoose={choose}
          look={needsOperation ? 'attention' : 'plain'}
        >
          {defaultOperation === undefined ? 'Choose an operation' : operationOf(defaultOperation).title}
        </SearchSelect>
      </div>
    </div>
  );
}

/** The operations that a search finds; `mayBeNone` also offers to have none. */
export function operationGroups(search: string, mayBeNone: boolean) {
  const wanted = search.trim().toLowerCase();
  const found = OPERATIONS.filter(({ title, short, help }) =>
    `${title} ${short} ${help}`.toLowerCase().includes(wanted),
  );
  const options = found.map(({ path, title, help }) => ({ value: path, label: title, help }));
  const none = { value: '', label: 'None', help: 'Rows without an operation get an error.' };
  return [{ title: 'Operations', options: mayBeNone && wanted === '' ? [...options, none] : options }];
}
