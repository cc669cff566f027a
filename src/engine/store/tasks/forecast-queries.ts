import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { GatewayFacts, WaitingKind, WaitingWork } from '../../../shared/domain/task/forecast/forecast.ts';
import type { TaskStatus } from '../../../shared/domain/task/task.ts';
import type { Database } from '../open/database.ts';

/** The times and sizes that a forecast goes by are at most so many, the latest. */
const TIMES_READ = 4_000;
const OUTPUTS_READ = 2_000;

interface WaitingColumns {
  readonly operation: OperationPath;
  readonly model: string;
  readonly request_kind: number;
  readonly status: TaskStatus;
  readonly row_id: string;
  readonly blocked_by: string | null;
  readonly submitted_at: number | null;
}

/** What a forecast asks the store. */
export function openForecastQueries(db: Database) {
  // The built-in gateway of every rehearsal renders alike, under a name of its own each time.
  const selectTimes = db.prepare<{ readonly operation: OperationPath; readonly model: string; readonly ms: number }>(`
    SELECT operation, model, duration_ms AS ms FROM completions WHERE gateway BETWEEN ?1 AND ?2
    ORDER BY seq DESC LIMIT ${TIMES_READ}`);
  const selectSizes = db.prepare<{ readonly operation: OperationPath; readonly bytes: number }>(`
    SELECT tasks.operation AS operation, 1.0 * sum(latest.bytes) / count(DISTINCT latest.task) AS bytes
    FROM (SELECT task, bytes FROM outputs WHERE bytes IS NOT NULL ORDER BY task DESC LIMIT ${OUTPUTS_READ}) AS latest
    JOIN tasks ON tasks.id = latest.task JOIN batches ON batches.seq = tasks.batch
    WHERE batches.gateway BETWEEN ?1 AND ?2 GROUP BY tasks.operation`);
  const selectWaiting = db.prepare<WaitingColumns>(`
    SELECT operation, model, request_kind, status, row_id, blocked_by, submitted_at FROM tasks
    WHERE batch = ? AND superseded = 0 AND status IN ('queued', 'submitting', 'rendering', 'downloading')
    ORDER BY priority DESC, position, take`);
  const selectVerified = db.prepareColumn<number>(`
    SELECT DISTINCT request_kind FROM tasks INDEXED BY tasks_ended_of_kind
    WHERE batch = ? AND status IN ('done', 'failed') AND status = 'done'`);
  const selectInvalid = db.prepare<{ readonly n: number }>(`
    SELECT count(*) AS n FROM rows WHERE batch = ? AND removed = 0 AND status = 'invalid'`);
  const selectRepeated = db.prepare<{ readonly operation: OperationPath; readonly takes: number }>(`
    SELECT operation, takes FROM rows WHERE batch = ?1 AND removed = 0 AND status = 'queued' AND request IS NOT NULL
      AND EXISTS (SELECT 1 FROM rows AS other WHERE other.batch = ?1 AND other.request = rows.request
        AND other.removed = 0 AND other.position < rows.position)`);

  return {
    gatewayFacts(gateway: string, isRehearsal: boolean): GatewayFacts {
      const bounds = isRehearsal ? (['rehearsal ', 'rehearsal!'] as const) : ([gateway, gateway] as const);
      const times = new Map<string, { operation: OperationPath; model: string; times: number[] }>();
      for (const { operation, model, ms } of selectTimes.all(...bounds)) {
        const key = JSON.stringify([operation, model]);
        const known = times.get(key) ?? { operation, model, times: [] };
        times.set(key, known);
        if (known.times.length < 64) known.times.push(ms);
      }
      const sizes = selectSizes.all(...bounds).map(({ operation, bytes }) => ({ operation, bytes }));
      return { times: [...times.values()], sizes };
    },
    waitingWork(batch: number, now: number): WaitingWork {
      const verified = new Set(selectVerified(batch));
      const repeated = selectRepeated.all(batch).map(({ operation, takes }) => ({ operation, takes }));
      const invalidRows = selectInvalid.get(batch)?.n ?? 0;
      return { ...workOf(selectWaiting.all(batch), verified, now), invalidRows, repeated };
    },
  };
}

function workOf(
  tasks: readonly WaitingColumns[],
  verified: ReadonlySet<number>,
  now: number,
): Omit<WaitingWork, 'invalidRows' | 'repeated'> {
  const kinds: WaitingKind[] = [];
  const indexes = new Map<number, Map<string, number>>();
  const kindOf = ({ operation, model, request_kind: requestKind }: WaitingColumns): number => {
    const known = indexes.get(requestKind) ?? new Map<string, number>();
    indexes.set(requestKind, known);
    const name = `${operation} ${model}`;
    const found =
      known.get(name) ?? kinds.push({ operation, model, requestKind, isVerified: verified.has(requestKind) }) - 1;
    known.set(name, found);
    return found;
  };
  const queue: number[] = [];
  const inFlight: WaitingWork['inFlight'][number][] = [];
  const lastOfRow = new Map<string, number>();
  const blocked: [place: number, row: string][] = [];
  const rows = new Set<string>();
  for (const task of tasks) {
    const kind = kindOf(task);
    rows.add(task.row_id);
    if (task.status !== 'queued') {
      inFlight.push({ kind, ranMs: task.submitted_at === null ? 0 : Math.max(0, now - task.submitted_at) });
      continue;
    }
    const place = queue.push(kind) - 1;
    lastOfRow.set(task.row_id, place);
    if (task.blocked_by !== null) blocked.push([place, task.blocked_by]);
  }
  const after = new Map<number, number>();
  for (const [place, row] of blocked) {
    const other = lastOfRow.get(row);
    if (other !== undefined) after.set(place, other);
  }
  return { kinds, queue, after, inFlight, rows: rows.size };
}
