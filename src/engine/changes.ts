import type { BatchRecord } from '../shared/domain/task/batch.ts';
import type { Task } from '../shared/domain/task/task.ts';

/** What has changed and is committed: a task of a row, the batch itself, or its sheet. */
export type EngineChange =
  /**
   * `isAlmostDone`: nothing is left of its batch but files that are asked for again in minutes or hours, so its documents
   * are worth writing already; said at the first such change and at each end after it.
   */
  | { readonly kind: 'task'; readonly task: Task; readonly isAlmostDone: boolean }
  | { readonly kind: 'batch'; readonly batch: BatchRecord }
  /** Its sheet was edited; `rows` are the keys of all rows that changed, where no row came, went or moved. */
  | { readonly kind: 'sheet'; readonly batchId: string; readonly rows: readonly number[] | undefined };

/** Tells of changes to whoever listens. */
export class ChangeFeed {
  readonly #listeners = new Set<(change: EngineChange) => void>();
  readonly #onBug: (error: unknown) => void;

  constructor(onBug: (error: unknown) => void) {
    this.#onBug = onBug;
  }

  /** Calls the listener with every change until the returned function is called. */
  listen(listener: (change: EngineChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(change: EngineChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        // A bug of whoever listens: the change is made, and the others are told.
        this.#onBug(error);
      }
    }
  }
}
