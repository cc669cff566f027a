import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { rowProgress, type ExportedRow, type ExportedTask } from '../../shared/domain/batch-view.ts';
import { rowOf, ROW_CONTENT_SELECT, type RowContentColumns } from './row-records.ts';
import { openRowViews, type SeenTask } from './row-views.ts';
import { prepare } from './statement.ts';

const ROWS_AT_A_TIME = 500;

/** Returns what reads all rows of a batch in order of line, a few hundred at a time. */
export function openExportRows(db: DatabaseSyncInstance): (batch: number) => Iterable<ExportedRow> {
  const rowViews = openRowViews(db);
  const selectSeqs = prepare<{ readonly seq: number }>(db, 'SELECT seq FROM rows WHERE batch = ? ORDER BY seq');
  const selectRows = prepare<RowContentColumns>(
    db,
    `${ROW_CONTENT_SELECT} WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`,
  );

  return function* exportRows(batch) {
    const seqs = selectSeqs.all(batch).map(({ seq }) => seq);
    for (let from = 0; from < seqs.length; from += ROWS_AT_A_TIME) {
      const chunk = seqs.slice(from, from + ROWS_AT_A_TIME);
      const tasks = rowViews.tasksOfRows(chunk);
      for (const columns of selectRows.all(JSON.stringify(chunk))) {
        yield exportedRow(columns, tasks.get(columns.seq) ?? []);
      }
    }
  };
}

function exportedRow(columns: RowContentColumns, tasks: readonly SeenTask[]): ExportedRow {
  const row = rowOf(columns);
  const { status } = rowProgress(tasks, row.skip);
  const failure = tasks.find((task) => task.status === status)?.failure;
  return { row, status, ...(failure === undefined ? {} : { failure }), tasks: tasks.map(exportedTask) };
}

function exportedTask({ take, status, taskCode, submittedAt, finishedAt, failure, outputs }: SeenTask): ExportedTask {
  return {
    take,
    status,
    ...(taskCode === undefined ? {} : { taskCode }),
    ...(submittedAt === undefined ? {} : { submittedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(failure === undefined ? {} : { failure }),
    outputs: outputs.flatMap(({ index, state, path, sha256, bytes, mediaType }) => {
      if (state !== 'verified') return [];
      if (path === undefined || sha256 === undefined || bytes === undefined || mediaType === undefined) return [];
      return [{ index, path, sha256, bytes, mediaType }];
    }),
  };
}
