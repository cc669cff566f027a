import { mkdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TaskChange } from '../../src/engine/ports/task-change.ts';
import { migrate } from '../../src/engine/store/open/open-database.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import { SqliteDatabase } from '../../src/engine/store/open/sqlite-database.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import { storedText, textOfStored, toPostgres } from '../../src/engine/store/postgres/dialect.ts';
import { PostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { SCHEMA_VERSION } from '../../src/engine/store/postgres/postgres-schema.ts';
import { storeAddress, type StoreAddress } from '../../src/engine/store/postgres/store-address.ts';
import { openStoreThread } from '../../src/engine/store/thread/store-thread.ts';
import { listOf } from '../../src/shared/domain/base/result.ts';
import { CHARACTER } from '../support/any-text.ts';
import { startCuttingProxy, type CuttingProxy } from '../support/cutting-proxy.ts';
import { clusterSocket, letIn, startCluster, stopCluster } from '../support/postgres-cluster.ts';
import { postgresAddress, throughPort } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openedOnPostgres } from './opened-store.ts';
import { change, INTENT, makeRow, newBatch, NOW, only, seededRandom } from './task-store-fixtures.ts';

function databaseAt(address: StoreAddress): PostgresDatabase {
  const db = new PostgresDatabase(address, false);
  onTestFinished(() => db.close());
  return db;
}

test('a server that asks for a password says so where none is given', async () => {
  const dir = temporaryFolder();
  await letIn(clusterSocket(), 'asked', 'a password');
  const { connection, schema } = postgresAddress(dir);
  const asked = storeAddress(`${connection.replace('//postgres@', '//asked@')}&schema=${schema}`, {});
  if (!asked.ok) expect.unreachable(asked.error.message);
  const opened = openStore(dir, { random: seededRandom(), server: asked.value });
  expect(opened).toMatchObject({
    ok: false,
    error: { kind: 'denied', message: expect.stringContaining('asks for a password, and none is given') as string },
  });
});

test('the schemas have the same tables and columns, which hold and require the same', () => {
  const dir = temporaryFolder();
  const address = postgresAddress(dir);
  openedOnPostgres(dir).close();
  const sqlite = new SqliteDatabase(':memory:');
  migrate(sqlite);
  const types: Readonly<Record<string, string>> = {
    INTEGER: 'bigint',
    REAL: 'double precision',
    TEXT: 'text',
    BLOB: 'bytea',
  };
  const expected = sqlite
    .prepare<{ readonly name: string; readonly column: string; readonly type: string; readonly required: number }>(
      `SELECT tables.name AS name, columns.name AS column, columns.type AS type, columns."notnull" OR columns.pk > 0 AS required
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' ORDER BY 1, 2`,
    )
    .all()
    .map(({ type, ...rest }) => ({ ...rest, type: types[type] }));
  const found = databaseAt(address)
    .prepare<object>(
      `SELECT table_name AS name, column_name AS column, CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END AS required,
         data_type AS type FROM information_schema.columns WHERE table_schema = ? ORDER BY 1, 2`,
    )
    .all(address.schema);
  expect(found).toEqual(expected.map(({ name, column, required, type }) => ({ name, column, required, type })));
});

const text = fc.string({ unit: fc.oneof(fc.constantFrom('\0', '\uFDD0', '0'), CHARACTER) });

test('every text comes back as it was, and is told apart from every other', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(storedText(one)).not.toContain('\0');
      expect(textOfStored(storedText(one))).toBe(one);
      expect(storedText(one) === storedText(other)).toBe(one === other);
    }),
  );
  expect(textOfStored(storedText('a\0\uFDD00\uFDD0\0'))).toBe('a\0\uFDD00\uFDD0\0');
});

