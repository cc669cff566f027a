import type { FailureCode } from '../../../shared/domain/base/failure.ts';
import { type Reason } from '../../../shared/domain/base/reason.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { LedgerTakes } from '../../../shared/domain/ledger/ledger-figures.ts';
import type { LedgerRow } from '../../../shared/domain/ledger/ledger-view.ts';
import type { TakeFacts } from '../../../shared/domain/ledger/take-stage.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { IdleStatus } from '../../../shared/domain/task/row-status.ts';
import type { TaskStatus } from '../../../shared/domain/task/task.ts';
import type { BatchRecords } from '../tasks/batch-records.ts';
import { IN_TEXTS, type Database } from '../open/database.ts';
import { FAILURE_CODE_SQL } from '../tasks/task-table.ts';

/** A condition as a digit in a text; an unknown one counts as false. */
function flag(condition: string): string {
  return `CASE WHEN ${condition} THEN '1' ELSE '0' END`;
}

/** 1: it waits for another row; 2: it waits for the user to pick one of that row's files. */
const WAITS = `CASE WHEN blocked_by IS NULL THEN '0'
    WHEN CAST(state ->> '$.awaitsPick' AS INTEGER) = 1 THEN '2' ELSE '1' END`;

/**
 * The facts about a task as one text, by which tasks are counted and found again. What the status already says is not
 * read: for 100,000 takes that are done, no state is looked at.
 */
const FACTS = `CASE
  WHEN status IN ('submitting', 'rendering', 'done') THEN '["' || status || '",null,0,0,0,0,0,0,0,0]'
  WHEN status = 'submit-unknown'
    THEN '["submit-unknown",null,0,0,0,0,0,0,' || ${flag("state ->> '$.again' IS NOT NULL")} || ',' ||
    ${flag(`state ->> '$.again' IS NOT NULL AND CAST(state ->> '$.onHold' AS INTEGER) = 1
      AND state ->> '$.again.isTaken' IS NULL`)} || ']'
  WHEN status = 'queued' THEN '["queued",null,0,0,0,0,0,' || ${WAITS} || ',0,' ||
    CASE WHEN startable = 0 THEN ${flag("CAST(state ->> '$.onHold' AS INTEGER) = 1")} ELSE '0' END || ']'
  ELSE '["' || status || '",' ||
  CASE WHEN status = 'failed' THEN coalesce('"' || ${FAILURE_CODE_SQL} || '"', 'null') ELSE 'null' END || ',' ||
  CASE WHEN status = 'failed' THEN ${flag("CAST(state ->> '$.failure.suspected' AS INTEGER) = 1")} ELSE '0' END || ',' ||
  CASE WHEN status IN ('failed', 'cancelled') THEN ${flag(
    "submitted_at IS NOT NULL OR (status = 'failed' AND CAST(state ->> '$.attempts' AS INTEGER) > 0)",
  )} ELSE '0' END || ',' ||
  CASE WHEN status IN ('failed', 'cancelled') THEN ${flag('task_code IS NOT NULL')} ELSE '0' END || ',' ||
  CASE WHEN status IN ('failed', 'cancelled')
    THEN ${flag('EXISTS (SELECT 1 FROM outputs WHERE task = tasks.id)')} ELSE '0' END || ',' ||
  CASE WHEN status IN ('failed', 'cancelled', 'downloading')
    THEN ${flag(`EXISTS (SELECT 1 FROM outputs WHERE task = tasks.id)
      AND NOT EXISTS (SELECT 1 FROM outputs WHERE task = tasks.id AND state IN ('pending', 'failed'))`)} ELSE '0' END ||
  ',0,0,0]' END`;

/** Takes of rows without tasks: the row's status says why. Found by two indexes, without looking at all other rows. */
const IDLE_ROWS = `
  SELECT seq, operation, position, row_id, label, problem, CASE WHEN draft = 1 THEN 'draft' ELSE status END AS status,
    takes - (SELECT count(*) FROM tasks WHERE row = rows.seq AND superseded = 0 AND take <= takes) AS missing
  FROM rows WHERE removed = 0 AND seq IN (SELECT seq FROM rows WHERE batch = ?1 AND draft = 1
    UNION SELECT seq FROM rows WHERE batch = ?1 AND removed = 0 AND status IN ('invalid', 'skipped'))`;

const ROW_LABEL = 200;

type Facts = readonly [
  status: TaskStatus,
  code: FailureCode | null,
  suspected: number,
  sent: number,
  coded: number,
  rendered: number,
  downloaded: number,
  blocked: number,
  settling: number,
  held: number,
];

interface ListedTake {
  readonly id: number;
  readonly attempts: number;
  readonly key: number;
  readonly row: string;
  readonly take: number;
  readonly operation: string;
  readonly label: string;
  readonly reason: string | null;
  readonly said: string | null;
  readonly held: number | null;
}

