import {
  PAGE_LIMIT,
  type BatchSummary,
  type BatchViews,
  type ExportedRow,
  type OutputFile,
  type TaskFiles,
  type ViewedTake,
} from '../../../shared/domain/task/batch-view.ts';
import { parseOutputId, type OutputState } from '../../../shared/domain/task/task.ts';
import { present } from '../../../shared/domain/base/present.ts';
import { copyOfTasks } from '../tasks/batch-counters.ts';
import { openExportRows } from './export-rows.ts';
import { openRowDetail } from './row-detail.ts';
import { openProblemRecords } from '../sheets/problem-records.ts';
import { openRowKeys } from '../sheets/row-keys.ts';
import { openRowViews } from './row-views.ts';
import { sheetLines, openRowPlaces, type RowPlaces } from '../sheets/sheet-places.ts';
import type { SqliteTaskStore } from '../tasks/sqlite-task-store.ts';
import { IN_LIST, type Database } from '../open/database.ts';

/** The views of a store's batches, on the same connection. */
export function sqliteBatchViews(
  db: Database,
  { batchRecords, counters }: Pick<SqliteTaskStore, 'batchRecords' | 'counters'>,
  places: RowPlaces = openRowPlaces(db),
): BatchViews {
  const lines = sheetLines(batchRecords, places);
  const rowViews = openRowViews(db, lines);
  const rowDetail = openRowDetail(db, rowViews, lines);
  const exportRows = openExportRows(db, rowViews);
  const rowKeys = openRowKeys(db, places);
  const problemRecords = openProblemRecords(db);
  const taskFiles = openTaskFiles(db);
  const outputFile = openOutputFile(db);
  const selectSeqsByIds = db.prepareColumn<number>(`
    SELECT seq FROM rows WHERE batch = ? AND removed = 0 AND row_id ${IN_LIST}
    ORDER BY +position, seq`);
  const selectSeqsByKeys = db.prepareColumn<number>(`
    SELECT seq FROM rows WHERE batch = ? AND removed = 0 AND seq IN (SELECT value FROM json_each(?))
    ORDER BY +position, seq`);
  const selectTasksEver = db.prepareColumn<number>(`
    SELECT tasks.id FROM rows JOIN tasks ON tasks.row = rows.seq
    WHERE rows.batch = ? AND rows.removed = 0 AND rows.seq ${IN_LIST}
    ORDER BY rows.position, rows.seq, take, tasks.id`);
  const selectTakes = db.prepare<ViewedTake>(`
    SELECT id, state ->> '$.attempts' AS attempts, row, operation FROM tasks
    WHERE batch = ?1 AND superseded = 0 AND status IN (SELECT value FROM json_each(?2))
      AND (?3 IS NULL OR row IN (SELECT value FROM json_each(?3)))
    ORDER BY position, take`);
  const seqOf = (batchId: string): number | undefined => batchRecords.byId(batchId)?.seq;

  return {
    takesByStatus(batchId, statuses, keys) {
      const batch = seqOf(batchId);
      if (batch === undefined) return [];
      const rows = keys === undefined ? null : JSON.stringify(keys);
      // A plain object, because a row of the database has no prototype.
      return selectTakes.all(batch, JSON.stringify(statuses), rows).map((take) => ({ ...take }));
    },
    rowPage(batchId, { offset, limit, withCells, ...view }) {
      const batch = batchRecords.byId(batchId);
      if (batch === undefined) return { total: 0, rows: [] };
      const { total, keys } = rowKeys.page(batch, view, offset, Math.min(limit, PAGE_LIMIT));
      return { total, rows: rowViews.bySeqs(keys, withCells ? batch.record.headers : undefined) };
    },
    viewPage(batchId, { offset, limit, withCells, ...view }) {
      const batch = batchRecords.byId(batchId);
      if (batch === undefined) return { keys: [], rows: [] };
      const keys = rowKeys.all(batch, view);
      const shown = keys.slice(offset, offset + Math.min(limit, PAGE_LIMIT));
      return { keys, rows: rowViews.bySeqs(shown, withCells ? batch.record.headers : undefined) };
    },
    rowsByKeys(batchId, keys, withCells) {
      const batch = batchRecords.byId(batchId);
      if (batch === undefined) return [];
      const seqs = selectSeqsByKeys(batch.seq, JSON.stringify(keys));
      return rowViews.bySeqs(seqs, withCells === true ? batch.record.headers : undefined);
    },
    rowsByIds(batchId, rowIds) {
      const batch = seqOf(batchId);
      if (batch === undefined) return [];
      return rowViews.bySeqs(selectSeqsByIds(batch, JSON.stringify(rowIds)));
    },
    tasksEverOfKeys(batchId, keys) {
      const batch = seqOf(batchId);
      return batch === undefined ? [] : selectTasksEver(batch, JSON.stringify(keys));
    },
    rowDetail(batchId, key) {
      const batch = seqOf(batchId);
      return batch === undefined ? undefined : rowDetail(batch, key);
    },
    batchSummary(batchId): BatchSummary | undefined {
      const batch = batchRecords.byId(batchId);
      if (batch === undefined) return undefined;
      const { tasks, rows, submitsUsed, draftSubmits } = counters.of(batch.seq);
      const { record, problems } = batch;
      return { batch: record, tasks: copyOfTasks(tasks), rows: { ...rows }, submitsUsed, problems, draftSubmits };
    },
    problems(batchId, limit) {
      const batch = seqOf(batchId);
      if (batch === undefined) return [];
      return problemRecords
        .ofBatch(batch, limit)
        .map(({ problem, row }) => lines.onLine(problem, row === undefined ? undefined : { ...row, batch }));
    },
    exportRows(batchId): Iterable<ExportedRow> {
      const batch = seqOf(batchId);
      return batch === undefined ? [] : exportRows(batch);
    },
    taskFiles(batchId): readonly TaskFiles[] {
      const batch = seqOf(batchId);
      return batch === undefined ? [] : taskFiles(batch);
    },
    outputFile,
  };
}

function openTaskFiles(db: Database): (batch: number) => readonly TaskFiles[] {
  const select = db.prepare<TaskFiles>(`
    SELECT tasks.id AS task, count(*) AS files, coalesce(sum(bytes), 0) AS bytes
    FROM tasks JOIN outputs ON outputs.task = tasks.id WHERE tasks.batch = ? AND outputs.state = 'verified'
    GROUP BY tasks.id`);
  return (batch) => select.all(batch);
}

function openOutputFile(db: Database): (outputId: string) => OutputFile | undefined {
  const select = db.prepare<{
    readonly folder: string;
    readonly path: string;
    readonly media_type: string | null;
    readonly state: OutputState;
  }>(`
    SELECT folders.path AS folder, outputs.path AS path, media_type, state
    FROM outputs JOIN folders ON folders.seq = outputs.folder
    WHERE task = ? AND position = ? AND state IN ('verified', 'set-aside')`);
  return (outputId) => {
    const parsed = parseOutputId(outputId);
    const found = parsed && select.get(parsed.taskId, parsed.index);
    if (found === undefined) return undefined;
    const { folder, path, media_type: mediaType, state } = found;
    return { folder, path, ...present({ mediaType }), verified: state === 'verified' };
  };
}
