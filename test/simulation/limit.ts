/** A limit of the user’s, as it binds the night. */
export class Limit {
  /** What holds, and, while a change is under way, what may hold already. */
  #allowed: readonly { readonly most: number }[];

  constructor(most: number) {
    this.#allowed = [{ most }];
  }

  get most(): number {
    return Math.max(...this.#allowed.map(({ most }) => most));
  }

  /** What is under way may still follow what held before; once what this returns is called, it may not. */
  change(most: number): () => void {
    const changed = { most };
    this.#allowed = [...this.#allowed, changed];
    return () => {
      this.#allowed = this.#allowed.slice(Math.max(0, this.#allowed.indexOf(changed)));
    };
  }
}
