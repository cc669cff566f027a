import { DatabaseSync } from 'node:sqlite';
import { startIncarnation } from '../../src/engine/store/open/incarnation.ts';
import { migrate } from '../../src/engine/store/open/open-database.ts';
import { storeOn, type OpenStore } from '../../src/engine/store/open/store-on.ts';
import type { Database, SqlValue, Statement } from '../../src/engine/store/open/database.ts';
import { SqliteDatabase } from '../../src/engine/store/open/sqlite-database.ts';

type Inserts = ReturnType<Database['prepareInserts']>;
type Column<V> = (...values: readonly SqlValue[]) => readonly V[];

/**
 * A database in memory whose statements are prepared once, however often a store is opened on it. Node's own SQLite:
 * the same SQL in half of the time, because its calls do not go through Node-API.
 */
class LastingDatabase extends SqliteDatabase {
  /** Replaces the one that the base class has made, which stays empty. */
  override readonly connection = new DatabaseSync(':memory:') as unknown as SqliteDatabase['connection'];
  readonly #statements = new Map<string, Statement<never>>();
  readonly #columns = new Map<string, Column<SqlValue>>();
  readonly #inserts = new Map<string, Inserts>();
  /** Counts whatever may change something. */
  writes = 0;

  constructor() {
    super(':memory:');
  }

  override prepare<R = never>(sql: string): Statement<R> {
    return kept(this.#statements, sql, () => {
      const statement = super.prepare(sql);
      return {
        ...statement,
        run: (...values) => {
          this.writes += 1;
          return statement.run(...values);
        },
        insert: (...values) => {
          this.writes += 1;
          return statement.insert(...values);
        },
      };
    });
  }

  override prepareColumn<V extends SqlValue>(sql: string): Column<V> {
    return kept(this.#columns, sql, () => super.prepareColumn(sql)) as Column<V>;
  }

  override prepareInserts(table: string, columns: string): Inserts {
    return kept(this.#inserts, `${table} ${columns}`, () => {
      const insert = super.prepareInserts(table, columns);
      return (rows) => {
        this.writes += 1;
        insert(rows);
      };
    });
  }

  override exec(sql: string): void {
    this.writes += 1;
    super.exec(sql);
  }
}

function kept<T>(all: Map<string, T>, name: string, make: () => T): T {
  const known = all.get(name);
  if (known !== undefined) return known;
  const made = make();
  all.set(name, made);
  return made;
}

/**
 * The disk of the simulated machine: the real schema in memory. It outlives every process, and is used for many nights.
 */
export class SimDisk {
  readonly db: LastingDatabase;
  readonly #tables: readonly string[];

  constructor() {
    this.db = new LastingDatabase();
    migrate(this.db);
    this.db.exec('PRAGMA temp_store = MEMORY');
    this.#tables = this.db.prepareColumn<string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )();
  }

  /** Makes it like a new one, in a fraction of the time. */
  empty(): void {
    if (this.db.connection.isTransaction) this.db.exec('ROLLBACK');
    this.db.exec('PRAGMA foreign_keys = OFF');
    this.db.transaction(() => {
      for (const table of this.#tables) this.db.prepare(`DELETE FROM ${table}`).run();
    });
    this.db.exec('PRAGMA foreign_keys = ON');
  }

  /** The store as a new process finds it. */
  open(): OpenStore {
    const random = { next: () => 0.5 };
    startIncarnation(this.db, random);
    return storeOn(this.db, { random, zone: () => 'UTC' }, { release: () => undefined });
  }

  /** Everything in it, for comparing. */
  contents(): readonly unknown[] {
    const rows = this.#tables.map((table) => this.db.prepare<object>(`SELECT * FROM ${table}`).all());
    const settings = ['user_version', 'application_id', 'foreign_keys', 'temp_store'].map((name) =>
      this.db.pragma(name),
    );
    const schema = this.db.prepare<object>('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
    return [rows, settings, schema];
  }
}