test('what PostgreSQL takes for no text is kept: NUL and half characters in cells, ids, codes and answers', () => {
  const dir = temporaryFolder();
  const opened = openedOnPostgres(dir);
  const odd = { id: 'r\0x', cells: { prompt: 'a\0b \\u0000 \uD83C end', 'na\0me': 'x' }, note: 'n\0' } as const;
  const { id } = opened.store.createBatch(newBatch({ rows: [makeRow(2, odd), makeRow(3)] }));
  expect(opened.store.row(id, 'r\0x')).toMatchObject(odd);
  const [row] = opened.views.rowPage(id, { offset: 0, limit: 10, withCells: true }).rows;
  expect(row).toMatchObject({ row: 'r\0x' });
  const [task] = opened.store.tasksOfRow(id, 'r\0x');
  const failure = { code: 'MODERATED', message: 'no\0 \uD83C', detail: '\\u0000' } as const;
  const code = { taskCode: 'c\0' };
  expect(opened.store.commit([change(only(task), { status: 'submitting' }, { openAttempt: INTENT })])).toEqual([
    'committed',
  ]);
  const sent = only(opened.store.tasksOfRow(id, 'r\0x')[0]);
  expect(opened.store.commit([change(sent, { ...code, status: 'failed', failure })])).toEqual(['committed']);
  expect(opened.store.taskByCode(id, 'c\0')).toMatchObject({ taskCode: 'c\0', failure });
  expect(opened.store.heldKinds(id, { since: 0, released: [] }, NOW)).toBeDefined();
  expect(opened.ledger.takes([id]).some(({ code: found }) => found === 'MODERATED')).toBe(true);
  opened.close();
});

describe('a process that writes beside another', () => {
  function twoOf(dir: string): readonly [OpenStore, PostgresDatabase] {
    return [openedOnPostgres(dir), databaseAt(postgresAddress(dir))];
  }

  test('is followed before the next answer and before the next write', () => {
    const dir = temporaryFolder();
    const [opened, other] = twoOf(dir);
    const { id } = opened.store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
    const [first, second] = opened.store.tasks([1, 2]);
    expect(opened.store.counts(id).musicgen.queued).toBe(2);
    expect(opened.store.commit([change(only(first), { priority: 7 })])).toEqual(['committed']);
    other.transaction(() => {
      other.prepare("UPDATE tasks SET status = 'cancelled', revision = revision + 1 WHERE id = ?").run(1);
      // What is kept of counts is kept by whoever changes them.
      other.prepare('DELETE FROM batch_counts').run();
      other.prepare("UPDATE batches SET state = 'paused', revision = revision + 1 WHERE id = ?").run(id);
    });
    expect(opened.store.batch(id)?.state).toBe('paused');
    expect(opened.store.counts(id).musicgen).toMatchObject({ queued: 1, cancelled: 1 });
    // From what this process remembered of the task, this would be the next revision.
    const again = { ...only(first), revision: only(first).revision + 1 };
    expect(opened.store.commit([change(again, { priority: 8 }), change(only(second), {})])).toEqual([
      'stale',
      'committed',
    ]);
    opened.close();
  });

  test('never gives a key that the other has given', () => {
    const dir = temporaryFolder();
    const [opened, other] = twoOf(dir);
    opened.store.createBatch(newBatch({ rows: [makeRow(2)] }));
    other.transaction(() => {
      other.exec(`INSERT INTO rows (seq, batch, line, row_id, operation, takes, skip, status, label, search)
        VALUES (2, 1, 9, 'r9', 'lyrics', 1, 0, 'invalid', '', '')`);
    });
    const { id } = opened.store.createBatch(newBatch({ rows: [makeRow(4)], createdAt: NOW + 9000 }));
    expect(opened.views.rowPage(id, { offset: 0, limit: 10 }).rows.map(({ key }) => key)).toEqual([3]);
    opened.close();
  });
});

