/** Watches an engine that is ending: how long to wait for it, and what is left undone if it does not finish. */
import { ALIVE_EVERY_MS } from './engine-protocol.ts';

/** An engine that says nothing for a minute will not end by itself: no step of its ending blocks it for that long. */
const SILENT_TICKS = 60_000 / ALIVE_EVERY_MS;
/** No step of its ending takes longer: the longest is the wait for the answers of paid requests. */
const STEP_TICKS = 240_000 / ALIVE_EVERY_MS;

export class Stopping {
  #silentTicks = 0;
  #stepTicks = 0;
  #leftUndone: readonly string[];

  /** @param leftUndone What would be left undone if the engine ended now, in lines for the user. */
  constructor(leftUndone: readonly string[]) {
    this.#leftUndone = leftUndone;
  }

  get leftUndone(): readonly string[] {
    return this.#leftUndone;
  }

  /** The engine is alive. */
  heard(): void {
    this.#silentTicks = 0;
  }

  /** The engine has finished another step. */
  stepped(leftUndone: readonly string[]): void {
    this.#stepTicks = 0;
    this.#leftUndone = leftUndone;
  }

  /** Counts a tick, of {@link ALIVE_EVERY_MS}. True once the wait for it is over. */
  tick(): boolean {
    this.#silentTicks += 1;
    this.#stepTicks += 1;
    return this.#silentTicks >= SILENT_TICKS || this.#stepTicks >= STEP_TICKS;
  }
}
