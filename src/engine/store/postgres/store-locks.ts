/** The class of the locks ("Noct"), so that they do not clash with another program's. */
const LOCK_CLASS = 0x4e6f6374;

/** The locks of a store, by purpose; a number for its schema is added. */
export type StoreLock = 'writer' | 'owner' | 'schema';
const LOCKS: Readonly<Record<StoreLock, number>> = { writer: 1, owner: 2, schema: 3 };
/** Locks of names begin after the others. */
const FIRST_CLAIM = 4;

/**
 * The statements for the locks of one schema. Two schemas of a database have different locks, unless their hashes
 * collide: then they share locks, which does no harm.
 */
export class StoreLocks {
  readonly #schema: string;

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** Takes a lock that lasts as long as the connection, alone or with others, if nobody has a conflicting one. */
  tryTake(lock: StoreLock, isShared: boolean): string {
    const take = `pg_try_advisory_lock${isShared ? '_shared' : ''}`;
    return `SELECT ${take}(${LOCK_CLASS}, ${this.#numberOf(lock)})`;
  }

  /** Gives back a lock that was taken alone. */
  giveBack(lock: StoreLock): string {
    return `SELECT pg_advisory_unlock(${LOCK_CLASS}, ${this.#numberOf(lock)})`;
  }

  /** Waits for a lock until the transaction that takes it ends. */
  takeInTurn(lock: StoreLock): string {
    return `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${this.#numberOf(lock)})`;
  }

  /** Takes a name until the transaction ends, if nobody has it. */
  tryClaim(name: string): string {
    return `SELECT pg_try_advisory_xact_lock(${LOCK_CLASS}, ${this.#hash(FIRST_CLAIM, name)})`;
  }

  /** Asks for the name of the connection that has a lock. */
  holderOf(lock: StoreLock): string {
    return `
        SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND classid = ${LOCK_CLASS} AND objid = ${this.#numberOf(lock)} AND granted
          AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  }

  #numberOf(lock: StoreLock): number {
    return this.#hash(LOCKS[lock], '');
  }

  #hash(first: number, name: string): number {
    let hash = first;
    for (const char of this.#schema + name) hash = (hash * 31 + char.charCodeAt(0)) % 0x3fff_ffff;
    return hash;
  }
}
