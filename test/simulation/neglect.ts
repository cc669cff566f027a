import type { Database } from '../../src/engine/store/open/database.ts';
import type { Machine } from './machine.ts';
import type { ModelGateway } from './model-gateway.ts';
import { nameOf } from './row-names.ts';

/** What is due is looked after at the latest this long after it. */
const LATE_MS = 20 * 60_000;
/** If nothing disturbs a night, a rendering that has ended is asked about within this time, */
const UNASKED_MS = 35 * 60_000;
/** and twice the longest rendering so far, which is what the night has learnt from. */
const LEARNED = 2;
/** Within this time something is sent from a queue that nothing holds back; a gateway may ask for 15 minutes. */
const UNSENT_MS = 30 * 60_000;

interface LateTask {
  readonly row: number;
  readonly row_id: string;
  readonly status: string;
  readonly task_code: string | null;
  readonly due_at: number;
}

/** What a calm night must not neglect, whichever clock it goes by: only the simulated time counts. */
export class Neglect {
  readonly #db: Database;
  readonly #machine: Machine;
  readonly #gateway: ModelGateway;
  /** When each task was last asked about, by its code. */
  readonly #askedAtMs = new Map<string, number>();
  /** Since when something waits, although nothing is under way and nothing has happened. */
  #isIdleSinceMs: number | undefined;

  constructor(db: Database, machine: Machine, gateway: ModelGateway) {
    this.#db = db;
    this.#machine = machine;
    this.#gateway = gateway;
  }

  asked(code: string): void {
    this.#askedAtMs.set(code, this.#machine.agenda.nowMs);
  }

  /** Something was sent, or may have been disturbed: waiting starts again from now. */
  stirred(): void {
    this.#isIdleSinceMs = undefined;
  }

  /** What is neglected, in words; undefined if nothing is. For a calm moment. `isOpen`: the batch may submit now. */
  find(isOpen: (batchId: string) => boolean): string | undefined {
    return this.#late() ?? this.#unasked() ?? this.#unsent(isOpen);
  }

  #late(): string | undefined {
    const now = this.#machine.clock.now();
    const late = this.#inFlight().find(({ due_at: dueAt }) => dueAt < now - LATE_MS);
    return late && `${late.row_id} is ${late.status} and was due ${minutes(now - late.due_at)} min ago`;
  }

  #unasked(): string | undefined {
    const { agenda, disturbedAtMs } = this.#machine;
    const ended = this.#gateway.charges.filter(({ endsAtMs }) => endsAtMs < agenda.nowMs);
    const longestMs = Math.max(0, ...ended.map(({ atMs, endsAtMs }) => endsAtMs - atMs));
    for (const { row: key, row_id: row, status, task_code: code } of this.#inFlight()) {
      const charge = code === null ? undefined : this.#gateway.chargeOf(code);
      // Under another row's code, it has not been there for that long.
      if (status !== 'rendering' || charge === undefined || charge.row !== nameOf(this.#db, key)) continue;
      const sinceMs = Math.max(disturbedAtMs, charge.endsAtMs, this.#askedAtMs.get(charge.code) ?? 0);
      const forMs = agenda.nowMs - sinceMs;
      if (forMs > UNASKED_MS + LEARNED * longestMs)
        return `${row} has ended, and nobody asks for ${minutes(forMs)} min`;
    }
    return undefined;
  }

  #unsent(isOpen: (batchId: string) => boolean): string | undefined {
    const { nowMs } = this.#machine.agenda;
    const row = this.#db
      .prepare<{ readonly row_id: string; readonly batch: string }>(
        `SELECT t.row_id, b.id AS batch FROM tasks t JOIN batches b ON b.seq = t.batch WHERE b.state = 'running' AND t.startable = 1
         AND NOT EXISTS (SELECT 1 FROM tasks WHERE status IN ('submitting', 'rendering', 'downloading')) GROUP BY t.batch`,
      )
      .all()
      .find(({ batch }) => isOpen(batch));
    if (row === undefined) {
      this.stirred();
      return undefined;
    }
    this.#isIdleSinceMs ??= nowMs;
    const forMs = nowMs - this.#isIdleSinceMs;
    return forMs > UNSENT_MS ? `${row.row_id} is not sent for ${minutes(forMs)} min, and nothing holds it` : undefined;
  }

  /** A pause by the user holds back only what is not paid for yet; an account that is stopped holds back all it has. */
  #inFlight(): readonly LateTask[] {
    return this.#db
      .prepare<LateTask>(
        `SELECT t.row, t.row_id, t.status, t.task_code, t.due_at FROM tasks t JOIN batches b ON b.seq = t.batch
         WHERE t.superseded = 0 AND t.status IN ('rendering', 'downloading') AND (b.state = 'running'
         OR (b.state = 'paused' AND b.pause ->> '$.by' = 'user' AND b.pause -> '$.disk' IS NULL))
         AND NOT EXISTS (SELECT 1 FROM json_each(b.stops) AS stopped WHERE stopped.key = t.account)`,
      )
      .all();
  }
}

function minutes(ms: number): number {
  return Math.round(ms / 60_000);
}
