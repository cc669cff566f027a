import type { RowFilter } from '../../../shared/domain/task/batch-view.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { ViewOfRows } from '../../ports/sheet-store.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';
import { filterSql, orderSql, wantedText } from './row-page-query.ts';
import { isFewOf, openRowCells } from './row-cells.ts';
import type { RowPlaces } from './row-places.ts';
import { statementsOnce, type Database, type SqlValue } from '../open/database.ts';

interface Found {
  readonly seq: number;
  readonly n: number;
}

interface FoundKeys {
  /** A list as JSON. */
  readonly keys: string;
}

/** Which rows a grid shows, and where. */
export function openRowKeys(db: Database, places: RowPlaces) {
  // One statement for each kind of filter and sort order that was used: at most 26 orders of 32 filters.
  const prepared = statementsOnce<Found>(db);
  const preparedLists = statementsOnce<FoundKeys>(db);
  const selectFrom = db.prepare<{ readonly seq: number }>(`
    SELECT seq FROM rows WHERE batch = ? AND removed = 0 AND position >= ? ORDER BY position, seq LIMIT ?`);

  const cells = openRowCells(db);

  function count(batch: StoredBatch, view: ViewOfRows): number {
    if (isWholeSheet(view)) return batch.record.rowCount;
    if (asksCells(view)) return all(batch, present({ filter: view.filter })).length;
    const { where, values } = filterSql(batch.seq, view.filter);
    return prepared(`SELECT 0 AS seq, count(*) AS n FROM rows WHERE ${where}`).get(...values)?.n ?? 0;
  }

  function all(batch: StoredBatch, view: ViewOfRows): readonly number[] {
    const { sort, filter } = view;
    if (sort?.column === 'cell') {
      const keys = cells.keysBy(batch, sort);
      if (isAnyKind(view) && !asksCells(view)) return keys;
      const wanted = new Set(all(batch, present({ filter })));
      return keys.filter((key) => wanted.has(key));
    }
    const byCells = keysByCells(batch, filter);
    if (byCells !== undefined && isSheetOrder(view) && isAnyKind(view)) return byCells;
    if (byCells !== undefined && !isFewOf(batch, byCells.length)) {
      const wanted = new Set(byCells);
      const { text: _text, cell: _cell, isEdited: _isEdited, ...others } = filter ?? {};
      return all(batch, { ...view, filter: others }).filter((key) => wanted.has(key));
    }
    const { where, values } = filterSql(batch.seq, filter, byCells);
    const isFew = isFewOf(batch, byCells?.length ?? count(batch, view));
    const rows = `SELECT seq FROM rows WHERE ${where} ORDER BY ${orderSql(sort, isFew)}`;
    // As one value: for 100,000 rows this takes 12 ms; an object for each row would take 100 ms.
    const found = preparedLists(`SELECT json_group_array(seq) AS keys FROM (${rows}) AS found`).get(...values);
    return JSON.parse(found?.keys ?? '[]') as readonly number[];
  }

  /**
   * The keys of the rows whose cells pass a filter, in the order of the sheet; undefined if the filter is not about
   * cells.
   */
  function keysByCells(batch: StoredBatch, filter: RowFilter = {}): readonly number[] | undefined {
    const text = wantedText(filter);
    const withText = text === '' ? undefined : cells.keysWith(batch, text);
    const having = filter.cell && cells.keysHaving(batch, filter.cell);
    const edited = filter.isEdited && cells.keysEdited(batch);
    const [first, ...others] = [withText, having, edited].filter((keys) => keys !== undefined);
    const wanted = others.map((keys) => new Set(keys));
    return first?.filter((key) => wanted.every((keys) => keys.has(key)));
  }

  function keysOf(sql: string, values: readonly SqlValue[]): readonly number[] {
    return prepared(sql)
      .all(...values)
      .map(({ seq }) => seq);
  }

  return {
    /** The keys of all rows of a view. */
    all,
    count,
    commonTexts: cells.commonTexts,
    /** The keys from `offset` on, and how many rows there are on all pages. */
    page(batch: StoredBatch, view: ViewOfRows, offset: number, limit: number) {
      const { filter, sort } = view;
      if (asksCells(view) || sort?.column === 'cell') {
        // Read once for both the page and the total.
        const keys = all(batch, view);
        return { total: keys.length, keys: keys.slice(offset, offset + limit) };
      }
      const total = count(batch, view);
      if (offset >= total) return { total, keys: [] };
      if (offset === 0 && limit >= total) return { total, keys: all(batch, view) };
      if (isWholeSheet(view)) {
        // Found by its position: skipping half of 100,000 rows takes milliseconds.
        const from = offset === 0 ? undefined : places.positionAt(batch.seq, offset);
        const keys = selectFrom.all(batch.seq, from ?? Number.MIN_SAFE_INTEGER, limit);
        return { total, keys: keys.map(({ seq }) => seq) };
      }
      const { where, values } = filterSql(batch.seq, filter);
      const order = orderSql(sort, isFewOf(batch, total));
      const page = `SELECT seq, 0 AS n FROM rows WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?`;
      return { total, keys: keysOf(page, [...values, limit, offset]) };
    },
  };
}

function asksCells({ filter }: ViewOfRows): boolean {
  return wantedText(filter) !== '' || (filter?.cell ?? filter?.isEdited) !== undefined;
}

function isSheetOrder({ sort }: ViewOfRows): boolean {
  return sort === undefined || (sort.column === 'line' && sort.direction === 'ascending');
}

/** Whether a view shows every status, operation, family and failure reason. */
function isAnyKind({ filter: { status = [], operation, family, failure } = {} }: ViewOfRows): boolean {
  return status.length === 0 && (operation ?? family ?? failure) === undefined;
}

/** Whether a view shows all rows in the sheet's own order. */
function isWholeSheet(view: ViewOfRows): boolean {
  return isSheetOrder(view) && isAnyKind(view) && !asksCells(view);
}
