/**
 * What an error of a connection leaves open: whether a new connection may find the server well, whether a transaction was
 * committed whose COMMIT was not answered, and whether what was prepared still fits the tables.
 */
import { StoreWriteError } from '../open/store-problem.ts';
import { ConnectionLostError, PostgresError } from './synchronous-connection.ts';

/** What became of a transaction whose COMMIT was not answered. */
export type Ending = 'committed' | 'aborted';

/** A transaction whose COMMIT was not answered. */
export interface Doubt {
  readonly transaction: string;
  /** Known before anything else is begun on a new connection. */
  ending: Ending | undefined;
}

/** The server is away, and nobody knows whether it has committed the last transaction. Doing it again would be a guess. */
export class InDoubtError extends PostgresError {
  override readonly name = 'InDoubtError';
  readonly doubt: Doubt;

  constructor(doubt: Doubt, cause: unknown) {
    super('The server went away before it said whether it has committed.', '08007');
    this.doubt = doubt;
    this.cause = cause;
  }
}

/** Codes of a server that is ending, starting, or has ended a connection: another try may find it well. */
const PASSING = /^(?:08|57P0)/u;

export function isLost(error: unknown): boolean {
  if (error instanceof StoreWriteError) return isLost(error.cause);
  if (!(error instanceof PostgresError) || error instanceof InDoubtError) return false;
  return error instanceof ConnectionLostError || PASSING.test(error.code);
}

/** What a connection has prepared is of another schema than there is now, or is gone. */
export function isPlanOver(error: unknown): error is PostgresError {
  return error instanceof PostgresError && (error.code === '0A000' || error.code === '26000');
}
