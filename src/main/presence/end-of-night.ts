/** What the user chose for the end of this night: done once all batches are at rest, after a minute's warning. */
import {
  isAtWork,
  isNightOver,
  WARNING_SECONDS,
  type AfterNight,
  type BatchFacts,
} from '../../shared/domain/telling/night-news.ts';
import type { PresenceView } from '../../shared/ipc/presence.ts';

type Action = Exclude<AfterNight, 'nothing'>;

/** Batches may follow one another: a moment of rest is not the end. */
const REST_MS = 3_000;

export interface EndOfNightOptions {
  readonly chosen: () => AfterNight;
  /** Takes the choice back: it was for one night. */
  readonly unchoose: () => void;
  /** Does it at once: the warning is over, and nothing has called it off. */
  readonly act: (action: Action) => Promise<void>;
  /** The warning begins: for users who do not look at the window. Messages about the night have until its end. */
  readonly onWarning: (action: Action, seconds: number) => void;
  /** The seconds left have changed, or the warning is gone. */
  readonly onChanged: () => void;
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
}

export class EndOfNight {
  readonly #options: EndOfNightOptions;
  readonly #batches = new Map<string, BatchFacts>();
  #night = new Set<string>();
  #isOn = false;
  #hasBegun = false;
  /**
   * The night that the user paused after making the choice: the choice still applies if this night is resumed, and to
   * no other.
   */
  #pausedNight: ReadonlySet<string> | undefined;
  #warning: { readonly action: Action; readonly seconds: number } | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(options: EndOfNightOptions) {
    this.#options = options;
  }

  get warning(): PresenceView['warning'] {
    return this.#warning;
  }

  /**
   * Takes the batches at a start, also at one of the engine alone. A choice for a night that was over before no longer
   * applies; one for a night that waits for its hours does.
   */
  begin(batches: readonly BatchFacts[]): void {
    for (const batch of batches) this.note(batch);
    const isToCome = this.#isOn || batches.some(({ waits }) => waits === true);
    if (!this.#hasBegun && !isToCome) this.#options.unchoose();
    this.#hasBegun = true;
  }

  /** The user has chosen: for the night that is under way, or for the next one. */
  noteChoice(): void {
    this.callOff();
    this.#pausedNight = undefined;
  }

  /** Takes the newest state of a batch. */
  note(batch: BatchFacts): void {
    this.#batches.set(batch.id, batch);
    const atWork = [...this.#batches.values()].filter(isAtWork);
    if (atWork.length > 0) {
      if (!this.#isOn) this.#beginNight(atWork);
      for (const { id } of atWork) this.#night.add(id);
      this.#isOn = true;
      this.#stop();
    } else if (this.#isOn) this.#cancelTimer ??= this.#options.setTimer(REST_MS, () => this.#rest());
  }

  /** The user is there, so nothing is done unasked any more. */
  callOff(): void {
    if (this.#warning === undefined) return;
    this.#stop();
    this.#options.unchoose();
  }

  #beginNight(atWork: readonly BatchFacts[]): void {
    const paused = this.#pausedNight;
    this.#pausedNight = undefined;
    if (paused !== undefined && !atWork.some(({ id }) => paused.has(id))) this.#options.unchoose();
    this.#night = new Set();
  }

  #rest(): void {
    this.#cancelTimer = undefined;
    this.#isOn = false;
    const action = this.#options.chosen();
    if (action === 'nothing') return;
    if (!isNightOver([...this.#batches.values()], [...this.#night])) {
      this.#pausedNight = this.#night;
      return;
    }
    this.#options.onWarning(action, WARNING_SECONDS);
    this.#count(action, WARNING_SECONDS);
  }

  #count(action: Action, seconds: number): void {
    this.#warning = { action, seconds };
    this.#options.onChanged();
    this.#cancelTimer = this.#options.setTimer(1000, () => {
      if (seconds > 1) this.#count(action, seconds - 1);
      else this.#act(action);
    });
  }

  #act(action: Action): void {
    this.#stop();
    this.#options.unchoose();
    void this.#options.act(action);
  }

  #stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#warning === undefined) return;
    this.#warning = undefined;
    this.#options.onChanged();
  }
}
