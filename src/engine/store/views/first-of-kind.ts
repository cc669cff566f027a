import { canaryRuleOf } from '../../../shared/domain/task/canary.ts';
import type { Family } from '../../../shared/domain/operations/operations.ts';
import { IN_LIST, type Database } from '../open/database.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';

interface Kind {
  readonly row: number;
  readonly request_kind: number;
}

interface UnderWay {
  readonly request_kind: number;
  readonly row_id: string;
  readonly family: Family;
}

/**
 * Which row goes first of its kind, and so is the one that queued rows wait for. In a batch with several accounts, each
 * account tries each kind, so there is no single row that others wait for.
 */
export function openFirstOfKind(db: Database) {
  const selectQueued = db.prepare<Kind>(`
    SELECT row, request_kind FROM tasks WHERE row ${IN_LIST} AND superseded = 0 AND startable = 1`);
  const selectWaiting = db.prepare<{ readonly found: number }>(`
    SELECT 1 AS found FROM tasks INDEXED BY tasks_to_start_of_kind
    WHERE batch = ? AND family = ? AND request_kind = ? AND startable = 1 LIMIT 1`);
  const selectUnderWay = db.prepare<UnderWay>(`
    SELECT request_kind, row_id, family FROM tasks INDEXED BY tasks_by_status
    WHERE batch = ? AND superseded = 0
      AND status IN ('submitting', 'rendering', 'downloading', 'submit-unknown') ORDER BY position`);
  const selectDone = db.prepare<{ readonly found: number }>(`
    SELECT 1 AS found FROM tasks INDEXED BY tasks_ended_of_kind
    WHERE batch = ?1 AND request_kind = ?2 AND status IN ('done', 'failed') AND status = 'done' LIMIT 1`);

  /** The first of each kind that is still being tried, in the order of the sheet. */
  function firstsIn({ seq, record }: StoredBatch): readonly UnderWay[] {
    const rule = canaryRuleOf(record);
    if (rule === undefined || record.state !== 'running' || record.settings.accounts !== undefined) return [];
    const seen = new Set(rule.released);
    return selectUnderWay.all(seq).filter(({ request_kind: kind }) => {
      if (seen.has(kind)) return false;
      seen.add(kind);
      return selectDone.get(seq, kind) === undefined;
    });
  }

  return {
    /** The rows that some of these wait for, by the keys of the waiting ones. */
    ofRows(batch: StoredBatch, rows: readonly number[]): ReadonlyMap<number, string> {
      const firsts = new Map(firstsIn(batch).map((one) => [one.request_kind, one.row_id]));
      const queued = firsts.size === 0 ? [] : selectQueued.all(JSON.stringify(rows));
      return new Map(
        queued.flatMap(({ row, request_kind: kind }): readonly [number, string][] => {
          const first = firsts.get(kind);
          return first === undefined ? [] : [[row, first]];
        }),
      );
    },
    /** The one that rows of a batch wait for; of several, the first in the sheet. */
    ofBatch: (batch: StoredBatch): string | undefined =>
      firstsIn(batch).find(({ family, request_kind: kind }) => selectWaiting.get(batch.seq, family, kind) !== undefined)
        ?.row_id,
  };
}
