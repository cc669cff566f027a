import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { ViewOfRows } from '../../sheet-ports.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';
import { filterSql, orderSql } from './row-page-query.ts';
import type { RowPlaces } from './sheet-places.ts';
import { prepare, type SqlValue, type Statement } from '../open/statement.ts';

/** Which rows a grid shows, and where. */
export interface RowKeys {
  /** The keys from `offset` on, and how many rows there are on all pages. */
  page(
    batch: StoredBatch,
    view: ViewOfRows,
    offset: number,
    limit: number,
  ): { readonly total: number; readonly keys: readonly number[] };
  count(batch: StoredBatch, view: ViewOfRows): number;
}

interface Found {
  readonly seq: number;
  readonly n: number;
}

export function openRowKeys(db: DatabaseSyncInstance, places: RowPlaces): RowKeys {
  // One for each kind of filter and sort order that was used: at most 26 orders of 16 filters.
  const statements = new Map<string, Statement<Found>>();
  const prepared = (sql: string): Statement<Found> => {
    const statement = statements.get(sql) ?? prepare(db, sql);
    statements.set(sql, statement);
    return statement;
  };
  const selectFrom = prepare<{ readonly seq: number }>(
    db,
    'SELECT seq FROM rows WHERE batch = ? AND removed = 0 AND position >= ? ORDER BY position, seq LIMIT ?',
  );

  function count(batch: StoredBatch, view: ViewOfRows): number {
    if (isWholeSheet(view)) return batch.record.rowCount;
    const { where, values } = filterSql(batch.seq, view.filter);
    return prepared(`SELECT 0 AS seq, count(*) AS n FROM rows WHERE ${where}`).get(...values)?.n ?? 0;
  }

  /** All keys of a view. A text search reads every row anyway. */
  function all({ seq }: StoredBatch, { filter, sort }: ViewOfRows): readonly number[] {
    const { where, values } = filterSql(seq, filter);
    return keysOf(`SELECT seq, 0 AS n FROM rows WHERE ${where} ORDER BY ${orderSql(sort, true)}`, values);
  }

  function keysOf(sql: string, values: readonly SqlValue[]): readonly number[] {
    return prepared(sql)
      .all(...values)
      .map(({ seq }) => seq);
  }

  return {
    count,
    page(batch, view, offset, limit) {
      const { filter, sort } = view;
      if (hasText(view)) {
        // Once for both the page and its total.
        const keys = all(batch, view);
        return { total: keys.length, keys: keys.slice(offset, offset + limit) };
      }
      const total = count(batch, view);
      if (offset >= total) return { total, keys: [] };
      if (isWholeSheet(view)) {
        // Found by its position: skipping half of 100,000 rows takes milliseconds.
        const from = offset === 0 ? undefined : places.positionAt(batch.seq, offset);
        const keys = selectFrom.all(batch.seq, from ?? Number.MIN_SAFE_INTEGER, limit);
        return { total, keys: keys.map(({ seq }) => seq) };
      }
      const { where, values } = filterSql(batch.seq, filter);
      const order = orderSql(sort, total * 8 < batch.record.rowCount);
      const page = `SELECT seq, 0 AS n FROM rows WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?`;
      return { total, keys: keysOf(page, [...values, limit, offset]) };
    },
  };
}

function hasText({ filter }: ViewOfRows): boolean {
  return filter?.text !== undefined && filter.text.trim() !== '';
}

function isSheetOrder({ sort }: ViewOfRows): boolean {
  return sort === undefined || (sort.column === 'line' && sort.direction === 'ascending');
}

/** All rows in the sheet's own order. */
function isWholeSheet(view: ViewOfRows): boolean {
  const { status = [], operation, family } = view.filter ?? {};
  return isSheetOrder(view) && status.length === 0 && operation === undefined && family === undefined && !hasText(view);
}
