/** A choice of the user’s, as it binds the night. */
export class Choice<T> {
  /** Whatever applied, or may have, one after the other. */
  readonly #values: T[];
  /** Where what applies begins; while a change is under way, what may already apply comes after it. */
  #from = 0;

  constructor(value: T) {
    this.#values = [value];
  }

  get allowed(): readonly T[] {
    return this.since(this.#from);
  }

  /** A moment, for {@link since}. */
  get from(): number {
    return this.#from;
  }

  /** Whatever was allowed at a moment, or has been since. */
  since(from: number): readonly T[] {
    return this.#values.slice(from);
  }

  /** What is under way may still follow the previous choice; once the returned function is called, it may not. */
  change(value: T): () => void {
    const at = this.#values.push(value) - 1;
    return () => {
      this.#from = Math.max(this.#from, at);
    };
  }
}

/** A limit of the user’s. */
export class Limit extends Choice<number> {
  get most(): number {
    return Math.max(...this.allowed);
  }
}
