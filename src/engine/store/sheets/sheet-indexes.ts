import { groupBy } from '../../../shared/domain/base/result.ts';
import { rowsReferredTo } from '../../../shared/domain/cells/reference.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { AtOnce } from '../../ports/base.ts';
import {
  UNUSED_NAMED,
  type RowContent,
  type RowPlace,
  type SheetStore,
  type UnusedCells,
} from '../../ports/sheet-store.ts';
import type { Row } from '../../../shared/domain/sheet/row.ts';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import { IN_TEXTS, type Database } from '../open/database.ts';

interface UnusedColumns {
  readonly cell: number;
  readonly operation: OperationPath;
  readonly n: number;
}

interface KeyOfId {
  readonly seq: number;
  readonly id_key: string;
}

/** What finds the rows that an edit of another row affects. */
export type SheetIndexes = Pick<
  AtOnce<SheetStore>,
  'keysByIds' | 'keysReferringTo' | 'placesByRequests' | 'knownRequests' | 'hiddenByIds' | 'unusedCells'
>;

/** @param seqOf The number of a batch, which must exist. */
export function openSheetIndexes(db: Database, seqOf: (batchId: string) => number) {
  // The plus keeps SQLite from scanning all rows of the batch for a few ids.
  const selectByIds = db.prepare<KeyOfId>(`
    SELECT seq, id_key FROM rows WHERE batch = ? AND +removed = 0 AND id_key ${IN_TEXTS}
    ORDER BY +position, seq`);
  const selectHidden = db.prepare<KeyOfId>(`
    SELECT seq, id_key FROM rows WHERE batch = ? AND +removed > 0 AND id_key ${IN_TEXTS} ORDER BY seq`);
  const selectReferring = db.prepareColumn<number>(`
    SELECT DISTINCT row FROM row_links WHERE batch = ? AND target ${IN_TEXTS}`);
  const selectByRequest = db.prepare<RowPlace>(`
    SELECT seq AS key, position FROM rows WHERE batch = ? AND request = ? ORDER BY position, seq LIMIT ?`);
  // From the index alone: most requests belong to one row, and nothing else about it matters.
  const selectKnown = db.prepare<{ readonly request: number; readonly n: number }>(`
    SELECT CAST(asked.value AS BIGINT) AS request, (SELECT count(*) FROM (SELECT 1 FROM rows
      WHERE batch = ? AND request = CAST(asked.value AS BIGINT) LIMIT 2) AS found) AS n
    FROM json_each(?) AS asked`);
  const selectUnused = db.prepare<UnusedColumns>(`
    SELECT cell, operation, count(*) AS n FROM unused_cells WHERE batch = ? GROUP BY cell, operation
    ORDER BY min(position), cell`);
  const selectFirst = db.prepareColumn<number>(`
    SELECT row FROM unused_cells WHERE batch = ? AND cell = ? AND operation = ? ORDER BY position LIMIT ${UNUSED_NAMED}`);
  const unused = new Map<string, readonly UnusedCells[]>();

  const indexes: SheetIndexes = {
    keysByIds: (batchId, foldedIds) => keysById(selectByIds.all(seqOf(batchId), JSON.stringify(foldedIds))),

    keysReferringTo: (batchId, foldedIds) => selectReferring(seqOf(batchId), JSON.stringify(foldedIds)),
    placesByRequests(batchId, requests, limit) {
      const batch = seqOf(batchId);
      return new Map(requests.map((request) => [request, selectByRequest.all(batch, request, limit)]));
    },
    knownRequests(batchId, requests) {
      const found = selectKnown.all(seqOf(batchId), JSON.stringify(requests)).filter(({ n }) => n > 0);
      return new Map(found.map(({ request, n }) => [request, n === 1 ? 'one' : 'several']));
    },
    hiddenByIds: (batchId, foldedIds) => keysById(selectHidden.all(seqOf(batchId), JSON.stringify(foldedIds))),
    unusedCells(batchId) {
      const batch = seqOf(batchId);
      const found =
        unused.get(batchId) ??
        selectUnused.all(batch).map(({ cell, operation, n }): UnusedCells => {
          const keys = selectFirst(batch, cell, operation);
          return { index: cell, operation, rows: n, keys };
        });
      unused.set(batchId, found);
      return found;
    },
  };
  return {
    indexes,
    /** Call this after an edit that may have changed which cells are unused. */
    forgetUnused: (batchId: string) => void unused.delete(batchId),
    /** The same for all batches: another process may have edited them. */
    forgetAll: () => unused.clear(),
  };
}

/** Writes which rows a row refers to. */
export function openRowLinks(db: Database) {
  const insert = db.prepare('INSERT INTO row_links (row, target, batch) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const remove = db.prepare('DELETE FROM row_links WHERE row = ?');
  return {
    insert(key: number, batch: number, row: Row) {
      for (const target of rowsReferredTo(row.links)) insert.run(key, foldRowId(target), batch);
    },
    remove: (key: number) => void remove.run(key),
  };
}

/** Writes which cells of a row its operation does not use. */
export function openUnusedCells(db: Database) {
  const insert = db.prepare(`
    INSERT INTO unused_cells (row, cell, batch, operation, position) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const remove = db.prepare('DELETE FROM unused_cells WHERE row = ?');
  const move = db.prepare('UPDATE unused_cells SET position = ? WHERE row = ?');
  const select = db.prepare<{ readonly cells: string | null }>(`
    SELECT string_agg(cell || ' ' || operation || ' ' || position, ',') AS cells
    FROM (SELECT * FROM unused_cells WHERE row = ? ORDER BY cell) AS of_row`);
  function insertAll(key: number, batch: number, { row, position, unused }: RowContent): void {
    // As in the checks: without an operation, no cell can be called unused.
    if (row.operation === undefined) return;
    for (const cell of unused) insert.run(key, cell, batch, row.operation, position);
  }
  return {
    insert: insertAll,
    replace(key: number, batch: number, content: RowContent): boolean {
      const before = select.get(key)?.cells ?? null;
      if (before === null && content.unused.length === 0) return false;
      remove.run(key);
      insertAll(key, batch, content);
      return before !== (select.get(key)?.cells ?? null);
    },
    remove: (key: number) => void remove.run(key),
    move: (key: number, position: number) => void move.run(position, key),
  };
}

function keysById(found: readonly KeyOfId[]): ReadonlyMap<string, readonly number[]> {
  return groupBy(
    found,
    ({ id_key: id }) => id,
    ({ seq }) => seq,
  );
}
