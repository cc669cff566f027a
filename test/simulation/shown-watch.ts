import type { Database } from '../../src/engine/store/open/database.ts';
import type { BatchWord, Watch } from './watch.ts';

/** What a batch will send, as its window says, if nothing else happens. */
interface Foretold {
  readonly word: BatchWord;
  readonly requests: number;
  /** How many paid requests had left by then. */
  readonly used: number;
}

/** What the window says will be paid for must be what is made, and what is then paid for. */
export class ShownWatch {
  readonly #db: Database;
  readonly #watch: Watch;
  #foretold: readonly Foretold[] = [];

  constructor(db: Database, watch: Watch) {
    this.#db = db;
    this.#watch = watch;
  }

  /** The user runs what was shown as this many paid requests, and this many takes are made for it. */
  made({ id }: BatchWord, shown: number, made: number): void {
    if (made !== shown)
      this.#watch.report('shown', `${shown} paid requests of ${id} were shown, and ${made} were made`);
  }

  /** How many takes are new since a task, except those made for gates. */
  madeSince({ id }: BatchWord, task: number): number {
    return this.#count(
      `SELECT count(*) AS n FROM tasks t JOIN batches b ON b.seq = t.batch
       WHERE b.id = ? AND t.id > ${task} AND t.state ->> '$.madeAgain' IS NULL`,
      id,
    );
  }

  /** Whether nothing of a batch is at the gateway, or may go there by itself. */
  isIdle({ id }: BatchWord): boolean {
    const busy = this.#count(
      `SELECT count(*) AS n FROM tasks t JOIN batches b ON b.seq = t.batch WHERE b.id = ? AND (b.state = 'running'
       OR (t.superseded = 0 AND t.status IN ('submitting', 'submit-unknown', 'rendering', 'downloading')))`,
      id,
    );
    return busy === 0;
  }

  /** Nothing else happens to the batch from now on until it is at rest: it sends what waits, and what the user runs. */
  foretell(word: BatchWord, requests: number): void {
    const others = this.#foretold.filter((one) => one.word !== word);
    this.#foretold = [...others, { word, requests, used: this.#watch.usedBy(word.id) }];
  }

  /** The night is at rest: what was done in full has sent what was foretold. */
  judge(): void {
    for (const { word, requests, used } of this.#foretold) {
      const open = this.#count(
        `SELECT count(*) AS n FROM tasks t JOIN batches b ON b.seq = t.batch
         WHERE b.id = ? AND t.superseded = 0 AND t.status <> 'done'`,
        word.id,
      );
      const sent = this.#watch.usedBy(word.id) - used;
      // Gates have takes rendered again, and what was lost on the way may have been charged.
      if (open > 0 || word.again > 0 || sent === requests) continue;
      this.#watch.report('foretold', `${requests} paid requests of ${word.id} were foretold, and ${sent} were sent`);
    }
    this.#foretold = [];
  }

  #count(sql: string, batchId: string): number {
    return this.#db.prepare<{ readonly n: number }>(sql).get(batchId)?.n ?? 0;
  }
}
