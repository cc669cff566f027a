/**
 * What a time to finish by promises: nothing is sent that would not be done by then, what is quick enough still goes,
 * and then the user is told of what is left. What renderings take is learnt here from what the night has seen of them.
 */
import type { Database } from '../../src/engine/store/open/database.ts';
import type { BatchRecord } from '../../src/shared/domain/task/batch.ts';
import type { Schedule } from '../../src/shared/domain/task/schedule.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import type { Machine } from './machine.ts';
import type { BatchWord } from './watch.ts';
import { isOpenAt } from './windows.ts';

/** Within this time the rows of a night are thought to be done while nothing is known: pictures and words, and songs. */
const UNKNOWN_MS = { quick: 60_000, song: 120_000 };
/** A store may take so long over what was still in time when it was chosen. */
const CHOSEN_MS = { 'at-once': 5000, quick: 5000, slow: 10_000, stalling: 90_000 } as const;
/** Whatever the user has done is known to the night by then. */
const KNOWN_MS = 30_000;
/** The user is told within this time. */
const TOLD_MS = 5 * 60_000;

type TimedBatch = Pick<BatchWord, 'id' | 'schedule'>;

interface Doing {
  readonly deeds: number;
  readonly atMs: number;
}

export class FinishWatch {
  readonly #machine: Machine;
  readonly #report: (rule: string, detail: string) => void;
  /** The shortest and the longest time that each operation was seen to take. */
  readonly #seen = new Map<string, { readonly least: number; readonly most: number }>();
  /** Batches that were paused by their time when they last changed. */
  readonly #paused = new Set<string>();
  readonly #operationOf;
  readonly #ready;
  readonly #left;

  constructor(db: Database, machine: Machine, report: (rule: string, detail: string) => void) {
    this.#machine = machine;
    this.#report = report;
    this.#operationOf = db.prepare<{ readonly operation: string }>('SELECT operation FROM tasks WHERE id = ?');
    this.#ready = db.prepare<{ readonly row_id: string; readonly operation: string }>(
      `SELECT t.row_id, t.operation FROM tasks t JOIN batches b ON b.seq = t.batch
       WHERE b.id = ? AND t.startable = 1 AND t.due_at <= ? GROUP BY t.operation`,
    );
    this.#left = db.prepare<{ readonly row_id: string }>(
      `SELECT t.row_id FROM tasks t JOIN batches b ON b.seq = t.batch
       WHERE b.id = ? AND b.state = 'running' AND t.superseded = 0 AND t.status = 'queued' LIMIT 1`,
    );
  }

  /** A task has changed: how long it took may be known by now. */
  onTask({ operation, submittedAt, renderedAt }: Task): void {
    if (submittedAt === undefined || renderedAt === undefined) return;
    const ms = Math.max(0, renderedAt - submittedAt);
    const { least, most } = this.#seen.get(operation) ?? { least: ms, most: ms };
    this.#seen.set(operation, { least: Math.min(least, ms), most: Math.max(most, ms) });
  }

  /** A request that is to be paid for is handed to the network. */
  onHandOver({ schedule }: TimedBatch, task: number, body: string): void {
    const { clock, agenda, plan, clockSetAtMs } = this.#machine;
    const finishBy = Math.max(...schedule.allowed.map(timeOf));
    const chosenMs = CHOSEN_MS[plan.store];
    if (finishBy === Number.POSITIVE_INFINITY || agenda.nowMs - clockSetAtMs < chosenMs) return;
    const operation = this.#operationOf.get(task)?.operation ?? '';
    const least = Math.min(unknownMs(operation), this.#seen.get(operation)?.least ?? Number.POSITIVE_INFINITY);
    const left = finishBy - clock.now();
    if (left + chosenMs < least)
      this.#report('finish', `sent ${inSeconds(left)} before its time, and it takes ${inSeconds(least)}: ${body}`);
  }

  /** A batch has changed: a pause because of its time is for what would take too long. */
  onBatch({ id, state, pause }: BatchRecord, word: TimedBatch | undefined, doing: Doing): void {
    const isByTime = state === 'paused' && pause?.by === 'failure' && pause.failure.code === 'FINISH_BY';
    const isKnown = this.#paused.has(id);
    if (isByTime) this.#paused.add(id);
    else this.#paused.delete(id);
    const { clock, agenda, isSetBack } = this.#machine;
    // What was too long before the clock was set back is not looked at again.
    if (!isByTime || isKnown || word === undefined || isSetBack) return;
    if (doing.deeds > 0 || agenda.nowMs - doing.atMs < KNOWN_MS) return;
    const now = clock.now();
    const isRight = (schedule: Schedule | undefined): boolean => {
      const left = timeOf(schedule) - now;
      return left <= 0 || !isOpenAt(schedule, now) || this.#inTime(word.id, now, left) === undefined;
    };
    const { allowed } = word.schedule;
    if (allowed.some(isRight)) return;
    const left = Math.min(...allowed.map(timeOf)) - now;
    this.#report(
      'finish',
      `${this.#inTime(word.id, now, left)} is left although there are ${inSeconds(left)} until its time`,
    );
  }

  /** Once a minute: the user is told of a batch whose time has passed. */
  look(words: readonly TimedBatch[]): void {
    const { clock, agenda, disturbedAtMs } = this.#machine;
    if (agenda.nowMs - disturbedAtMs < TOLD_MS) return;
    const told = clock.now() - TOLD_MS;
    for (const { id, schedule } of words) {
      if (!schedule.allowed.every((one) => timeOf(one) < told)) continue;
      const left = this.#left.get(id);
      if (left !== undefined) this.#report('finish', `the time of ${left.row_id} has passed, and nobody is told`);
    }
  }

  /** A row that may leave, and would be done in this time by all that is known. */
  #inTime(batchId: string, now: number, leftMs: number): string | undefined {
    const isInTime = ({ operation }: { readonly operation: string }): boolean =>
      Math.max(unknownMs(operation), this.#seen.get(operation)?.most ?? 0) <= leftMs;
    return this.#ready.all(batchId, now).find(isInTime)?.row_id;
  }
}

function timeOf(schedule: Schedule | undefined): number {
  return schedule?.finishBy ?? Number.POSITIVE_INFINITY;
}

function unknownMs(operation: string): number {
  return operation === 'musicgen/music/generate' ? UNKNOWN_MS.song : UNKNOWN_MS.quick;
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
