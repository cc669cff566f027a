import {
  columnsOf,
  everydayWord,
  findOperation,
  OPERATIONS,
  operationOf,
  type LeafType,
  type Operation,
  type OperationPath,
} from '../../../shared/domain/operations/operations.ts';
import { helpOfRowColumns } from '../../../shared/domain/sheet/sheet-columns.ts';
import { words } from '../../../shared/words/words.ts';

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
const ROW_COLUMNS: readonly ColumnChoice[] = Object.entries(helpOfRowColumns()).map(([column, help]) => ({
  column,
  help,
}));

/**
 * All columns, in groups: about the row, then of the operations in use, then of the others. A column that several
 * operations have is in the group of the first.
 */
export function columnGroups(inUse: readonly OperationPath[]): readonly ColumnGroup[] {
  const others = OPERATIONS.filter(({ path }) => !inUse.includes(path));
  const groups: ColumnGroup[] = [{ title: words.common.aboutTheRow, columns: ROW_COLUMNS }];
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
  const wanted = search.toLowerCase().split(/\s+/u).filter(Boolean);
  if (wanted.length === 0) return groups;
  return groups
    .flatMap(({ title, columns }) => {
      const found = columns
        .filter(({ column, help }) => holdsAll(`${column} ${help} ${title}`, wanted))
        .map((column) => ({ column, rank: rankOf(column.column, wanted) }))
        .toSorted((one, other) => one.rank - other.rank);
      return found.length === 0 ? [] : { title, found };
    })
    .toSorted((one, other) => (one.found[0]?.rank ?? 0) - (other.found[0]?.rank ?? 0))
    .map(({ title, found }) => ({ title, columns: found.map(({ column }) => column) }));
}

function holdsAll(text: string, wanted: readonly string[]): boolean {
  return wanted.every((word) => text.toLowerCase().includes(word));
}

/** The operations that a search finds: what is called so stands before what is only told of so. */
export function searchOperations(search: string): readonly Operation[] {
  const wanted = search.trim().toLowerCase();
  const exact = findOperation(wanted);
  const meant = everydayWord(wanted)?.operations ?? [];
  const rank = (operation: Operation): number => {
    const { title, short, help } = operation;
    const names = [title.toLowerCase(), short];
    if (operation === exact) return 0;
    if (names.some((name) => name.startsWith(wanted))) return 1;
    if (meant.includes(short)) return 2;
    if (names.some((name) => name.includes(wanted))) return 3;
    return help.toLowerCase().includes(wanted) ? 4 : Infinity;
  };
  return OPERATIONS.map((operation) => ({ operation, rank: rank(operation) }))
    .filter((found) => found.rank < Infinity)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ operation }) => operation);
}

/** How closely a column's name matches the words of a search; lower is closer. */
function rankOf(column: string, wanted: readonly string[]): number {
  const name = column.toLowerCase();
  if (name === wanted.join('_')) return 0;
  if (name.startsWith(wanted[0] ?? '') && holdsAll(name, wanted)) return 1;
  return holdsAll(name, wanted) ? 2 : 3;
}
