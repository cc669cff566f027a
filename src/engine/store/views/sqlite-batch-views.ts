import {
  PAGE_LIMIT,
  type BatchSummary,
  type BatchViews,
  type FailedRows,
  type ViewedTake,
} from '../../../shared/domain/task/batch-view.ts';
import type { ExportedRow, FiledFile, OutputFile, TaskFiles } from '../../../shared/domain/task/views/exported-row.ts';
import type { IgnoredWarnings } from '../../../shared/domain/sheet/problems.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import { REJECTED_FOLDER } from '../../../shared/domain/review/verdict.ts';
import { outputIdOf, parseOutputId, type OutputState } from '../../../shared/domain/task/task.ts';
import { FAILURE_CODES, isRefusedAsItIs, isRetryFree } from '../../../shared/domain/base/failure.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { AtOnce } from '../../ports/base.ts';
import { byFamily } from '../tasks/batch-counters.ts';
import { openExportRows } from './export-rows.ts';
import { openFileViews } from './file-views.ts';
import { openFirstOfKind } from './first-of-kind.ts';
import { openFoundRows } from './found-rows.ts';
import { openRowDetail } from './row-detail.ts';
import { openRowKeys } from '../sheets/row-keys.ts';
import { openRowViews } from './row-views.ts';
import { sheetLines, openRowPlaces, type RowPlaces } from '../sheets/row-places.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';
import type { StoreParts } from '../tasks/store-parts.ts';
import { FAILURE_CODE_SQL } from '../tasks/task-table.ts';
import { IN_LIST, IN_TEXTS, type Database } from '../open/database.ts';

/** Failures after which the gateway may still have the result, as a list in SQL. */
const FREE_TO_RETRY = FAILURE_CODES.filter(isRetryFree)
  .map((code) => `'${code}'`)
  .join(', ');

/** A take as read from the database. */
type TakeColumns = Omit<ViewedTake, 'isHeld' | 'isRefused' | 'isInferred' | 'isFetched'> & {
  readonly held: number | null;
  readonly inferred: number;
  readonly fetched: number;
  readonly code: string | null;
};

