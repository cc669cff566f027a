import type { Task } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';

/** A change as it was committed; at the end, whether its batch had ended before it. */
type AnnouncedChange = readonly [task: Task, event: TaskEvent, isAfterEnd: boolean];

export interface ChangeAnnouncerOptions {
  /** Whether so little of a batch is in flight that what is left in the store decides whether it is almost done. */
  readonly needsToKnow: (batchId: string) => boolean;
  /** Asks the store what is left of a batch. */
  readonly learn: (batchId: string) => Promise<void>;
  readonly tell: (...change: AnnouncedChange) => void;
  readonly track: (work: Promise<void>) => void;
}

/** Announces committed changes, in order: at once, unless the store has to be asked first what is left of a batch. */
export class ChangeAnnouncer {
  readonly #options: ChangeAnnouncerOptions;
  /** How many changes have not been announced yet. */
  #waiting = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: ChangeAnnouncerOptions) {
    this.#options = options;
  }

  announce(...change: AnnouncedChange): void {
    const [{ batchId }] = change;
    const { needsToKnow, tell, track } = this.#options;
    if (this.#waiting === 0 && !needsToKnow(batchId)) {
      tell(...change);
      return;
    }
    this.#waiting += 1;
    const told = this.#turn.then(() => this.#learnAndTell(change));
    this.#turn = told.catch(() => undefined);
    track(told);
  }

  async #learnAndTell(change: AnnouncedChange): Promise<void> {
    try {
      await this.#options.learn(change[0].batchId);
    } finally {
      this.#waiting -= 1;
      this.#options.tell(...change);
    }
  }
}