/** Returns functions that count the takes of a batch by their facts, and list those with given facts. */
export function openLedgerTakes(db: Database, batches: BatchRecords) {
  const selectTasks = db.prepare<{ readonly operation: OperationPath; readonly facts: string; readonly n: number }>(`
    SELECT operation, ${FACTS} AS facts, count(*) AS n FROM tasks WHERE batch = ? AND superseded = 0
    GROUP BY operation, facts ORDER BY operation, facts`);
  const selectIdle = db.prepare<{ readonly operation: string; readonly status: IdleStatus; readonly n: number }>(`
    SELECT operation, status, sum(missing) AS n FROM (${IDLE_ROWS}) AS idle WHERE missing > 0 GROUP BY operation, status`);
  const listTasks = db.prepare<ListedTake>(`
    SELECT tasks.id, CAST(tasks.state ->> '$.attempts' AS INTEGER) AS attempts, tasks.row AS key, tasks.row_id AS row, tasks.take,
      tasks.operation, rows.label, tasks.state ->> '$.failure.message' AS reason, tasks.state -> '$.failure.reason' AS said,
      CAST(tasks.state ->> '$.onHold' AS INTEGER) AS held
    FROM (SELECT * FROM tasks WHERE batch = ? AND superseded = 0 AND ${FACTS} ${IN_TEXTS} ORDER BY position, take LIMIT ?)
      AS tasks JOIN rows ON rows.seq = tasks.row ORDER BY tasks.position, tasks.take`);
  const listIdle = db.prepare<ListedTake>(`
    SELECT 0 AS id, 0 AS attempts, seq AS key, row_id AS row, 1 AS take, operation, label, problem ->> '$.message' AS reason, NULL AS said,
      NULL AS held
    FROM (${IDLE_ROWS}) AS idle WHERE missing > 0 AND status ${IN_TEXTS.replace('?', '?2')} ORDER BY position, seq LIMIT ?3`);

  return {
    takes: (batchIds: readonly string[]): readonly LedgerTakes[] =>
      batchIds.flatMap((batchId) => {
        const batch = batches.everById(batchId)?.seq;
        if (batch === undefined) return [];
        const ofTasks = selectTasks
          .all(batch)
          .map(({ operation, facts, n }) => ({ ...factsOf(JSON.parse(facts) as Facts), batchId, operation, takes: n }));
        const ofRows = selectIdle.all(batch).map(({ operation, status, n }) => {
          const named = operation === '' ? {} : { operation: operation as OperationPath };
          return { ...idleFacts(status), batchId, ...named, takes: n };
        });
        return [...ofTasks, ...ofRows];
      }),
    rows: (batchId: string, wanted: readonly TakeFacts[], limit: number): readonly LedgerRow[] => {
      const batch = batches.everById(batchId)?.seq;
      if (batch === undefined) return [];
      const ofTasks = wanted.filter(({ status }) => !IDLE.has(status)).map(factsText);
      const ofRows = wanted.map(({ status }) => status).filter((status) => IDLE.has(status));
      return [
        ...(ofTasks.length === 0 ? [] : listTasks.all(batch, JSON.stringify(ofTasks), limit)),
        ...(ofRows.length === 0 ? [] : listIdle.all(batch, JSON.stringify(ofRows), limit)),
      ]
        .slice(0, limit)
        .map(({ operation, label, reason, said, held, ...take }) => ({
          ...take,
          label: label.slice(0, ROW_LABEL),
          ...(operation === '' ? {} : { operation: operation as OperationPath }),
          ...present({ reason, said: said === null ? undefined : (JSON.parse(said) as Reason) }),
          ...(held === 1 ? { isHeld: true as const } : {}),
        }));
    },
  };
}

const IDLE: ReadonlySet<TakeFacts['status']> = new Set<TakeFacts['status']>(['draft', 'invalid', 'skipped']);

function factsOf([
  status,
  code,
  suspected,
  sent,
  coded,
  rendered,
  downloaded,
  blocked,
  settling,
  held,
]: Facts): TakeFacts {
  return {
    status,
    ...present({ code }),
    isSuspected: suspected === 1,
    wasSent: sent === 1,
    hasTaskCode: coded === 1,
    isRendered: rendered === 1,
    isDownloaded: downloaded === 1,
    waitsForRow: blocked > 0,
    ...(blocked === 2 ? { awaitsPick: true } : {}),
    ...(settling === 1 ? { isSettling: true } : {}),
    isHeld: held === 1,
  };
}

/** In the form that {@link FACTS} writes. */
function factsText(take: TakeFacts): string {
  const { status, code, isSuspected, wasSent, hasTaskCode, isRendered, isDownloaded, waitsForRow, isHeld } = take;
  const isSettling = take.isSettling === true;
  const waits = take.awaitsPick === true ? 2 : Number(waitsForRow);
  const known = [isSuspected, wasSent, hasTaskCode, isRendered, isDownloaded, waits, isSettling, isHeld];
  const flags = known.map(Number);
  return JSON.stringify([status, code ?? null, ...flags]);
}

function idleFacts(status: IdleStatus): TakeFacts {
  const no = { isSuspected: false, wasSent: false, hasTaskCode: false, isRendered: false, isDownloaded: false };
  return { status, ...no, waitsForRow: false, isHeld: false };
}
