import { InDoubtError, isLost } from './doubt.ts';

/** How long to wait for a lost server, from its loss on; after that, callers get the error. */
const PATIENCE_MS = 10_000;
/** The pause between two tries. */
const PAUSE_MS = 200;
/** A server that refuses a connection does so at once; one that is cut off says nothing until the time is over. */
const LONG_TRY_MS = 1_000;

/** How long a thread waits for a server that is away. */
export class Patience {
  /** Since when the server has been away, and until when its last error is thrown again without a try. */
  #away: { readonly since: number; readonly until: number; readonly error: unknown } | undefined;

  /** From now on, waits as if the next loss had only just been noticed. */
  startOver(): void {
    this.#away = undefined;
  }

  /**
   * Tries again while the server is away. Only the caller that meets the loss waits, and the result of a long try also
   * applies to calls that came meanwhile: if each of a hundred calls waited in its turn, the last would learn of the
   * loss a quarter of an hour later.
   * @param onLost Called each time that a try has lost the server.
   */
  try<T>(work: () => T, onLost: () => void): T {
    const first = performance.now();
    for (;;) {
      const began = performance.now();
      if (this.#away !== undefined && began < this.#away.until) throw this.#away.error;
      try {
        const result = work();
        this.#away = undefined;
        return result;
      } catch (error) {
        if (!isLost(error)) {
          // Any other error is an answer from the server, except a doubt, which exists only while the server is away.
          if (!(error instanceof InDoubtError)) this.#away = undefined;
          throw error;
        }
        onLost();
        const now = performance.now();
        // An outage that nobody has met for this long is over: this is a new one.
        const isKnown = this.#away !== undefined && began < this.#away.until + PATIENCE_MS;
        const since = (isKnown ? this.#away?.since : undefined) ?? now;
        // A nested call may have found the server meanwhile, and the count may have started over.
        const isOver = now >= Math.min(since, first) + PATIENCE_MS;
        this.#away = { since, error, until: isOver && now - began >= LONG_TRY_MS ? now + PAUSE_MS : now };
        if (isOver) throw error;
        standStill(PAUSE_MS);
      }
    }
  }
}

/** Blocks the thread, which has nothing else to do. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
