/** What the user decides about takes: to cancel, try again, settle, hold or run them first. */
import { assertNever, err, listOf, ok, type Result } from '../../shared/domain/base/result.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import { WorkSlots } from '../../shared/domain/base/work-slots.ts';
import { FAMILIES } from '../../shared/domain/operations/operations.ts';
import type { BatchViews } from '../../shared/domain/task/batch-view.ts';
import {
  ACTIVE_STATUSES,
  TASK_STATUSES,
  type Decision,
  type ShownTake,
  type Task,
  type TaskStatus,
} from '../../shared/domain/task/task.ts';
import type { RowTurn, TaskEvent, TurnEvent } from '../../shared/domain/task/task-event.ts';
import { SETTLED, type AdoptionRefusal } from '../night/adopt.ts';
import type { Scheduler } from '../night/scheduler.ts';
import type { Entry } from '../night/task-journal.ts';
import type { RowsNamed, TaskStore } from '../ports/task-store.ts';
import type { BatchConfig } from './batch-config.ts';
import type { BatchStarts } from './batch-starts.ts';

/** A hold, or a place before others, means nothing to a take that is done. */
const NOT_DONE = TASK_STATUSES.filter((status) => status !== 'done');

interface DecisionParts {
  readonly store: TaskStore;
  readonly views: BatchViews;
  readonly scheduler: Pick<Scheduler, 'decide' | 'adopt' | 'pausesOf'>;
  readonly starts: BatchStarts;
  readonly config: Pick<BatchConfig, 'setCeiling'>;
}

/** Carries out what the user decides about takes. */
export class TakeDecisions {
  readonly #parts: DecisionParts;
  /** Turns of rows are set one at a time, in the order in which the user sets them. */
  readonly #rowTurns = new WorkSlots(1);

  constructor(parts: DecisionParts) {
    this.#parts = parts;
  }

