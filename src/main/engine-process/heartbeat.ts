/** Detects from the engine's silence that the engine hangs. */
import { ALIVE_EVERY_MS } from './engine-protocol.ts';

/**
 * This many silent ticks are a hang. The engine is also silent while its store does not answer. Otherwise it is busy
 * for at most 0.2 s. A user's request about 100,000 rows takes 10 s, measured on two cores; a sheet may have ten times
 * as many, and opening a store reads all of it.
 */
const HANG_TICKS = 15;
const HANG_TICKS_AT_WORK = 150;
/** After this many ticks, silence is no accident: the engine may be busy with a request that it got before. */
const SILENT_TICKS = 2;
/** After a third hang within this time, another start would not help. Three of the long hangs fit into it. */
const HANG_WINDOW_MS = 30 * 60_000;
const MOST_HANGS = 2;

/** Counts the hangs, and the ticks in which the engine says nothing. */
export class Heartbeat {
  #silentTicks = 0;
  #isAtWork = false;
  #hangsAtMs: readonly number[] = [];

  /** The engine has sent something, or was started. */
  heard(): void {
    this.#silentTicks = 0;
  }

  /**
   * Counts a tick, of {@link ALIVE_EVERY_MS}. Returns the seconds of silence if they are a hang.
   * @param isAtWork Whether the engine was asked for something that may take long, or is only starting.
   */
  tick(isAtWork: () => boolean): number | undefined {
    this.#silentTicks += 1;
    if (this.#silentTicks === SILENT_TICKS) this.#isAtWork = isAtWork();
    const limit = this.#isAtWork ? HANG_TICKS_AT_WORK : HANG_TICKS;
    return this.#silentTicks < limit ? undefined : (limit * ALIVE_EVERY_MS) / 1000;
  }

  /** Counts a hang; true if it is one too many. */
  hung(nowMs: number): boolean {
    this.#hangsAtMs = [...this.#hangsAtMs.filter((at) => nowMs - at < HANG_WINDOW_MS), nowMs];
    return this.#hangsAtMs.length > MOST_HANGS;
  }

  /** Earlier hangs no longer count. */
  forgive(): void {
    this.#hangsAtMs = [];
  }
}
