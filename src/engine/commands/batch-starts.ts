/** Takes up batches and starts them: for the first time, after a pause, or because of what the user has decided. */
import { Pace } from '../night/expected-end.ts';
import { keepForetold } from '../night/foretold.ts';
import type { Scheduler } from '../night/scheduler.ts';
import type { Clock } from '../ports/base.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { BatchConfig } from './batch-config.ts';

interface StartParts {
  readonly store: TaskStore;
  readonly scheduler: Pick<Scheduler, 'attach' | 'start' | 'pausesOf'>;
  readonly config: Pick<BatchConfig, 'bringBack' | 'moveInQueue' | 'setCeiling'>;
  /** How fast each batch progresses, by its id. */
  readonly paces: Map<string, Pace>;
  readonly clock: Clock;
  /** Hears of what has failed, but must not keep the batch from going on. */
  readonly onFailed: (error: unknown) => void;
  readonly onStarted: () => void;
}

export interface StartTerms {
  /** Not if anything holds the batch. */
  readonly unlessHeld?: boolean | undefined;
  /** Which of the accounts that stand still go on; by default, all. */
  readonly only?: readonly string[] | undefined;
  /** The user has started all of the batch, not some of its rows. */
  readonly forAll?: boolean | undefined;
}

export class BatchStarts {
  readonly #parts: StartParts;

  constructor(parts: StartParts) {
    this.#parts = parts;
  }

  /** See `Engine.attach`. */
  async attach(batchId: string): Promise<void> {
    const { paces, clock, scheduler } = this.#parts;
    paces.set(batchId, paces.get(batchId) ?? new Pace(clock.now()));
    await scheduler.attach(batchId);
  }

  /**
   * Starts a batch unless the user has paused it since.
   * @param pauses What `Scheduler.pausesOf` returned when the user asked for this.
   */
  async start(batchId: string, pauses: number, { unlessHeld = false, only, forAll }: StartTerms = {}): Promise<void> {
    const { store, scheduler, config, paces, clock, onFailed } = this.#parts;
    await this.attach(batchId);
    if (!unlessHeld) await config.setCeiling(batchId);
    paces.get(batchId)?.restart(clock.now());
    const { state, settings } = (await store.batch(batchId)) ?? {};
    // Not if the user has put it away, or has paused it, since they asked for this.
    await config.bringBack(batchId, () => scheduler.pausesOf(batchId) === pauses);
    if (!unlessHeld || state === 'finished') {
      // The night runs just as well without a forecast.
      await keepForetold(store, batchId, clock.now()).catch(onFailed);
    }
    // A move in the queue holds for one run. A batch that was moved to the front before its first run keeps its place.
    if (state === 'finished' || (state === 'ready' && (settings?.priority ?? 0) <= 0))
      await config.moveInQueue(batchId, 'in-turn');
    await scheduler.start(batchId, pauses, unlessHeld, only, forAll);
    // Only now: rows that the user tries again must still find the files that were put for them.
    this.#parts.onStarted();
    // Another process may have put the batch away in the meantime: a batch that runs is in use.
    await config.bringBack(batchId, ({ state: now }) => now === 'running');
  }
}
