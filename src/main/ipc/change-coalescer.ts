/** Gathers changes of batches, so that the window hears of them at most ten times a second, however many there are. */
import type { Clock } from '../../engine/index.ts';

const INTERVAL_MS = 100;

/** What changed in a batch since it was last told. */
export interface GatheredChange {
  readonly batchId: string;
  readonly rows: ReadonlySet<string>;
}

export class ChangeCoalescer {
  readonly #clock: Clock;
  readonly #deliver: (changes: readonly GatheredChange[]) => void;
  readonly #pending = new Map<string, Set<string>>();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, deliver: (changes: readonly GatheredChange[]) => void) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  add(batchId: string, rows: Iterable<string>): void {
    const gathered = this.#pending.get(batchId) ?? new Set<string>();
    for (const row of rows) gathered.add(row);
    this.#pending.set(batchId, gathered);
    this.#cancelTimer ??= this.#clock.setTimer(INTERVAL_MS, () => this.flush());
  }

  /** Delivers what has been gathered, now. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#pending.size === 0) return;
    const changes = [...this.#pending].map(([batchId, rows]) => ({ batchId, rows }));
    this.#pending.clear();
    this.#deliver(changes);
  }
}
