import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { migrate, openForOwner } from '../../src/engine/store/open/open-database.ts';
import { SqliteDatabase } from '../../src/engine/store/open/sqlite-database.ts';
import { MIGRATIONS } from '../../src/engine/store/open/migrations.ts';
import { backupStore, openStore } from '../../src/engine/store/open/open-store.ts';
import { updateBackupOf } from '../../src/engine/store/open/update-backup.ts';
import { lookAtStore } from '../../src/engine/store-view.ts';
import { fixtureSchemas, makeStoreOfSchema } from '../support/store-fixture.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openedStore } from './opened-store.ts';
import { NOW, only, seededRandom } from './task-store-fixtures.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = join(temporaryFolder(), 'store');
  path = join(dir, 'nocturne.db');
});

type Row = Readonly<Record<string, unknown>>;
/** Every table with its rows, in the order in which they were written. */
type Rows = ReadonlyMap<string, readonly Row[]>;

function reading<T>(file: string, read: (db: DatabaseSyncInstance) => T): T {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

function rowsOf(file: string): Rows {
  return reading(file, (db) => {
    const tables = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    return new Map(
      (tables.all() as { name: string }[]).map(({ name }) => [
        name,
        db.prepare(`SELECT * FROM "${name}" ORDER BY 1, 2`).all() as Row[],
      ]),
    );
  });
}

const SCHEMA = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';

function schemaOf(file: string): readonly unknown[] {
  return reading(file, (db) => db.prepare(SCHEMA).all() as Row[]);
}

/** What a step has put in place of a column that it removed. */
const REPLACED: Readonly<Record<string, (row: Row, now: Rows) => boolean>> = {
  'problems.row_id': ({ row_id }, now) =>
    row_id === null || only(now.get('rows')).some((row) => row['row_id'] === row_id && row['removed'] === 0),
  'tasks.line': ({ id, row }, now) =>
    only(only(now.get('tasks')).find((task) => task['id'] === id))['position'] === Number(row) * 1_048_576,
};

/** Where a row of an earlier schema is not the same any more, column by column. */
function lost(before: Rows, after: Rows): readonly string[] {
  return [...before].flatMap(([table, rows]) => {
    // An opening is counted, and this is one.
    if (table === 'meta') return [];
    const now = after.get(table);
    if (now?.length !== rows.length) return [`${table}: ${rows.length} rows were, ${now?.length} are`];
    return rows.flatMap((row, i) =>
      Object.entries(row).flatMap(([column, value]) => {
        const isKept =
          REPLACED[`${table}.${column}`]?.(row, after) ?? Object.is(normal(now[i]?.[column]), normal(value));
        return isKept ? [] : [`${table} ${i}.${column}`];
      }),
    );
  });
}

function normal(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}

test('there is a store of every earlier schema to try a step on', () => {
  // Missing? On the version before your step: npm run store:fixture.
  const earlier = Array.from({ length: MIGRATIONS.length - 1 }, (_, i) => i + 1);
  expect(fixtureSchemas()).toEqual(expect.arrayContaining(earlier));
});

describe.each(fixtureSchemas())('a store of schema %i', (schema) => {
  test('has the schema that the steps up to it give: no released step was edited', () => {
    makeStoreOfSchema(schema, dir);
    const made = new SqliteDatabase(':memory:');
    migrate(made, schema);
    expect(schemaOf(path)).toEqual(made.prepare(SCHEMA).all());
    made.close();
  });

  test('becomes a store of this version with nothing lost, beside a copy as it was', async () => {
    makeStoreOfSchema(schema, dir);
    const before = rowsOf(path);
    const schemaBefore = schemaOf(path);
    const opened = openedStore(dir);
    expect(opened.checkIntegrity()).toEqual([]);
    const { store, views } = opened;
    const batches = store.batches();
    expect(batches.map(({ name, state }) => [name, state])).toEqual([
      ['night', 'finished'],
      ['cut', 'running'],
    ]);
    const [night, cut] = batches.map(({ id }) => views.batchSummary(id));
    expect(night).toMatchObject({ rows: { done: 3, invalid: 1, skipped: 1 }, submitsUsed: 4 });
    // A paid request that were forgotten might be paid for twice.
    const attempts = only(before.get('attempts'));
    expect(only(night).submitsUsed + only(cut).submitsUsed).toBe(attempts.length);
    for (const { id } of batches) {
      const { rows } = views.rowPage(id, { offset: 0, limit: 9, withCells: true });
      expect(rows.every(({ sheet }) => sheet?.cells.some((cell) => cell !== ''))).toBe(true);
      expect([...views.exportRows(id)]).toHaveLength(rows.length);
    }
    expect(store.attempts(1)[0]?.raw?.body.length).toBeGreaterThan(0);
    opened.close();

    expect(lost(before, rowsOf(path))).toEqual([]);
    reading(path, (db) => expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([]));
    const copy = updateBackupOf(path, schema);
    expect(existsSync(copy)).toBe(schema < MIGRATIONS.length);
    if (schema === MIGRATIONS.length) return;
    expect(rowsOf(copy)).toEqual(before);
    expect(schemaOf(copy)).toEqual(schemaBefore);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  });
});

describe('the copy before an update', () => {
  const schema = MIGRATIONS.length - 1;
  const noted = (): { file: string; now: number } => ({ file: join(dir, '..', 'note.json'), now: NOW });

  test('is the way back: put in place, it is known for an older copy, and nothing in it goes on', () => {
    makeStoreOfSchema(schema, dir);
    openedNoted().close();
    // What the version before does once its copy is in place: it finds a store of its own schema.
    copyFileSync(updateBackupOf(path, schema), path);
    reading(path, (db) => expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: schema }));
    const back = openedNoted();
    expect(back.isOlderCopy).toBe(true);
    expect(back.store.batches().map(({ state }) => state)).toEqual(['finished', 'paused']);
    back.close();
  });

  function openedNoted() {
    const opened = openStore(dir, { random: seededRandom(), noted: noted() });
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  }

  test('is made once, of a store that holds something, and the newest two are kept', () => {
    const old = [1, 2, 3].map((n) => updateBackupOf(path, n));
    makeStoreOfSchema(schema, dir);
    old.forEach((file, i) => {
      copyFileSync(path, file);
      utimesSync(file, 10 - i, 10 - i);
    });
    openedStore(dir).close();
    openedStore(dir).close();
    const copies = readdirSync(dir).filter((name) => name.startsWith('nocturne-schema'));
    expect(copies.toSorted()).toEqual(['nocturne-schema-1.db', `nocturne-schema-${schema}.db`].toSorted());
    const at = statSync(updateBackupOf(path, schema)).mtimeMs;
    openedStore(dir).close();
    expect(statSync(updateBackupOf(path, schema)).mtimeMs).toBe(at);

    const empty = join(temporaryFolder(), 'empty');
    mkdirSync(empty);
    const db = new SqliteDatabase(join(empty, 'nocturne.db'));
    migrate(db, schema);
    db.close();
    openedStore(empty).close();
    expect(readdirSync(empty).toSorted()).toEqual(['nocturne.db', 'owner.lock']);
  });

  test('comes first: where it cannot be made, the store stays as it was, and says why', () => {
    makeStoreOfSchema(schema, dir);
    const before = rowsOf(path);
    const copy = updateBackupOf(path, schema);
    mkdirSync(copy);
    const refused = openStore(dir, { random: seededRandom() });
    expect(refused).toMatchObject({
      ok: false,
      error: { kind: 'denied', message: expect.stringContaining(copy) as string },
    });
    expect(rowsOf(path)).toEqual(before);
    expect(readdirSync(dir).filter((name) => name.endsWith('.new'))).toEqual([]);
    rmSync(copy, { recursive: true });
    openedStore(dir).close();
  });

  test('is made anew where an update was cut off between two steps', () => {
    makeStoreOfSchema(schema - 1, dir);
    const before = rowsOf(path);
    const db = new SqliteDatabase(path);
    migrate(db, schema);
    db.close();
    openedStore(dir).close();
    expect(lost(before, rowsOf(path))).toEqual([]);
    expect(existsSync(updateBackupOf(path, schema))).toBe(true);
  });
});

