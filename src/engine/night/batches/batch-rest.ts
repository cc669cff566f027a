import { FAMILIES } from '../../../shared/domain/operations/operations.ts';
import { firstDue, isStuck } from '../../../shared/domain/task/outputs.ts';
import {
  ACTIVE_STATUSES,
  isAskHeld,
  settlesItself,
  type Task,
  type TaskStatus,
} from '../../../shared/domain/task/task.ts';
import type { Clock } from '../../ports/base.ts';
import type { ActiveTasks } from '../active-tasks.ts';
import type { TaskJournal } from '../task-journal.ts';
import type { KnownWork } from './known-work.ts';
import type { NightBatch } from './night-batch.ts';

export interface BatchRestOptions {
  readonly active: ActiveTasks;
  readonly clock: Clock;
  readonly journal: Pick<TaskJournal, 'isCommitting'>;
  readonly work: KnownWork;
  /** Whether a request for this task is under way. */
  readonly isUnderWay: (taskId: number) => boolean;
}

/** Which batches of a night are at rest, or nearly so, judging by what is in flight and what is left in the store. */
export class BatchRest {
  readonly #options: BatchRestOptions;

  constructor(options: BatchRestOptions) {
    this.#options = options;
  }

  /**
   * Nothing is under way, and queued tasks wait for rows that need the user's decision. Inferred failures are still
   * asked about, but nobody waits for that: it may go on until their deadline.
   */
  isIdle(batchId: string): boolean {
    const { clock, journal, work } = this.#options;
    if (this.#options.active.isBusy(batchId) || this.#isWatchedTaskUnderWay(batchId)) return false;
    // While a commit is under way, the store may be ahead of the night.
    const left = journal.isCommitting ? undefined : work.ifFresh(batchId, clock.now());
    if (left === undefined) return false;
    const has = (status: TaskStatus): boolean => FAMILIES.some((family) => left.counts[family][status] > 0);
    if ([...ACTIVE_STATUSES].some((status) => status !== 'queued' && has(status))) return false;
    return !has('queued') || left.firstDueAt === undefined;
  }

  /** Whether what the store still has of a batch decides anything: its queue has changed, or nothing is in flight. */
  needsWorkLeft(batchId: string): boolean {
    const { active, clock, work } = this.#options;
    return !active.isBusy(batchId) || !work.isQueueKnown(batchId, clock.now());
  }

  /**
   * Whether only files that are retried in minutes or hours are left of a batch, and queued tasks that may not start.
   */
  isLeftWithRetries(batchId: string): boolean {
    const left = this.#options.work.of(batchId);
    return left !== undefined && left.firstDueAt === undefined && this.isInFlightStuck(batchId);
  }

  /**
   * Whether everything in flight is retried in minutes or hours: files, or requests that are sent again; at least one.
   */
  isInFlightStuck(batchId: string): boolean {
    const { active } = this.#options;
    if (active.hasAtGateway(batchId)) return false;
    const left = active.ofBatch(batchId).filter(({ status, superseded }) => status !== 'failed' && superseded !== true);
    return left.length > 0 && left.every((task) => isStuck(task) || settlesItself(task));
  }

  /** When the last of the files that a batch retries in minutes or hours is due; undefined if there is none. */
  lastRetryAt(batchId: string): number | undefined {
    const stuck = this.#options.active
      .ofBatch(batchId)
      .filter((task) => task.status === 'downloading' && isStuck(task));
    return stuck.length === 0 ? undefined : Math.max(...stuck.map(({ dueAt }) => dueAt));
  }

  /**
   * Whether Nocturne is asking about a task that counts as ended, fetching its late files, or going to send a request
   * again.
   */
  #isWatchedTaskUnderWay(batchId: string): boolean {
    const { active, isUnderWay } = this.#options;
    return active
      .ofBatch(batchId)
      .some(
        (task) =>
          isUnderWay(task.id) ||
          (settlesItself(task) && !isAskHeld(task)) ||
          (task.status === 'downloading' && isLateFileNear(task)),
      );
  }

  /** Whether the batch is paused and nothing continues during the pause. */
  isHeldStill(batch: NightBatch): boolean {
    if (batch.record.state !== 'paused') return false;
    return !this.#options.active
      .ofBatch(batch.record.id)
      .some((task) => task.status === 'submitting' || this.#options.isUnderWay(task.id) || goesOn(batch, task));
  }

  /** Whether everything in flight of a running batch is at accounts that stand still, and may not go on there. */
  isInFlightStill(batch: NightBatch): boolean {
    const { active, isUnderWay } = this.#options;
    return active
      .ofBatch(batch.id)
      .every((task) => task.status !== 'submitting' && !isUnderWay(task.id) && !goesOn(batch, task));
  }
}

/** Whether some work on a task in flight goes on by itself in the present state of its batch and its account. */
function goesOn(batch: NightBatch, task: Task): boolean {
  const allowed = batch.allowedAt(batch.accountOf(task));
  return (
    (settlesItself(task) && !isAskHeld(task) && (task.again?.isTaken === true ? allowed.poll : allowed.ask)) ||
    (task.status === 'rendering' && task.superseded !== true && allowed.poll) ||
    (task.status === 'downloading' &&
      (task.superseded !== true || isLateFileNear(task)) &&
      (firstDue(task.outputs)?.isStale === true ? allowed.poll : allowed.download))
  );
}

/** A superseded task is waited for if its result is seconds away, but not if it is hours away. */
function isLateFileNear(task: Task): boolean {
  return task.superseded === true && !isStuck(task);
}