/** The views of a store's batches, on the same connection. */
export function sqliteBatchViews(parts: StoreParts, places: RowPlaces = openRowPlaces(parts.db)): AtOnce<BatchViews> {
  const { db, batchRecords, counters, problemRecords } = parts;
  const lines = sheetLines(batchRecords, places);
  const rowViews = openRowViews(db, problemRecords, lines, batchRecords);
  const rowDetail = openRowDetail(parts, rowViews, lines);
  const exportRows = openExportRows(db, rowViews);
  const rowKeys = openRowKeys(db, places);
  const selectFiles = db.prepare<TaskFiles>(`
    SELECT tasks.id AS task, count(*) AS files, coalesce(sum(bytes), 0) AS bytes
    FROM tasks JOIN outputs ON outputs.task = tasks.id WHERE tasks.batch = ? AND outputs.state = 'verified'
    GROUP BY tasks.id`);
  const outputFile = openOutputFile(db);
  const filedFiles = openFiledFiles(db);
  const fileViews = openFileViews(db);
  const foundRows = openFoundRows(db);
  const firstsOf = openFirstOfKind(db);
  const selectSeqsByIds = db.prepareColumn<number>(`
    SELECT seq FROM rows WHERE batch = ? AND removed = 0 AND row_id ${IN_TEXTS}
    ORDER BY +position, seq`);
  const selectSeqsByKeys = db.prepareColumn<number>(`
    SELECT seq FROM rows WHERE batch = ? AND removed = 0 AND seq IN (SELECT value FROM json_each(?))
    ORDER BY +position, seq`);
  const selectTasksEver = db.prepareColumn<number>(`
    SELECT tasks.id FROM rows JOIN tasks ON tasks.row = rows.seq
    WHERE rows.batch = ? AND rows.removed = 0 AND rows.seq ${IN_LIST}
    ORDER BY rows.position, rows.seq, take, tasks.id`);
  const selectTakes = db.prepare<TakeColumns>(`
    SELECT id, CAST(state ->> '$.attempts' AS INTEGER) AS attempts, row, operation,
      CAST(state ->> '$.onHold' AS INTEGER) AS held,
      state ->> '$.failure.code' AS code,
      CASE WHEN status = 'failed' AND task_code IS NOT NULL AND state ->> '$.failure.suspected' IS NOT NULL
        THEN 1 ELSE 0 END AS inferred,
      CASE WHEN task_code IS NOT NULL AND (status = 'cancelled' OR status = 'failed' AND
          (state ->> '$.failure.code' IN (${FREE_TO_RETRY}) OR EXISTS (
            SELECT 1 FROM outputs WHERE outputs.task = tasks.id AND outputs.state IN ('verified', 'deleted'))))
        THEN 1 ELSE 0 END AS fetched FROM tasks
    WHERE batch = ?1 AND superseded = 0 AND status IN (SELECT atom FROM json_each(?2))
      AND (CASE WHEN CAST(?3 AS TEXT) IS NULL THEN status <> 'submit-unknown' OR state ->> '$.again' IS NULL
        ELSE row IN (SELECT value FROM json_each(?3)) END)
    ORDER BY position, take`);

  // There are few, and the index finds them.
  const countSettling = db.prepareColumn<number>(`
    SELECT count(*) FROM tasks INDEXED BY tasks_by_status
    WHERE batch = ? AND superseded = 0 AND status = 'submit-unknown' AND state ->> '$.again' IS NOT NULL
    AND (state ->> '$.onHold' IS NULL OR state ->> '$.again.isTaken' IS NOT NULL)`);

  const selectFailures = db.prepare<FailedRows>(`
    SELECT ${FAILURE_CODE_SQL} AS code, count(DISTINCT row) AS rows FROM tasks
    WHERE batch = ? AND superseded = 0 AND status = 'failed' AND state ->> '$.failure.code' IS NOT NULL
    GROUP BY 1 ORDER BY 2 DESC, 1`);

  // The record stays the same object until something in the batch or its sheet changes.
  const ignoredOf = new WeakMap<BatchRecord, readonly IgnoredWarnings[]>();
  function ignoredIn(batch: number, record: BatchRecord): readonly IgnoredWarnings[] {
    const { ignored = [] } = record.sheet;
    const known = ignoredOf.get(record) ?? (ignored.length === 0 ? [] : problemRecords.countIgnored(batch, ignored));
    ignoredOf.set(record, known);
    return known;
  }

  /** Reads something about a batch; for a batch that is gone, `nothing`. */
  function ofBatch<T>(batchId: string, nothing: T, read: (batch: StoredBatch) => T): T {
    const batch = batchRecords.byId(batchId);
    return batch === undefined ? nothing : read(batch);
  }

  return {
    takesByStatus: (batchId, statuses, keys) =>
      ofBatch(batchId, [], ({ seq }) => {
        const rows = keys === undefined ? null : JSON.stringify(keys);
        return selectTakes
          .all(seq, JSON.stringify(statuses), rows)
          .map(({ held, code, inferred, fetched, ...take }) => ({
            ...take,
            ...(held === 1 ? { isHeld: true as const } : {}),
            ...(code !== null && isRefusedAsItIs(code) ? { isRefused: true as const } : {}),
            ...(inferred === 1 ? { isInferred: true as const } : {}),
            ...(inferred === 0 && fetched === 1 ? { isFetched: true as const } : {}),
          }));
      }),
    rowPage: (batchId, { offset, limit, withCells, ...view }) =>
      ofBatch(batchId, { total: 0, rows: [] }, (batch) => {
        const { total, keys } = rowKeys.page(batch, view, offset, Math.min(limit, PAGE_LIMIT));
        return { total, rows: rowViews.bySeqs(keys, withCells === true ? batch : undefined) };
      }),
    viewPage: (batchId, { offset, limit, withCells, ...view }) =>
      ofBatch(batchId, { keys: [], rows: [] }, (batch) => {
        const keys = rowKeys.all(batch, view);
        const shown = keys.slice(offset, offset + Math.min(limit, PAGE_LIMIT));
        return { keys, rows: rowViews.bySeqs(shown, withCells === true ? batch : undefined) };
      }),
    rowsWith: (batchId, text, after, most) =>
      ofBatch(batchId, { rows: [] }, (batch) => foundRows(batch, text, after, most)),
    commonTexts: (batchId, header) => ofBatch(batchId, [], (batch) => rowKeys.commonTexts(batch, header)),
    rowsByKeys: (batchId, keys, withCells) =>
      ofBatch(batchId, [], (batch) =>
        rowViews.bySeqs(selectSeqsByKeys(batch.seq, JSON.stringify(keys)), withCells === true ? batch : undefined),
      ),
    rowsByIds: (batchId, rowIds) =>
      ofBatch(batchId, [], ({ seq }) => rowViews.bySeqs(selectSeqsByIds(seq, JSON.stringify(rowIds)))),
    tasksEverOfKeys: (batchId, keys) => ofBatch(batchId, [], ({ seq }) => selectTasksEver(seq, JSON.stringify(keys))),
    rowDetail: (batchId, key) => ofBatch(batchId, undefined, ({ seq }) => rowDetail(seq, key)),
    batchSummary: (batchId) =>
      ofBatch<BatchSummary | undefined>(batchId, undefined, (batch) => {
        const { seq, record, problems } = batch;
        const { tasks, rows, submitsUsed, draftSubmits } = counters.of(seq);
        const settling = countSettling(seq)[0] ?? 0;
        const ignored = ignoredIn(seq, record);
        return {
          batch: record,
          tasks: byFamily(tasks),
          ...(settling === 0 ? {} : { settling }),
          rows: { ...rows },
          submitsUsed,
          problems: withoutIgnored(problems, ignored),
          draftSubmits,
          ...present({ waitsForFirst: firstsOf.ofBatch(batch) }),
        };
      }),
    failures: (batchId) => ofBatch(batchId, [], ({ seq }) => selectFailures.all(seq)),
    problems: (batchId, limit) =>
      ofBatch(batchId, [], ({ seq: batch }) =>
        problemRecords
          .ofBatch(batch, limit)
          .map(({ problem, row }) => lines.onLine(problem, row === undefined ? undefined : { ...row, batch })),
      ),
    exportRows: (batchId) => ofBatch<Iterable<ExportedRow>>(batchId, [], exportRows),
    taskFiles: (batchId) => ofBatch(batchId, [], ({ seq }) => selectFiles.all(seq)),
    filedFiles: (batchId) => ofBatch(batchId, [], ({ seq }) => filedFiles(seq)),
    outputFile,
    filesFound: (batchId, filter) => ofBatch(batchId, new Float64Array(), ({ seq }) => fileViews.found(seq, filter)),
    filesByIds: (batchId, outputIds) => ofBatch(batchId, [], ({ seq }) => fileViews.byIds(seq, outputIds)),
  };
}

