/** Questions are no closer together than this, however much happens. */
const LEAST_REST_MS = 1_000;
/**
 * The pause after a question, in multiples of the time that its answer took: the answering side is free for nine tenths
 * of the time.
 */
const REST_FOR_TIME = 9;

export interface AskingPorts {
  readonly now: () => number;
  /** Calls back once after a time; returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void;
}

/**
 * Asks at once, and again after changes: after the first of them at once, after the others as often as a tenth of the
 * time allows.
 */
export class PacedAsking {
  readonly #ask: () => Promise<void>;
  readonly #ports: AskingPorts;
  #isBusy = false;
  #hasChanged = false;
  #isStopped = false;
  #cancelRest: (() => void) | undefined;

  constructor(ask: () => Promise<void>, ports: AskingPorts) {
    this.#ask = ask;
    this.#ports = ports;
    void this.#askNow();
  }

  /** Something has happened: the answer may have changed. */
  changed(): void {
    this.#hasChanged = true;
    if (!this.#isBusy) void this.#askNow();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRest?.();
  }

  async #askNow(): Promise<void> {
    const { now, schedule } = this.#ports;
    this.#isBusy = true;
    this.#hasChanged = false;
    const began = now();
    await this.#ask();
    if (this.#isStopped) return;
    this.#cancelRest = schedule(
      () => {
        this.#isBusy = false;
        if (this.#hasChanged) void this.#askNow();
      },
      Math.max(LEAST_REST_MS, REST_FOR_TIME * (now() - began)),
    );
  }
}
