import {
  columnsOf,
  OPERATIONS,
  operationOf,
  type LeafType,
  type OperationPath,
} from '../../../shared/domain/operations/operations.ts';

/** A column that a header can map to. */
export interface ColumnChoice {
  readonly column: string;
  readonly help: string;
  /** The type of its cells; absent for columns about the row itself. */
  readonly type?: LeafType;
}

export interface ColumnGroup {
  readonly title: string;
  readonly columns: readonly ColumnChoice[];
}

/** Columns about the row itself, whatever its operation. */
const ROW_COLUMNS: readonly ColumnChoice[] = [
  { column: 'row', help: 'The row’s own id: other rows refer to it, files are named after it.' },
  { column: 'operation', help: 'What to render, such as music, lyrics or image.' },
  { column: 'takes', help: 'How many paid renderings; 1 if blank.' },
  { column: 'priority', help: 'Rows with a higher number run earlier.' },
  { column: 'account', help: 'The account that renders it, in a batch with several; any of them if blank.' },
  { column: 'filename', help: 'The name of the row’s files, with {row}, {title} and the like.' },
  { column: 'pick', help: 'True: rows that refer to this one wait until you have picked one of its files.' },
  { column: 'skip', help: 'True leaves the row out.' },
  { column: 'seed', help: 'Decides what the row’s choices and lists draw; if blank, the row’s id does.' },
  { column: 'note', help: 'A note of your own; it is not sent.' },
];

/**
 * All columns, in groups: about the row, then of the operations in use, then of the others. A column that several
 * operations have is in the first one's group.
 */
export function columnGroups(inUse: readonly OperationPath[]): readonly ColumnGroup[] {
  const others = OPERATIONS.filter(({ path }) => !inUse.includes(path));
  const groups: ColumnGroup[] = [{ title: 'About the row', columns: ROW_COLUMNS }];
  const seen = new Set<string>();
  for (const operation of [...inUse.map(operationOf), ...others]) {
    const columns = columnsOf(operation).filter(({ column }) => !seen.has(column));
    for (const { column } of columns) seen.add(column);
    if (columns.length === 0) continue;
    groups.push({
      title: operation.title,
      columns: columns.map(({ column, field }) => ({ column, help: field.help, type: field.type })),
    });
  }
  return groups;
}

/** The groups, with only the columns that match all words of a search: name matches come before help matches. */
export function searchColumns(groups: readonly ColumnGroup[], search: string): readonly ColumnGroup[] {
  const words = search.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return groups;
  return groups
    .flatMap(({ title, columns }) => {
      const found = columns
        .filter(({ column, help }) => holdsAll(`${column} ${help} ${title}`, words))
        .map((column) => ({ column, rank: rankOf(column.column, words) }))
        .toSorted((one, other) => one.rank - other.rank);
      return found.length === 0 ? [] : { title, found };
    })
    .toSorted((one, other) => (one.found[0]?.rank ?? 0) - (other.found[0]?.rank ?? 0))
    .map(({ title, found }) => ({ title, columns: found.map(({ column }) => column) }));
}

function holdsAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.toLowerCase().includes(word));
}

/** How closely a column's name matches the words of a search; lower is closer. */
function rankOf(column: string, words: readonly string[]): number {
  const name = column.toLowerCase();
  if (name === words.join('_')) return 0;
  if (name.startsWith(words[0] ?? '') && holdsAll(name, words)) return 1;
  return holdsAll(name, words) ? 2 : 3;
}
