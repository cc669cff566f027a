/** Stores as earlier versions of Nocturne wrote them, each kept as SQL: its schema, its rows, its version. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

export const STORE_FIXTURES = join(import.meta.dirname, '../fixtures/stores');

/** The name of the fixture of a schema. */
export function fixtureName(schema: number): string {
  return `schema-${String(schema).padStart(2, '0')}.sql.gz`;
}

/** The schemas for which there is a fixture. */
export function fixtureSchemas(): readonly number[] {
  return readdirSync(STORE_FIXTURES)
    .flatMap((name) => /^schema-(\d+)\.sql\.gz$/u.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** Makes the store of a fixture in a folder. */
export function makeStoreOfSchema(schema: number, dir: string): void {
  mkdirSync(dir, { recursive: true });
  // The rows of a table may come before those that they refer to.
  const db = new DatabaseSync(join(dir, 'nocturne.db'), { enableForeignKeyConstraints: false });
  const sql = gunzipSync(readFileSync(join(STORE_FIXTURES, fixtureName(schema)))).toString('utf8');
  db.exec(`BEGIN; ${sql} COMMIT; PRAGMA journal_mode = WAL`);
  db.close();
}

/** A database as SQL that recreates it: its version, its tables with their rows, its indexes. */
export function sqlOf(db: DatabaseSyncInstance): string {
  const parts = db
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    .all() as { type: string; name: string; sql: string }[];
  const tables = parts.filter(({ type }) => type === 'table');
  return [
    ...['user_version', 'application_id'].map((name) => {
      const value = (db.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name];
      return `PRAGMA ${name} = ${value};`;
    }),
    ...tables.map(({ sql }) => `${sql};`),
    ...tables.flatMap(({ name }) => rowsAsSql(db, name)),
    ...parts.filter(({ type }) => type !== 'table').map(({ sql }) => `${sql};`),
    '',
  ].join('\n');
}

function rowsAsSql(db: DatabaseSyncInstance, table: string): readonly string[] {
  const columns = (db.prepare(`SELECT name FROM pragma_table_info('${table}')`).all() as { name: string }[]).map(
    ({ name }) => name,
  );
  const quoted = columns.map((name) => `quote("${name}")`).join(` || ',' || `);
  const rows = db.prepare(`SELECT ${quoted} AS row FROM "${table}"`).all() as { row: string }[];
  const names = columns.map((name) => `"${name}"`).join(', ');
  return rows.map(({ row }) => `INSERT INTO "${table}" (${names}) VALUES (${row});`);
}
