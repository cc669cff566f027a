import type { RowPlan } from './plan.ts';

/** What the user has agreed to pay for a row. */
interface RowWord {
  /** The most takes that were ever asked for. */
  takes: number;
  /** How many rows may have its name: it, and its copies. */
  rows: number;
  /** How often the user said to pay once more. */
  again: number;
  /** The user has given up a task of it, or named one that the gateway does not know. */
  isGivenUp: boolean;
  /** The versions of its words so far. */
  readonly versions: Set<number>;
}

/** What the user has said about rows, by their names. */
export class RowWords {
  readonly #rows = new Map<string, RowWord>();

  of(row: string): Readonly<RowWord> | undefined {
    return this.#rows.get(row);
  }

  asksFor(row: string, takes: number): void {
    const known = this.#rows.get(row);
    if (known === undefined)
      this.#rows.set(row, { takes, rows: 1, again: 0, isGivenUp: false, versions: new Set([0]) });
    else known.takes = Math.max(known.takes, takes);
  }

  /** Another row with its words asks for as much. */
  isCopied(row: string): void {
    const known = this.#rows.get(row);
    if (known !== undefined) known.rows += 1;
  }

  /** How many takes all rows with its name ask for. */
  takesOf(row: string): number {
    const { takes = 0, rows = 0 } = this.#rows.get(row) ?? {};
    return takes * rows;
  }

  /** How often each version of it may be paid for. */
  mostPaid(row: string): number {
    const known = this.#rows.get(row);
    return known === undefined ? Number.POSITIVE_INFINITY : this.takesOf(row) + known.again;
  }

  /** This many more of its takes may be paid for, by default each once more; a negative number takes that back. */
  paysAgain(row: string, takes?: number): void {
    const known = this.#rows.get(row);
    if (known !== undefined) known.again += takes ?? this.takesOf(row);
  }

  /**
   * Its words change. With words that come back, a row that refers to others is paid for again, because what those give
   * may have changed; so is a row that has failed with them.
   */
  says({ id, after, fails }: RowPlan, version: number): void {
    const known = this.#rows.get(id);
    const isPaidAgain = after !== undefined || fails === true;
    if (known?.versions.has(version) === true && isPaidAgain) known.again += this.takesOf(id);
    known?.versions.add(version);
  }

  givesUp(row: string): void {
    const known = this.#rows.get(row);
    if (known !== undefined) known.isGivenUp = true;
  }
}
