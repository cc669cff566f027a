/** The system's way to stay awake, as a port. */
export interface SleepBlocker {
  start(kind: 'prevent-app-suspension'): number;
  stop(id: number): boolean;
}

/** Keeps the machine awake while a batch runs: nobody is there to wake it. The screen may go dark. */
export class WakeKeeper {
  readonly #blocker: SleepBlocker;
  readonly #running = new Set<string>();
  #id: number | undefined;

  constructor(blocker: SleepBlocker) {
    this.#blocker = blocker;
  }

  /** Notes whether a batch runs. */
  note(batchId: string, isRunning: boolean): void {
    if (isRunning) this.#running.add(batchId);
    else this.#running.delete(batchId);
    this.#keep();
  }

  /** The engine has stopped, and every batch with it. */
  noteNoneRuns(): void {
    this.#running.clear();
    this.#keep();
  }

  /** Whether any batch runs. */
  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  #keep(): void {
    if (this.#running.size > 0) this.#id ??= this.#blocker.start('prevent-app-suspension');
    else if (this.#id !== undefined) {
      this.#blocker.stop(this.#id);
      this.#id = undefined;
    }
  }
}
