import { err, ok, type Result } from '../../src/shared/domain/base/result.ts';
import type { SheetProblem } from '../../src/shared/domain/sheet/problems.ts';
import type { RawSheet } from '../../src/shared/domain/sheet/sheet-raw.ts';
import type { Clock } from '../../src/engine/ports/base.ts';
import type { Agenda } from './agenda.ts';
import { EPOCH_MS } from './gateway-bodies.ts';
import type { NightPlan, Spell } from './plan.ts';
import { Stream } from './random.ts';

const MINUTE_MS = 60_000;

/** The machine that a night runs on: its clocks, its sleep, its network and its disk, as the plan has them. */
export class Machine {
  readonly agenda: Agenda;
  readonly plan: NightPlan;
  /** The user’s own files, as a reader hands them over. */
  readonly files = new Map<string, RawSheet>();
  /** When something last happened that can explain late polls. */
  disturbedAtMs = 0;
  /** When the disk of the store last refused something, by the monotonic clock. */
  storeRefusedAtMs = Number.NEGATIVE_INFINITY;
  /** When a clock of it was last set, or it last began to sleep. */
  clockSetAtMs = Number.NEGATIVE_INFINITY;
  #skewMs = 0;
  #sleptMs = 0;
  #setBackAtMs = Number.NEGATIVE_INFINITY;
  #asleepUntilMs = Number.NEGATIVE_INFINITY;
  readonly #ways: Stream;

  constructor(plan: NightPlan, agenda: Agenda) {
    this.plan = plan;
    this.agenda = agenda;
    this.#ways = new Stream(plan.seed, 'ways');
  }

  /** A clock whose timers end with the process. */
  readonly clock: Clock = {
    now: () => EPOCH_MS + this.agenda.nowMs + this.#skewMs,
    monotonic: () => this.agenda.nowMs - this.#sleptMs,
    // As Node has it: whole milliseconds, and never less than one.
    setTimer: (delayMs, callback) => this.agenda.add(Math.max(1, Math.trunc(delayMs)), 'process', 'timer', callback),
  };

  /** Whether its clock was ever set back. */
  get isSetBack(): boolean {
    return this.#setBackAtMs > 0;
  }

  get isAsleep(): boolean {
    return this.agenda.nowMs < this.#asleepUntilMs;
  }

  /** How much longer it sleeps. */
  get asleepForMs(): number {
    return Math.max(0, this.#asleepUntilMs - this.agenda.nowMs);
  }

  /**
   * If the clock is set back while it sleeps, no time seems to have passed: nobody can then know the age of a key that
   * the gateway forgets within an hour. So a sleep together with that is short.
   */
  sleep(wantedMs: number): void {
    const isUntold = this.agenda.nowMs - this.#setBackAtMs < MINUTE_MS;
    const forMs = isUntold && this.#isForgetful ? Math.min(wantedMs, MINUTE_MS) : wantedMs;
    this.agenda.holdProcess(forMs);
    this.clockSetAtMs = this.agenda.nowMs + forMs;
    this.#sleptMs += forMs;
    this.#asleepUntilMs = this.agenda.nowMs + forMs;
    this.disturbedAtMs = this.#asleepUntilMs;
  }

  get #isForgetful(): boolean {
    return this.plan.batches.some(({ keys }) => keys === 'forgotten');
  }

  /** Sets the wall clock alone. */
  leap(byMs: number): void {
    const hasJustSlept = this.agenda.nowMs - this.#asleepUntilMs < MINUTE_MS;
    if (byMs < 0 && hasJustSlept && this.#isForgetful) return;
    this.#skewMs += byMs;
    this.clockSetAtMs = this.agenda.nowMs;
    if (byMs < 0) this.#setBackAtMs = this.agenda.nowMs;
    this.disturbedAtMs = this.agenda.nowMs;
  }

  isSpell(kind: Spell['kind']): boolean {
    const { nowMs } = this.agenda;
    const isNow = this.plan.spells.some(
      (spell) => spell.kind === kind && nowMs >= spell.fromMs && nowMs < spell.fromMs + spell.forMs,
    );
    if (isNow) this.disturbedAtMs = nowMs;
    return isNow;
  }

  /** Whether the disk of the store refuses what is written now. */
  refusesStore(): boolean {
    const isFull = this.isSpell('store');
    if (isFull) this.storeRefusedAtMs = this.clock.monotonic();
    return isFull;
  }

  /** How long the next trip to the store’s thread or back takes. */
  storeWayMs(): number {
    switch (this.plan.store) {
      case 'at-once':
        return 0;
      case 'quick':
        return this.#ways.below(3);
      case 'slow':
        return this.#ways.below(60);
      case 'stalling':
        return this.#ways.chance(0.02) ? this.#ways.below(8000) : this.#ways.below(2);
    }
  }

  /** How long the next trip over the network takes, one way. */
  networkWayMs(): number {
    return 5 + this.#ways.below(60);
  }

  /** Reads a file of the user’s, as it is when it is opened. */
  async readSheet(path: string): Promise<Result<RawSheet, SheetProblem>> {
    await this.wait(20, `read ${path}`);
    const file = this.files.get(path);
    const missing = { severity: 'error', code: 'unreadable', message: 'It is not there.', remedy: 'Look.' } as const;
    return file === undefined ? err(missing) : ok(file);
  }

  /** Resolves later, or as soon as `signal` is aborted, unless the process has died by then. */
  wait(ms: number, label: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const takeOff = this.agenda.add(ms, 'process', label, resolve);
      const end = (): void => {
        takeOff();
        resolve();
      };
      if (signal?.aborted === true) end();
      else signal?.addEventListener('abort', end, { once: true });
    });
  }
}
