import {
  columnsOf,
  OPERATIONS,
  operationOf,
  type LeafType,
  type OperationPath,
} from '../../../shared/domain/operations/operations.ts';

/** A column that a header may stand for. */
export interface ColumnChoice {
  readonly column: string;
  readonly help: string;
  /** The type of its cells; absent for the columns about the row itself. */
  readonly type?: LeafType;
}

export interface ColumnGroup {
  readonly title: string;
  readonly columns: readonly ColumnChoice[];
}

/** Columns that are about the row itself, whatever its operation. */
const ROW_COLUMNS: readonly ColumnChoice[] = [
  { column: 'row', help: 'The row’s own id: other rows refer to it, files are named after it.' },
  { column: 'operation', help: 'What to render, such as music, lyrics or image.' },
  { column: 'takes', help: 'How many paid renderings; 1 where nothing is said.' },
  { column: 'priority', help: 'Higher runs earlier.' },
  { column: 'filename', help: 'The name of the row’s files, with {row}, {title} and the like.' },
  { column: 'skip', help: 'True leaves the row out.' },
  { column: 'seed', help: 'What is drawn for the row depends on it; on its id where it is blank.' },
  { column: 'note', help: 'A note of your own; it is not sent.' },
];

/**
 * All columns that there are, in groups: about the row, then those of the operations in use, then those of the others.
 * A column that several operations have stands with the first of them.
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

/** The groups with only what holds every word of a search: first what is called so, then what is told of so. */
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

/** How near a column's name is to the words of a search; the lower, the nearer. */
function rankOf(column: string, words: readonly string[]): number {
  const name = column.toLowerCase();
  if (name === words.join('_')) return 0;
  if (name.startsWith(words[0] ?? '') && holdsAll(name, words)) return 1;
  return holdsAll(name, words) ? 2 : 3;
}
