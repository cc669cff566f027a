import type { Family } from '../../../shared/domain/operations/operations.ts';
import { FAMILIES } from '../../../shared/domain/operations/operations.ts';
import type { CanaryRule, HeldWhy } from '../../../shared/domain/task/canary.ts';
import { kindOf } from '../../../shared/domain/task/task.ts';
import type { HeldKind } from '../../ports.ts';
import type { Database } from '../open/database.ts';
import type { TaskColumns } from './task-table.ts';

/** So many kinds are looked at in one go: each that is held has a task at the gateway, and these are few. */
const KINDS_AT_ONCE = 512;
/** What says nothing about a row's own kind: another row failed it, or the user gave it up. */
const NO_VERDICT = "('DEPENDENCY_FAILED', 'WRITTEN_OFF')";
/** One refusal by moderation is about the words of its row. So many, with none done, are about all of them. */
const MODERATED_VERDICT = 3;

interface InFlight extends Pick<TaskColumns, 'id' | 'request_kind' | 'status'> {
  /** When it is sent again under its key, as JSON. */
  readonly again: string | null;
}

/** How a kind stands: its rest may go, or its first, or nothing until that has ended. */
type Standing = 'open' | 'fresh' | 'under-way' | HeldWhy;

/**
 * The queue of a batch that tries each kind of request first. Everything follows from the states of its tasks: a kind is
 * open once one of it is done, which means that its files are verified.
 */
export function openCanaryQueue(db: Database) {
  const selectFirstKind = db.prepare<{ readonly request_kind: number | null }>(`
    SELECT min(request_kind) AS request_kind FROM tasks INDEXED BY tasks_to_start_of_kind
    WHERE batch = ? AND family = ? AND startable = 1 AND request_kind > ?`);
  const selectOfKind = db.prepare<TaskColumns>(`
    SELECT * FROM tasks INDEXED BY tasks_to_start_of_kind
    WHERE batch = ? AND family = ? AND startable = 1 AND request_kind = ? AND due_at <= ?
    ORDER BY priority DESC, position, take LIMIT ?`);
  const selectWaiting = db.prepare<{ readonly n: number }>(`
    SELECT count(*) AS n FROM tasks INDEXED BY tasks_to_start_of_kind
    WHERE batch = ? AND family = ? AND startable = 1 AND request_kind = ?`);
  // From the short list of what is in flight: on its own, SQLite may begin with all tasks of the batch.
  const selectInFlight = db.prepare<InFlight>(`
    SELECT id, request_kind, status, state ->> '$.again' AS again FROM tasks INDEXED BY tasks_by_status
    WHERE batch = ? AND superseded = 0
      AND status IN ('submitting', 'rendering', 'downloading', 'submit-unknown')`);
  const selectDone = db.prepare<{ readonly found: number }>(`
    SELECT 1 AS found FROM tasks INDEXED BY tasks_ended_of_kind
    WHERE batch = ? AND request_kind = ? AND status IN ('done', 'failed') AND status = 'done' LIMIT 1`);
  const selectFailed = db.prepare<{ readonly id: number; readonly is_moderated: number }>(`
    SELECT id, state ->> '$.failure.code' IS 'MODERATED' AS is_moderated FROM tasks INDEXED BY tasks_ended_of_kind
    WHERE batch = ? AND request_kind = ? AND status IN ('done', 'failed') AND status = 'failed' AND superseded = 0
      AND blocked_by IS NULL AND finished_at >= ?
      AND coalesce(state ->> '$.failure.code', '') NOT IN ${NO_VERDICT}
    ORDER BY is_moderated, finished_at DESC, id DESC LIMIT ${MODERATED_VERDICT}`);
  /** Kinds of which one is done, by batch: that never changes. */
  const verified = new Map<number, Set<number>>();

  function isVerified(batch: number, kind: number): boolean {
    const known = verified.get(batch) ?? new Set();
    if (known.has(kind)) return true;
    if (selectDone.get(batch, kind) === undefined) return false;
    verified.set(batch, known.add(kind));
    return true;
  }

  /** The task by which a kind has failed, if failures from `since` on say so. */
  function failedOf(batch: number, kind: number, since: number): number | undefined {
    const found = selectFailed.all(batch, kind, since);
    const isVerdict = found[0]?.is_moderated === 0 || found.length === MODERATED_VERDICT;
    return isVerdict ? found[0]?.id : undefined;
  }

  /** How the kinds of a batch stand at `now`, and by which task. */
  function standingsOf(batch: number, { since, released }: CanaryRule, now: number) {
    // Resumed by a clock that was ahead: what came after it nobody knows, so every failure counts.
    const from = since > now ? 0 : since;
    const inFlight = new Map<number, { readonly id: number; readonly standing: Standing }>();
    for (const { id, request_kind: kind = 0, status, again } of selectInFlight.all(batch)) {
      // One that runs, or settles itself, decides before one of which nothing is known.
      const standing = status === 'submit-unknown' && again === null ? 'unknown' : 'under-way';
      if (standing === 'under-way' || !inFlight.has(kind)) inFlight.set(kind, { id, standing });
    }
    return (kind: number): { readonly standing: Standing; readonly id?: number } => {
      if (released.includes(kind) || isVerified(batch, kind)) return { standing: 'open' };
      const known = inFlight.get(kind);
      if (known !== undefined) return known;
      const failed = failedOf(batch, kind, from);
      return failed === undefined ? { standing: 'fresh' } : { standing: 'failed', id: failed };
    };
  }

  /** The kinds of a family that have a task to start. */
  function* kindsToStart(batch: number, family: Family): Generator<number> {
    let last = -1;
    for (let i = 0; i < KINDS_AT_ONCE; i += 1) {
      const kind = selectFirstKind.get(batch, family, last)?.request_kind ?? undefined;
      if (kind === undefined) return;
      yield kind;
      last = kind;
    }
  }

  return {
    /** The first tasks that may start, in order: of a kind that is tried, or still to be tried, one at most. */
    nextQueued(
      batch: number,
      family: Family,
      limit: number,
      now: number,
      rule: CanaryRule,
      without: readonly string[] = [],
    ): readonly TaskColumns[] {
      const standingOf = standingsOf(batch, rule, now);
      const found: TaskColumns[] = [];
      for (const kind of kindsToStart(batch, family)) {
        const { standing } = standingOf(kind);
        if (standing === 'open') found.push(...selectOfKind.all(batch, family, kind, now, limit));
        if (standing === 'fresh') found.push(...selectOfKind.all(batch, family, kind, now, 1));
      }
      // All of a kind of request are of one operation and model: none is left out because of another.
      const wanted =
        without.length === 0
          ? found
          : found.filter((task) => !without.includes(task.operation) && !without.includes(kindOf(task)));
      return wanted.sort(inOrder).slice(0, limit);
    },
    /** The kinds whose rest waits for the user, each with its first and how many wait. */
    held(batch: number, now: number, rule: CanaryRule): readonly HeldKind[] {
      const standingOf = standingsOf(batch, rule, now);
      return FAMILIES.flatMap((family) =>
        [...kindsToStart(batch, family)].flatMap((requestKind): readonly HeldKind[] => {
          const { standing, id } = standingOf(requestKind);
          if ((standing !== 'failed' && standing !== 'unknown') || id === undefined) return [];
          const waiting = selectWaiting.get(batch, family, requestKind)?.n ?? 0;
          return [{ requestKind, why: standing, taskId: id, waiting }];
        }),
      );
    },
  };
}

function inOrder(a: TaskColumns, b: TaskColumns): number {
  return b.priority - a.priority || a.position - b.position || a.take - b.take || a.id - b.id;
}
