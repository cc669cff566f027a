/** Who waits until a batch is at rest, and is told once it is so in the store, too. */
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { NightBatch } from './night-batch.ts';

type Waiter = (batch: BatchRecord) => void;

interface WaitersOptions {
  readonly track: (batch: NightBatch, work: Promise<void>) => void;
  /** Requests an early check of everything. */
  readonly wake: () => void;
}

export class RestWaiters {
  readonly #options: WaitersOptions;
  readonly #waiters = new Map<string, readonly Waiter[]>();

  constructor(options: WaitersOptions) {
    this.#options = options;
  }

  /** Resolves when nothing more will happen in a batch by itself. */
  untilAtRest(batchId: string): Promise<BatchRecord> {
    return new Promise((resolve) => this.#add(batchId, [resolve]));
  }

  /** The batch is at rest: whoever waits for that is told. */
  atRest(batch: NightBatch): void {
    const waiters = this.#waiters.get(batch.id);
    if (waiters === undefined) return;
    this.#waiters.delete(batch.id);
    this.#options.track(batch, this.#tell(batch, waiters));
  }

  /** Those who are told that a batch is at rest must find it at rest in the store, too. */
  async #tell(batch: NightBatch, waiters: readonly Waiter[]): Promise<void> {
    const { state } = batch.record;
    await batch.stored();
    if (batch.record.state === state) {
      for (const resolve of waiters) resolve(batch.record);
      return;
    }
    // It was started again in the meantime, or has ended.
    this.#add(batch.id, waiters);
    this.#options.wake();
  }

  #add(batchId: string, waiters: readonly Waiter[]): void {
    this.#waiters.set(batchId, [...(this.#waiters.get(batchId) ?? []), ...waiters]);
  }
}
