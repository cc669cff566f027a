/**
 * What every part of the engine is given: time, chance, and the watch over long work. Ports are what is needed from
 * outside: adapters implement them, never import each other, and compose.ts wires them.
 */

/** Time as a port, so that a night takes a millisecond in a test. */
export interface Clock {
  /** Wall time, milliseconds since the epoch: for everything stored or shown. */
  now(): number;
  /** Monotonic milliseconds: for deadlines and rates. */
  monotonic(): number;
  /** Calls back once after `delayMs`; returns a function that cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** Lets whoever waits for long work follow it and end it. Everything is optional: perhaps nobody is waiting. */
export interface WorkWatch {
  /**
   * Aborted once the work is no longer wanted. The work then throws the signal's reason, with nothing left half done.
   */
  readonly signal?: AbortSignal;
  /** How much is done, of how much there is to do; `detail` says it in words, where that says more. */
  readonly onProgress?: (done: number, of: number, detail?: string) => void;
  /** From here on, the work is carried to its end, whatever the signal says. */
  readonly onBound?: () => void;
}

/** Randomness as a port: a number in [0, 1). */
export interface Random {
  next(): number;
}

/** A port as the thread that implements it sees it: it answers at once, without promises. */
export type AtOnce<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Answered<Answer>
    : Port[Name];
};

type Answered<Answer> =
  Answer extends Promise<infer Value> ? Value : Answer extends AsyncIterable<infer Item> ? Iterable<Item> : Answer;
