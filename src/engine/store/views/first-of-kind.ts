import { canaryRuleOf } from '../../../shared/domain/task/canary.ts';
import { IN_LIST, type Database } from '../open/database.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';

interface Kind {
  readonly row: number;
  readonly request_kind: number;
}

/**
 * Returns a function that says which row goes first of its kind, and so is the one that queued rows wait for, by the
 * keys of the waiting rows. In a batch with several accounts, each account tries each kind, so there is no single row
 * that others wait for.
 */
export function openFirstOfKind(db: Database) {
  const selectQueued = db.prepare<Kind>(`
    SELECT row, request_kind FROM tasks WHERE row ${IN_LIST} AND superseded = 0 AND startable = 1`);
  const selectUnderWay = db.prepare<{ readonly request_kind: number; readonly row_id: string }>(`
    SELECT request_kind, row_id FROM tasks INDEXED BY tasks_by_status
    WHERE batch = ? AND superseded = 0
      AND status IN ('submitting', 'rendering', 'downloading', 'submit-unknown') ORDER BY position DESC`);
  const selectDone = db.prepare<{ readonly found: number }>(`
    SELECT 1 AS found FROM tasks INDEXED BY tasks_ended_of_kind
    WHERE batch = ?1 AND request_kind = ?2 AND status IN ('done', 'failed') AND status = 'done' LIMIT 1`);

  return ({ seq, record }: StoredBatch, rows: readonly number[]): ReadonlyMap<number, string> => {
    const rule = canaryRuleOf(record);
    const found = new Map<number, string>();
    if (rule === undefined || record.state !== 'running' || record.settings.accounts !== undefined) return found;
    const queued = selectQueued.all(JSON.stringify(rows));
    if (queued.length === 0) return found;
    const firsts = new Map(selectUnderWay.all(seq).map((one) => [one.request_kind, one.row_id]));
    const closed = new Set(
      [...firsts.keys()].filter((kind) => !rule.released.includes(kind) && selectDone.get(seq, kind) === undefined),
    );
    for (const { row, request_kind: kind } of queued) {
      const first = closed.has(kind) ? firsts.get(kind) : undefined;
      if (first !== undefined) found.set(row, first);
    }
    return found;
  };
}
