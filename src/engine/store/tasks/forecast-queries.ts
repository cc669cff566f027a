import { groupBy } from '../../../shared/domain/base/result.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import type { GatewayFacts, WaitingKind, WaitingWork } from '../../../shared/domain/task/forecast/run-facts.ts';
import type { TaskStatus } from '../../../shared/domain/task/task.ts';
import type { Database } from '../open/database.ts';

/** How many times and sizes a forecast uses at most: the latest. */
const TIMES_READ = 4_000;
const OUTPUTS_READ = 2_000;

interface WaitingColumns {
  readonly operation: OperationPath;
  readonly model: string;
  readonly request_kind: number;
  readonly status: TaskStatus;
  readonly row_id: string;
  readonly row: number;
  readonly blocked_by: string | null;
  readonly submitted_at: number | null;
  readonly on_hold: number;
}

/** What a forecast asks the store. */
export function openForecastQueries(db: Database) {
  // The built-in gateway renders alike in every rehearsal, but has a different name each time.
  const selectTimes = db.prepare<{ readonly operation: OperationPath; readonly model: string; readonly ms: number }>(`
    SELECT operation, model, duration_ms AS ms FROM completions WHERE gateway BETWEEN ?1 AND ?2
    ORDER BY seq DESC LIMIT ${TIMES_READ}`);
  const selectSizes = db.prepare<{ readonly operation: OperationPath; readonly bytes: number }>(`
    SELECT tasks.operation AS operation, 1.0 * sum(latest.bytes) / count(DISTINCT latest.task) AS bytes
    FROM (SELECT task, bytes FROM outputs WHERE bytes IS NOT NULL ORDER BY task DESC LIMIT ${OUTPUTS_READ}) AS latest
    JOIN tasks ON tasks.id = latest.task JOIN batches ON batches.seq = tasks.batch
    WHERE batches.gateway BETWEEN ?1 AND ?2 GROUP BY tasks.operation`);
  const selectWaiting = db.prepare<WaitingColumns>(`
    SELECT operation, model, request_kind, status, row_id, row, blocked_by, submitted_at,
      CASE WHEN status = 'queued' AND startable = 0 THEN coalesce(CAST(state ->> '$.onHold' AS INTEGER), 0) ELSE 0 END AS on_hold
    FROM tasks WHERE batch = ? AND superseded = 0 AND status IN ('queued', 'submitting', 'rendering', 'downloading')
    ORDER BY priority DESC, position, take`);
  // If gates have found nothing in a file, `flags` is present but empty.
  const selectFlaggable = db.prepare<{
    readonly operation: OperationPath;
    readonly made: number;
    readonly takes: number;
  }>(`
    SELECT operation, coalesce(CAST(state ->> '$.madeAgain' AS INTEGER), 0) AS made, count(*) AS takes FROM tasks
    WHERE batch = ? AND superseded = 0 AND status = 'done' AND EXISTS (
      SELECT 1 FROM outputs WHERE task = tasks.id AND state = 'verified' AND rest NOT LIKE '%"flags":[]%')
    GROUP BY operation, made`);
  const selectVerified = db.prepareColumn<number>(`
    SELECT DISTINCT request_kind FROM tasks INDEXED BY tasks_ended_of_kind
    WHERE batch = ? AND status IN ('done', 'failed') AND status = 'done'`);
  const selectInvalid = db.prepare<{ readonly n: number }>(`
    SELECT count(*) AS n FROM rows WHERE batch = ? AND removed = 0 AND status = 'invalid'`);
  const selectLinks = db.prepare<{ readonly row: number; readonly target: string }>(
    'SELECT row, target FROM row_links WHERE batch = ?',
  );
  // One scan of the index: asked about each row, SQLite would look at all rows before it, however they differ.
  const selectRepeated = db.prepare<{
    readonly row_id: string;
    readonly operation: OperationPath;
    readonly takes: number;
  }>(`
    SELECT row_id, operation, takes FROM (
      SELECT request AS same, min(position) AS first FROM rows INDEXED BY rows_by_request
      WHERE batch = ?1 AND request IS NOT NULL AND removed = 0 GROUP BY request HAVING count(*) > 1) AS repeated
    CROSS JOIN rows INDEXED BY rows_by_request ON rows.request = same AND rows.position > first
    WHERE batch = ?1 AND removed = 0 AND status = 'queued'`);

  return {
    /** @param stated The costs that the gateway has lately stated for its requests. */
    gatewayFacts(gateway: string, isRehearsal: boolean, stated: GatewayFacts['stated']): GatewayFacts {
      const bounds = isRehearsal ? (['rehearsal ', 'rehearsal!'] as const) : ([gateway, gateway] as const);
      const times = new Map<string, { operation: OperationPath; model: string; times: number[] }>();
      for (const { operation, model, ms } of selectTimes.all(...bounds)) {
        const key = JSON.stringify([operation, model]);
        const known = times.get(key) ?? { operation, model, times: [] };
        times.set(key, known);
        if (known.times.length < 64) known.times.push(ms);
      }
      const sizes = selectSizes.all(...bounds).map(({ operation, bytes }) => ({ operation, bytes }));
      return { times: [...times.values()], sizes, stated };
    },
    /** Takes that are done with a file that gates flag, or with files that gates have not all looked at. */
    flaggable: (batch: number): WaitingWork['flaggable'] => selectFlaggable.all(batch),
    waitingWork(batch: number, now: number): Omit<WaitingWork, 'flaggable'> {
      const tasks = selectWaiting.all(batch);
      const isLinked = tasks.some(({ blocked_by: other }) => other !== null);
      const targets = groupBy(
        isLinked ? selectLinks.all(batch) : [],
        ({ row }) => row,
        ({ target }) => target,
      );
      const held = heldRows(tasks, targets);
      const going = tasks.filter(({ status, row_id: row }) => status !== 'queued' || !held.has(foldRowId(row)));
      const left = tasks.filter((task) => task.status === 'queued' && held.has(foldRowId(task.row_id)));
      const repeated = selectRepeated
        .all(batch)
        .flatMap(({ row_id: row, operation, takes }) => (held.has(foldRowId(row)) ? [] : { operation, takes }));
      return {
        ...workOf(going, targets, new Set(selectVerified(batch)), now),
        held: {
          rows: new Set(left.map(({ row_id: row }) => row)).size,
          requests: left.length,
          operations: [...new Set(left.map(({ operation }) => operation))],
        },
        invalidRows: selectInvalid.get(batch)?.n ?? 0,
        repeated,
      };
    },
  };
}

