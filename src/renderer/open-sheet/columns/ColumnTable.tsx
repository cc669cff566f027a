import { Ban, Check, CircleHelp, UserCheck, type LucideIcon } from 'lucide-react';
import type { ColumnView, SheetBeginning, SheetView } from '../../../shared/ipc/opening.ts';
import { words } from '../../../shared/words/words.ts';
import { joinClasses } from '../../design/join-classes.ts';
import { SearchSelect, type SelectGroup } from '../../design/Select.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { useAppModel } from '../../state/app-context.ts';
import { columnGroups, searchColumns } from '../../state/batch/column-choices.ts';
import { isToBeConfirmed, isWhole, mayBeMeant, understandingOf } from '../../state/opening/sheet-understanding.ts';
import styles from './MappingPanel.module.css';

const ICONS: Readonly<Record<ColumnView['how'], LucideIcon>> = {
  exact: Check,
  alike: CircleHelp,
  synonym: CircleHelp,
  chosen: UserCheck,
  ignored: Ban,
  unknown: Ban,
  nameless: Ban,
};

const NOT_SENT = {
  value: '',
  label: words.sheet.mapping.notSent,
  help: words.sheet.mapping.notSentHelp,
};

/** Every header and its mapping, to confirm or change. */
export function ColumnTable({ sheet }: { readonly sheet: SheetBeginning | SheetView }) {
  return (
    <div className={joinClasses(styles.box, 'scroll')}>
      <table className={joinClasses('sheet-table', styles.columns)}>
        <thead>
          <tr>
            <th scope="col">{words.sheet.mapping.header}</th>
            <th scope="col">{words.sheet.mapping.match}</th>
            <th scope="col">{words.sheet.mapping.mapsTo}</th>
          </tr>
        </thead>
        <tbody>
          {sheet.columns.map((column, index) => (
            // Two headers may be equal: only the index distinguishes them.
            // oxlint-disable-next-line react/no-array-index-key -- columns do not move while the sheet is open
            <ColumnLine key={index} sheet={sheet} column={column} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ColumnLine({ sheet, column }: { readonly sheet: SheetBeginning | SheetView; readonly column: ColumnView }) {
  const model = useAppModel();
  const { header, how, suggestions } = column;
  const isUnused = mayBeMeant(column);
  const Icon = isUnused ? CircleHelp : ICONS[how];
  const isOpen = isUnused || isToBeConfirmed(column);
  const choose = (wanted: string): void => {
    void model.bringIn.interpret({ mapping: { ...understandingOf(sheet).mapping, [header]: wanted } });
  };
  return (
    <tr data-how={how}>
      <th scope="row">
        <span className={styles.header} title={shownLine(header)} translate={header === '' ? undefined : 'no'}>
          {shownLine(header) || words.sheet.mapping.noHeader}
        </span>
      </th>
      <td>
        <span className={styles.mark} data-open={isOpen}>
          <Icon size={14} strokeWidth={1.9} aria-hidden />
          {isUnused ? words.sheet.mapping.mayMean(suggestions[0] ?? '') : words.sheet.mapping.how[how]}
        </span>
      </td>
      <td className={styles.meaning}>
        <SearchSelect
          label={words.sheet.mapping.of(shownLine(header))}
          value={column.column}
          groupsFor={(search) => groupsFor(sheet, column, search)}
          onChoose={choose}
          isDisabled={header === ''}
          look={isOpen ? 'attention' : 'plain'}
        >
          {column.column === ''
            ? words.sheet.mapping.notSent
            : words.sheet.mapping.columns([column.column, ...column.also])}
        </SearchSelect>
      </td>
    </tr>
  );
}

/** The most likely first, then columns of the operations in the sheet, then all. */
function groupsFor(sheet: SheetBeginning | SheetView, column: ColumnView, search: string): readonly SelectGroup[] {
  const groups = columnGroups(isWhole(sheet) ? sheet.operations.map(({ operation }) => operation) : []);
  const found = searchColumns(groups, search).map(({ title, columns }) => ({
    title,
    options: columns.map(({ column: name, help }) => ({ value: name, label: name, help })),
  }));
  if (search.trim() !== '') return found;
  const likely = [column.column, ...column.suggestions].filter((name) => name !== '');
  const known = new Map(groups.flatMap(({ columns }) => columns).map((choice) => [choice.column, choice.help]));
  const first = [...new Set(likely)].map((name) => ({ value: name, label: name, help: known.get(name) ?? '' }));
  const likeliest = { title: words.sheet.mapping.likely, options: [...first, NOT_SENT] };
  const isLikely = new Set(likely);
  return [
    likeliest,
    ...found
      .map(({ title, options }) => ({ title, options: options.filter(({ value }) => !isLikely.has(value)) }))
      .filter(({ options }) => options.length > 0),
  ];
}
