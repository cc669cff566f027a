/** Watches the batches of a night and says when there is something to tell: once, however often it is looked at. */
import {
  lookAtNight,
  NOTHING_TOLD,
  type BatchFacts,
  type NightNews,
  type Told,
} from '../../shared/domain/telling/night-news.ts';
import type { Clock } from '../ports.ts';

/** Batches that pause for one reason do so within a moment: that is one message. */
const GATHER_MS = 3_000;

export interface NightTellerOptions {
  readonly clock: Clock;
  /** What was told before this start; without it, nothing is told of what is so when this begins to watch. */
  readonly told?: Told | undefined;
  /** Keeps what is told, before it is told: a message that is lost is better than one at every start. */
  readonly keep?: (told: Told) => void;
  readonly tell: (news: NightNews) => void;
}

export class NightTeller {
  readonly #options: NightTellerOptions;
  readonly #batches = new Map<string, BatchFacts>();
  /** By batch, its takes when it was last at rest, as long as they are the same. */
  readonly #atRest = new Map<string, string>();
  #cameToEnd = new Set<string>();
  #told: Told | undefined;
  #hasBegun = false;
  #cancelLook: (() => void) | undefined;

  constructor(options: NightTellerOptions) {
    this.#options = options;
    this.#told = options.told;
  }

  /**
   * Takes the batches as they are when it begins to watch: later changes are news. When it watches again, they take the
   * place of what it knew.
   */
  begin(batches: readonly BatchFacts[]): void {
    for (const batch of batches) {
      // What was noted before the first list came is newer.
      if (this.#hasBegun || !this.#batches.has(batch.id)) this.#set(batch);
    }
    this.#hasBegun = true;
    this.#told ??= lookAtNight(NOTHING_TOLD, [...this.#batches.values()]).told;
    this.#lookLater();
  }

  /** Takes the newest state of a batch. */
  note(batch: BatchFacts): void {
    const before = this.#batches.get(batch.id);
    this.#set(batch);
    if (!this.#hasBegun) return;
    if (batch.state === 'finished' && before?.state !== 'finished') this.#cameToEnd.add(batch.id);
    this.#lookLater();
  }

  #set(batch: BatchFacts): void {
    // Started with nothing to do, a batch runs for a while, as long as that takes: it stays at rest, as it was told.
    if (batch.state === 'running' && this.#atRest.get(batch.id) === takesText(batch)) return;
    this.#batches.set(batch.id, batch);
    if (batch.state === 'finished') this.#atRest.set(batch.id, takesText(batch));
    else if (this.#atRest.get(batch.id) !== takesText(batch)) this.#atRest.delete(batch.id);
  }

  /** Looks now at what it would look at in a moment. */
  lookNow(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    const before = this.#told;
    if (before === undefined) return;
    const { told, news } = lookAtNight(before, [...this.#batches.values()], this.#cameToEnd);
    this.#cameToEnd = new Set();
    this.#told = told;
    if (JSON.stringify(told) !== JSON.stringify(before)) this.#options.keep?.(told);
    if (news !== undefined) this.#options.tell(news);
  }

  #lookLater(): void {
    this.#cancelLook ??= this.#options.clock.setTimer(GATHER_MS, () => this.lookNow());
  }
}

function takesText({ takes, settling }: BatchFacts): string {
  return JSON.stringify([takes, settling]);
}
