import { OPERATIONS, operationOf } from '../../../shared/domain/operations/operations.ts';
import type { SheetBeginning } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { SearchSelect } from '../../design/Select.tsx';
import { useAppModel } from '../../state/app-context.ts';
import { searchOperations } from '../../state/batch/column-choices.ts';
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
      <p className="soft">{needsOperation ? words.sheet.operation.missing : words.sheet.operation.given}</p>
      <div className={styles.value}>
        <SearchSelect
          label={words.sheet.operation.label}
          value={defaultOperation ?? ''}
          groupsFor={(search) => operationGroups(search, true)}
          onChoose={choose}
          look={needsOperation ? 'attention' : 'plain'}
        >
          {defaultOperation === undefined ? words.sheet.operation.choose : operationOf(defaultOperation).title}
        </SearchSelect>
      </div>
    </div>
  );
}

/** The operations that a search finds; `mayBeNone` also offers none. */
export function operationGroups(search: string, mayBeNone: boolean) {
  const options = searchOperations(search).map(({ path, title, help }) => ({ value: path, label: title, help }));
  const none = { value: '', label: words.common.none, help: words.sheet.operation.noneHelp };
  return [
    { title: words.sheet.operation.all, options: mayBeNone && search.trim() === '' ? [...options, none] : options },
  ];
}
