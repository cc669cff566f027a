/**
 * What happens to a night when its window is closed or the application is told to quit: nothing, unless the user says
 * so.
 */

/** The user's answer to the question. */
export type CloseAnswer = 'keep-running' | 'stop' | 'cancel';

/** If the system's session was about to end and has not ended after this time, somebody cancelled that. */
const SESSION_END_MS = 60_000;

export interface ClosingOptions {
  /** Whether a batch is being rendered. */
  readonly isRunning: () => boolean;
  readonly ask: () => Promise<CloseAnswer>;
  readonly closeWindow: () => void;
  readonly quit: () => void;
  /** Called when the application continues without a window, and when the window is back. */
  readonly onBackground: (isInBackground: boolean) => void;
  readonly monotonicMs: () => number;
}

/** Decides whether the window may close and the application may end; asks if a batch is being rendered. */
export class Closing {
  readonly #options: ClosingOptions;
  #isEndAgreed = false;
  #sessionEndsUntilMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #isInBackground = false;

  constructor(options: ClosingOptions) {
    this.#options = options;
  }

  /** True while the application continues without its window. */
  get isInBackground(): boolean {
    return this.#isInBackground;
  }

  /** Whether the window may close now; if not, the user is asked. */
  mayCloseWindow(): boolean {
    return this.#isInBackground || this.#isAgreed();
  }

  /** Whether the application may end now; if not, the user is asked. */
  mayQuit(): boolean {
    return this.#isAgreed();
  }

  /** Ends without a question: the system's session is about to end, and nobody would answer. */
  endSession(): void {
    this.#sessionEndsUntilMs = this.#options.monotonicMs() + SESSION_END_MS;
  }

  /** The application starts without a window. */
  startInBackground(): void {
    this.#goToBackground(true);
  }

  /** The window is open, or open again. */
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
