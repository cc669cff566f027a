import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import {
  ROWS_AT_ONCE,
  type ColumnQuery,
  type Database,
  type PageAt,
  type SqlValue,
  type Statement,
} from './database.ts';

type StatementSync = ReturnType<DatabaseSyncInstance['prepare']>;

/** A connection to a file; its statements are prepared once, for its lifetime. */
export class SqliteDatabase implements Database {
  /** For what only SQLite can do. */
  readonly connection: DatabaseSyncInstance;
  /** Items are read one by one: nothing is gained by reading several. */
  readonly itemsAtOnce = 1;
  #written = 0;
  #columns: Statement<never> | undefined;

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

  /** Nobody else writes meanwhile. */
  claim(): boolean {
    return true;
  }

  /** The value of a pragma, including one that runs a check. */
  pragma(name: string): string | number | undefined {
    const row = this.prepare<Record<string, string | number>>(`PRAGMA ${name}`).get();
    return row && Object.values(row)[0];
  }

  transaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.exec('COMMIT');
      this.#written += 1;
      return result;
    } catch (error) {
      // On a full disk, SQLite rolls back by itself: there is then no transaction left to end.
      if (this.connection.isTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  snapshot<T>(ask: () => T): T {
    this.exec('BEGIN');
    try {
      return ask();
    } finally {
      // After some errors, SQLite has ended it by itself.
      if (this.connection.isTransaction) this.exec('COMMIT');
    }
  }

  *pages<T, Place>(first: Place, read: (place: Place) => PageAt<T, Place>): Generator<readonly T[]> {
    for (let place: Place | undefined = first; place !== undefined;) {
      const { items, next }: PageAt<T, Place> = read(place);
      yield items;
      place = next;
    }
  }

  get written(): number {
    return this.#written;
  }

  hasColumn(table: string, column: string): boolean {
    this.#columns ??= this.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?');
    return this.#columns.get(table, column) !== undefined;
  }

  checkIntegrity(): readonly string[] {
    return this.prepareColumn<string>('PRAGMA integrity_check')().filter((line) => line !== 'ok');
  }

  get place(): string {
    return this.connection.location() ?? 'The store';
  }

  get isOpen(): boolean {
    return this.connection.isOpen;
  }

  close(): void {
    this.connection.close();
  }
}