describe('a connection that is cut', () => {
  async function opened(dir: string, proxy: CuttingProxy) {
    const store = await openStoreThread(dir, { server: throughPort(dir, proxy.port) });
    if (!store.ok) throw new Error(store.error.message);
    onTestFinished(() => store.value.close());
    return store.value.store;
  }

  async function rig() {
    const proxy = await startCuttingProxy(clusterSocket());
    onTestFinished(() => proxy.close());
    const store = await opened(temporaryFolder(), proxy);
    const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
    const [one, two] = await listOf(store.tasksByStatus(['queued'], id));
    const intent = (task: typeof one): TaskChange =>
      change(only(task), { status: 'submitting' }, { openAttempt: INTENT });
    return { proxy, store, first: intent(one), second: intent(two) };
  }

  test.each(['before', 'after'] as const)('%s its COMMIT was heard: written once, and told as it is', async (when) => {
    const { proxy, store, first } = await rig();
    proxy.cut(when);
    expect(await store.commit([first])).toEqual(['committed']);
    expect(proxy.cuts).toBe(1);
    expect(await store.attempts(first.next.id)).toHaveLength(1);
    expect(await store.events(first.next.id)).toHaveLength(1);
    expect((await store.task(first.next.id))?.revision).toBe(first.next.revision);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)(
    '%s its COMMIT was heard, by a server that stays away: an error of the store, and what was done is not done again',
    async (when, written) => {
      const { proxy, store, first, second } = await rig();
      proxy.cut(when, true);
      await expect(store.commit([first])).rejects.toMatchObject({ problem: { kind: 'away' } });
      proxy.heal();
      expect(await store.attempts(first.next.id)).toHaveLength(written);
      expect(await store.commit([second, first])).toEqual(['committed', 'committed']);
      expect(await store.attempts(first.next.id)).toHaveLength(1);
      expect(await store.events(first.next.id)).toHaveLength(1);
      // Remembered no longer than until it was asked for again.
      expect(await store.commit([first])).toEqual(['stale']);
    },
    60_000,
  );
});

describe('opening', () => {
  test('is refused where a power cut could lose what was paid for', () => {
    const folder = `${clusterSocket()}-unsafe`;
    mkdirSync(folder, { mode: 0o755 });
    onTestFinished(() => stopCluster(folder));
    startCluster(folder, ['fsync=off']);
    const refused = openStore(temporaryFolder(), {
      random: seededRandom(),
      server: postgresAddress('unsafe', folder),
    });
    expect(refused).toMatchObject({ ok: false, error: { kind: 'unsafe' } });
    expect(refused.ok ? '' : refused.error.message).toContain('fsync is off');
  });

  test('is refused for a schema of a newer version, or of another program; one without a store is not there', () => {
    const dir = temporaryFolder();
    const server = postgresAddress(dir);
    const open = (owner: boolean) => openStore(dir, { random: seededRandom(), server, owner });
    expect(open(false)).toMatchObject({ ok: false, error: { kind: 'missing' } });
    const db = databaseAt(server);
    db.exec(`CREATE SCHEMA "${server.schema}"; CREATE TABLE "${server.schema}".jobs (id INTEGER)`);
    expect(open(true)).toMatchObject({ ok: false, error: { kind: 'damaged' } });
    db.exec(`DROP TABLE "${server.schema}".jobs`);
    const made = open(true);
    if (!made.ok) throw new Error(made.error.message);
    made.value.close();
    db.exec(`UPDATE meta SET value = '${SCHEMA_VERSION + 1}' WHERE key = 'schema version'`);
    expect(open(true)).toMatchObject({ ok: false, error: { kind: 'newer' } });
    expect(open(false)).toMatchObject({ ok: false, error: { kind: 'newer' } });
    db.exec(`UPDATE meta SET value = '${SCHEMA_VERSION - 1}' WHERE key = 'schema version'`);
    expect(open(false)).toMatchObject({ ok: false, error: { kind: 'older' } });
  });

  test('is denied to who may not, and away where nobody answers', () => {
    const of = (url: string) => {
      const address = storeAddress(url);
      if (!address.ok) throw new Error(address.error.message);
      return openStore(temporaryFolder(), { random: seededRandom(), owner: false, server: address.value });
    };
    const socket = encodeURIComponent(clusterSocket());
    expect(of(`postgres://postgres@localhost/nothing-here?host=${socket}`)).toMatchObject({
      ok: false,
      error: { kind: 'denied' },
    });
    // A server without encryption gets no password.
    expect(of(`postgres://postgres@localhost/postgres?host=${socket}&sslmode=require`)).toMatchObject({
      ok: false,
      error: { kind: 'denied' },
    });
    const away = of('postgres://somebody:hunter2@127.0.0.1:9/none');
    expect(away).toMatchObject({ ok: false, error: { kind: 'away' } });
    expect(JSON.stringify(away)).not.toContain('hunter2');
  }, 60_000);
});

test('placeholders are counted as SQLite counts them, and hints that only SQLite takes are gone', () => {
  expect(
    toPostgres(
      'SELECT ?, ?3, ? FROM tasks INDEXED BY a WHERE +removed = ?1 AND b NOT IN (SELECT atom FROM json_each(?2))',
    ),
  ).toBe('SELECT $1, $3, $4 FROM tasks  WHERE removed = $1 AND b <> ALL (texts_in($2))');
});
