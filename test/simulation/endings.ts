/** The user has ended what was asked for while it was under way. */
export class Ended extends Error {}

/** What the user may end. */
export interface Wish {
  /** Undefined if the user does not mean to end it. */
  readonly signal: AbortSignal | undefined;
  /** It is done, one way or the other. */
  readonly over: () => void;
}

/** Wishes that end a number of turns after they began, if they are not over by then. */
export class Endings {
  readonly #open = new Set<{ readonly wish: AbortController; turns: number }>();

  begin(turns: number | undefined): Wish {
    if (turns === undefined) return { signal: undefined, over: () => undefined };
    const one = { wish: new AbortController(), turns };
    this.#open.add(one);
    return { signal: one.wish.signal, over: () => this.#open.delete(one) };
  }

  /** A turn of the night has passed. */
  turned(): void {
    for (const one of this.#open) {
      one.turns -= 1;
      if (one.turns < 0) one.wish.abort(new Ended('The user has ended it.'));
    }
  }

  /** The process has died: nobody is left to be told. */
  forget(): void {
    this.#open.clear();
  }
}
