import type { Family } from '../../../shared/domain/operations/operations.ts';
import { longestUsualMs } from '../../../shared/domain/gateway/poll-schedule.ts';
import { listOf } from '../../../shared/domain/base/result.ts';
import type { Profile } from '../../../shared/domain/gateway/profile.ts';
import type { Clock, TaskStore } from '../../ports.ts';

/** A process that takes up all batches at its start has done so by then. */
const TAKEN_UP_MS = 60_000;

interface TaskElsewhere {
  readonly batchId: string;
  readonly profile: Profile;
  readonly family: Family;
  /** Monotonic time from which its place counts as free. */
  readonly countsUntil: number;
}

/**
 * Tasks that earlier processes have left at gateways and whose batches this night does not look after yet, or at all:
 * they take places there. They are read once, and count until their batch is part of the night. If it is not taken up,
 * nobody asks about them, so each counts no longer than renderings of its kind take.
 */
export class TasksElsewhere {
  readonly #store: Pick<TaskStore, 'batches' | 'tasksByStatus' | 'completions'>;
  readonly #clock: Clock;
  #tasks: readonly TaskElsewhere[] = [];
  #read: Promise<void> | undefined;

  constructor(store: Pick<TaskStore, 'batches' | 'tasksByStatus' | 'completions'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Resolves once they are known. */
  async known(): Promise<void> {
    this.#read ??= this.#readAll();
    try {
      await this.#read;
    } catch (error) {
      this.#read = undefined;
      throw error;
    }
  }

  /** How many there are of a family for which `counts` is true of their batch and its profile. */
  count(family: Family, counts: (batchId: string, profile: Profile) => boolean): number {
    if (this.#tasks.length === 0) return 0;
    const now = this.#clock.monotonic();
    return this.#tasks.filter(
      (task) => task.family === family && task.countsUntil > now && counts(task.batchId, task.profile),
    ).length;
  }

  async #readAll(): Promise<void> {
    const batches = (await this.#store.batches()).filter(({ state }) => state === 'running' || state === 'paused');
    this.#tasks = (await Promise.all(batches.map(({ id, settings }) => this.#readOf(id, settings.profile)))).flat();
  }

  async #readOf(batchId: string, profile: Profile): Promise<readonly TaskElsewhere[]> {
    const tasks = await listOf(this.#store.tasksByStatus(['submitting', 'rendering'], batchId));
    return Promise.all(
      tasks.map(async ({ family, operation, model, submittedAt }) => {
        const longestMs = longestUsualMs(operation, await this.#store.completions(batchId, operation, model));
        const leftMs = submittedAt === undefined ? 0 : submittedAt + 2 * longestMs - this.#clock.now();
        // A clock that was ahead at the submit must not make it longer.
        const countsUntil = this.#clock.monotonic() + Math.max(TAKEN_UP_MS, Math.min(leftMs, 2 * longestMs));
        return { batchId, profile, family, countsUntil };
      }),
    );
  }
}
