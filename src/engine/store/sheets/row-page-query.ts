import { foldSearchText } from '../../../shared/domain/task/row-view.ts';
import { BY_LINE, type RowFilter, type RowSort, type RowSortColumn } from '../../../shared/domain/task/batch-view.ts';
import { OPERATIONS } from '../../../shared/domain/operations/operations.ts';
import { IN_LIST, IN_TEXTS, type SqlValue } from '../open/database.ts';
import { FAILURE_CODE_SQL } from '../tasks/task-table.ts';

const SORT_COLUMNS: Readonly<Record<Exclude<RowSortColumn, 'line'>, string>> = {
  row: 'row_id',
  operation: 'operation',
  label: 'label',
  status: 'status',
  submittedAt: 'submitted_at',
  finishedAt: 'finished_at',
};

/** The text that rows must contain, folded like the text of rows; empty for any. */
export function wantedText(filter: RowFilter = {}): string {
  return foldSearchText((filter.text ?? '').trim());
}

/**
 * A pattern that matches at least every JSON of cells that contains a folded text. `LIKE` ignores case only for ASCII
 * letters, and any text may have been written decomposed, so other characters become wildcards. But a text in Han
 * characters must not match every row, each of which would then be read and folded.
 */
export function likePattern(folded: string): string {
  const inJson = JSON.stringify(folded).slice(1, -1);
  const open = inJson.replaceAll(/\p{ASCII}?\p{M}+|\P{ASCII}|[!%_]/gu, (text) => {
    if ('!%_'.includes(text)) return `!${text}`;
    if (/^\p{Script=Han}$/u.test(text) && !HAN_WRITTEN_TWICE.has(text)) return text;
    return isAlwaysOne(text) ? '_' : '%';
  });
  return `%${open}%`;
}

/** The Han characters for which Unicode has an equivalent one, in its two blocks of compatibility ideographs. */
const HAN_WRITTEN_TWICE: ReadonlySet<string> = new Set(
  [
    [0xf900, 0xfaff],
    [0x2f800, 0x2fa1f],
  ].flatMap(([first = 0, last = 0]) =>
    Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i).normalize('NFC')),
  ),
);

/** Whether a character is a single one in either case, composed or not. */
function isAlwaysOne(text: string): boolean {
  return !/\p{M}/u.test(text) && text.normalize('NFD') === text && Array.from(text.toUpperCase()).length === 1;
}

/**
 * The conditions of a filter on `rows`, and their bound values. The same filter gives the same SQL. `few`: the few rows
 * whose cells pass the filter; without it, the cells of any row do.
 */
export function filterSql(
  batch: number,
  filter: RowFilter = {},
  few?: readonly number[],
): { where: string; values: readonly SqlValue[] } {
  const conditions: { sql: string; value: SqlValue | readonly SqlValue[] }[] = [];
  if (few === undefined) conditions.push({ sql: 'removed = 0 AND batch = ?', value: batch });
  else {
    conditions.push({ sql: `seq ${IN_LIST}`, value: JSON.stringify(few) });
    // The plus keeps SQLite from scanning all rows of the batch for a few keys.
    conditions.push({ sql: '+removed = 0 AND +batch = ?', value: batch });
  }
  const [status, ...otherStatuses] = filter.status ?? [];
  // A single status uses its index, in order of line; several statuses are not worth a separate text for each number.
  if (status !== undefined && otherStatuses.length === 0) conditions.push({ sql: 'status = ?', value: status });
  if (otherStatuses.length > 0) {
    conditions.push({ sql: `status ${IN_TEXTS}`, value: JSON.stringify(filter.status) });
  }
  if (filter.operation !== undefined) conditions.push({ sql: 'operation = ?', value: filter.operation });
  if (filter.family !== undefined) {
    const paths = OPERATIONS.filter((o) => o.family === filter.family).map((o) => o.path);
    conditions.push({ sql: `operation ${IN_TEXTS}`, value: JSON.stringify(paths) });
  }
  if (filter.failure !== undefined) {
    conditions.push({
      sql: `seq IN (SELECT "row" FROM tasks WHERE batch = ? AND superseded = 0 AND status = 'failed' AND ${FAILURE_CODE_SQL} = ?)`,
      value: [batch, filter.failure],
    });
  }
  return { where: conditions.map((c) => c.sql).join(' AND '), values: conditions.flatMap((c) => c.value) };
}

/**
 * The order of a page. Rows with the same position, which only an older store can have, are ordered by their keys.
 * `isFew`: the filter leaves few rows, and sorting those is faster than searching an index of all rows (137 ms to find
 * none in 100,000); the plus keeps SQLite from using that index.
 */
export function orderSql(sort: Exclude<RowSort, { column: 'cell' }> | undefined, isFew: boolean): string {
  const { column, direction } = sort ?? BY_LINE;
  const way = direction === 'descending' ? 'DESC' : 'ASC';
  const term = column === 'line' ? '' : `${isFew ? '+' : ''}${SORT_COLUMNS[column]} ${way} NULLS LAST, `;
  return `${term}position ${way}, seq ${way}`;
}
