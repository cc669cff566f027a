/** What a connection notes in each transaction that it writes, so that it can be looked up whether one was committed. */
import { randomUUID } from 'node:crypto';
import { OF_CONNECTION } from '../move/move-mark.ts';
import type { Doubt, Ending } from './doubt.ts';
import { ConnectionLostError, PostgresError, type SynchronousConnection } from './synchronous-connection.ts';

/** A server that says nothing any more does not hold up the end. */
const CLOSES_WITHIN_MS = 500;
/** For the number of a transaction that has not begun. */
const NUMBER_UNKNOWN = '22023';
/** What processes have noted that were killed is of no use to anybody after this time. */
const NOTED_FOR = "interval '30 days'";

export class WriteNotes {
  readonly #connection: Pick<SynchronousConnection, 'run'>;
  /** Under which this connection notes its writes. */
  readonly #key = `${OF_CONNECTION}${randomUUID()}`;
  #latest = 0;

  constructor(connection: Pick<SynchronousConnection, 'run'>) {
    this.#connection = connection;
  }

  /** The number of the last write that this connection has noted. */
  get latest(): number {
    return this.#latest;
  }

  /** Notes the transaction that is written now as the next write of this connection. */
  note(): void {
    this.#latest += 1;
    this.#connection.run(wroteStatement(this.#key, this.#latest));
  }

  /**
   * The outcome of a transaction, once the server has noticed that its connection is gone. Only what this connection
   * itself has noted in it says whether it was committed: a server that crashed gives the number of what it has lost to
   * another transaction, and one that was restored or copied has numbers of its own.
   */
  endingOf({ transaction, attempt }: Doubt): Ending {
    const [following] = this.#connection.run('SELECT CAST(pg_is_in_recovery() AS INT)');
    // It may be behind the one that it follows, and know nothing yet of what was committed there.
    if (following?.rows[0]?.[0] !== 0) throw new ConnectionLostError('The server follows another one.', '57P03');
    // First: what ends after this look has noted it by the next one.
    if (this.#isInProgress(transaction)) throw new ConnectionLostError('A transaction is in progress.', '08007');
    const [noted] = this.#connection.run(`SELECT value FROM meta WHERE key = '${this.#key}'`);
    return String(noted?.rows[0]?.[0]).split(' ')[0] === String(attempt) ? 'committed' : 'aborted';
  }

  #isInProgress(transaction: string): boolean {
    try {
      const [found] = this.#connection.run(`SELECT pg_xact_status('${transaction}')`);
      return found?.rows[0]?.[0] === 'in progress';
    } catch (error) {
      // The server has not given the number to anybody yet.
      if (error instanceof PostgresError && error.code === NUMBER_UNKNOWN) return false;
      throw error;
    }
  }

  /** Removes the notes of this connection, which does not write any more. */
  remove(): void {
    if (this.#latest === 0) return;
    try {
      this.#connection.run(`DELETE FROM meta WHERE key = '${this.#key}'`, CLOSES_WITHIN_MS);
    } catch {
      // It goes by itself after a while.
    }
  }
}

/** Counts a write of the store, and notes under a key of the connection's own which of its writes it is. */
function wroteStatement(key: string, attempt: number): string {
  const note = `'${attempt} ' || CAST(extract(epoch FROM now()) AS BIGINT)`;
  const noted = "CAST(split_part(value, ' ', 2) AS BIGINT)";
  const old = `CAST(extract(epoch FROM now() - ${NOTED_FOR}) AS BIGINT)`;
  return [
    "UPDATE meta SET value = CAST(value AS BIGINT) + 1 WHERE key = 'writes'",
    `INSERT INTO meta (key, value) VALUES ('${key}', ${note}) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    // In this order: other values are no numbers.
    ...(attempt === 1
      ? [`DELETE FROM meta WHERE CASE WHEN key LIKE '${OF_CONNECTION}%' THEN ${noted} < ${old} ELSE FALSE END`]
      : []),
  ].join('; ');
}