describe('a store of a newer version', () => {
  beforeEach(() => {
    makeStoreOfSchema(MIGRATIONS.length - 1, dir);
    openedStore(dir).close();
    const db = new DatabaseSync(path);
    // As a later version would: another column, and a table that is unknown here.
    db.exec('ALTER TABLE batches ADD COLUMN later TEXT; CREATE TABLE later (x); PRAGMA journal_mode = DELETE');
    db.exec('PRAGMA user_version = 999');
    db.close();
  });

  test('is read and copied, never written, and its way back is named', async () => {
    const before = schemaOf(path);
    const refused = openStore(dir, { random: seededRandom() });
    const remedy = expect.stringContaining('choose another data folder') as string;
    expect(refused).toMatchObject({ ok: false, error: { kind: 'newer', remedy } });
    const looked = lookAtStore(dir);
    if (!looked.ok) throw new Error(looked.error.message);
    expect(looked.value.newer?.message).toContain('newer version');
    expect((await looked.value.store.batches()).map(({ name }) => name)).toEqual(['night', 'cut']);
    looked.value.close();
    const copy = join(temporaryFolder(), 'copy.db');
    expect(await backupStore(dir, copy)).toMatchObject({ ok: true });
    expect(schemaOf(copy)).toEqual(expect.arrayContaining([...before]));
    expect(schemaOf(path)).toEqual(before);
  });

  test('that was this version’s before names the copy to go back to', () => {
    const copy = updateBackupOf(path, MIGRATIONS.length);
    copyFileSync(path, copy);
    const refused = openForOwner(path);
    expect(refused).toMatchObject({ ok: false, error: { remedy: expect.stringContaining(copy) as string } });
  });
});
