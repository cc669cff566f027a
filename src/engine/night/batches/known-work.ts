import type { TaskStore, WorkLeft } from '../../ports/task-store.ts';

/**
 * What the store says is left to do in the batches of a night: read for all of them in one go, and only for those in
 * which something has changed since.
 */
export class KnownWork {
  readonly #store: Pick<TaskStore, 'workLeft'>;
  readonly #known = new Map<string, WorkLeft>();
  /** Batches whose answer is on its way. */
  readonly #asked = new Set<string>();
  /** Batches that have changed since they were last asked about. */
  readonly #outdated = new Set<string>();
  /** Those of them whose queue may have gained a task. */
  readonly #refilled = new Set<string>();
  /** The last query: the next one waits for it, so that no older answer replaces a newer one. */
  #turn: Promise<void> = Promise.resolve();

  constructor(store: Pick<TaskStore, 'workLeft'>) {
    this.#store = store;
  }

  /** Notes a change in a batch; `isQueue` is false if its queue can only have become shorter. */
  outdate(batchId: string, isQueue = true): void {
    this.#outdated.add(batchId);
    if (isQueue) this.#refilled.add(batchId);
  }

  /**
   * Whether the queue of a batch is as it was known, except for tasks submitted since, and no other task has become
   * due.
   */
  isQueueKnown(batchId: string, now: number): boolean {
    const known = this.#known.get(batchId);
    if (known === undefined || this.#asked.has(batchId) || this.#refilled.has(batchId)) return false;
    return known.nextDueAt === undefined || known.nextDueAt > now;
  }

  /** What was left when the store was last asked; undefined if it never was. */
  of(batchId: string): WorkLeft | undefined {
    return this.#known.get(batchId);
  }

  /** The same, if nothing has changed since and no task became due. */
  ifFresh(batchId: string, now: number): WorkLeft | undefined {
    const known = this.#known.get(batchId);
    if (known === undefined || this.#asked.has(batchId) || this.#outdated.has(batchId)) return undefined;
    return known.nextDueAt !== undefined && known.nextDueAt <= now ? undefined : known;
  }

  /** Asks the store about those of these batches for which nothing fresh is known. */
  learn(batchIds: readonly string[], now: number): Promise<void> {
    const learned = this.#turn.then(() => this.#ask(batchIds, now));
    this.#turn = learned.catch(() => undefined);
    return learned;
  }

  async #ask(batchIds: readonly string[], now: number): Promise<void> {
    const unknown = batchIds.filter((batchId) => this.ifFresh(batchId, now) === undefined);
    if (unknown.length === 0) return;
    for (const batchId of unknown) {
      this.#asked.add(batchId);
      this.#outdated.delete(batchId);
      this.#refilled.delete(batchId);
    }
    try {
      for (const [batchId, left] of await this.#store.workLeft(unknown, now)) this.#known.set(batchId, left);
    } catch (error) {
      for (const batchId of unknown) this.outdate(batchId);
      throw error;
    } finally {
      this.#asked.clear();
    }
  }
}
