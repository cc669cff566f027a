/** The order in which batches of an account send what waits. */
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../src/engine/store/open/database.ts';
import type { QueueMove } from '../../src/shared/domain/task/batch-standing.ts';
import type { Machine } from './machine.ts';
import type { NightPlan } from './plan.ts';
import type { BatchWord, SeenAttempt, Watch } from './watch.ts';

type Watched = Pick<Watch, 'batches' | 'doing' | 'spending' | 'report'>;

/**
 * A request was chosen at most this long before it leaves, by the pace of the store. While a store stalls, the check of
 * a folder, which asks it, may take longer than a turn is kept for.
 */
const CHOSEN_MS: Readonly<Record<Exclude<NightPlan['store'], 'stalling'>, number>> = {
  'at-once': 1000,
  quick: 2000,
  slow: 5000,
};

/** So many downloads may always be on their way: only more than that hold requests back. */
const DOWNLOADS = 8;

/** The intent of a paid request. */
interface Intent {
  readonly id: number;
  readonly batch: string;
  readonly family: string;
  readonly startedAt: number;
}

/** Something that could have been sent instead. */
interface Waiting {
  readonly row: string;
  readonly sinceAt: number;
}

/** Where batches were in the queue. */
type Places = ReadonlyMap<BatchWord, { readonly priority: number; readonly isRunning: boolean }>;

/**
 * Batches with a higher priority come first, and equal ones take turns. Judged only for batches that nothing else holds
 * back, while the user does nothing and nothing is disturbed.
 */
export class QueueWatch {
  readonly #db: Database;
  readonly #machine: Machine;
  readonly #watch: Watched;
  /** When each intent left, whatever the clock showed. */
  readonly #leftAtMs = new Map<number, number>();

  constructor(db: Database, machine: Machine, watch: Watched) {
    this.#db = db;
    this.#machine = machine;
    this.#watch = watch;
  }

  /** A new paid request of a batch leaves. */
  onHandOver(word: BatchWord, { id }: Pick<SeenAttempt, 'id'>, body: string): void {
    const { agenda, plan, disturbedAtMs } = this.#machine;
    const { doing, batches } = this.#watch;
    this.#leftAtMs.set(id, agenda.nowMs);
    if (plan.store === 'stalling') return;
    const chosenMs = CHOSEN_MS[plan.store];
    const calmMs = agenda.nowMs - Math.max(disturbedAtMs, doing.atMs);
    const others = batches.filter((other) => other !== word && this.#couldTakeTurnOf(other, word));
    if (doing.deeds > 0 || calmMs < chosenMs || others.length === 0) return;
    const intent = this.#intents('a.id = ?', id)[0];
    if (intent === undefined) return;
    const own = this.#priorityOf(word);
    for (const other of others) {
      const priority = this.#priorityOf(other);
      const waits = this.#waiting(other, intent.family);
      if (waits === undefined || priority < own) continue;
      if (priority > own) {
        const isPassed = waits.sinceAt < intent.startedAt - chosenMs;
        if (isPassed && !this.#gaveUpTurn(other, intent.startedAt - chosenMs))
          this.#watch.report('order', `sent before ${waits.row} of ${other.id}, which comes first: ${body}`);
        continue;
      }
      const [before] = this.#intents(
        'b.id IN (?2, ?3) AND a.id < ?1 ORDER BY a.id DESC LIMIT 1',
        id,
        word.id,
        other.id,
      );
      const leftAtMs = this.#leftAtMs.get(before?.id ?? 0) ?? 0;
      const isTwice = before?.batch === word.id && leftAtMs > agenda.nowMs - calmMs + chosenMs;
      if (!isTwice || waits.sinceAt >= before.startedAt - chosenMs) continue;
      if (!this.#gaveUpTurn(other, before.startedAt) && !this.#lostTurn(other, intent.startedAt - chosenMs))
        this.#watch.report('turns', `sent although it was the turn of ${waits.row} of ${other.id}: ${body}`);
    }
  }

  /** Where all batches are now. */
  places(): Places {
    const isRunning = this.#db.prepare<object>("SELECT 1 FROM batches WHERE id = ? AND state = 'running'");
    return new Map(
      this.#watch.batches.map((word) => [
        word,
        { priority: this.#priorityOf(word), isRunning: isRunning.get(word.id) !== undefined },
      ]),
    );
  }

  /** A batch was moved, and nothing else was done. */
  isMoved(word: BatchWord, to: QueueMove, before: Places): void {
    const after = this.places();
    const now = after.get(word)?.priority ?? 0;
    const was = before.get(word)?.priority ?? 0;
    const others = [...before].filter(([one]) => one !== word);
    if (others.some(([one, { priority, isRunning }]) => !isDeepStrictEqual(after.get(one), { priority, isRunning }))) {
      const isState = others.every(([one, { priority }]) => after.get(one)?.priority === priority);
      if (!isState) this.#watch.report('move', `the move of ${word.id} has moved another batch`);
      return;
    }
    const all = others.map(([, { priority }]) => priority);
    const running = others.flatMap(([, { priority, isRunning }]) => (isRunning ? priority : []));
    if (!isRightMove(to, was, now, { all, running }))
      this.#watch.report('move', `${word.id} is moved ${to} from ${was} to ${now}, among ${JSON.stringify(running)}`);
  }

  /** Whether whatever lets a batch send something lets this other one send something of the same family, too. */
  #couldTakeTurnOf(other: BatchWord, { accounts, places }: BatchWord): boolean {
    const { plan } = this.#machine;
    const { batches, spending } = this.#watch;
    const own = plan.batches[batches.indexOf(other)];
    const [account] = accounts;
    const { cap, maxCost, schedule, canary, again } = other;
    return (
      own !== undefined &&
      own.keys === undefined &&
      accounts.length === 1 &&
      other.accounts.length === 1 &&
      other.accounts[0] === account &&
      again === 0 &&
      cap.allowed.every((most) => most === Number.POSITIVE_INFINITY) &&
      [...maxCost.allowed, ...schedule.allowed].every((one) => one === undefined) &&
      canary.allowed.every((isOn) => !isOn) &&
      spending.limits.allowed.every(({ night, month }) => night === undefined && month === undefined) &&
      Math.min(...other.places.allowed) >= places.most &&
      // What is wrong with files or the disk holds requests back, too.
      !plan.spells.some(({ kind }) => kind === 'disk' || kind === 'store' || kind === 'outage') &&
      !plan.faults.some(({ at, row }) => at === 'file' && own.rows.some(({ id }) => id === row))
    );
  }