function withoutIgnored(
  { errors, warnings }: StoredBatch['problems'],
  ignored: readonly IgnoredWarnings[],
): BatchSummary['problems'] {
  const sum = ignored.reduce((all, { count }) => all + count, 0);
  return { errors, warnings: Math.max(0, warnings - sum), ignored };
}

function openOutputFile(db: Database): (outputId: string) => OutputFile | undefined {
  const select = db.prepare<{
    readonly folder: string;
    readonly path: string;
    readonly media_type: string | null;
    readonly sha256: string | null;
    readonly state: OutputState;
  }>(`
    SELECT folders.path AS folder, outputs.path AS path, media_type, sha256, state
    FROM outputs JOIN folders ON folders.seq = outputs.folder
    WHERE task = ? AND position = ? AND state IN ('verified', 'set-aside')`);
  return (outputId) => {
    const parsed = parseOutputId(outputId);
    const found = parsed && select.get(parsed.taskId, parsed.index);
    if (found === undefined) return undefined;
    const { folder, path, media_type: mediaType, sha256, state } = found;
    return { folder, path, ...present({ mediaType, sha256 }), verified: state === 'verified' };
  };
}

/**
 * The text that is searched for in an output's JSON cannot occur elsewhere in it: in the user's note, quotes are
 * escaped.
 */
function openFiledFiles(db: Database): (batch: number) => readonly FiledFile[] {
  const select = db.prepare<{
    readonly task: number;
    readonly position: number;
    readonly folder: string;
    readonly path: string;
    readonly bytes: number | null;
    readonly state: OutputState;
    readonly superseded: number;
    readonly is_rejected: number | boolean;
    readonly is_away: number | boolean;
    readonly is_moved: number | boolean;
  }>(`
    SELECT * FROM (
      SELECT task, outputs.position AS position, folders.path AS folder, outputs.path AS path, bytes, outputs.state AS state, superseded,
        rest LIKE '%"kept":false%' AS is_rejected, outputs.path LIKE '${REJECTED_FOLDER}/%' AS is_away,
        rest LIKE '%"leftover":%' AS is_moved
      FROM tasks JOIN outputs ON outputs.task = tasks.id JOIN folders ON folders.seq = outputs.folder
      WHERE tasks.batch = ? AND outputs.state IN ('verified', 'deleted')) AS files
    WHERE state = 'deleted' OR is_rejected OR is_away OR is_moved
    ORDER BY task, position`);
  return (batch) =>
    select.all(batch).map(({ task, position, folder, path, bytes, state, superseded, ...is }) => {
      const isVerified = state === 'verified';
      const isRejected = Boolean(is.is_rejected);
      const isUntidy = !isVerified || Boolean(is.is_moved) || isRejected !== Boolean(is.is_away);
      const file = { outputId: outputIdOf(task, position), folder, path, bytes: bytes ?? 0 };
      const isEarlier = superseded === 1;
      return { ...file, isRejected: isVerified && isRejected, isEarlier, isDeleted: !isVerified, isUntidy };
    });
}
