import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import {
  PAGE_LIMIT,
  parseOutputId,
  type BatchSummary,
  type BatchViews,
  type ExportedRow,
  type OutputFile,
  type RowPage,
  type RowPageQuery,
  type RowView,
} from '../../shared/domain/batch-view.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import type { OutputState } from '../../shared/domain/task.ts';
import { copyOfTasks } from './batch-counters.ts';
import type { StoredBatch } from './batch-records.ts';
import { openExportRows } from './export-rows.ts';
import { openRowDetail } from './row-detail.ts';
import { filterSql, orderSql } from './row-page-query.ts';
import { openRowViews } from './row-views.ts';
import type { SqliteTaskStore } from './sqlite-task-store.ts';
import { prepare, type Statement } from './statement.ts';

/** The views of a store's batches, on the same connection. */
export function sqliteBatchViews(db: DatabaseSyncInstance, { batchRecords, counters }: SqliteTaskStore): BatchViews {
  const rowViews = openRowViews(db);
  const rowDetail = openRowDetail(db, rowViews);
  const exportRows = openExportRows(db);
  const rowPage = openRowPage(db, (seqs) => rowViews.bySeqs(seqs));
  const outputFile = openOutputFile(db);
  const selectSeqsByIds = prepare<{ readonly seq: number }>(
    db,
    'SELECT seq FROM rows WHERE batch = ? AND row_id IN (SELECT value FROM json_each(?)) ORDER BY seq',
  );
  const selectProblems = prepare<{ readonly problem: string }>(
    db,
    'SELECT problem FROM problems WHERE batch = ? ORDER BY seq LIMIT ?',
  );
  const seqOf = (batchId: string): number | undefined => batchRecords.byId(batchId)?.seq;

  return {
    rowPage(batchId, query) {
      const batch = batchRecords.byId(batchId);
      return batch === undefined ? { total: 0, rows: [] } : rowPage(batch, query);
    },
    rowsByIds(batchId, rowIds) {
      const batch = seqOf(batchId);
      if (batch === undefined) return [];
      return rowViews.bySeqs(selectSeqsByIds.all(batch, JSON.stringify(rowIds)).map(({ seq }) => seq));
    },
    rowDetail(batchId, rowId) {
      const batch = seqOf(batchId);
      return batch === undefined ? undefined : rowDetail(batch, rowId);
    },
    batchSummary(batchId): BatchSummary | undefined {
      const batch = batchRecords.byId(batchId);
      if (batch === undefined) return undefined;
      const { tasks, rows, submitsUsed } = counters.of(batch.seq);
      const { record, problems } = batch;
      return { batch: record, tasks: copyOfTasks(tasks), rows: { ...rows }, submitsUsed, problems, draftSubmits: 0 };
    },
    problems(batchId, limit) {
      const batch = seqOf(batchId);
      if (batch === undefined) return [];
      return selectProblems.all(batch, limit).map(({ problem }) => JSON.parse(problem) as SheetProblem);
    },
    exportRows(batchId): Iterable<ExportedRow> {
      const batch = seqOf(batchId);
      return batch === undefined ? [] : exportRows(batch);
    },
    outputFile,
  };
}

function openRowPage(db: DatabaseSyncInstance, viewsOf: (seqs: readonly number[]) => readonly RowView[]) {
  // One for each kind of filter and order that was asked for: 26 orders of 16 filters at most.
  const statements = new Map<string, Statement<{ readonly seq: number; readonly total: number }>>();
  const prepared = (sql: string) => {
    const statement = statements.get(sql) ?? prepare(db, sql);
    statements.set(sql, statement);
    return statement;
  };

  return ({ seq: batch, record }: StoredBatch, { filter, sort, offset, limit }: RowPageQuery): RowPage => {
    const { where, values } = filterSql(batch, filter);
    const length = Math.min(limit, PAGE_LIMIT);
    if (filter?.text !== undefined && filter.text.trim() !== '') {
      // A text is looked for in every row: once for the page and its total, not once for each.
      const all = prepared(`SELECT seq, 0 AS total FROM rows WHERE ${where} ORDER BY ${orderSql(sort, true)}`);
      const seqs = all.all(...values).map(({ seq }) => seq);
      return { total: seqs.length, rows: viewsOf(seqs.slice(offset, offset + length)) };
    }
    const total = prepared(`SELECT 0 AS seq, count(*) AS total FROM rows WHERE ${where}`).get(...values)?.total ?? 0;
    if (offset >= total) return { total, rows: [] };
    const order = orderSql(sort, total * 8 < record.rowCount);
    const page = prepared(`SELECT seq, 0 AS total FROM rows WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?`);
    return { total, rows: viewsOf(page.all(...values, length, offset).map(({ seq }) => seq)) };
  };
}

function openOutputFile(db: DatabaseSyncInstance): (outputId: string) => OutputFile | undefined {
  const select = prepare<{
    readonly folder: string;
    readonly path: string;
    readonly media_type: string | null;
    readonly state: OutputState;
  }>(
    db,
    `SELECT folders.path AS folder, outputs.path AS path, media_type, state
     FROM outputs JOIN folders ON folders.seq = outputs.folder
     WHERE task = ? AND position = ? AND state IN ('verified', 'set-aside')`,
  );
  return (outputId) => {
    const parsed = parseOutputId(outputId);
    const found = parsed && select.get(parsed.taskId, parsed.index);
    if (found === undefined) return undefined;
    const { folder, path, media_type: mediaType, state } = found;
    return { folder, path, ...(mediaType === null ? {} : { mediaType }), verified: state === 'verified' };
  };
}
