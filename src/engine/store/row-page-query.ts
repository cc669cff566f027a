import {
  foldSearchText,
  type RowFilter,
  type RowPageQuery,
  type RowSortColumn,
} from '../../shared/domain/batch-view.ts';
import { OPERATIONS } from '../../shared/domain/operations.ts';
import type { SqlValue } from './statement.ts';

const SORT_COLUMNS: Readonly<Record<RowSortColumn, string>> = {
  line: 'line',
  row: 'row_id',
  operation: 'operation',
  label: 'label',
  status: 'status',
  submittedAt: 'submitted_at',
  finishedAt: 'finished_at',
};

/** The conditions of a filter on `rows`, and what is bound to them. The same filter gives the same text. */
export function filterSql(batch: number, filter: RowFilter = {}): { where: string; values: readonly SqlValue[] } {
  const conditions: { sql: string; value: SqlValue }[] = [{ sql: 'batch = ?', value: batch }];
  if (filter.status !== undefined) conditions.push({ sql: 'status = ?', value: filter.status });
  if (filter.operation !== undefined) conditions.push({ sql: 'operation = ?', value: filter.operation });
  if (filter.family !== undefined) {
    const paths = OPERATIONS.filter((o) => o.family === filter.family).map((o) => o.path);
    conditions.push({ sql: 'operation IN (SELECT value FROM json_each(?))', value: JSON.stringify(paths) });
  }
  const text = filter.text === undefined ? '' : foldSearchText(filter.text.trim());
  if (text !== '') conditions.push({ sql: 'instr(search, ?) > 0', value: text });
  return { where: conditions.map((c) => c.sql).join(' AND '), values: conditions.map((c) => c.value) };
}

/** The order of a page. Rows are numbered in the order of their lines, so that every index ends with that order. */
export function orderSql(sort: RowPageQuery['sort']): string {
  const direction = sort?.direction === 'descending' ? 'DESC' : 'ASC';
  return `${SORT_COLUMNS[sort?.column ?? 'line']} ${direction} NULLS LAST, seq ${direction}`;
}
