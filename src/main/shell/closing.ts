/** What becomes of a night when its window is closed or the application is told to quit: nothing, without a word. */

/** What the user says to the question. */
export type CloseAnswer = 'keep-running' | 'stop' | 'cancel';

/** A session of the system that was about to end and has not after this time goes on: somebody called the end off. */
const SESSION_END_MS = 60_000;

export interface ClosingOptions {
  /** Whether a batch is being rendered. */
  readonly isRunning: () => boolean;
  readonly ask: () => Promise<CloseAnswer>;
  readonly closeWindow: () => void;
  readonly quit: () => void;
  /** Told when the application goes on without a window, and when the window is back. */
  readonly onBackground: (isInBackground: boolean) => void;
  readonly monotonicMs: () => number;
}

/** Decides whether the window may close and the application may end; asks where a batch is being rendered. */
export class Closing {
  readonly #options: ClosingOptions;
  #isEndAgreed = false;
  #sessionEndsUntilMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #isInBackground = false;

  constructor(options: ClosingOptions) {
    this.#options = options;
  }

  /** True while the application goes on without its window. */
  get isInBackground(): boolean {
    return this.#isInBackground;
  }

  /** Whether the window may close now; where not, the user is asked. */
  mayCloseWindow(): boolean {
    return this.#isInBackground || this.#isAgreed();
  }

  /** Whether the application may end now; where not, the user is asked. */
  mayQuit(): boolean {
    return this.#isAgreed();
  }

  /** Ends without a question: the system is about to, and nobody would answer. */
  endSession(): void {
    this.#sessionEndsUntilMs = this.#options.monotonicMs() + SESSION_END_MS;
  }

  /** The window is there, or back. */
  windowShown(): void {
    this.#goToBackground(false);
  }

  #isAgreed(): boolean {
    const { isRunning, monotonicMs } = this.#options;
    if (this.#isEndAgreed || monotonicMs() < this.#sessionEndsUntilMs || !isRunning()) return true;
    if (!this.#isAsking) void this.#ask();
    return false;
  }

  async #ask(): Promise<void> {
    const { ask, closeWindow, quit } = this.#options;
    this.#isAsking = true;
    const answer = await ask().finally(() => {
      this.#isAsking = false;
    });
    switch (answer) {
      case 'keep-running':
        this.#goToBackground(true);
        closeWindow();
        return;
      case 'stop':
        this.#isEndAgreed = true;
        quit();
        return;
      case 'cancel':
        return;
    }
  }

  #goToBackground(isInBackground: boolean): void {
    if (this.#isInBackground === isInBackground) return;
    this.#isInBackground = isInBackground;
    this.#options.onBackground(isInBackground);
  }
}