  /** What a batch has waited with for longest; a row that refers to another may only now have all that it waited for. */
  #waiting({ id }: BatchWord, family: string): Waiting | undefined {
    const statement = this.#db.prepare<Waiting>(
      `SELECT t.row_id AS row, max(t.due_at, (SELECT coalesce(max(at), 0) FROM events WHERE task = t.id)) AS sinceAt
       FROM tasks t JOIN batches b ON b.seq = t.batch WHERE b.id = ?1 AND b.state = 'running' AND t.family = ?2
       AND t.startable = 1 AND t.superseded = 0 AND NOT EXISTS (SELECT 1 FROM row_links WHERE row_links.row = t.row)
       AND (SELECT count(*) FROM tasks WHERE batch = b.seq AND status = 'downloading') < ${DOWNLOADS}
       ORDER BY sinceAt LIMIT 1`,
    );
    return statement.get(id, family);
  }

  /** Whether a turn of a batch was one of a row that turned out to wait for another. */
  #gaveUpTurn({ id }: BatchWord, sinceMs: number): boolean {
    const statement = this.#db.prepare<object>(
      `SELECT 1 FROM events e JOIN tasks t ON t.id = e.task JOIN batches b ON b.seq = t.batch
       WHERE b.id = ?1 AND e.at >= ?2 AND e.event ->> '$.kind' = 'blocked' LIMIT 1`,
    );
    return statement.get(id, sinceMs) !== undefined;
  }

  /** Whether a row that was to be sent in its turn refers to one that something has happened to meanwhile. */
  #lostTurn({ id }: BatchWord, sinceMs: number): boolean {
    const statement = this.#db.prepare<object>(
      `SELECT 1 FROM tasks t JOIN batches b ON b.seq = t.batch JOIN row_links l ON l.row = t.row
       JOIN rows r ON r.batch = t.batch AND r.id_key = l.target JOIN tasks source ON source.row = r.seq
       JOIN events e ON e.task = source.id
       WHERE b.id = ?1 AND t.superseded = 0 AND t.startable = 1 AND e.at >= ?2 LIMIT 1`,
    );
    return statement.get(id, sinceMs) !== undefined;
  }

  /** Intents of requests that are not sent again under their key. */
  #intents(where: string, ...values: readonly (number | string)[]): readonly Intent[] {
    return this.#db
      .prepare<Intent>(
        `SELECT a.id, b.id AS batch, t.family, a.started_at AS startedAt
         FROM attempts a JOIN tasks t ON t.id = a.task JOIN batches b ON b.seq = t.batch WHERE ${where}`,
      )
      .all(...values);
  }

  #priorityOf({ id }: BatchWord): number {
    const statement = this.#db.prepare<{ readonly priority: number | null }>(
      "SELECT settings ->> '$.priority' AS priority FROM batches WHERE id = ?",
    );
    return statement.get(id)?.priority ?? 0;
  }
}

/** Whether a batch is where it was to be moved to, among the priorities of all others, and of those that run. */
function isRightMove(
  to: QueueMove,
  was: number,
  now: number,
  { all, running }: { readonly all: readonly number[]; readonly running: readonly number[] },
): boolean {
  if (to === 'first') return now > 0 && all.every((other) => other < now);
  if (to === 'in-turn') return now <= 0 && (running.length === 0 || running.some((other) => other >= now));
  // As if down were up.
  const way = to === 'up' ? 1 : -1;
  const ahead = running.filter((other) => other * way > was * way);
  const [next] = ahead.toSorted((a, b) => (a - b) * way);
  if (!running.includes(was)) return now === (next ?? was);
  return now * way > was * way && ahead.every((other) => now * way < other * way);
}
