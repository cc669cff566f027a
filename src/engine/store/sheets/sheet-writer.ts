import { ROW_GAP } from '../../../shared/domain/task/task.ts';
import { present } from '../../../shared/domain/base/present.ts';
import { crashPoint } from '../../crash-point.ts';
import type { SheetChange, SheetChangeOutcome } from '../../sheet-ports.ts';
import { applyTally, newTally, type SheetTally } from './sheet-tally.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';
import { openRowWriter } from './row-writer.ts';
import type { SheetIndexes } from './sheet-indexes.ts';
import type { RowPlaces } from './sheet-places.ts';
import type { SqliteTaskStore } from '../tasks/sqlite-task-store.ts';
import type { Database } from '../open/database.ts';

/** Writes edits of sheets, each in one transaction. */
export interface SheetWriter {
  change(batch: StoredBatch, change: SheetChange): SheetChangeOutcome;
  spreadPositions(batch: StoredBatch): void;
  noteParts(batch: StoredBatch, parts: readonly { readonly part: number; readonly text: string }[]): void;
  clearParts(batch: StoredBatch): void;
}

export function openSheetWriter(
  db: Database,
  store: SqliteTaskStore,
  places: RowPlaces,
  indexes: SheetIndexes,
  editParts: EditParts,
): SheetWriter {
  const { batchRecords, counters, problemRecords, freshKeys, writing } = store;
  const rowChanges = openRowWriter(store);
  const spread = db.prepare(`
    UPDATE rows SET position = placed.place * ${ROW_GAP}
    FROM (SELECT seq AS key, row_number() OVER (ORDER BY position, seq) AS place FROM rows WHERE batch = ?) AS placed
    WHERE rows.seq = placed.key`);
  const follow = [
    'UPDATE tasks SET position = (SELECT position FROM rows WHERE seq = tasks.row) WHERE batch = ?',
    'UPDATE unused_cells SET position = (SELECT position FROM rows WHERE seq = unused_cells.row) WHERE batch = ?',
  ].map((sql) => db.prepare(sql));

  /** Undefined: a task or a row has changed since the edit was planned, and nothing was written. */
  function write(batch: StoredBatch, change: SheetChange, tally: SheetTally): readonly number[] | undefined {
    if (!change.rows.every((one) => rowChanges.isCurrent(batch.seq, one))) return undefined;
    const inserted = change.rows.flatMap((one) => {
      const key = rowChanges.write(batch.seq, one, change.at, tally);
      crashPoint('sheet.row-written');
      return one.kind === 'insert' ? [key] : [];
    });
    if (change.sheetProblems !== undefined) {
      tally.addProblems(problemRecords.replace(batch.seq, undefined, change.sheetProblems));
    }
    if (tally.hasDeleted) {
      freshKeys.rows.keep();
      freshKeys.tasks.keep();
    }
    if (change.part !== undefined) editParts.forget(batch.seq, change.part);
    batchRecords.writeSheet(sheetAfter(batch, change, tally));
    crashPoint('sheet.written');
    return inserted;
  }

  return {
    change(batch, change) {
      // Counted before the first write, so that nothing is counted twice.
      const counts = counters.of(batch.seq);
      const tally = newTally();
      const inserted = writing(() => db.transaction(() => write(batch, change, tally)));
      if (inserted === undefined) return { kind: 'stale' };
      crashPoint('sheet.committed');
      applyTally(counts, tally);
      batchRecords.reload(batch.seq);
      places.note(batch.seq, tally.placeChanges);
      if (tally.hasUnusedChanged) indexes.forgetUnused(batch.seq);
      return { kind: 'written', inserted };
    },
    spreadPositions({ seq }) {
      writing(() =>
        db.transaction(() => {
          spread.run(seq);
          for (const statement of follow) statement.run(seq);
        }),
      );
      places.forget(seq);
    },
    noteParts: ({ seq }, parts) => writing(() => db.transaction(() => editParts.note(seq, parts))),
    clearParts: ({ seq }) => writing(() => db.transaction(() => editParts.clear(seq))),
  };
}

function sheetAfter(batch: StoredBatch, { headers, sheet, sheetPath }: SheetChange, tally: SheetTally): StoredBatch {
  const { record, problems } = batch;
  return {
    ...batch,
    record: {
      ...record,
      headers: headers ?? record.headers,
      sheet: sheet ?? record.sheet,
      ...present({ sheetPath }),
      rowCount: record.rowCount + tally.rowCount,
      taskCount: record.taskCount + tally.taskCount,
    },
    problems: { errors: problems.errors + tally.errors, warnings: problems.warnings + tally.warnings },
  };
}

/** The waiting parts of an edit that is written in several transactions, as the editor's texts. */
export interface EditParts {
  /** Adds parts, inside a transaction. */
  note(batch: number, parts: readonly { readonly part: number; readonly text: string }[]): void;
  /** The first remaining part, if any. */
  first(batch: number): { readonly part: number; readonly text: string } | undefined;
  /** Forgets one part, inside the transaction that carries it out. */
  forget(batch: number, part: number): void;
  /** Forgets all parts, inside a transaction. */
  clear(batch: number): void;
}

export function openEditParts(db: Database): EditParts {
  const insert = db.prepare('INSERT INTO edit_parts (batch, part, wishes) VALUES (?, ?, ?)');
  const selectFirst = db.prepare<{ readonly part: number; readonly text: string }>(`
    SELECT part, wishes AS text FROM edit_parts WHERE batch = ? ORDER BY part LIMIT 1`);
  const remove = db.prepare('DELETE FROM edit_parts WHERE batch = ? AND part = ?');
  const removeAll = db.prepare('DELETE FROM edit_parts WHERE batch = ?');
  return {
    note(batch, parts) {
      for (const { part, text } of parts) insert.run(batch, part, text);
    },
    first: (batch) => selectFirst.get(batch),
    forget: (batch, part) => void remove.run(batch, part),
    clear: (batch) => void removeAll.run(batch),
  };
}
