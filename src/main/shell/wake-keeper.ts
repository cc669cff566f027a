/** The system's way to stay awake, as a port. */
export interface SleepBlocker {
  start(kind: 'prevent-app-suspension'): number;
  stop(id: number): boolean;
}

/** Keeps the machine awake while there is work: nobody is there to wake it. The screen may go dark. */
export class WakeKeeper {
  readonly #blocker: SleepBlocker;
  readonly #running = new Set<string>();
  readonly #working = new Set<string>();
  #id: number | undefined;
  #isAllowed = true;

  constructor(blocker: SleepBlocker) {
    this.#blocker = blocker;
  }

  /** Whether the user wants the machine kept awake. */
  allow(isAllowed: boolean): void {
    this.#isAllowed = isAllowed;
    this.#keep();
  }

  /**
   * Notes whether a batch goes on by itself, and whether that is work: it is not if the batch only waits for its hours.
   */
  note(batchId: string, isRunning: boolean, isWork = isRunning): void {
    if (isRunning) this.#running.add(batchId);
    else this.#running.delete(batchId);
    if (isWork) this.#working.add(batchId);
    else this.#working.delete(batchId);
    this.#keep();
  }

  /** The engine has stopped, and every batch with it. */
  noteNoneRuns(): void {
    this.#running.clear();
    this.#working.clear();
    this.#keep();
  }

  /** Whether any batch goes on by itself. */
  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  #keep(): void {
    if (this.#isAllowed && this.#working.size > 0) this.#id ??= this.#blocker.start('prevent-app-suspension');
    else if (this.#id !== undefined) {
      this.#blocker.stop(this.#id);
      this.#id = undefined;
    }
  }
}
