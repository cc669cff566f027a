/** Tells from the engine's silence that it hangs. */
import { ALIVE_EVERY_MS } from './engine-protocol.ts';

/**
 * So many silent ticks are a hang. Of itself the engine blocks for 0.2 s at the most. What a user asks about 100,000 rows
 * blocks it for 10 s, measured on two cores; a sheet may have ten times as many, and opening a store reads all of it.
 */
const HANG_TICKS = 15;
const HANG_TICKS_AT_WORK = 150;
/** After so many ticks silence is no chance: what the engine was asked by then may be what it is at. */
const SILENT_TICKS = 2;
/** A third hang within this time, in which three of the long ones fit, is one that another start does not cure. */
const HANG_WINDOW_MS = 30 * 60_000;
const MOST_HANGS = 2;

/** Counts the ticks in which the engine says nothing, and the hangs. */
export class Heartbeat {
  #silentTicks = 0;
  #isAtWork = false;
  #hangsAtMs: readonly number[] = [];

  /** The engine has said something, or was started. */
  heard(): void {
    this.#silentTicks = 0;
  }

  /**
   * Counts a tick, of {@link ALIVE_EVERY_MS}. Gives the seconds of silence where they are a hang.
   * @param isAtWork Whether the engine was asked for something that may take long, or is only starting.
   */
  tick(isAtWork: () => boolean): number | undefined {
    this.#silentTicks += 1;
    if (this.#silentTicks === SILENT_TICKS) this.#isAtWork = isAtWork();
    const limit = this.#isAtWork ? HANG_TICKS_AT_WORK : HANG_TICKS;
    return this.#silentTicks < limit ? undefined : (limit * ALIVE_EVERY_MS) / 1000;
  }

  /** Counts a hang; true where it is one too many. */
  hung(nowMs: number): boolean {
    this.#hangsAtMs = [...this.#hangsAtMs.filter((at) => nowMs - at < HANG_WINDOW_MS), nowMs];
    return this.#hangsAtMs.length > MOST_HANGS;
  }

  /** Hangs of before count no more. */
  forgive(): void {
    this.#hangsAtMs = [];
  }
}
