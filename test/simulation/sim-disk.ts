import { startIncarnation } from '../../src/engine/store/open/incarnation.ts';
import { migrate } from '../../src/engine/store/open/open-database.ts';
import { storeOn, type OpenStore } from '../../src/engine/store/open/open-store.ts';
import { Database, type SqlValue, type Statement } from '../../src/engine/store/open/database.ts';

type Inserts = ReturnType<Database['prepareInserts']>;
type Column<V> = (...values: readonly SqlValue[]) => readonly V[];

/** A database whose statements are prepared once, however often a store is opened on it. */
class LastingDatabase extends Database {
  readonly #statements = new Map<string, Statement<never>>();
  readonly #columns = new Map<string, Column<SqlValue>>();
  readonly #inserts = new Map<string, Inserts>();

  override prepare<R = never>(sql: string): Statement<R> {
    return kept(this.#statements, sql, () => super.prepare(sql));
  }

  override prepareColumn<V extends SqlValue>(sql: string): Column<V> {
    return kept(this.#columns, sql, () => super.prepareColumn(sql)) as Column<V>;
  }

  override prepareInserts(table: string, columns: string): Inserts {
    return kept(this.#inserts, `${table} ${columns}`, () => super.prepareInserts(table, columns));
  }
}

function kept<T>(all: Map<string, T>, name: string, make: () => T): T {
  const known = all.get(name);
  if (known !== undefined) return known;
  const made = make();
  all.set(name, made);
  return made;
}

/** The disk of the simulated machine: the real schema in memory. It outlives every process, and serves many nights. */
export class SimDisk {
  readonly db: Database;
  readonly #tables: readonly string[];

  constructor() {
    this.db = new LastingDatabase(':memory:');
    migrate(this.db);
    this.db.exec('PRAGMA temp_store = MEMORY');
    this.#tables = this.db.prepareColumn<string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )();
  }

  /** As a new one, in a fraction of the time that one takes. */
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
    return storeOn(this.db, random, { release: () => undefined });
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
