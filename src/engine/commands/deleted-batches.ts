/** Looks once a day for batches that were deleted and can no longer be restored, and removes them. */
import { removeDeleted } from '../night/batches/shelf.ts';
import type { Scheduler } from '../night/scheduler.ts';
import type { Clock } from '../ports/base.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { BatchConfig } from './batch-config.ts';

const LOOK_MS = 24 * 60 * 60_000;

interface RemovalParts {
  readonly store: TaskStore;
  readonly scheduler: Pick<Scheduler, 'removing' | 'untilDone'>;
  readonly config: Pick<BatchConfig, 'configure'>;
  readonly clock: Clock;
  readonly isOlderCopy: boolean;
  /** Hears of a look that has failed; the next one tries again. */
  readonly onFailed: (error: unknown) => void;
}

export class DeletedBatches {
  readonly #parts: RemovalParts;
  #stopLooking: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  /** See `Engine.removeDeleted`. */
  async remove(onRemoved: (batchIds: readonly string[]) => void): Promise<void> {
    const { store, scheduler, config, clock, onFailed } = this.#parts;
    const now = clock.now();
    const remove = (id: string): Promise<boolean> => scheduler.removing(id, () => store.removeBatch(id, now));
    const configure: BatchConfig['configure'] = (id, change) => config.configure(id, change);
    const isOlderCopy = this.#parts.isOlderCopy && this.#stopLooking === undefined;
    // The next look tries again: nothing is waiting for the space.
    const looked = scheduler.untilDone(removeDeleted({ store, configure, onFailed }, remove, now, isOlderCopy));
    const removed = await looked.catch((error: unknown) => {
      onFailed(error);
      return [];
    });
    if (removed.length > 0) onRemoved(removed);
    if (!this.#isClosed) this.#stopLooking = clock.setTimer(LOOK_MS, () => void this.remove(onRemoved));
  }

  close(): void {
    this.#isClosed = true;
    this.#stopLooking?.();
  }
}
