/** A choice of the user’s, as it binds the night. */
export class Choice<T> {
  /** What applies and, while a change is under way, what may already apply. */
  #allowed: readonly { readonly value: T }[];

  constructor(value: T) {
    this.#allowed = [{ value }];
  }

  get allowed(): readonly T[] {
    return this.#allowed.map(({ value }) => value);
  }

  /** What is under way may still follow the previous choice; once the returned function is called, it may not. */
  change(value: T): () => void {
    const changed = { value };
    this.#allowed = [...this.#allowed, changed];
    return () => {
      this.#allowed = this.#allowed.slice(Math.max(0, this.#allowed.indexOf(changed)));
    };
  }
}

/** A limit of the user’s. */
export class Limit extends Choice<number> {
  get most(): number {
    return Math.max(...this.allowed);
  }
}
