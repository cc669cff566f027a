/**
 * What an error of a connection leaves open: whether a new connection may succeed, whether a transaction whose COMMIT
 * was not answered was committed, and whether prepared statements still fit the tables.
 */
import { StoreWriteError } from '../open/store-problem.ts';
import { ConnectionLostError, PostgresError } from './synchronous-connection.ts';

/** The outcome of a transaction whose COMMIT was not answered. */
export type Ending = 'committed' | 'aborted';

/** A transaction whose COMMIT was not answered. */
export interface Doubt {
  readonly transaction: string;
  /** Which write of its connection it is. */
  readonly attempt: number;
  /** Determined before anything else begins on a new connection. */
  ending: Ending | undefined;
}

/**
 * The server is away, and nobody knows whether it has committed the last transaction. Repeating the transaction would
 * be a gamble.
 */
export class InDoubtError extends PostgresError {
  override readonly name = 'InDoubtError';
  readonly doubt: Doubt;

  constructor(doubt: Doubt, cause: unknown) {
    super('The server went away before it said whether it has committed.', '08007');
    this.doubt = doubt;
    this.cause = cause;
  }
}

/** Codes of a server that is ending, starting, or has ended a connection: another try may succeed. */
const PASSING = /^(?:08|57P0)/u;

export function isLost(error: unknown): boolean {
  if (error instanceof StoreWriteError) return isLost(error.cause);
  if (!(error instanceof PostgresError) || error instanceof InDoubtError) return false;
  return error instanceof ConnectionLostError || PASSING.test(error.code);
}

/** True if a prepared statement is for an earlier schema, or is gone. */
export function isPlanOver(error: unknown): error is PostgresError {
  return error instanceof PostgresError && (error.code === '0A000' || error.code === '26000');
}
