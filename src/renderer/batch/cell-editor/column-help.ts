/** What the catalogue knows about a column, for its header's menu, its editor, and the column picker. */
import { parseBoolean } from '../../../shared/domain/cells/cell-value.ts';
import {
  OPERATIONS,
  columnsOf,
  findOperation,
  type LeafField,
  type Operation,
} from '../../../shared/domain/operations/operations.ts';
import { ROW_SWITCHES } from '../../../shared/domain/sheet/column-synonyms.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { words } from '../../../shared/words/words.ts';
import { columnGroups } from '../../state/batch/column-choices.ts';
import type { Completion } from './completions.ts';

export interface ColumnHelp {
  readonly help: string;
  /** Operations that send it; empty for columns about the row itself. */
  readonly operations: readonly Operation[];
  /** The field of the first operation. */
  readonly field: LeafField | undefined;
}

const HELP: ReadonlyMap<string, ColumnHelp> = new Map(
  columnGroups([])
    .flatMap(({ columns }) => columns)
    .map(({ column, help }): [string, ColumnHelp] => {
      const uses = OPERATIONS.flatMap((operation) => {
        const field = columnsOf(operation).find((candidate) => candidate.column === column)?.field;
        return field === undefined ? [] : { operation, field };
      });
      return [column, { help, operations: uses.map(({ operation }) => operation), field: uses[0]?.field }];
    }),
);

/** What a column is for; undefined if the catalogue does not have it. */
export function columnHelp(column: string): ColumnHelp | undefined {
  return HELP.get(column);
}

const SHORT_VALUE = 60;
const OPERATION_VALUES: readonly Completion[] = OPERATIONS.map(({ short, title }) => ({
  label: short,
  hint: title,
  insert: short,
}));
const BOOLEAN_VALUES: readonly Completion[] = ['true', 'false'].map((value) => ({ label: value, insert: value }));

/** True for a column of true and false. */
export function isBooleanColumn(column: string): boolean {
  return ROW_SWITCHES.some((name) => name === column) || columnHelp(column)?.field?.type === 'boolean';
}

/** Recognises the values, in any spelling, of a column that takes only {@link columnValues}. */
export function closedValues(column: string): ((text: string) => boolean) | undefined {
  if (column === 'operation') return (text) => findOperation(text) !== undefined;
  return isBooleanColumn(column) ? (text) => parseBoolean(text).ok : undefined;
}

/** Known values of a column: operations, true and false, values in its other rows. */
export function columnValues(column: string, cell: number, rows: readonly RowView[]): readonly Completion[] {
  if (column === 'operation') return OPERATION_VALUES;
  if (isBooleanColumn(column)) return BOOLEAN_VALUES;
  const field = columnHelp(column)?.field;
  if (field === undefined || field.role === 'prompt' || field.role === 'reference' || field.role === 'url') return [];
  const counts = new Map<string, number>();
  for (const row of rows) {
    const text = row.cells?.[cell] ?? '';
    if (text !== '' && text.length <= SHORT_VALUE) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([value]) => ({ label: value, hint: words.grid.completion.inSheet, insert: value }));
}
