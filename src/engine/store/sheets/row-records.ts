import { isDeepStrictEqual } from 'node:util';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import type { RowViewStatus } from '../../../shared/domain/task/row-status.ts';
import { turnAfter, type StandingTurn } from '../../../shared/domain/task/new-tasks.ts';
import type { TurnEvent } from '../../../shared/domain/task/task-event.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { Row } from '../../../shared/domain/sheet/row.ts';
import type { RowEdits } from '../../../shared/domain/cells/row-edits.ts';
import type { LinkedField } from '../../../shared/domain/cells/reference.ts';
import type { QueuedTask, RowsNamed } from '../../ports/task-store.ts';
import type { RowContent } from '../../ports/sheet-store.ts';
import { IN_LIST, IN_TEXTS, type Database } from '../open/database.ts';
import type { BatchRecords } from '../tasks/batch-records.ts';
import type { CellColumns } from './cell-columns.ts';
import {
  bodyColumns,
  CONTENT_COLUMNS,
  contentColumns,
  problemText,
  restOf,
  ROW_CONTENT_SELECT,
  rowOf,
  type RowContentColumns,
} from './row-table.ts';
import { openRowLinks, openUnusedCells } from './sheet-indexes.ts';

/** What an edit must know about an existing row. */
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
  /** When it was removed; 0 if it is in the sheet. */
  readonly removed: number;
  /** A {@link StandingTurn}; null if the user has said nothing. */
  readonly turn: string | null;
}

/** What a row shows about its tasks. */
interface RowProgress {
  readonly status: RowViewStatus;
  readonly submittedAt?: number | null;
  readonly finishedAt?: number | null;
}

type ShownProgress = Pick<RowHead, 'status' | 'submitted_at' | 'finished_at'>;

/** A row to insert under its own key. */
export interface RowToInsert {
  readonly key: number;
  readonly content: RowContent;
  readonly status: RowViewStatus;
}

