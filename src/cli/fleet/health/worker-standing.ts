/** Whether a worker does what it is for. */
import type { FleetTurn } from '../../../engine/index.ts';
import { pauseOf } from '../../../shared/domain/base/failure.ts';
import { visibleLine } from '../../../shared/domain/base/text.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { Health } from './health-server.ts';

/** By then, two turns with the store have been missed, but the lease has not ended yet. */
const LATE_SHARE = 0.6;

/**
 * What is heard about a worker, and what follows for its health. Times are those of a monotonic clock, in milliseconds.
 */
export class WorkerStanding {
  readonly #lateMs: number;
  #answeredAt: number | undefined;
  #problem: string | undefined;
  #aheadMs: number | undefined;
  #isEnding = false;
  /** What keeps files out of the folders of batches, by their ids. */
  readonly #folders = new Map<string, string>();

  /** @param leaseMs How long its leases last. */
  constructor(leaseMs: number) {
    this.#lateMs = leaseMs * LATE_SHARE;
  }

  turned(turn: FleetTurn, now: number): void {
    if ('problem' in turn) {
      this.#problem = turn.problem instanceof Error ? turn.problem.message : String(turn.problem);
      return;
    }
    this.#answeredAt = now;
    this.#problem = undefined;
    this.#aheadMs = turn.isClockOff ? turn.aheadMs : undefined;
  }

  noted({ id, pause }: BatchRecord): void {
    this.#folders.delete(id);
    if (pause?.by !== 'failure' || pauseOf(pause.failure.code)?.pauses !== 'folder') return;
    this.#folders.set(id, pause.failure.message);
  }

  ends(): void {
    this.#isEnding = true;
  }

  /** How long ago the store answered a turn, in milliseconds; undefined before the first answer. */
  ageAt(now: number): number | undefined {
    return this.#answeredAt === undefined ? undefined : now - this.#answeredAt;
  }

  healthAt(now: number): Health {
    const found: readonly { readonly brief: string; readonly why?: string | undefined }[] = [
      ...(this.#isEnding ? [{ brief: 'The worker is ending: nothing new is sent.' }] : []),
      ...this.#storeReasons(now).map((brief) => ({ brief, why: this.#problem })),
      ...(this.#aheadMs === undefined ? [] : [{ brief: clockWords(this.#aheadMs) }]),
      ...[...this.#folders].map(([id, why]) => ({ brief: `The batch ${id} waits for its folder`, why })),
    ];
    const reasons = found.map(({ brief, why }) => (why === undefined ? brief : `${brief}: ${visibleLine(why, 300)}`));
    return { isWell: found.length === 0, reasons, briefly: found.map(({ brief }) => brief) };
  }

  #storeReasons(now: number): readonly string[] {
    const age = this.ageAt(now);
    if (age === undefined) return ['The store has not answered yet'];
    return age > this.#lateMs ? [`The store was last heard of ${Math.round(age / 1000)} s ago`] : [];
  }
}

/** Says that a clock differs so much from the store's that a worker takes nothing. */
export function clockWords(aheadMs: number): string {
  const by = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the store’s`;
  return `The clock of this machine is ${by}, so no account is taken. Set it right.`;
}
