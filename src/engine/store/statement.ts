import type { DatabaseSyncInstance } from '@photostructure/sqlite';

export type SqlValue = null | number | string | Uint8Array;

/** A prepared statement whose rows have the shape `R`. The caller states the shape; the schema keeps it (STRICT tables). */
export interface Statement<R> {
  get(...values: readonly SqlValue[]): R | undefined;
  all(...values: readonly SqlValue[]): readonly R[];
  /** Returns the number of rows that changed. */
  run(...values: readonly SqlValue[]): number;
  /** Returns the key of the row that was inserted. */
  insert(...values: readonly SqlValue[]): number;
}

/** Prepares a statement once, for the life of the connection. */
export function prepare<R = never>(db: DatabaseSyncInstance, sql: string): Statement<R> {
  const statement = db.prepare(sql);
  return {
    get: (...values) => statement.get(...values) as R | undefined,
    all: (...values) => statement.all(...values) as readonly R[],
    run: (...values) => statement.run(...values).changes,
    insert: (...values) => Number(statement.run(...values).lastInsertRowid),
  };
}

/** Runs `work` in one transaction: all of it is durable when this returns, none of it when it throws. */
export function inTransaction<T>(db: DatabaseSyncInstance, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk rolls back by itself: then there is no transaction any more.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
