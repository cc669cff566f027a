/** Removes the contents of a deleted batch, once it can no longer be brought back. */
import { AT_GATEWAY, removableFrom } from '../../../shared/domain/task/batch-standing.ts';
import type { BatchSettings } from '../../../shared/domain/task/batch.ts';
import { crashPoint } from '../../crash-point.ts';
import type { StoreParts } from '../tasks/store-parts.ts';

/** A task for which something was sent, or that is done: what a bill would name stays. */
const HAS_SENT = `EXISTS (SELECT 1 FROM attempts WHERE attempts.task = tasks.id) OR tasks.status = 'done'`;
const OF_TASKS = 'task IN (SELECT id FROM tasks WHERE batch = ?)';
const OF_ROWS = 'row IN (SELECT seq FROM rows WHERE batch = ?)';

/** In this order, each comes before what it refers to. */
const DELETED = [
  `DELETE FROM outputs WHERE ${OF_TASKS}`,
  `DELETE FROM events WHERE ${OF_TASKS}`,
  `DELETE FROM poll_answers WHERE ${OF_TASKS}`,
  `DELETE FROM row_contents WHERE ${OF_ROWS}`,
  `DELETE FROM row_links WHERE ${OF_ROWS}`,
  `DELETE FROM unused_cells WHERE ${OF_ROWS}`,
  'DELETE FROM problems WHERE batch = ?',
  'DELETE FROM edit_parts WHERE batch = ?',
  'DELETE FROM forecasts WHERE batch = ?',
  `DELETE FROM tasks WHERE batch = ? AND NOT (${HAS_SENT})`,
  'DELETE FROM rows WHERE batch = ? AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.row = rows.seq)',
];

/**
 * Returns a function that removes the rows of a deleted batch in one transaction, with their history and evidence. What
 * is left still accounts for what the batch has paid, in every limit and in the ledger: its name, and for each row with
 * a request, its id, operation, task code, amounts and times. No other process finds the batch any more.
 */
export function openBatchRemoval({
  db,
  batchRecords,
  counters,
  freshKeys,
}: Pick<StoreParts, 'db' | 'batchRecords' | 'counters' | 'freshKeys'>) {
  const deletions = DELETED.map((sql) => db.prepare(sql));
  const emptyAttempts = db.prepare(
    'UPDATE attempts SET body = ?, answer = NULL, headers = NULL, truncated = NULL WHERE batch = ?',
  );
  // The task code is freed, in case somebody asks for it again; that a failure was written off stays, because it says
  // what the failure cost.
  const emptyTasks = db.prepare(`
    UPDATE tasks SET startable = 0, blocked_by = NULL, code_gateway = NULL, revision = revision + 1,
      state = CASE WHEN status = 'failed' AND state ->> '$.failure.code' IS NOT NULL
        THEN '{"failure":{"code":"' || (state ->> '$.failure.code') || '"}}' ELSE '{}' END
    WHERE batch = ?`);
  const emptyRows = db.prepare(`
    UPDATE rows SET label = '', search = '', problem = NULL, turn = NULL, request = NULL, draft = 0 WHERE batch = ?`);
  const underWay = db.prepareColumn<number>(`
    SELECT 1 FROM tasks WHERE batch = ? AND superseded = 0
      AND status IN ('submit-unknown', ${AT_GATEWAY.map((status) => `'${status}'`).join(', ')}) LIMIT 1`);

  /**
   * Inside a transaction; false if the batch is not deleted, was brought back, or has something at its gateway by now.
   */
  return (id: string, now: number): boolean => {
    const batch = batchRecords.byId(id);
    if (batch === undefined) return false;
    const { seq, record } = batch;
    const from = removableFrom(record.settings.shelf);
    if (from === undefined || from > now || record.state === 'running') return false;
    if (!record.settings.rehearsal && underWay(seq).length > 0) return false;
    freshKeys.rows.learn();
    freshKeys.tasks.learn();
    for (const deletion of deletions) deletion.run(seq);
    emptyAttempts.run(new Uint8Array(), seq);
    emptyTasks.run(seq);
    emptyRows.run(seq);
    crashPoint('sheet.half-removed');
    freshKeys.rows.keep();
    freshKeys.tasks.keep();
    const { folder, profile, accounts, filename, rehearsal } = record.settings;
    const settings: BatchSettings = { folder, profile, filename, rehearsal, shelf: { is: 'removed', at: now } };
    batchRecords.writeRemoved(seq, accounts === undefined ? settings : { ...settings, accounts });
    counters.countAnew(seq);
    return true;
  };
}
