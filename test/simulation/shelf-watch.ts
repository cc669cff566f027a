/** What must hold of batches that are archived, deleted and brought back. */
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../src/engine/store/open/database.ts';
import { BRING_BACK_MS } from '../../src/shared/domain/task/batch-standing.ts';
import type { Sight } from './sight.ts';
import type { BatchWord, Watch } from './watch.ts';

/** Where a batch is; once it is removed, only what it has paid for is left. */
export type Shelved = 'there' | 'archived' | 'deleted' | 'removed';

/** A batch as it was put away. */
interface Away {
  readonly sight: Sight;
  /** Whether the user has done nothing else since. */
  readonly isOnly: () => boolean;
  /** By the user’s clock, when they asked for it. */
  readonly atMs: number;
}

/**
 * What the user has put away stays away until they bring it back or start it, and is then as it was. Nothing of what is
 * deleted is on its way, or forgotten before a day has passed.
 */
export class ShelfWatch {
  readonly #db: Database;
  readonly #watch: Watch;
  readonly #now: () => number;
  /** How many deeds that may put each batch away or bring it back have begun and ended. */
  #marks = new Map<BatchWord, { begun: number; ended: number }>();
  readonly #away = new Map<BatchWord, Away>();

  /** @param now The time on the user’s clock. */
  constructor(db: Database, watch: Watch, now: () => number) {
    this.#db = db;
    this.#watch = watch;
    this.#now = now;
    watch.onRemoved = (id, isPaidFor) => this.#isRemoved(id, isPaidFor);
  }

  /** Nobody answers what the process was asked. */
  processDied(): void {
    this.#marks = new Map();
  }

  /** A deed begins that may put a batch away or bring it back. Call what is returned at its end, with where the user now knows the batch to be. */
  begins(word: BatchWord): (to?: Shelved) => void {
    const marks = this.#marks;
    const mark = marks.get(word) ?? { begun: 0, ended: 0 };
    marks.set(word, mark);
    mark.begun += 1;
    const { begun, ended } = mark;
    word.shelf = undefined;
    return (to) => {
      if (marks !== this.#marks) return;
      const isAlone = begun === ended + 1 && mark.begun === begun;
      mark.ended += 1;
      // What has been removed meanwhile does not come back.
      if (isAlone && to !== undefined && this.#placeOf(word.id) !== 'removed') word.shelf = to;
    };
  }

  /** The user is told that a batch is put away. */
  isPutAway(word: BatchWord, away: Away): void {
    if (word.shelf === undefined) this.#away.delete(word);
    else this.#away.set(word, away);
    if (word.shelf !== 'deleted') return;
    const onItsWay = this.#db
      .prepare<{ readonly row_id: string; readonly status: string }>(
        `SELECT row_id, t.status FROM tasks t JOIN batches b ON b.seq = t.batch WHERE b.id = ? AND superseded = 0
         AND t.status IN ('submitting', 'submit-unknown', 'rendering', 'downloading')`,
      )
      .all(word.id);
    for (const { row_id: row, status } of onItsWay)
      this.#watch.report('shelf', `${word.id} is deleted although ${row} is ${status}`);
  }

  /** The user is told that a batch is back. */
  isBack(word: BatchWord, sight: Sight): void {
    const away = this.#away.get(word);
    this.#away.delete(word);
    if (away?.isOnly() !== true || word.shelf !== 'there' || isDeepStrictEqual(sight, away.sight)) return;
    // What was sent goes on, and so do the rows that refer to it.
    const goesOn = [...away.sight.values()].some(({ takes }) =>
      [...takes.values()].some(({ is }) => is === 'under way'),
    );
    const [is, was] = [sight, away.sight].map((rows) =>
      JSON.stringify(Array.from(rows, ([key, { cells, takes }]) => [key, cells, ...(goesOn ? [] : takes)])),
    );
    if (goesOn && is === was) return;
    this.#watch.report('back', `${word.id} is back as ${is}, and was ${was}`);
  }

  /** Whatever nobody is changing is where the user knows it to be. */
  check(): void {
    for (const word of this.#watch.batches) {
      const { begun = 0, ended = 0 } = this.#marks.get(word) ?? {};
      if (begun > ended) continue;
      const is = this.#placeOf(word.id);
      // The user is told of that next.
      if ((word.shelf === undefined || word.shelf === 'deleted') && is === 'removed') continue;
      word.shelf ??= is;
      if (is !== word.shelf) this.#watch.report('shelf', `${word.id} is ${is}, and the user knows it as ${word.shelf}`);
    }
  }

  #isRemoved(id: string, isPaidFor: boolean): void {
    const word = this.#watch.batches.find((one) => one.id === id);
    if (!isPaidFor) this.#watch.report('removed', `what ${id} has paid is no longer what it was`);
    if (word === undefined) return;
    const { atMs } = this.#away.get(word) ?? {};
    if (word.shelf !== undefined && word.shelf !== 'deleted')
      this.#watch.report('removed', `${id} is removed, and was ${word.shelf}`);
    else if (atMs !== undefined && word.shelf !== undefined && this.#now() < atMs + BRING_BACK_MS)
      this.#watch.report('removed', `${id} is removed within a day`);
    word.shelf = 'removed';
  }

  #placeOf(id: string): Shelved {
    const statement = this.#db.prepare<{ readonly shelf: Shelved | null }>(
      "SELECT settings ->> '$.shelf.is' AS shelf FROM batches WHERE id = ?",
    );
    return statement.get(id)?.shelf ?? 'there';
  }
}
