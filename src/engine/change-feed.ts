import type { BatchRecord } from '../shared/domain/task/batch.ts';
import type { Task } from '../shared/domain/task/task.ts';

/** A committed change: to a task of a row, to the batch itself, or to its sheet; or a removal by another process. */
export type EngineChange =
  /**
   * `isAlmostDone`: nothing is left of the batch but files that are tried again in minutes or hours, so its documents
   * are worth writing; true at the first such change and at each end after it. `isAfterEnd`: its batch has finished.
   */
  | { readonly kind: 'task'; readonly task: Task; readonly isAlmostDone: boolean; readonly isAfterEnd: boolean }
  | { readonly kind: 'batch'; readonly batch: BatchRecord }
  /** The sheet was edited; `rows` are the keys of all changed rows, if no row came, went or moved. */
  | { readonly kind: 'sheet'; readonly batchId: string; readonly rows: readonly number[] | undefined }
  /** Another process has removed a batch that was deleted. */
  | { readonly kind: 'removed'; readonly batchId: string };

/** Tells listeners about changes. */
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
        // A bug of the listener: the change is committed, and the other listeners still hear of it.
        this.#onBug(error);
      }
    }
  }
}