/** By row: the folded ids of the rows that it refers to. */
type Targets = ReadonlyMap<number, readonly string[]>;

/**
 * The folded ids of rows for which nothing is sent until the user says otherwise: they are held, or wait for a row that
 * is held or has nothing under way.
 */
function heldRows(tasks: readonly WaitingColumns[], targets: Targets): ReadonlySet<string> {
  const known = new Set(tasks.map(({ row_id: row }) => foldRowId(row)));
  const isStuck = (other: string | null): boolean => other !== null && !known.has(foldRowId(other));
  const held = new Set(
    tasks
      .filter(({ on_hold: onHold, blocked_by: other }) => onHold === 1 || isStuck(other))
      .map(({ row_id: row }) => foldRowId(row)),
  );
  const waits = tasks.flatMap(({ status, blocked_by: other, row, row_id: id }) =>
    status !== 'queued' || other === null
      ? []
      : (targets.get(row) ?? []).map((target) => ({ target, id: foldRowId(id) })),
  );
  const waiting = groupBy(
    waits,
    ({ target }) => target,
    ({ id }) => id,
  );
  // Iterating over a set also reaches what is added on the way.
  for (const id of held) for (const other of waiting.get(id) ?? []) held.add(other);
  return held;
}

function workOf(
  tasks: readonly WaitingColumns[],
  targets: Targets,
  verified: ReadonlySet<number>,
  now: number,
): Pick<WaitingWork, 'kinds' | 'queue' | 'after' | 'inFlight' | 'rows'> {
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
  const blocked: [place: number, row: number][] = [];
  const rows = new Set<string>();
  for (const task of tasks) {
    const kind = kindOf(task);
    rows.add(task.row_id);
    if (task.status !== 'queued') {
      inFlight.push({ kind, ranMs: task.submitted_at === null ? 0 : Math.max(0, now - task.submitted_at) });
      continue;
    }
    const place = queue.push(kind) - 1;
    lastOfRow.set(foldRowId(task.row_id), place);
    if (task.blocked_by !== null) blocked.push([place, task.row]);
  }
  const after = new Map<number, number>();
  for (const [place, row] of blocked) {
    // The task that is sent last stands for all of them.
    const others = (targets.get(row) ?? []).flatMap((target) => lastOfRow.get(target) ?? []);
    if (others.length > 0) after.set(place, Math.max(...others));
  }
  return { kinds, queue, after, inFlight, rows: rows.size };
}
