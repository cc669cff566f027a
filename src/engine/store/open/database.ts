import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

export type SqlValue = null | number | string | Uint8Array;

/** A prepared statement whose rows have the shape `R`: the caller states it, the schema enforces it (STRICT tables). */
export interface Statement<R> {
  get(...values: readonly SqlValue[]): R | undefined;
  all(...values: readonly SqlValue[]): readonly R[];
  /** Returns the number of rows that changed. */
  run(...values: readonly SqlValue[]): number;
  /** Returns the key of the inserted row. */
  insert(...values: readonly SqlValue[]): number;
}

/** Gives the values of a query of one column. */
type ColumnQuery<V> = (...values: readonly SqlValue[]) => readonly V[];

/** Matches every element of an array bound as JSON: one statement serves lists of any length. */
export const IN_LIST = 'IN (SELECT value FROM json_each(?))';

/** How many rows one call inserts: more are hardly faster. */
export const ROWS_AT_ONCE = 32;

type StatementSync = ReturnType<DatabaseSyncInstance['prepare']>;

/** A connection, whose statements are prepared once, for its life. */
export class Database {
  /** For what only SQLite itself does with it. */
  readonly connection: DatabaseSyncInstance;

  constructor(...where: ConstructorParameters<typeof DatabaseSync>) {
    this.connection = new DatabaseSync(...where);
  }

  prepare<R = never>(sql: string): Statement<R> {
    const statement = this.#once(sql);
    return {
      get: (...values) => statement().get(...values) as R | undefined,
      all: (...values) => statement().all(...values) as readonly R[],
      run: (...values) => statement().run(...values).changes,
      insert: (...values) => Number(statement().run(...values).lastInsertRowid),
    };
  }

  prepareColumn<V extends SqlValue>(sql: string): ColumnQuery<V> {
    const statement = this.#once(sql, (made) => made.setReturnArrays(true));
    return (...values) => (statement().all(...values) as unknown as readonly (readonly [V])[]).map(([value]) => value);
  }

  /** Prepared when first used: most commands need few statements, and in a store of another version some would fail. */
  #once(sql: string, made: (statement: StatementSync) => void = () => undefined): () => StatementSync {
    let prepared: StatementSync | undefined;
    return () => {
      if (prepared === undefined) made((prepared = this.connection.prepare(sql)));
      return prepared;
    };
  }

  /**
   * Prepares the insertion of rows into a table, {@link ROWS_AT_ONCE} per call if there are that many: in large sheets
   * one call per row costs as much as the row itself. `columns` are the column names, in the order of the values.
   */
  prepareInserts(table: string, columns: string): (rows: readonly (readonly SqlValue[])[]) => void {
    const one = `(${columns.replace(/\w+/g, '?')})`;
    const insert = `INSERT INTO ${table} (${columns}) VALUES `;
    const single = this.#once(insert + one);
    const many = this.#once(insert + Array.from({ length: ROWS_AT_ONCE }, () => one).join(', '));
    return (rows) => {
      let at = 0;
      for (; at + ROWS_AT_ONCE <= rows.length; at += ROWS_AT_ONCE) {
        many().run(...rows.slice(at, at + ROWS_AT_ONCE).flat());
      }
      for (const values of rows.slice(at)) single().run(...values);
    };
  }

  exec(sql: string): void {
    this.connection.exec(sql);
  }

  /** The value of a pragma, also of one that is a check. */
  pragma(name: string): string | number | undefined {
    const row = this.prepare<Record<string, string | number>>(`PRAGMA ${name}`).get();
    return row && Object.values(row)[0];
  }

  /** Runs `work` in one transaction: everything is durable when this returns, and nothing is written when it throws. */
  transaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk makes SQLite roll back by itself: then there is no transaction left to end.
      if (this.connection.isTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.connection.isOpen;
  }

  close(): void {
    this.connection.close();
  }
}

/** Groups the values of items by a key that several of them share, in the order of the items. */
export function groupBy<T, K, V>(
  items: readonly T[],
  keyOf: (item: T) => K,
  valueOf: (item: T) => V,
): ReadonlyMap<K, readonly V[]> {
  const groups = new Map<K, V[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [valueOf(item)]);
    else group.push(valueOf(item));
  }
  return groups;
}
