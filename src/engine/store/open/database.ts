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

/** Returns the values of a query with one column. */
export type ColumnQuery<V> = (...values: readonly SqlValue[]) => readonly V[];

/** Matches every number of an array bound as JSON: one statement serves lists of any length. */
export const IN_LIST = 'IN (SELECT value FROM json_each(?))';

/** The same for texts, which PostgreSQL distinguishes from numbers. */
export const IN_TEXTS = 'IN (SELECT atom FROM json_each(?))';

/** How many rows one call inserts: more would hardly be faster. */
export const ROWS_AT_ONCE = 32;

/**
 * A connection to the database of a store. Both kinds get the same SQL: what both understand, and the few functions
 * that the schema on PostgreSQL adds (see `postgres/dialect.ts`).
 */
export interface Database {
  /** Prepares a statement when it is first used. */
  prepare<R = never>(sql: string): Statement<R>;
  prepareColumn<V extends SqlValue>(sql: string): ColumnQuery<V>;
  /**
   * Prepares the insertion of rows into a table, {@link ROWS_AT_ONCE} per call if there are that many: in large sheets
   * one call per row costs as much as the row itself. `columns` are the column names, in the order of the values.
   */
  prepareInserts(table: string, columns: string): (rows: readonly (readonly SqlValue[])[]) => void;
  exec(sql: string): void;
  /** Runs `work` in one transaction: everything is durable when this returns, and nothing is written when it throws. */
  transaction<T>(work: () => T): T;
  /** Runs `ask`, whose statements all see the database at the same moment. */
  snapshot<T>(ask: () => T): T;
  /**
   * Returns what is read page by page, each page from one moment, when it is asked for.
   * @param read Reads the page at a place. It must keep no state: the same page may be read again.
   */
  pages<T, Place>(first: Place, read: (place: Place) => PageAt<T, Place>): Iterable<readonly T[]>;
  /** How many items a page should have if they may change meanwhile: on a server, each page is a round trip. */
  readonly itemsAtOnce: number;
  /** Takes a name until the transaction ends; false if another transaction has it, whose writes cannot be seen yet. */
  claim(name: string): boolean;
  /** Incremented when this connection has written. */
  readonly written: number;
  /** False for a column that a store of an older version, which is read as it is, does not have yet. */
  hasColumn(table: string, column: string): boolean;
  /** Every fault that the database finds in itself; empty if it is sound, or cannot tell. */
  checkIntegrity(): readonly string[];
  /** Where the database is, for messages. */
  readonly place: string;
  readonly isOpen: boolean;
  close(): void;
}

/** Some items, and the place of the next page; without a place, this is the last page. */
export interface PageAt<T, Place> {
  readonly items: readonly T[];
  readonly next: Place | undefined;
}

/** Prepares each statement once, when it is asked for. */
export function statementsOnce<R>(db: Database): (sql: string) => Statement<R> {
  const statements = new Map<string, Statement<R>>();
  return (sql) => {
    const statement = statements.get(sql) ?? db.prepare<R>(sql);
    statements.set(sql, statement);
    return statement;
  };
}

/** Reads the keys of items, then the items of some keys at a time. */
export function* itemsOfKeys<K, T>(
  db: Database,
  keysOf: () => readonly K[],
  most: number,
  read: (keys: readonly K[]) => readonly T[],
): Generator<T> {
  interface Place {
    readonly keys?: readonly K[];
    readonly from: number;
  }
  const pages = db.pages({ from: 0 }, ({ keys = keysOf(), from }: Place): PageAt<T, Place> => {
    const next = from + most;
    return {
      items: read(keys.slice(from, next)),
      next: next < keys.length ? { keys, from: next } : undefined,
    };
  });
  for (const items of pages) yield* items;
}
