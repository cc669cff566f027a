/** Watches the batches of a night and says when there is something to tell: once, however often it is looked at. */
import {
  lookAtNight,
  NOTHING_TOLD,
  type BatchFacts,
  type NightNews,
  type Told,
} from '../../shared/domain/telling/night-news.ts';
import type { Clock } from '../ports/base.ts';

/** Batches that pause for the same reason do so within a moment: they share one message. */
const GATHER_MS = 3_000;

export interface NightTellerOptions {
  readonly clock: Clock;
  /** What was told before this start; without it, the state at the start of watching is not reported. */
  readonly told?: Told | undefined;
  /** Keeps a note of each message before it is sent: a lost message is better than one at every start. */
  readonly keep?: (told: Told) => void;
  readonly tell: (news: NightNews) => void;
}

export class NightTeller {
  readonly #options: NightTellerOptions;
  readonly #batches = new Map<string, BatchFacts>();
  /** The takes of each batch when it was last at rest, as long as they are unchanged. */
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
   * Takes the batches as they are when watching begins: later changes are news. When watching begins again, they
   * replace what was known.
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
    // A batch that is started with nothing to do runs until that is found out: it stays at rest, as was reported.
    if (batch.state === 'running' && this.#atRest.get(batch.id) === takesText(batch)) return;
    this.#batches.set(batch.id, batch);
    if (batch.state === 'finished') this.#atRest.set(batch.id, takesText(batch));
    else if (this.#atRest.get(batch.id) !== takesText(batch)) this.#atRest.delete(batch.id);
  }

  /** Looks now instead of in a moment. */
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
