import { operationOf, type OperationPath } from '../../../shared/domain/operations/operations.ts';
import { Dialog } from '../../design/Dialog.tsx';
import { OptionList, type SelectGroup } from '../../design/Select.tsx';
import { columnGroups, searchColumns, type ColumnGroup } from '../../state/batch/column-choices.ts';

interface ColumnPickerProps {
  readonly title: string;
  /** Text below the title. */
  readonly hint: string;
  readonly operations: readonly OperationPath[];
  /** The current column. */
  readonly value: string;
  /** Offered before all others. */
  readonly first: SelectGroup | undefined;
  /** Not offered, whatever is looked for. */
  readonly without?: string;
  /** What to offer for a name that no operation knows; undefined if only known columns are allowed. */
  readonly freeName: ((name: string) => SelectGroup) | undefined;
  readonly onChoose: (column: string) => void;
  readonly onClose: () => void;
}

/** Columns of the operations in use, then those about the row, then the others. */
function usedFirst(operations: readonly OperationPath[]): readonly ColumnGroup[] {
  const titles = new Set(operations.map((path) => operationOf(path).title));
  const groups = columnGroups(operations);
  return [...groups.filter(({ title }) => titles.has(title)), ...groups.filter(({ title }) => !titles.has(title))];
}

/** Chooses one of all columns, those of the operations in use first. */
export function ColumnPicker(props: ColumnPickerProps) {
  const { title, hint, operations, value, first, without, freeName, onChoose, onClose } = props;
  const groupsFor = (search: string): readonly SelectGroup[] => {
    const name = search.trim();
    const known = searchColumns(usedFirst(operations), search).map((group): SelectGroup => ({
      title: group.title,
      options: group.columns
        .filter(({ column }) => column !== without)
        .map(({ column, help }) => ({ value: column, label: column, help })),
    }));
    const isKnown = known.some(({ options }) => options.some((option) => option.value === name));
    const free = name === '' || isKnown || freeName === undefined ? [] : [freeName(name)];
    return [...(first === undefined || name !== '' ? [] : [first]), ...known, ...free];
  };
  return (
    <Dialog title={title} hint={hint} isBare testId="column-picker" onClose={onClose}>
      <OptionList label={title} value={value} groupsFor={groupsFor} onChoose={onChoose} onClose={onClose} />
    </Dialog>
  );
}
