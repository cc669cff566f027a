import { gateAt, type Gate, type Schedule } from '../../../shared/domain/task/schedule.ts';

/**
 * Whether the schedule of a batch lets it submit at this very moment: asked right before anything is sent, because the
 * machine may have slept since the last look. A schedule is evaluated only when its answer may have changed.
 */
export class BatchGate {
  readonly #schedule: () => Schedule | undefined;
  readonly #wallNow: () => number;
  #known: { readonly schedule: Schedule | undefined; readonly from: number; readonly gate: Gate } | undefined;
  /** What those who watch the batch were last told. */
  #told: string | undefined;

  /**
   * @param wallNow The system's time as it is: the clock of the night does not follow it back, but windows mean the
   *   clock that the user sees.
   */
  constructor(schedule: () => Schedule | undefined, wallNow: () => number) {
    this.#schedule = schedule;
    this.#wallNow = wallNow;
  }

  get now(): Gate {
    const schedule = this.#schedule();
    const now = this.#wallNow();
    const known = this.#known;
    if (known !== undefined && known.schedule === schedule && now >= known.from && now < endOf(known.gate))
      return known.gate;
    const gate = gateAt(schedule, now);
    this.#known = { schedule, from: now, gate };
    return gate;
  }

  get isOpen(): boolean {
    return this.now.kind === 'open';
  }

  /** How long the gate stays as it is, in milliseconds; Infinity if that does not end by itself. */
  get changesInMs(): number {
    return Math.max(1, endOf(this.now) - this.#wallNow());
  }

  /** Whether the gate has changed since this was last asked. */
  takeChange(): boolean {
    const gate = this.now;
    const words = gate.kind === 'over' ? gate.kind : `${gate.kind} ${gate.until}`;
    const isChanged = this.#told !== undefined && this.#told !== words;
    this.#told = words;
    return isChanged;
  }
}

function endOf(gate: Gate): number {
  return gate.kind === 'over' ? Number.POSITIVE_INFINITY : (gate.until ?? Number.POSITIVE_INFINITY);
}