  /** Cancels everything in a batch, or in the rows with these keys, that has not ended; returns the number of tasks. */
  async cancel(batchId: string, keys?: readonly number[]): Promise<number> {
    await this.#parts.starts.attach(batchId);
    const takes = await this.#parts.views.takesByStatus(batchId, [...ACTIVE_STATUSES], keys);
    return this.#parts.scheduler.decide(
      takes.map(({ id }): Entry => ({ taskId: id, event: { kind: 'cancel-requested' } })),
    );
  }

  /**
   * Holds rows, releases them, or puts their waiting takes before all others in the batch. What is at the gateway goes
   * on. After a release, so does the batch, unless it is paused or was never started. Returns how many takes this
   * changed.
   */
  async setTurn(batchId: string, rows: RowsNamed, turn: RowTurn): Promise<number> {
    const pauses = this.#parts.scheduler.pausesOf(batchId);
    const { count, goesOn } = await this.#rowTurns.take(async () => {
      const state = (await this.#parts.store.batch(batchId))?.state;
      const isToGoOn = turn !== 'hold' && (state === 'running' || state === 'finished');
      if (isToGoOn) await this.#parts.starts.attach(batchId);
      return { count: await this.#recordTurn(batchId, rows, turn), goesOn: isToGoOn };
    });
    if (goesOn && count > 0) await this.#parts.starts.start(batchId, pauses, { unlessHeld: true });
    return count;
  }

  async #recordTurn(batchId: string, rows: RowsNamed, turn: RowTurn): Promise<number> {
    const event = await this.#turnEvent(batchId, turn);
    // Before the takes are read: takes that an edit makes in the meantime follow the turn already.
    await this.#parts.store.setTurn(batchId, rows, event);
    const takes =
      'keys' in rows
        ? await this.#parts.views.takesByStatus(batchId, NOT_DONE, rows.keys)
        : await this.#tasksIn(batchId, rows.ids, NOT_DONE);
    return this.#parts.scheduler.decide(takes.map(({ id }): Entry => ({ taskId: id, event })));
  }

  async #turnEvent(batchId: string, turn: RowTurn): Promise<TurnEvent> {
    switch (turn) {
      case 'hold':
        return { kind: 'put-on-hold' };
      case 'release':
        return { kind: 'released' };
      case 'next': {
        const first = FAMILIES.map((family) =>
          this.#parts.store.nextQueued(batchId, family, 1, Number.MAX_SAFE_INTEGER),
        );
        const priorities = (await Promise.all(first)).flat().map(({ priority }) => priority);
        return { kind: 'put-first', priority: Math.max(0, ...priorities) + 1 };
      }
      default:
        return assertNever(turn);
    }
  }

  /**
   * Tries the failed tasks of a batch again, or the failed and cancelled ones of some rows, and starts the batch, unless
   * it was never started: everything in it would be paid for. Returns their number. Nothing is paid for again if the
   * gateway may still have the result.
   */
  async retry(batchId: string, rowIds?: readonly string[]): Promise<number> {
    const pauses = this.#parts.scheduler.pausesOf(batchId);
    await this.#parts.starts.attach(batchId);
    const isReady = (await this.#parts.store.batch(batchId))?.state === 'ready';
    const tasks = await this.#tasksIn(batchId, rowIds, rowIds === undefined ? ['failed'] : ['failed', 'cancelled']);
    // The batch may be running: what is tried again then waits for no start.
    if (tasks.length > 0) await this.#parts.config.setCeiling(batchId);
    const count = await this.#parts.scheduler.decide(
      tasks.map((task): Entry => ({ taskId: task.id, event: { kind: 'user-retry' } })),
    );
    if (count > 0) await this.#parts.starts.start(batchId, pauses, { unlessHeld: isReady });
    return count;
  }

  /**
   * Tries takes again that had failed or were cancelled when they were shown, once their batch goes on; returns their
   * number. Takes that have changed since stay as they are.
   * @param isFree Takes that would be paid for stay as they are, too.
   */
  async retryShown(
    batchId: string,
    takes: readonly ShownTake[],
    pauses = this.#parts.scheduler.pausesOf(batchId),
    isFree = false,
  ): Promise<number> {
    await this.#parts.starts.attach(batchId);
    const event = { kind: 'user-retry', ...(isFree ? { isFree } : {}) } as const;
    const count = await this.#decideShown(batchId, takes, event);
    if (count > 0) await this.#parts.starts.start(batchId, pauses, { unlessHeld: true });
    return count;
  }

  /** Settles the tasks of a row whose submits have an unknown outcome; returns their number. */
  async resolve(batchId: string, rowId: string, decision: Decision): Promise<Result<number, AdoptionRefusal>> {
    const pauses = this.#parts.scheduler.pausesOf(batchId);
    await this.#parts.starts.attach(batchId);
    const tasks = await this.#tasksIn(batchId, [rowId], ['submit-unknown']);
    const [first] = tasks;
    if (first === undefined) {
      return err({
        message: reason('nothingUnknown', rowId),
        remedy: reason('adoption.nothing'),
      });
    }
    if (decision.kind === 'resubmit') await this.#parts.config.setCeiling(batchId);
    if (decision.kind !== 'adopt') {
      const kind = decision.kind === 'resubmit' ? 'user-resubmit' : 'written-off';
      const count = await this.#parts.scheduler.decide(
        tasks.map((task): Entry => ({ taskId: task.id, event: { kind } })),
      );
      if (count > 0 && decision.kind === 'resubmit') await this.#parts.starts.start(batchId, pauses);
      return ok(count);
    }
    const adopted = await this.#parts.scheduler.adopt(first, decision.taskCode);
    if (!adopted.ok) return adopted;
    await this.#parts.starts.start(batchId, pauses);
    return ok(1);
  }

  /**
   * Resubmits or writes off takes whose submit had an unknown outcome when they were shown; returns their number. Takes
   * that have changed since stay as they are: the user did not decide about a later submit.
   */
  async settleShown(
    batchId: string,
    takes: readonly ShownTake[],
    decision: Exclude<Decision['kind'], 'adopt'>,
    pauses = this.#parts.scheduler.pausesOf(batchId),
  ): Promise<number> {
    await this.#parts.starts.attach(batchId);
    const kind = decision === 'resubmit' ? 'user-resubmit' : 'written-off';
    const count = await this.#decideShown(batchId, takes, { kind });
    if (count > 0 && decision === 'resubmit') await this.#parts.starts.start(batchId, pauses, { unlessHeld: true });
    return count;
  }

  /**
   * Gives a take the code under which the gateway accepted it, if its submit's outcome was unknown when it was shown.
   */
  async adoptShown(
    batchId: string,
    { id, attempts }: ShownTake,
    taskCode: string,
  ): Promise<Result<undefined, AdoptionRefusal>> {
    const pauses = this.#parts.scheduler.pausesOf(batchId);
    await this.#parts.starts.attach(batchId);
    const task = await this.#parts.store.task(id);
    const isAsShown = task?.batchId === batchId && task.attempts === attempts && task.status === 'submit-unknown';
    if (!isAsShown) return err(SETTLED);
    const adopted = await this.#parts.scheduler.adopt(task, taskCode);
    if (adopted.ok) await this.#parts.starts.start(batchId, pauses, { unlessHeld: true });
    return adopted;
  }

  async #decideShown(batchId: string, takes: readonly ShownTake[], event: TaskEvent): Promise<number> {
    return this.#parts.scheduler.decide(
      takes.map(({ id, attempts }): Entry => ({ taskId: id, event, shown: { batchId, attempts } })),
    );
  }

  async #tasksIn(
    batchId: string,
    rowIds: readonly string[] | undefined,
    statuses: readonly TaskStatus[],
  ): Promise<readonly Task[]> {
    const tasks =
      rowIds === undefined
        ? await listOf(this.#parts.store.tasksByStatus(statuses, batchId))
        : (await Promise.all(rowIds.map(async (rowId) => this.#parts.store.tasksOfRow(batchId, rowId)))).flat();
    return tasks.filter((task) => statuses.includes(task.status));
  }
}
