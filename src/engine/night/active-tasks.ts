import type { Family } from '../../shared/domain/operations/operations.ts';
import { type Task, isSuspectedFailure } from '../../shared/domain/task/task.ts';
import { isStuck } from '../../shared/domain/task/outputs.ts';

/** The slots that a task occupies while the engine looks after it. */
type Phase = 'at-gateway' | 'downloading' | 'watched';

function phaseOf(task: Task): Phase | undefined {
  switch (task.status) {
    case 'submitting':
      return 'at-gateway';
    case 'rendering':
      // A superseded task had ended before: the gateway is not busy with it.
      return task.superseded === true ? 'watched' : 'at-gateway';
    case 'downloading':
      return isStuck(task) ? 'watched' : 'downloading';
    case 'failed':
      return isSuspectedFailure(task) ? 'watched' : undefined;
    case 'queued':
    case 'submit-unknown':
    case 'done':
    case 'cancelled':
      return undefined;
  }
}

/**
 * The tasks in flight, in memory: at the gateway, downloading, waiting for another attempt to fetch a file, or failed
 * on suspicion. Limits, not the size of the batch, bound the first two; queued tasks stay in the store until they
 * start.
 */
export class ActiveTasks {
  readonly #tasks = new Map<number, Task>();
  readonly #counts = new Map<string, number>();

  get(taskId: number): Task | undefined {
    return this.#tasks.get(taskId);
  }

  /** Records a task's newest state and drops it if it is no longer in flight. True if it is kept. */
  put(task: Task): boolean {
    this.remove(task.id);
    const phase = phaseOf(task);
    if (phase === undefined) return false;
    this.#tasks.set(task.id, task);
    this.#count(task, phase, 1);
    return true;
  }

  remove(taskId: number): void {
    const task = this.#tasks.get(taskId);
    if (task === undefined) return;
    this.#tasks.delete(taskId);
    const phase = phaseOf(task);
    if (phase !== undefined) this.#count(task, phase, -1);
  }

  /** Tasks of a batch and family that are at the gateway now. */
  atGateway(batchId: string, family: Family): number {
    return this.#counts.get(`${batchId} at-gateway ${family}`) ?? 0;
  }

  /** Tasks of a batch whose outputs are downloading, except those that wait for minutes or hours. */
  downloading(batchId: string): number {
    return this.#counts.get(`${batchId} downloading`) ?? 0;
  }

  all(): readonly Task[] {
    return [...this.#tasks.values()];
  }

  ofBatch(batchId: string): readonly Task[] {
    return [...this.#tasks.values()].filter((task) => task.batchId === batchId);
  }

  #count(task: Task, phase: Phase, by: 1 | -1): void {
    const key = phase === 'at-gateway' ? `${task.batchId} ${phase} ${task.family}` : `${task.batchId} ${phase}`;
    const count = (this.#counts.get(key) ?? 0) + by;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
