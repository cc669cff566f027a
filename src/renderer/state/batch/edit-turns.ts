/** Lets one piece of work begin when the one before it has ended: edits reach the sheet in the order of the user's hand. */
export class EditTurns {
  readonly #onBusy: (isBusy: boolean) => void;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(onBusy: (isBusy: boolean) => void) {
    this.#onBusy = onBusy;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    this.#onBusy(true);
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
      this.#onBusy(this.#waiting > 0);
    }
  }
}
