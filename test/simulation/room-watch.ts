import type { Engine } from '../../src/engine/engine.ts';
import type { Database } from '../../src/engine/store/open/database.ts';
import { FAMILIES, type Family } from '../../src/shared/domain/operations/operations.ts';
import type { Machine } from './machine.ts';
import type { BatchWord, Watch } from './watch.ts';

const MINUTE_MS = 60_000;
/** A gateway that was asked too often is asked as often as before again well within this time. */
const LONGEST_MS = 15 * MINUTE_MS;

/** Nothing starves: where something is due and there is room for it at its account, something of it is sent. */
export class RoomWatch {
  readonly #db: Database;
  readonly #machine: Machine;
  readonly #watch: Watch;
  /** When a paid request of an account last left, or something last kept it from that. */
  readonly #movedAtMs = new Map<number, number>();
  #lookedAtMs = 0;

  constructor(db: Database, machine: Machine, watch: Watch) {
    this.#db = db;
    this.#machine = machine;
    this.#watch = watch;
  }

  /** A paid request has left. */
  submitted(account: number): void {
    this.#movedAtMs.set(account, this.#machine.agenda.nowMs);
  }

  /** Looks once a minute. */
  look(engine: Pick<Engine, 'heldUntil' | 'trouble'>): void {
    const { agenda, disturbedAtMs } = this.#machine;
    const { nowMs } = agenda;
    // A machine that sleeps answers nothing: to ask it would move its clocks.
    if (this.#machine.isAsleep || nowMs - this.#lookedAtMs < MINUTE_MS) return;
    this.#lookedAtMs = nowMs;
    for (const account of new Set(this.#watch.batches.map((word) => word.account))) {
      const waiting = this.#watch.batches.find(
        (word) =>
          word.account === account &&
          engine.heldUntil(word.id) === undefined &&
          engine.trouble(word.id) === undefined &&
          this.#hasRoom(word),
      );
      const movedAtMs = Math.max(this.#movedAtMs.get(account) ?? 0, disturbedAtMs);
      if (waiting === undefined) this.#movedAtMs.set(account, nowMs);
      else if (nowMs - movedAtMs > LONGEST_MS) {
        const minutes = Math.round((nowMs - movedAtMs) / MINUTE_MS);
        this.#watch.report('starved', `${waiting.id} has had something due, and room for it, for ${minutes} min`);
      }
    }
  }

  /** It runs, and a task of it that is due would have a place at its account. */
  #hasRoom({ id, account, cap, places }: BatchWord): boolean {
    const batch = this.#db
      .prepare<{ readonly seq: number; readonly used: number }>(
        `SELECT seq, (SELECT count(*) FROM attempts WHERE batch = b.seq
           AND (outcome IS NULL OR outcome IN ('accepted', 'unknown', 'interrupted'))) AS used
         FROM batches b WHERE id = ? AND state = 'running'
         AND NOT EXISTS (SELECT 1 FROM tasks WHERE batch = b.seq AND superseded = 0 AND status = 'downloading')`,
      )
      .get(id);
    if (batch === undefined || batch.used >= cap.most) return false;
    const isDue = this.#db.prepare<object>(
      'SELECT 1 FROM tasks WHERE batch = ? AND family = ? AND startable = 1 AND due_at <= ? LIMIT 1',
    );
    const now = this.#machine.clock.now();
    return FAMILIES.some(
      (family) => isDue.get(batch.seq, family, now) !== undefined && this.#active(account, family) < places.most,
    );
  }

  #active(account: number, family: Family): number {
    const active = this.#db.prepare<{ readonly n: number }>(
      `SELECT count(*) AS n FROM tasks t JOIN batches b ON b.seq = t.batch
       WHERE b.id = ? AND t.superseded = 0 AND t.status IN ('submitting', 'rendering') AND t.family = ?`,
    );
    const ids = this.#watch.batches.flatMap((word) => (word.account === account ? word.id : []));
    return ids.reduce((sum, id) => sum + (active.get(id, family)?.n ?? 0), 0);
  }
}
