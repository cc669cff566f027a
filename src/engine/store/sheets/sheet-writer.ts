import { ROW_GAP } from '../../../shared/domain/task/task.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { crashPoint } from '../../crash-point.ts';
import type { AtOnce } from '../../ports/base.ts';
import type { NotedPart, SheetChange, SheetStore } from '../../ports/sheet-store.ts';
import { SheetTally } from './sheet-tally.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';
import { openRowWriter } from './row-writer.ts';
import type { RowPlaces } from './row-places.ts';
import type { StoreParts } from '../tasks/store-parts.ts';
import type { Database } from '../open/database.ts';

/** Writes edits of sheets, each in one transaction. */
export function openSheetWriter(
  parts: StoreParts,
  places: RowPlaces,
  forgetUnused: (batchId: string) => void,
): Pick<AtOnce<SheetStore>, 'change' | 'spreadPositions' | 'noteParts' | 'replaceParts' | 'firstPart' | 'clearParts'> {
  const { db, batchRecords, counters, problemRecords, freshKeys, writing } = parts;
  const { known } = batchRecords;
  const rowChanges = openRowWriter(parts);
  const editParts = openEditParts(db);
  const spread = db.prepare(`
    UPDATE rows SET position = placed.place * ${ROW_GAP}
    FROM (SELECT seq AS key, row_number() OVER (ORDER BY position, seq) AS place FROM rows WHERE batch = ?) AS placed
    WHERE rows.seq = placed.key`);
  const follow = [
    'UPDATE tasks SET position = (SELECT position FROM rows WHERE seq = tasks.row) WHERE batch = ?',
    'UPDATE unused_cells SET position = (SELECT position FROM rows WHERE seq = unused_cells.row) WHERE batch = ?',
  ].map((sql) => db.prepare(sql));

  /** Undefined if the batch's state, a task or a row has changed since the edit was planned; nothing was written. */
  function write(batch: StoredBatch, change: SheetChange, tally: SheetTally): readonly number[] | undefined {
    if (change.plannedIn !== undefined && change.plannedIn !== batch.record.state) return undefined;
    if (!change.rows.every((one) => rowChanges.isCurrent(batch.seq, one))) return undefined;
    freshKeys.rows.learn();
    freshKeys.tasks.learn();
    const inserted = change.rows.flatMap((one) => {
      const key = rowChanges.write(batch, one, change.at, tally);
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
    counters.change(batch.seq, tally);
    crashPoint('sheet.written');
    return inserted;
  }

  return {
    change(batchId, change) {
      const batch = known(batchId);
      // Counted before the first write, so that nothing is counted twice.
      counters.of(batch.seq);
      const tally = new SheetTally();
      const inserted = counters.whileWriting(() => writing(() => db.transaction(() => write(batch, change, tally))));
      if (inserted === undefined) return { kind: 'stale' };
      crashPoint('sheet.committed');
      batchRecords.reload(batch.seq);
      places.note(batch.seq, tally.placeChanges);
      if (tally.hasUnusedChanged) forgetUnused(batchId);
      return { kind: 'written', inserted };
    },
    spreadPositions(batchId) {
      const { seq } = known(batchId);
      writing(() =>
        db.transaction(() => {
          spread.run(seq);
          for (const statement of follow) statement.run(seq);
          batchRecords.noteMoved(seq);
        }),
      );
      batchRecords.reload(seq);
      places.forget(seq);
    },
    noteParts: (batchId, parts) => writing(() => db.transaction(() => editParts.note(known(batchId).seq, parts))),
    replaceParts: (batchId, parts) =>
      writing(() =>
        db.transaction(() => {
          const { seq } = known(batchId);
          editParts.clear(seq);
          editParts.note(seq, parts);
        }),
      ),
    firstPart: (batchId) => editParts.first(known(batchId).seq),
    clearParts: (batchId) => writing(() => db.transaction(() => editParts.clear(known(batchId).seq))),
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
    rowRevision: batch.rowRevision + (tally.placeChanges.length > 0 ? 1 : 0),
  };
}

/** The waiting parts of an edit that is written in several transactions, as the editor's texts. */
function openEditParts(db: Database) {
  const insert = db.prepare('INSERT INTO edit_parts (batch, part, wishes) VALUES (?, ?, ?)');
  const selectFirst = db.prepare<NotedPart>(`
    SELECT part, wishes AS text FROM edit_parts WHERE batch = ? ORDER BY part LIMIT 1`);
  const remove = db.prepare('DELETE FROM edit_parts WHERE batch = ? AND part = ?');
  const removeAll = db.prepare('DELETE FROM edit_parts WHERE batch = ?');
  return {
    /** Adds parts, inside a transaction. */
    note(batch: number, parts: readonly NotedPart[]) {
      for (const { part, text } of parts) insert.run(batch, part, text);
    },
    /** The first remaining part, if any. */
    first: (batch: number) => selectFirst.get(batch),
    /** Forgets one part, inside the transaction that carries it out. */
    forget: (batch: number, part: number) => void remove.run(batch, part),
    /** Forgets all parts, inside a transaction. */
    clear: (batch: number) => void removeAll.run(batch),
  };
}
