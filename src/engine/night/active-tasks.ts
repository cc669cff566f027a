import { FAMILIES, type Family } from '../../shared/domain/operations/operations.ts';
import { type Task, isSuspectedFailure, settlesItself } from '../../shared/domain/task/task.ts';
import { isStuck } from '../../shared/domain/task/outputs.ts';

/** The slots that a task occupies while the engine looks after it. */
type Phase = 'at-gateway' | 'downloading' | 'watched';

function phaseOf(task: Task): Phase | undefined {
  switch (task.status) {
    case 'submitting':
      return 'at-gateway';
    case 'rendering':
      // A superseded task had ended before: it takes no place at the gateway.
      return task.superseded === true ? 'watched' : 'at-gateway';
    case 'downloading':
      return isStuck(task) ? 'watched' : 'downloading';
    case 'failed':
      return isSuspectedFailure(task) ? 'watched' : undefined;
    case 'submit-unknown':
      return settlesItself(task) ? 'watched' : undefined;
    case 'queued':
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
  readonly #batches = new Map<string, ActiveInBatch>();

  get(taskId: number): Task | undefined {
    return this.#tasks.get(taskId);
  }

  /** Records a task's newest state and drops it if it is no longer in flight. True if it is kept. */
  put(task: Task): boolean {
    this.remove(task.id);
    const phase = phaseOf(task);
    if (phase === undefined) return false;
    this.#tasks.set(task.id, task);
    const batch = this.#batches.get(task.batchId) ?? new ActiveInBatch();
    this.#batches.set(task.batchId, batch);
    batch.tasks.set(task.id, task);
    batch.count(task.family, phase, 1);
    return true;
  }

  remove(taskId: number): void {
    const task = this.#tasks.get(taskId);
    if (task === undefined) return;
    this.#tasks.delete(taskId);
    const batch = this.#batches.get(task.batchId);
    const phase = phaseOf(task);
    if (batch === undefined || phase === undefined) return;
    batch.tasks.delete(taskId);
    batch.count(task.family, phase, -1);
    if (batch.tasks.size === 0) this.#batches.delete(task.batchId);
  }

  /** Tasks of a batch and family that are at the gateway now; with several accounts, at the gateway of one of them. */
  atGateway(batchId: string, family: Family, account?: string): number {
    const batch = this.#batches.get(batchId);
    if (account === undefined || batch === undefined) return batch?.atGateway[family] ?? 0;
    const isThere = (task: Task): boolean =>
      task.account === account && task.family === family && phaseOf(task) === 'at-gateway';
    return [...batch.tasks.values()].filter(isThere).length;
  }

  /** Tasks of a batch whose outputs are downloading, except those that wait for minutes or hours. */
  downloading(batchId: string): number {
    return this.#batches.get(batchId)?.downloading ?? 0;
  }

  /** Whether something of a batch is rendering, or its outputs will come within seconds. */
  isBusy(batchId: string): boolean {
    const batch = this.#batches.get(batchId);
    return batch !== undefined && (batch.downloading > 0 || FAMILIES.some((family) => batch.atGateway[family] > 0));
  }

  /** Whether a task of a batch is at the gateway. */
  hasAtGateway(batchId: string): boolean {
    const atGateway = this.#batches.get(batchId)?.atGateway;
    return atGateway !== undefined && FAMILIES.some((family) => atGateway[family] > 0);
  }

  /** Whether a request of a batch is sent again until its outcome is known. */
  isAskingAgain(batchId: string): boolean {
    return this.ofBatch(batchId).some((task) => task.again !== undefined);
  }

  all(): readonly Task[] {
    return [...this.#tasks.values()];
  }

  ofBatch(batchId: string): readonly Task[] {
    return [...(this.#batches.get(batchId)?.tasks.values() ?? [])];
  }
}

/** The tasks of one batch that are in flight. */
class ActiveInBatch {
  readonly tasks = new Map<number, Task>();
  readonly atGateway: Record<Family, number> = { musicgen: 0, 'videogen-a': 0, 'videogen-b': 0 };
  downloading = 0;

  count(family: Family, phase: Phase, by: 1 | -1): void {
    if (phase === 'at-gateway') this.atGateway[family] += by;
    if (phase === 'downloading') this.downloading += by;
  }
}
