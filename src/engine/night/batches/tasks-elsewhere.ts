import type { Family } from '../../../shared/domain/operations/operations.ts';
import { longestUsualMs } from '../../../shared/domain/gateway/poll-schedule.ts';
import { listOf } from '../../../shared/domain/base/result.ts';
import { accountsOf, type Account } from '../../../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { Clock } from '../../ports/base.ts';
import type { TaskStore } from '../../ports/task-store.ts';

/** A process that takes up all batches when it starts has done so by then. */
const TAKEN_UP_MS = 60_000;

interface TaskElsewhere {
  readonly batchId: string;
  readonly account: Account;
  readonly family: Family;
  /** Monotonic time from which its place counts as free. */
  readonly countsUntil: number;
}

/**
 * Tasks that earlier processes have left at gateways and whose batches this night does not look after, or not yet: they
 * take places there. They are read once, and count until their batch is part of the night. If it is not taken up,
 * nobody asks about them, so each of them counts no longer than renderings of its kind take.
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

  /** How many tasks of a family there are for whose batch and account `counts` is true. */
  count(family: Family, counts: (batchId: string, account: Account) => boolean): number {
    if (this.#tasks.length === 0) return 0;
    const now = this.#clock.monotonic();
    return this.#tasks.filter(
      (task) => task.family === family && task.countsUntil > now && counts(task.batchId, task.account),
    ).length;
  }

  async #readAll(): Promise<void> {
    const batches = (await this.#store.batches()).filter(({ state }) => state === 'running' || state === 'paused');
    this.#tasks = (await Promise.all(batches.map((batch) => this.#readOf(batch)))).flat();
  }

  async #readOf({ id: batchId, settings }: BatchRecord): Promise<readonly TaskElsewhere[]> {
    const [first, ...others] = accountsOf(settings);
    const tasks = await listOf(this.#store.tasksByStatus(['submitting', 'rendering'], batchId));
    return Promise.all(
      tasks.map(async ({ family, operation, model, account: name, submittedAt }) => {
        const account = others.find((other) => other.name === name) ?? first;
        const completions = await this.#store.completions(batchId, operation, model, name);
        const longestMs = longestUsualMs(operation, completions);
        const leftMs = submittedAt === undefined ? 0 : submittedAt + 2 * longestMs - this.#clock.now();
        // A clock that was ahead at the submit must not make this longer.
        const countsUntil = this.#clock.monotonic() + Math.max(TAKEN_UP_MS, Math.min(leftMs, 2 * longestMs));
        return { batchId, account, family, countsUntil };
      }),
    );
  }
}
