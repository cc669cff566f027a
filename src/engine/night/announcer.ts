import type { Task } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';

export interface ChangeAnnouncerOptions {
  /** Little enough of a batch is in flight that the rest of it decides whether it is almost done. */
  readonly needsToKnow: (batchId: string) => boolean;
  /** Asks the store what is left of a batch. */
  readonly learn: (batchId: string) => Promise<void>;
  readonly tell: (task: Task, event: TaskEvent) => void;
  readonly track: (work: Promise<void>) => void;
}

/** Tells of committed changes, in order: at once, unless the store has to be asked first what is left of a batch. */
export class ChangeAnnouncer {
  readonly #options: ChangeAnnouncerOptions;
  /** Changes that are not told yet. */
  #waiting = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: ChangeAnnouncerOptions) {
    this.#options = options;
  }

  announce(task: Task, event: TaskEvent): void {
    const { needsToKnow, tell, track } = this.#options;
    if (this.#waiting === 0 && !needsToKnow(task.batchId)) {
      tell(task, event);
      return;
    }
    this.#waiting += 1;
    const told = this.#turn.then(() => this.#learnAndTell(task, event));
    this.#turn = told.catch(() => undefined);
    track(told);
  }

  async #learnAndTell(task: Task, event: TaskEvent): Promise<void> {
    try {
      await this.#options.learn(task.batchId);
    } finally {
      this.#waiting -= 1;
      this.#options.tell(task, event);
    }
  }
}
