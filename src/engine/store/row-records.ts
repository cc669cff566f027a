import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { rowLabel, searchText, shownProblem } from '../../shared/domain/batch-view.ts';
import type { JsonObject } from '../../shared/domain/json.ts';
import type { OperationPath } from '../../shared/domain/operations.ts';
import type { RowViewStatus } from '../../shared/domain/row-status.ts';
import type { Row, SheetProblem } from '../../shared/domain/row.ts';
import { foldRowId } from '../../shared/domain/sheet-row-ids.ts';
import { bodyBytes } from './new-tasks.ts';
import { prepare } from './statement.ts';

/** The part of a row that is kept as JSON; undefined values come back as such. */
type RowRest = Pick<Row, 'priority' | 'cells'> & Partial<Pick<Row, 'filename' | 'note' | 'links'>>;

/** The columns of a row with its contents. */
export interface RowContentColumns {
  readonly seq: number;
  readonly row_id: string;
  readonly line: number;
  readonly operation: OperationPath | '';
  readonly takes: number;
  readonly skip: number;
  readonly body: Uint8Array;
  readonly rest: string;
}

/** For a `SELECT` whose rows are {@link RowContentColumns}. */
export const ROW_CONTENT_SELECT = `
  SELECT rows.seq, row_id, line, operation, takes, skip, body, rest
  FROM rows JOIN row_contents ON row_contents.row = rows.seq`;

/** Rows as the sheet had them. */
export interface RowRecords {
  /** Inside a transaction; returns the row's key. `problems` are the row's own. */
  insert(batch: number, row: Row, position: number, status: RowViewStatus, problems: readonly SheetProblem[]): number;
  insertProblem(batch: number, problem: SheetProblem): void;
  /** The row with this id; of several (then none has tasks) the first. */
  row(batch: number, rowId: string): Row | undefined;
  /** The bytes to send for a task. */
  requestBody(taskId: number): Uint8Array;
  /** Rewrites what the grid sorts by after a task of the row has changed. */
  writeProgress(row: number, status: RowViewStatus, submittedAt?: number, finishedAt?: number): void;
}

export function openRowRecords(db: DatabaseSyncInstance): RowRecords {
  const insert = prepare(
    db,
    `INSERT INTO rows (batch, line, position, row_id, id_key, operation, takes, skip, status, label, problem, search)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertContents = prepare(db, 'INSERT INTO row_contents (row, body, rest) VALUES (?, ?, ?)');
  const insertProblem = prepare(db, 'INSERT INTO problems (batch, row_id, problem) VALUES (?, ?, ?)');
  const selectRow = prepare<RowContentColumns>(
    db,
    `${ROW_CONTENT_SELECT} WHERE batch = ? AND row_id = ? ORDER BY seq LIMIT 1`,
  );
  const selectBody = prepare<{ readonly body: Uint8Array }>(
    db,
    'SELECT body FROM row_contents WHERE row = (SELECT row FROM tasks WHERE id = ?)',
  );
  const updateProgress = prepare(db, 'UPDATE rows SET status = ?, submitted_at = ?, finished_at = ? WHERE seq = ?');

  return {
    insert(batch, row, position, status, problems) {
      const label = rowLabel(row);
      const problem = shownProblem(problems);
      const seq = insert.insert(
        batch,
        row.line,
        position,
        row.id,
        foldRowId(row.id),
        row.operation ?? '',
        row.takes,
        row.skip ? 1 : 0,
        status,
        label,
        problem === undefined ? null : JSON.stringify(problem),
        searchText(row, label),
      );
      const { priority, cells, filename, note, links } = row;
      insertContents.run(seq, bodyBytes(row), JSON.stringify({ priority, cells, filename, note, links }));
      return seq;
    },
    insertProblem: (batch, problem) => void insertProblem.run(batch, problem.row ?? null, JSON.stringify(problem)),
    row(batch, rowId) {
      const columns = selectRow.get(batch, rowId);
      return columns && rowOf(columns);
    },
    requestBody(taskId) {
      const found = selectBody.get(taskId);
      if (found === undefined) throw new Error(`Unknown task: ${taskId}`);
      return found.body;
    },
    writeProgress: (row, status, submittedAt, finishedAt) =>
      void updateProgress.run(status, submittedAt ?? null, finishedAt ?? null, row),
  };
}

/** A row of the sheet from its columns. */
export function rowOf(columns: RowContentColumns): Row {
  const rest = JSON.parse(columns.rest) as RowRest;
  return {
    id: columns.row_id,
    line: columns.line,
    operation: columns.operation === '' ? undefined : columns.operation,
    body: JSON.parse(new TextDecoder().decode(columns.body)) as JsonObject,
    takes: columns.takes,
    priority: rest.priority,
    filename: rest.filename,
    note: rest.note,
    skip: columns.skip === 1,
    cells: rest.cells,
    ...(rest.links === undefined ? {} : { links: rest.links }),
  };
}
