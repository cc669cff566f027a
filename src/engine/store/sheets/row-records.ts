import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { rowLabel, searchText } from '../../../shared/domain/task/batch-view.ts';
import { shownProblem, type SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { JsonObject } from '../../../shared/domain/base/json.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import { rowsReferredTo } from '../../../shared/domain/cells/reference.ts';
import type { RowViewStatus } from '../../../shared/domain/task/row-status.ts';
import type { Row } from '../../../shared/domain/sheet/row.ts';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import type { RowContent } from '../../sheet-ports.ts';
import { bodyBytes } from '../../request-body.ts';
import { prepare, prepareInserts } from '../open/statement.ts';

/** The part of a row that is kept as JSON; undefined values come back as such. */
type RowRest = Pick<Row, 'priority' | 'cells'> & Partial<Pick<Row, 'filename' | 'note' | 'links'>>;

/** The columns of a row with its contents. */
export interface RowContentColumns {
  readonly seq: number;
  readonly position: number;
  readonly draft: number;
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
  SELECT rows.seq, position, draft, row_id, line, operation, takes, skip, body, rest
  FROM rows JOIN row_contents ON row_contents.row = rows.seq`;

/** What an edit must know of a row that is there. */
export interface RowHead {
  readonly batch: number;
  readonly row_id: string;
  readonly position: number;
  readonly operation: string;
  readonly label: string;
  readonly status: RowViewStatus;
  readonly submitted_at: number | null;
  readonly finished_at: number | null;
  readonly takes: number;
  readonly draft: number;
  /** When it was removed; 0 for a row that is in the sheet. */
  readonly removed: number;
}

/** A row that is to be inserted under its own key. */
export interface NewRow {
  readonly key: number;
  readonly content: RowContent;
  readonly status: RowViewStatus;
}

/** Rows as the sheet has them. Everything that writes belongs in a transaction. */
export interface RowRecords {
  insert(batch: number, rows: readonly NewRow[]): void;
  /**
   * Writes all of a row but its progress and its problems; one that was removed is in the sheet again. True: which of
   * its cells are of no use has changed. `head`: the row as it is.
   */
  update(key: number, batch: number, content: RowContent, head: RowHead): boolean;
  /** Without a `line` it keeps its own. */
  move(key: number, position: number, line: number | undefined): void;
  /** Takes a row out of the sheet whose tasks are to be kept. */
  hide(key: number, at: number): void;
  /** Forgets a row without tasks. */
  delete(key: number): void;
  head(key: number): RowHead | undefined;
  rowByKey(key: number): Row | undefined;
  /** The row with this id; of several (then none has tasks) the first. */
  row(batch: number, rowId: string): Row | undefined;
  /** The bytes to send for a task. */
  requestBody(taskId: number): Uint8Array;
  /** Rewrites what the grid sorts by after a task of the row has changed. */
  writeProgress(row: number, status: RowViewStatus, submittedAt?: number, finishedAt?: number): void;
  /** Which problem the row shows. */
  writeProblem(key: number, problems: readonly SheetProblem[]): void;
}

export function openRowRecords(db: DatabaseSyncInstance): RowRecords {
  const insertRows = prepareInserts(
    db,
    'rows',
    `seq, batch, status, line, position, row_id, id_key, operation, takes, skip, label, problem, search, request, draft`,
  );
  const insertContents = prepareInserts(db, 'row_contents', 'row, body, rest');
  const update = prepare(
    db,
    `UPDATE rows SET line = ?, position = ?, row_id = ?, id_key = ?, operation = ?, takes = ?, skip = ?, label = ?,
       problem = ?, search = ?, request = ?, draft = ?, removed = 0 WHERE seq = ?`,
  );
  const updateInPlace = prepare(
    db,
    // SQLite rewrites every index that a set column is in, also where its value stays.
    `UPDATE rows SET line = ?, takes = ?, skip = ?, problem = ?, search = ?, request = ?, draft = ? WHERE seq = ?`,
  );
  const updateLabel = prepare(db, 'UPDATE rows SET label = ? WHERE seq = ?');
  const updateContents = prepare(db, 'UPDATE row_contents SET body = ?, rest = ? WHERE row = ?');
  const updatePosition = prepare(db, 'UPDATE rows SET position = ?, line = coalesce(?, line) WHERE seq = ?');
  const updateRemoved = prepare(db, 'UPDATE rows SET removed = ?, draft = 0, request = NULL WHERE seq = ?');
  const updateProblem = prepare(db, 'UPDATE rows SET problem = ? WHERE seq = ?');
  const deleteRow = prepare(db, 'DELETE FROM rows WHERE seq = ?');
  const deleteContents = prepare(db, 'DELETE FROM row_contents WHERE row = ?');
  const selectHead = prepare<RowHead>(
    db,
    `SELECT batch, row_id, position, operation, label, status, submitted_at, finished_at, takes, draft, removed
     FROM rows WHERE seq = ?`,
  );
  const selectByKey = prepare<RowContentColumns>(db, `${ROW_CONTENT_SELECT} WHERE seq = ?`);
  const selectRow = prepare<RowContentColumns>(
    db,
    `${ROW_CONTENT_SELECT} WHERE batch = ? AND removed = 0 AND row_id = ? ORDER BY position LIMIT 1`,
  );
  const selectBody = prepare<{ readonly body: Uint8Array }>(
    db,
    'SELECT body FROM row_contents WHERE row = (SELECT row FROM tasks WHERE id = ?)',
  );
  const updateProgress = prepare(db, 'UPDATE rows SET status = ?, submitted_at = ?, finished_at = ? WHERE seq = ?');
  const links = openRowLinks(db);
  const unused = openUnusedCells(db);

  return {
    insert(batch, rows) {
      insertRows(rows.map(({ key, content, status }) => [key, batch, status, ...columnsOf(content)]));
      insertContents(rows.map(({ key, content: { row } }) => [key, bodyBytes(row), restOf(row)]));
      for (const { key, content } of rows) {
        links.insert(key, batch, content.row);
        unused.insert(key, batch, content);
      }
    },
    update(key, batch, content, head) {
      const columns = columnsOf(content);
      const [line, position, id, , operation, takes, skip, label, problem, search, request, draft] = columns;
      const isSame = position === head.position && id === head.row_id && operation === head.operation;
      if (isSame && head.removed === 0) {
        updateInPlace.run(line, takes, skip, problem, search, request, draft, key);
        if (label !== head.label) updateLabel.run(label, key);
      } else {
        update.run(...columns, key);
      }
      updateContents.run(bodyBytes(content.row), restOf(content.row), key);
      links.remove(key);
      links.insert(key, batch, content.row);
      return unused.replace(key, batch, content);
    },
    move(key, position, line) {
      updatePosition.run(position, line ?? null, key);
      unused.move(key, position);
    },
    hide(key, at) {
      // Any number but 0; the time says which of several was removed last.
      updateRemoved.run(Math.max(1, Math.trunc(at)), key);
      links.remove(key);
      unused.remove(key);
    },
    delete(key) {
      links.remove(key);
      unused.remove(key);
      deleteContents.run(key);
      deleteRow.run(key);
    },
    head: (key) => selectHead.get(key),
    rowByKey(key) {
      const columns = selectByKey.get(key);
      return columns && rowOf(columns);
    },
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
    writeProblem: (key, problems) => void updateProblem.run(problemText(problems), key),
  };
}

/** The values of the columns of `rows` from `line` to `draft`, in their order. */
function columnsOf({ row, position, problems, request, isDraft }: RowContent) {
  const label = rowLabel(row);
  return [
    row.line,
    position,
    row.id,
    foldRowId(row.id),
    row.operation ?? '',
    row.takes,
    row.skip ? 1 : 0,
    label,
    problemText(problems),
    searchText(row, label),
    request ?? null,
    isDraft ? 1 : 0,
  ] as const;
}

function problemText(problems: readonly SheetProblem[]): string | null {
  const problem = shownProblem(problems);
  return problem === undefined ? null : JSON.stringify(problem);
}

function restOf({ priority, cells, filename, note, links }: Row): string {
  return JSON.stringify({ priority, cells, filename, note, links });
}

/** Which rows a row refers to. */
function openRowLinks(db: DatabaseSyncInstance) {
  const insert = prepare(db, 'INSERT INTO row_links (row, target, batch) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const remove = prepare(db, 'DELETE FROM row_links WHERE row = ?');
  return {
    insert(key: number, batch: number, row: Row) {
      for (const target of rowsReferredTo(row.links)) insert.run(key, foldRowId(target), batch);
    },
    remove: (key: number) => void remove.run(key),
  };
}

/** Which cells of a row its operation has no use for. */
function openUnusedCells(db: DatabaseSyncInstance) {
  const insert = prepare(
    db,
    'INSERT INTO unused_cells (row, cell, batch, operation, position) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = prepare(db, 'DELETE FROM unused_cells WHERE row = ?');
  const move = prepare(db, 'UPDATE unused_cells SET position = ? WHERE row = ?');
  const select = prepare<{ readonly cells: string | null }>(
    db,
    `SELECT group_concat(cell || ' ' || operation || ' ' || position) AS cells
     FROM (SELECT * FROM unused_cells WHERE row = ? ORDER BY cell)`,
  );
  function insertAll(key: number, batch: number, { row, position, unused }: RowContent): void {
    // As in the checks: without an operation nothing can be said to be of no use.
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
