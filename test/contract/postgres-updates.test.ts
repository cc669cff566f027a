import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { copyTable, MOVED_TABLES } from '../../src/engine/store/move/move-tables.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { Database, SqlValue } from '../../src/engine/store/open/database.ts';
import { SqliteDatabase } from '../../src/engine/store/open/sqlite-database.ts';
import { restartKeys } from '../../src/engine/store/postgres/open-postgres.ts';
import { PostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { FIRST_VERSION, SCHEMA_VERSION, STEPS } from '../../src/engine/store/postgres/postgres-schema.ts';
import { postgresAddress } from '../support/postgres.ts';
import { fixtureSchemas, makeStoreOfSchema } from '../support/store-fixture.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openedOnPostgres, openedStore } from './opened-store.ts';
import { makeRow, newBatch, NOW, seededRandom } from './task-store-fixtures.ts';

vi.setConfig({ testTimeout: 120_000 });

const EARLIER = fixtureSchemas().filter((schema) => schema >= FIRST_VERSION && schema < SCHEMA_VERSION);

function databaseAt(dir: string): PostgresDatabase {
  const db = new PostgresDatabase(postgresAddress(dir), false);
  onTestFinished(() => db.close());
  return db;
}

/** Requests of every kind that was or may have been charged, and of those that were not. */
function addCharges(db: Database): void {
  const random = seededRandom();
  const of = <T>(...values: readonly T[]): T => values[Math.floor(random.next() * values.length)] as T;
  const tasks = db.prepareColumn<number>('SELECT id FROM tasks ORDER BY id')();
  const batchOf = db.prepareColumn<number>('SELECT batch FROM tasks WHERE id = ?');
  const insert = db.prepareInserts(
    'attempts',
    `task, batch, started_at, origin, key_fingerprint, body_sha256, answered_at, outcome, body, night, price, currency, cost,
    cost_currency, charges, account`,
  );
  insert(
    Array.from({ length: 300 }, () => {
      const task = of(...tasks);
      const at = NOW + of(-1, 0, 899_999, 900_000, 86_400_000) + Math.floor(random.next() * 3) / 4;
      return [
        task,
        batchOf(task)[0] ?? null,
        at,
        'https://gateway.example',
        'f1',
        'ab',
        at + 5,
        of('accepted', 'unknown', 'rejected', 'asked-again', 'not-sent', 'rate-limited', 'held'),
        new Uint8Array([0, 1, 255]),
        of(null, 1),
        ...of<readonly SqlValue[]>([null, null], [0.1, 'USD'], [0.000_000_1, 'USD'], [2.05, 'EUR'], [1e6, 'USD']),
        ...of<readonly SqlValue[]>([null, null], [0.3, 'USD'], [0.000_001, 'EUR'], [3, 'USD']),
        of(null, 1, 2),
        of(null, 'main', 'spare'),
      ];
    }),
  );
}

/** A store of an earlier schema in a folder, and the same on a server by the steps up to that one. */
function storesOfSchema(schema: number): string {
  const dir = temporaryFolder();
  makeStoreOfSchema(schema, join(dir, 'store'));
  const sqlite = new SqliteDatabase(join(dir, 'store', 'nocturne.db'));
  addCharges(sqlite);
  const db = databaseAt(dir);
  const { schema: name } = postgresAddress(dir);
  db.exec(`CREATE SCHEMA "${name}"; ${STEPS.slice(0, schema - FIRST_VERSION + 1).join(';')}`);
  db.exec(`INSERT INTO meta (key, value) VALUES ('schema version', '${schema}'), ('writes', '0')`);
  const keys = Object.entries(MOVED_TABLES).filter(([table, [key = '']]) => db.hasColumn(table, key));
  for (const [table] of keys) copyTable(sqlite, db, table);
  restartKeys(db, Object.keys(MOVED_TABLES));
  sqlite.close();
  return dir;
}

type Rows = ReadonlyMap<string, readonly Readonly<Record<string, SqlValue>>[]>;

/** What is counted with each opening, and workers that are only as old as the last version. */
const NOT_KEPT: ReadonlySet<string> = new Set(['meta', 'workers']);

function rowsOf(db: Database): Rows {
  const tables = Object.entries(MOVED_TABLES).filter(
    ([table, [key = '']]) => !NOT_KEPT.has(table) && db.hasColumn(table, key),
  );
  return new Map(
    tables.map(([table, keys]) => [
      table,
      db.prepare<Record<string, SqlValue>>(`SELECT * FROM ${table} ORDER BY ${keys.join(', ')}`).all(),
    ]),
  );
}

test('there is a store of every earlier schema that a server had', () => {
  expect(EARLIER).toEqual(Array.from({ length: SCHEMA_VERSION - FIRST_VERSION }, (_, i) => FIRST_VERSION + i));
});

describe.each(EARLIER)('a store of schema %i on a server', (schema) => {
  test('becomes one of this version with nothing lost, and sums of charges as in a folder', () => {
    const dir = storesOfSchema(schema);
    const before = rowsOf(databaseAt(dir));
    expect(before.get('attempts')?.length).toBeGreaterThan(300);
    const [ours, theirs] = [openedOnPostgres(dir), openedStore(join(dir, 'store'))];
    const after = rowsOf(databaseAt(dir));
    for (const [table, rows] of before) expect({ table, rows: after.get(table) }).toMatchObject({ table, rows });
    expect(ours.checkIntegrity()).toEqual([]);
    const ids = theirs.store.batches().map(({ id }) => id);
    expect(ours.store.batches()).toEqual(theirs.store.batches());
    expect(ours.store.spending(NOW, ids)).toEqual(theirs.store.spending(NOW, ids));
    for (const id of ids) {
      expect(ours.views.batchSummary(id)).toEqual(theirs.views.batchSummary(id));
      expect([...ours.views.exportRows(id)]).toEqual([...theirs.views.exportRows(id)]);
    }
    theirs.close();
    const folder = new SqliteDatabase(join(dir, 'store', 'nocturne.db'));
    const kept = rowsOf(folder).get('kept_charges');
    expect(kept?.length).toBeGreaterThan(20);
    expect(after.get('kept_charges')).toEqual(kept);
    folder.close();
    // It is written to as any other.
    const { id } = ours.store.createBatch(newBatch({ rows: [makeRow(2)] }));
    expect(ours.store.counts(id).musicgen.queued).toBe(1);
    ours.close();
  });
});

describe('a newer version', () => {
  const open = (dir: string) =>
    openStore(dir, { random: seededRandom(), server: postgresAddress(dir), isShared: true });

  test('waits for a worker of the version before, and changes nothing while it lives', () => {
    const schema = SCHEMA_VERSION - 1;
    const dir = storesOfSchema(schema);
    const worker = databaseAt(dir);
    worker.keepTo(schema);
    expect(worker.tryLock('owner', true)).toBe(true);
    expect(open(dir)).toMatchObject({ ok: false, error: { kind: 'owned' } });
    const before = worker.written;
    worker.transaction(() => worker.exec('INSERT INTO nights (began_at) VALUES (1)'));
    expect(worker.written).toBe(before + 1);
    worker.close();
    const opened = open(dir);
    if (!opened.ok) throw new Error(opened.error.message);
    expect(opened.value.store.nights().length).toBeGreaterThan(0);
    opened.value.close();
  });

  test('is noticed by one of the version before whose connection was cut meanwhile: it writes nothing more, and says why', () => {
    const schema = SCHEMA_VERSION - 1;
    const dir = storesOfSchema(schema);
    const worker = databaseAt(dir);
    worker.keepTo(schema);
    worker.transaction(() => undefined);
    const opened = open(dir);
    if (!opened.ok) throw new Error(opened.error.message);
    const write = (): void => worker.transaction(() => worker.exec('DELETE FROM attempts'));
    expect(write).toThrow(`has become another version (${SCHEMA_VERSION})`);
    expect(() => worker.snapshot(() => 1)).toThrow('another version');
    expect(opened.value.store.attempts(1).length).toBeGreaterThan(0);
    opened.value.close();
  });
});
