import type { Family } from '../../../shared/domain/operations/operations.ts';
import { FAMILIES } from '../../../shared/domain/operations/operations.ts';
import type { CanaryRule, HeldWhy } from '../../../shared/domain/task/canary.ts';
import { kindOf } from '../../../shared/domain/task/task.ts';
import type { HeldKind, QueuedWanted } from '../../ports/task-store.ts';
import type { Database } from '../open/database.ts';
import { inOrder } from './task-records.ts';
import type { TaskColumns } from './task-table.ts';

/** How many kinds are looked at in one go: each held kind has a task at the gateway, and these are few. */
const KINDS_AT_ONCE = 512;
/**
 * Failures that say nothing about a row's own kind: another row or a file was the cause, or the user gave the row up.
 */
const NO_VERDICT = "('DEPENDENCY_FAILED', 'LOCAL_FILE', 'WRITTEN_OFF')";
/** One refusal by moderation is about the words of its row. This many, with no row done, are about all rows. */
const MODERATED_VERDICT = 3;

interface InFlight extends Pick<TaskColumns, 'id' | 'request_kind' | 'account'> {
  /** 1 if the task is under way or will settle by itself, 0 if its outcome stays unknown until the user acts. */
  readonly settles: number;
}

/** The tasks of a batch; with an account, only those that were or may be sent with it. */
interface QueueOf {
  readonly batch: number;
  readonly account?: string | undefined;
}

/** The standing of a kind: the rest of it may go, or its first task, or nothing until that task has ended. */
type Standing = 'open' | 'fresh' | 'under-way' | HeldWhy;

/**
 * The queue of a batch that tries each kind of request first. Everything follows from the states of its tasks: a kind
 * is open once one of its tasks is done, which means that the files are verified.
 */
