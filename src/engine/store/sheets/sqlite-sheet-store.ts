import type { EarlierTask } from '../../../shared/domain/task/plan-tasks.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { AtOnce } from '../../ports/base.ts';
import type { RowPlace, SheetStore, StoredRow } from '../../ports/sheet-store.ts';
import { openSheetWriter } from './sheet-writer.ts';
import { openRowKeys } from './row-keys.ts';
import { restOf, rowOf, ROW_CONTENT_SELECT, type RowContentColumns } from './row-table.ts';
import { sheetLines, type RowPlaces } from './row-places.ts';
import { openSheetIndexes } from './sheet-indexes.ts';
import type { StoreParts } from '../tasks/store-parts.ts';
import { IN_LIST, itemsOfKeys, type Database } from '../open/database.ts';

const ROWS_AT_A_TIME = 500;

/** The sheets of a store's batches, on the same connection. */
export function sqliteSheetStore(parts: StoreParts, places: RowPlaces): AtOnce<SheetStore> {
  const { db, batchRecords, taskRecords, evidenceRecords, problemRecords: problems } = parts;
  const { known } = batchRecords;
  const rowKeys = openRowKeys(db, places);
  const lines = sheetLines(batchRecords, places);
  const rowsOf = openStoredRows(parts);
  const { indexes, forgetUnused, forgetAll } = openSheetIndexes(db, (batchId) => known(batchId).seq);
  parts.forgetting.add(forgetAll);
  const neighbours = openNeighbours(db);
  const selectAll = db.prepareColumn<number>(`
    SELECT seq FROM rows WHERE batch = ? AND removed = 0 ORDER BY position, seq`);
  const selectDrafts = db.prepareColumn<number>(`
    SELECT seq FROM rows WHERE batch = ? AND draft = 1 AND +removed = 0 ORDER BY position, seq`);
  const selectLines = db.prepare<{ readonly seq: number; readonly position: number; readonly line: number }>(`
    SELECT seq, position, line FROM rows
    WHERE seq ${IN_LIST} AND +batch = ? AND +removed = 0`);

  return {
    ...indexes,
    ...openSheetWriter(parts, places, forgetUnused),
    keysInView: (batchId, view, offset, count) => rowKeys.page(known(batchId), view, offset, count).keys,
    countInView: (batchId, view) => rowKeys.count(known(batchId), view),
    draftKeys: (batchId) => selectDrafts(known(batchId).seq),
    rowsByKeys: (batchId, keys) => rowsOf(known(batchId).seq, keys),
    earlierTasks(_, keys) {
      const withSent = (task: Task): EarlierTask => ({
        task,
        ...present({ sent: evidenceRecords.attempts(task.id).at(-1)?.body }),
      });
      return new Map([...taskRecords.supersededOfRows(keys)].map(([key, tasks]) => [key, tasks.map(withSent)]));
    },
    allRows(batchId) {
      const batch = known(batchId).seq;
      return itemsOfKeys(
        db,
        () => selectAll(batch),
        ROWS_AT_A_TIME,
        (keys) => rowsOf(batch, keys),
      );
    },
    sheetProblems: (batchId) => problems.ofSheet(known(batchId).seq),
    problems(batchId, limit, which = 'all') {
      const { seq: batch, record } = known(batchId);
      const { ignored = [] } = record.sheet;
      const found =
        which === 'all' || ignored.length === 0
          ? problems.ofBatch(batch, limit)
          : problems.ofBatchBut(batch, limit, ignored);
      return found.map(({ problem, row }) =>
        row === undefined ? { problem } : { problem: lines.onLine(problem, { ...row, batch }), key: row.key },
      );
    },
    countRowsWith: (batchId, code) => problems.countRowsWith(known(batchId).seq, code),
    neighboursOf(batchId, keys) {
      const batch = known(batchId).seq;
      return new Map(keys.map((key) => [key, neighbours(batch, key)]));
    },
    lastPosition(batchId) {
      const { seq, record } = known(batchId);
      return record.rowCount === 0 ? 0 : (places.positionAt(seq, record.rowCount - 1) ?? 0);
    },
    linesOf(batchId, keys) {
      const batch = known(batchId).seq;
      const rows = selectLines.all(JSON.stringify(keys), batch);
      return new Map(rows.map(({ seq, ...row }) => [seq, lines.lineOf({ ...row, batch })]));
    },
  };
}

/** Returns a function that reads rows with everything that belongs to them, in the order of their keys. */
function openStoredRows({
  db,
  batchRecords,
  taskRecords,
  problemRecords,
}: StoreParts): (batch: number, keys: readonly number[]) => readonly StoredRow[] {
  // The plus keeps SQLite from scanning all rows of the batch for a few keys.
  const select = db.prepare<RowContentColumns>(`
    ${ROW_CONTENT_SELECT} WHERE seq ${IN_LIST} AND +batch = ? AND +removed = 0`);
  return (batch, keys) => {
    const found = new Map(select.all(JSON.stringify(keys), batch).map((columns) => [columns.seq, columns]));
    const tasksOf = taskRecords.tasksOfRows(keys);
    const problemsOf = problemRecords.ofRows(keys);
    const { columns: cellColumns } = batchRecords.bySeq(batch);
    return keys.flatMap((key): StoredRow[] => {
      const columns = found.get(key);
      if (columns === undefined) return [];
      const { position, draft } = columns;
      const tasks = tasksOf.get(key) ?? [];
      const rest = restOf(columns);
      const row = rowOf(columns, cellColumns, rest);
      const problems = problemsOf.get(key) ?? [];
      return [{ key, position, row, isDraft: draft === 1, tasks, problems, ...present({ edits: rest.edits }) }];
    });
  };
}

function openNeighbours(db: Database) {
  const select = (sign: '<' | '>', way: 'DESC' | 'ASC') =>
    db.prepare<RowPlace>(`
      SELECT seq AS key, position FROM rows WHERE batch = ? AND removed = 0
        AND (position, seq) ${sign} (SELECT position, seq FROM rows WHERE seq = ?)
      ORDER BY position ${way}, seq ${way} LIMIT 1`);
  const before = select('<', 'DESC');
  const after = select('>', 'ASC');
  return (batch: number, key: number) => ({ before: before.get(batch, key), after: after.get(batch, key) });
}