/** Rows as in the sheet. Every write belongs in a transaction. */
export function openRowRecords(db: Database, batches: BatchRecords) {
  const insertRows = db.prepareInserts('rows', `seq, batch, status, ${CONTENT_COLUMNS}`);
  const insertContents = db.prepareInserts('row_contents', 'row, body, rest');
  const update = db.prepare(`
    UPDATE rows SET line = ?, position = ?, row_id = ?, id_key = ?, operation = ?, takes = ?, skip = ?, label = ?,
    problem = ?, search = ?, request = ?, draft = ?, removed = 0 WHERE seq = ?`);
  // SQLite rewrites the index of every column that is set, even if its value stays the same.
  const updateInPlace = db.prepare(`
    UPDATE rows SET line = ?, takes = ?, skip = ?, problem = ?, search = ?, request = ?, draft = ? WHERE seq = ?`);
  const updateLabel = db.prepare('UPDATE rows SET label = ? WHERE seq = ?');
  const updateContents = db.prepare('UPDATE row_contents SET body = ?, rest = ? WHERE row = ?');
  const updateRest = db.prepare('UPDATE row_contents SET rest = ? WHERE row = ?');
  const updatePosition = db.prepare('UPDATE rows SET position = ?, line = coalesce(?, line) WHERE seq = ?');
  const updateRemoved = db.prepare('UPDATE rows SET removed = ?, draft = 0, request = NULL WHERE seq = ?');
  const selectAll = db.prepareColumn<number>('SELECT seq FROM rows WHERE batch = ? AND +removed = 0');
  const selectNamed = db.prepareColumn<number>(`
    SELECT seq FROM rows WHERE batch = ? AND +removed = 0 AND row_id ${IN_TEXTS}`);
  const selectTurn = db.prepareColumn<string | null>('SELECT turn FROM rows WHERE seq = ?');
  const updateTurn = db.prepare('UPDATE rows SET turn = ? WHERE seq = ?');
  // A row that was to run next now has the priority that it was given since.
  const forgetFirst = db.prepare(`
    UPDATE rows SET turn = json_remove(turn, '$.priority') WHERE seq = ?1 AND turn ->> '$.priority' IS NOT NULL
      AND (SELECT CAST(rest ->> '$.priority' AS DOUBLE PRECISION) FROM row_contents WHERE row = ?1) IS DISTINCT FROM ?2`);
  // If there are several, the one that was removed last. Few rows share an id: the order must not make the database go
  // through all rows of the batch.
  const selectLeft = db.prepareColumn<string>(`
    SELECT turn FROM rows WHERE batch = ? AND id_key = ? AND +removed > 0 AND turn IS NOT NULL
    ORDER BY +removed DESC, seq DESC LIMIT 1`);
  const clearLeft = db.prepare(`
    UPDATE rows SET turn = NULL WHERE batch = ? AND id_key = ? AND +removed > 0 AND turn IS NOT NULL`);
  const updateProblem = db.prepare('UPDATE rows SET problem = ? WHERE seq = ?');
  const deleteRow = db.prepare('DELETE FROM rows WHERE seq = ?');
  const deleteContents = db.prepare('DELETE FROM row_contents WHERE row = ?');
  const selectHead = db.prepare<RowHead>(`
    SELECT batch, row_id, position, operation, label, status, submitted_at, finished_at, takes, draft, removed, turn
    FROM rows WHERE seq = ?`);
  const selectByKey = db.prepare<RowContentColumns>(`${ROW_CONTENT_SELECT} WHERE seq = ?`);
  const selectRow = db.prepare<RowContentColumns>(`
    ${ROW_CONTENT_SELECT} WHERE batch = ? AND removed = 0 AND row_id = ? ORDER BY position LIMIT 1`);
  const selectDraft = db.prepareColumn<number>(`
    SELECT draft FROM rows WHERE batch = ? AND removed = 0 AND row_id = ? ORDER BY position LIMIT 1`);
  const selectBody = db.prepare<{ readonly body: Uint8Array }>(`
    SELECT body FROM row_contents WHERE row = (SELECT row FROM tasks WHERE id = ?)`);
  const updateStatus = db.prepare('UPDATE rows SET status = ? WHERE seq = ?');
  const selectRequests = db.prepare<{ readonly id: number; readonly body: Uint8Array; readonly rest: string }>(`
    SELECT tasks.id, body, rest FROM tasks CROSS JOIN row_contents ON row_contents.row = tasks.row WHERE tasks.id ${IN_LIST}`);
  const updateProgress = db.prepare('UPDATE rows SET status = ?, submitted_at = ?, finished_at = ? WHERE seq = ?');
  const updateSubmitted = db.prepare('UPDATE rows SET status = ?, submitted_at = ? WHERE seq = ?');
  const updateFinished = db.prepare('UPDATE rows SET status = ?, finished_at = ? WHERE seq = ?');
  const links = openRowLinks(db);
  const unused = openUnusedCells(db);
  const ownRowOf = (columns: RowContentColumns): Row => rowOf(columns, batches.bySeq(columns.batch).columns);

  function noteTurn(key: number, event: TurnEvent): void {
    const before = turnOf(selectTurn(key)[0]);
    const after = turnAfter(before, event);
    if (isDeepStrictEqual(before, after)) return;
    updateTurn.run(Object.keys(after).length === 0 ? null : JSON.stringify(after), key);
  }

  return {
    /** May add names to `columns`, which belong in the same transaction. */
    insert(batch: number, columns: CellColumns, rows: readonly RowToInsert[]) {
      insertRows(rows.map(({ key, content, status }) => [key, batch, status, ...contentColumns(content)]));
      insertContents(rows.map(({ key, content }) => [key, ...bodyColumns(content, columns)]));
      for (const { key, content } of rows) {
        links.insert(key, batch, content.row);
        unused.insert(key, batch, content);
      }
    },
    /**
     * Writes a row except its progress and its problems; a removed row comes back into the sheet. Returns true if the
     * set of its unused cells has changed. `head`: the row as it is now.
     */
    update(key: number, batch: number, columns: CellColumns, content: RowContent, head: RowHead) {
      const values = contentColumns(content);
      const [line, position, id, , operation, takes, skip, label, problem, search, request, draft] = values;
      const isSame = position === head.position && id === head.row_id && operation === head.operation;
      if (isSame && head.removed === 0) {
        updateInPlace.run(line, takes, skip, problem, search, request, draft, key);
        if (label !== head.label) updateLabel.run(label, key);
      } else {
        update.run(...values, key);
      }
      if (head.turn !== null) forgetFirst.run(key, content.row.priority);
      updateContents.run(...bodyColumns(content, columns), key);
      links.remove(key);
      links.insert(key, batch, content.row);
      return unused.replace(key, batch, content);
    },
    /** Writes what is kept about a row's edits; the rest of the row stays. */
    writeEdits(key: number, edits: RowEdits | undefined) {
      const columns = selectByKey.get(key);
      if (columns !== undefined) updateRest.run(JSON.stringify({ ...restOf(columns), edits }), key);
    },
    /** Without a `line`, the row keeps its own. */
    move(key: number, position: number, line: number | undefined) {
      updatePosition.run(position, line ?? null, key);
      unused.move(key, position);
    },
    /** Takes a row out of the sheet and keeps its tasks. */
    hide(key: number, at: number) {
      // Any number but 0; if there are several, the time says which one was removed last.
      updateRemoved.run(Math.max(1, Math.trunc(at)), key);
      links.remove(key);
      unused.remove(key);
    },
    /** What the user last said about a row's turn. */
    turn: (key: number) => turnOf(selectTurn(key)[0]),
    /** Notes what the user says about a row's turn. */
    setTurn: noteTurn,
    /** The same for rows of a batch, with takes or without. */
    setTurns(batch: number, named: RowsNamed, event: TurnEvent) {
      const keys = 'ids' in named ? selectNamed(batch, JSON.stringify(named.ids)) : (named.keys ?? selectAll(batch));
      for (const key of keys) if (selectHead.get(key)?.batch === batch) noteTurn(key, event);
    },
    /**
     * Gives a row that is in the sheet again by its id, under its own key or another, what the user had said about its
     * turn.
     */
    takeTurn(key: number, batch: number, rowId: string) {
      const id = foldRowId(rowId);
      const [left] = selectLeft(batch, id);
      if (left === undefined) return;
      clearLeft.run(batch, id);
      updateTurn.run(left, key);
    },
    /** Forgets a row without tasks. */
    delete(key: number) {
      links.remove(key);
      unused.remove(key);
      deleteContents.run(key);
      deleteRow.run(key);
    },
    head: (key: number) => selectHead.get(key),
    rowByKey(key: number) {
      const columns = selectByKey.get(key);
      return columns && ownRowOf(columns);
    },
    /** The row with this id; if several have it (then none has tasks), the first. */
    row(batch: number, rowId: string) {
      const columns = selectRow.get(batch, rowId);
      return columns && ownRowOf(columns);
    },
    /** Whether takes of the row with this id are created only when the user says so. */
    isDraft: (batch: number, rowId: string) => selectDraft(batch, rowId)[0] === 1,
    /** The bytes to send for a task. */
    requestBody(taskId: number) {
      const found = selectBody.get(taskId);
      if (found === undefined) throw new Error(`Unknown task: ${taskId}`);
      return found.body;
    },
    /** The same, with what the body takes from other rows. */
    /** The requests of tasks that exist, by their ids. */
    requests(taskIds: readonly number[]): ReadonlyMap<number, Pick<QueuedTask, 'body' | 'links'>> {
      const found = taskIds.length === 0 ? [] : selectRequests.all(JSON.stringify(taskIds));
      return new Map(
        found.map(({ id, body, rest }) => {
          const { links = [] } = JSON.parse(rest) as { readonly links?: readonly LinkedField[] };
          return [id, { body, links }];
        }),
      );
    },
    /** Writes the columns that the grid sorts by, if they differ from what the row shows now. */
    writeProgress(row: number, { status, submittedAt = null, finishedAt = null }: RowProgress, shown?: ShownProgress) {
      const [sameSubmitted, sameFinished] = [shown?.submitted_at === submittedAt, shown?.finished_at === finishedAt];
      if (!sameSubmitted && !sameFinished) updateProgress.run(status, submittedAt, finishedAt, row);
      else if (!sameSubmitted) updateSubmitted.run(status, submittedAt, row);
      else if (!sameFinished) updateFinished.run(status, finishedAt, row);
      else if (shown?.status !== status) updateStatus.run(status, row);
    },
    /** Writes which problem the row shows. */
    writeProblem: (key: number, problems: readonly SheetProblem[]) =>
      void updateProblem.run(problemText(problems), key),
  };
}

/** What a column says about a row's turn. */
export function turnOf(column: string | null | undefined): StandingTurn {
  return column === null || column === undefined ? {} : (JSON.parse(column) as StandingTurn);
}
