/** Callbacks that wait until the test lets the time come. */
export class ManualSchedule {
  #waiting: { readonly callback: () => void; readonly delayMs: number }[] = [];

  readonly schedule = (callback: () => void, delayMs: number): (() => void) => {
    const entry = { callback, delayMs };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  };

  get count(): number {
    return this.#waiting.length;
  }

  /** After how long each of those is due that wait. */
  get delays(): readonly number[] {
    return this.#waiting.map(({ delayMs }) => delayMs);
  }

  /** Runs everything that waits now. */
  runAll(): void {
    const due = this.#waiting;
    this.#waiting = [];
    for (const { callback } of due) callback();
  }
}

/** Lets everything go on that only waits for promises that are settled. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