export function openCanaryQueue(db: Database) {
  const whole = kindStatements(db, 'tasks_to_start_of_kind', 'batch = ?1 AND CAST(?2 AS TEXT) IS NULL');
  const ofAccount = kindStatements(db, 'tasks_to_start_of_kind_at', 'batch = ?1 AND account = ?2');
  /** The short index scans that together make up a queue. */
  const walksOf = ({ batch, account }: QueueOf): readonly Walk[] =>
    account === undefined
      ? [[whole, batch, null]]
      : [
          [ofAccount, batch, ''],
          [ofAccount, batch, account],
        ];
  // Begins with the short list of what is in flight: left to itself, SQLite may begin with all tasks of the batch.
  const selectInFlight = db.prepare<InFlight>(`
    SELECT id, request_kind, account, status <> 'submit-unknown' OR (state ->> '$.again' IS NOT NULL
      AND (state ->> '$.onHold' IS NULL OR state ->> '$.again.isTaken' IS NOT NULL)) AS settles
    FROM tasks INDEXED BY tasks_by_status
    WHERE batch = ? AND superseded = 0
      AND status IN ('submitting', 'rendering', 'downloading', 'submit-unknown')`);
  const selectDone = db.prepare<{ readonly found: number }>(`
    SELECT 1 AS found FROM tasks INDEXED BY tasks_ended_of_kind
    WHERE batch = ?1 AND request_kind = ?2 AND status IN ('done', 'failed') AND status = 'done'
      AND (CAST(?3 AS TEXT) IS NULL OR account = ?3) LIMIT 1`);
  const selectFailed = db.prepare<{ readonly id: number; readonly is_moderated: number }>(`
    SELECT id, state ->> '$.failure.code' IS NOT DISTINCT FROM 'MODERATED' AS is_moderated FROM tasks INDEXED BY tasks_ended_of_kind
    WHERE batch = ?1 AND request_kind = ?2 AND status IN ('done', 'failed') AND status = 'failed' AND superseded = 0
      AND blocked_by IS NULL AND finished_at >= ?3 AND (CAST(?4 AS TEXT) IS NULL OR account = ?4)
      AND coalesce(state ->> '$.failure.code', '') NOT IN ${NO_VERDICT}
    ORDER BY is_moderated, finished_at DESC, id DESC LIMIT ${MODERATED_VERDICT}`);
  /** Kinds with a task that is done, by batch and account: that never changes. */
  const verified = new Map<string, Set<number>>();

  function isVerified({ batch, account }: QueueOf, kind: number): boolean {
    const of = `${batch} ${account ?? ''}`;
    const known = verified.get(of) ?? new Set();
    if (known.has(kind)) return true;
    if (selectDone.get(batch, kind, account ?? null) === undefined) return false;
    verified.set(of, known.add(kind));
    return true;
  }

  /** The task that made a kind fail, if failures from `since` on say so. */
  function failedOf({ batch, account }: QueueOf, kind: number, since: number): number | undefined {
    const found = selectFailed.all(batch, kind, since, account ?? null);
    const isVerdict = found[0]?.is_moderated === 0 || found.length === MODERATED_VERDICT;
    return isVerdict ? found[0]?.id : undefined;
  }

  /** The standing of the kinds of a batch, or of one of its accounts, at `now`, and the task that decided it. */
  function standingsOf(of: QueueOf, { since, released }: CanaryRule, now: number) {
    // The batch was resumed by a clock that was ahead: nobody knows what came after that, so every failure counts.
    const from = since > now ? 0 : since;
    const inFlight = new Map<number, { readonly id: number; readonly standing: Standing }>();
    for (const { id, request_kind: kind = 0, account, settles } of selectInFlight.all(of.batch)) {
      if (of.account !== undefined && account !== of.account) continue;
      // A task that runs, or will settle by itself, takes precedence over one with an unknown outcome.
      const standing = settles === 1 ? 'under-way' : 'unknown';
      if (standing === 'under-way' || !inFlight.has(kind)) inFlight.set(kind, { id, standing });
    }
    return (kind: number): { readonly standing: Standing; readonly id?: number } => {
      if (released.includes(kind) || isVerified(of, kind)) return { standing: 'open' };
      const known = inFlight.get(kind);
      if (known !== undefined) return known;
      const failed = failedOf(of, kind, from);
      return failed === undefined ? { standing: 'fresh' } : { standing: 'failed', id: failed };
    };
  }

  /** The kinds of a family that have a task to start. */
  function* kindsToStart(walks: readonly Walk[], family: Family): Generator<number> {
    let last = -1;
    for (let i = 0; i < KINDS_AT_ONCE; i += 1) {
      const kinds = walks.flatMap(([{ firstKind }, ...of]) => firstKind.get(...of, family, last)?.request_kind ?? []);
      if (kinds.length === 0) return;
      const kind = Math.min(...kinds);
      yield kind;
      last = kind;
    }
  }

  return {
    /**
     * The first tasks that may start, in order: at most one of a kind that is being tried, or still to be tried. Each
     * account tries each kind: what one gateway accepts says nothing about another.
     */
    nextQueued(
      batch: number,
      { account, family, limit, without = [] }: QueuedWanted,
      now: number,
      rule: CanaryRule,
    ): readonly TaskColumns[] {
      const walks = walksOf({ batch, account });
      const standingOf = standingsOf({ batch, account }, rule, now);
      const firstOf = (kind: number, most: number): readonly TaskColumns[] =>
        walks
          .flatMap(([{ ofKind }, ...of]) => ofKind.all(...of, family, kind, now, most))
          .sort(inOrder)
          .slice(0, most);
      const found: TaskColumns[] = [];
      for (const kind of kindsToStart(walks, family)) {
        const { standing } = standingOf(kind);
        if (standing === 'open') found.push(...firstOf(kind, limit));
        if (standing === 'fresh') found.push(...firstOf(kind, 1));
      }
      // All tasks of a kind have one operation and model: none is left out because of another.
      const wanted =
        without.length === 0
          ? found
          : found.filter((task) => !without.includes(task.operation) && !without.includes(kindOf(task)));
      return wanted.sort(inOrder).slice(0, limit);
    },
    /**
     * The kinds whose rest waits for the user, each with its first task and how many wait. With several accounts, a
     * kind is held only if every account that may take it holds it: otherwise the rest goes to one that does not.
     * @param accounts The names of the accounts of a batch with several.
     */
    held(batch: number, now: number, rule: CanaryRule, accounts?: readonly string[]): readonly HeldKind[] {
      const free = new Set<number>();
      const held = (accounts ?? [undefined]).flatMap((account) => {
        const walks = walksOf({ batch, account });
        const standingOf = standingsOf({ batch, account }, rule, now);
        return FAMILIES.flatMap((family) =>
          [...kindsToStart(walks, family)].flatMap((requestKind): readonly HeldKind[] => {
            const { standing, id } = standingOf(requestKind);
            if ((standing !== 'failed' && standing !== 'unknown') || id === undefined) {
              free.add(requestKind);
              return [];
            }
            const waiting = walks.map(([{ waiting }, ...of]) => waiting.get(...of, family, requestKind)?.n ?? 0);
            return [{ requestKind, why: standing, taskId: id, waiting: waiting.reduce((sum, n) => sum + n, 0) }];
          }),
        );
      });
      return held.filter(({ requestKind }) => !free.has(requestKind));
    },
  };
}

type KindStatements = ReturnType<typeof kindStatements>;
/** The statements of an index, with the batch and the value of the account to bind first. */
type Walk = readonly [statements: KindStatements, batch: number, account: string | null];

/** The queries about the queue of a kind, for one index. */
function kindStatements(db: Database, index: string, where: string) {
  const from = `FROM tasks INDEXED BY ${index} WHERE ${where} AND family = ?3 AND startable = 1`;
  return {
    firstKind: db.prepare<{ readonly request_kind: number | null }>(
      `SELECT min(request_kind) AS request_kind ${from} AND request_kind > ?4`,
    ),
    ofKind: db.prepare<TaskColumns>(
      `SELECT * ${from} AND request_kind = ?4 AND due_at <= ?5 ORDER BY priority DESC, position, take LIMIT ?6`,
    ),
    waiting: db.prepare<{ readonly n: number }>(`SELECT count(*) AS n ${from} AND request_kind = ?4`),
  };
}
