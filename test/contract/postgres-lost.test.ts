import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import { StoreWriteError } from '../../src/engine/store/open/store-problem.ts';
import { PostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { SCHEMA_VERSION } from '../../src/engine/store/postgres/postgres-schema.ts';
import { setZone } from '../../src/engine/store/postgres/session-setup.ts';
import {
  ConnectionLostError,
  PostgresError,
  SynchronousConnection,
  type PostgresResult,
} from '../../src/engine/store/postgres/synchronous-connection.ts';
import { openStoreThread } from '../../src/engine/store/thread/store-thread.ts';
import { listOf } from '../../src/shared/domain/base/result.ts';
import { startCuttingProxy, type CuttingProxy } from '../support/cutting-proxy.ts';
import {
  clusterSocket,
  hitServer,
  startCluster,
  startServerMeanwhile,
  stopCluster,
} from '../support/postgres-cluster.ts';
import { addressThrough, postgresAddress, throughPort } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openedOnPostgres } from './opened-store.ts';
import { change, INTENT, makeRow, newBatch, NOW, only, seededRandom } from './task-store-fixtures.ts';

/** A store behind a proxy that cuts, and another process that writes to it directly. */
async function rig(rows = 2, socket = clusterSocket()) {
  const proxy = await startCuttingProxy(socket);
  onTestFinished(() => proxy.close());
  const dir = temporaryFolder();
  const opened = await openStoreThread(dir, { server: addressThrough(postgresAddress(dir, socket), proxy.port) });
  if (!opened.ok) throw new Error(opened.error.message);
  onTestFinished(() => opened.value.close());
  const { store, sheets, views, leases } = opened.value;
  const made = Array.from({ length: rows }, (_, i) => makeRow(i + 2));
  const { id } = await store.createBatch(newBatch({ rows: made }));
  const direct = (): PostgresDatabase => {
    const db = new PostgresDatabase(postgresAddress(dir, socket), false);
    onTestFinished(() => db.close());
    return db;
  };
  return { proxy, store, sheets, views, leases, id, direct, close: () => opened.value.close() };
}

async function away<T>(proxy: CuttingProxy, when: 'before' | 'after', work: () => Promise<T>): Promise<void> {
  proxy.cut(when, true);
  await expect(work()).rejects.toMatchObject({ problem: { kind: 'away' } });
  proxy.heal();
}

/** What keeps a store from doing it. */
function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof StoreWriteError) return error.problem.kind;
    throw error;
  }
}

describe('a connection that is lost within an iteration', () => {
  test('leaves nothing out and gives nothing twice', async () => {
    const { proxy, store, sheets, views, id } = await rig(1500);
    const rowsOf = async (rows: AsyncIterable<{ readonly row: { readonly id: string } }>) => {
      const seen: string[] = [];
      for await (const { row } of rows) {
        if (seen.length === 0 || seen.length === 700) proxy.cut('query');
        seen.push(row.id);
      }
      return seen;
    };
    const expected = Array.from({ length: 1500 }, (_, i) => `r${i + 2}`);
    expect(await rowsOf(sheets.allRows(id))).toEqual(expected);
    expect(await rowsOf(views.exportRows(id))).toEqual(expected);
    const tasks: number[] = [];
    for await (const task of store.tasksByStatus(['queued'], id)) {
      if (tasks.length % 600 === 0) proxy.cut('query');
      tasks.push(task.id);
    }
    expect(tasks).toEqual(expected.map((_, i) => i + 1));
    expect(proxy.cuts).toBeGreaterThan(3);
  }, 60_000);

  test('a task that was changed meanwhile comes as it is at its turn', () => {
    const opened = openedOnPostgres(temporaryFolder());
    const { id } = opened.store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3), makeRow(4)] }));
    const found: number[] = [];
    for (const task of opened.store.tasksByStatus(['queued'], id)) {
      found.push(task.id);
      const [, second] = opened.store.tasks([1, 2]);
      if (task.id === 1) opened.store.commit([change(only(second), { status: 'submitting' }, { openAttempt: INTENT })]);
    }
    expect(found).toEqual([1, 3]);
    opened.close();
  });
});

describe('what was never committed', () => {
  test('is not believed: a limit that another process lowered meanwhile is its', async () => {
    const { proxy, store, id, direct } = await rig();
    const { settings } = only(await store.batch(id));
    await away(proxy, 'before', () => store.updateBatchSettings(id, { ...settings, maxSubmits: 100 }));
    proxy.tell();
    const db = direct();
    db.transaction(() =>
      db
        .prepare('UPDATE batches SET settings = ?, revision = revision + 1 WHERE id = ?')
        .run(JSON.stringify({ ...settings, maxSubmits: 1 }), id),
    );
    expect(only(await store.batch(id)).settings.maxSubmits).toBe(1);
  }, 60_000);

  test('is not there: neither is a batch of a failed import', async () => {
    const { proxy, store, leases } = await rig();
    await leases.fleet();
    const looking = async (): Promise<void> => {
      await vi.waitFor(() => expect(proxy.cuts).toBe(1));
      proxy.leave();
      // Who only reads hears the same.
      await expect(leases.fleet()).rejects.toMatchObject({ problem: { kind: 'away' } });
    };
    function* rows() {
      // Its keys are set aside by now: the COMMIT that is lost is the one that would make it visible.
      proxy.cut('before', true);
      yield makeRow(2);
    }
    const made = store.createBatch(newBatch({ createdAt: NOW + 9000, rows: rows() }));
    await Promise.all([expect(made).rejects.toMatchObject({ problem: { kind: 'away' } }), looking()]);
    proxy.heal();
    expect(await store.batches()).toHaveLength(1);
  }, 60_000);
});

describe('a COMMIT that was not answered', () => {
  test('is not taken for another one that got its number after the server’s machine stopped', async () => {
    const socket = mkdtempSync(join(tmpdir(), 'nocturne-postgres-'));
    // What is not committed does not get to the disk before the server is hit.
    startCluster(socket, ['wal_writer_delay=10s']);
    onTestFinished(() => stopCluster(socket));
    const { proxy, store, id, direct } = await rig(2, socket);
    const [task] = await listOf(store.tasksByStatus(['queued'], id));
    const intent = change(only(task), { status: 'submitting' }, { openAttempt: INTENT });
    await away(proxy, 'before', async () => {
      const committed = store.commit([intent]);
      await vi.waitFor(() => expect(proxy.cuts).toBe(1));
      hitServer(socket, 'crash');
      await startServerMeanwhile(socket);
      const other = direct();
      for (let n = 0; n < 5; n += 1) other.transaction(() => other.exec(`INSERT INTO meta VALUES ('other ${n}', '')`));
      return committed;
    });
    expect(await store.commit([intent])).toEqual(['committed']);
    expect(await store.task(intent.next.id)).toMatchObject({ status: 'submitting' });
  }, 60_000);

  test('is told apart from another one: an answer that was paid for is written', async () => {
    const { proxy, store, leases, id } = await rig();
    const [task] = await listOf(store.tasksByStatus(['queued'], id));
    const intent = change(only(task), { status: 'submitting' }, { openAttempt: INTENT });
    expect(await store.commit([intent])).toEqual(['committed']);
    const answer = change(intent.next, { status: 'rendering', taskCode: 'paid-code' });
    await away(proxy, 'before', () => store.commit([answer]));
    await away(proxy, 'after', () => leases.take('me', 'account', 30_000));
    expect(await store.commit([answer])).toEqual(['committed']);
    expect(await store.task(intent.next.id)).toMatchObject({ status: 'rendering', taskCode: 'paid-code' });
  }, 90_000);

  test('is known as the same when it is asked for again at a later time', async () => {
    const { proxy, store, id } = await rig();
    const [task] = await listOf(store.tasksByStatus(['queued'], id));
    const intent = change(only(task), { status: 'submitting' }, { openAttempt: INTENT });
    await away(proxy, 'after', () => store.commit([intent]));
    const later = { ...intent, at: intent.at + 5000, next: { ...intent.next, nextPollAt: NOW + 5000 } };
    expect(await store.commit([later])).toEqual(['committed']);
    expect(await store.attempts(intent.next.id)).toHaveLength(1);
    expect(await store.commit([later])).toEqual(['stale']);
  }, 60_000);

  test('is in doubt as well where an error says so, and is not done again', async () => {
    const { proxy, store, id } = await rig();
    const [task] = await listOf(store.tasksByStatus(['queued'], id));
    proxy.cut('told');
    const intent = change(only(task), { status: 'submitting' }, { openAttempt: INTENT });
    expect(await store.commit([intent])).toEqual(['committed']);
    expect(await store.attempts(intent.next.id)).toHaveLength(1);

    proxy.cut('told');
    await store.createBatch(newBatch({ createdAt: NOW + 9000 }));
    expect(await store.batches()).toHaveLength(2);
  }, 60_000);
});

describe('a COMMIT whose answer was lost stands, although', () => {
  /** Says how often it was done, where this is what the server says first once the answer is lost. */
  function doneBesides(says: (sql: string) => readonly PostgresResult[] | undefined): number {
    const dir = temporaryFolder();
    openedOnPostgres(dir).close();
    const db = new PostgresDatabase(postgresAddress(dir), false);
    onTestFinished(() => db.close());
    const real = Reflect.get(SynchronousConnection.prototype, 'run');
    let isLost = false;
    const run = vi.spyOn(SynchronousConnection.prototype, 'run');
    onTestFinished(() => run.mockRestore());
    run.mockImplementation(function (this: SynchronousConnection, sql, longestMs) {
      const said = isLost ? says(sql) : undefined;
      if (said !== undefined) return said;
      const results = real.call(this, sql, longestMs);
      if (sql !== 'COMMIT' || isLost) return results;
      isLost = true;
      throw new ConnectionLostError('The answer is lost.', '08006');
    });
    let done = 0;
    db.transaction(() => {
      done += 1;
      db.exec("INSERT INTO meta VALUES ('done', '')");
    });
    return done;
  }
  const one = (value: string | number | null): readonly PostgresResult[] => [
    { columns: [''], rows: [[value]], changed: 1 },
  ];

  test('a server that follows the one with it, and is behind, knows nothing of it', () => {
    let asked = 0;
    const isBehind = (): boolean => asked < 2;
    const done = doneBesides((sql) => {
      if (sql.includes('pg_is_in_recovery')) return one((asked += 1) === 1 ? 1 : 0);
      if (!isBehind()) return undefined;
      if (sql.includes('pg_xact_status')) throw new PostgresError('It is in the future.', '22023');
      return sql.includes("key = 'wrote") ? [{ columns: ['value'], rows: [], changed: 0 }] : undefined;
    });
    expect([done, asked]).toEqual([1, 2]);
  });

  test.each<[string, () => readonly PostgresResult[]]>([
    ['no longer known', () => one(null)],
    ["another one's", () => one('aborted')],
    [
      'not given yet',
      () => {
        throw new PostgresError('It is in the future.', '22023');
      },
    ],
  ])('its number is %s on a server that was restored or copied', (_what, says) => {
    expect(doneBesides((sql) => (sql.includes('pg_xact_status') ? says() : undefined))).toBe(1);
  });
});

test('an import whose COMMIT was not answered is looked up, for longer than anything else, and is there once', async () => {
  const { proxy, store } = await rig();
  function* rows() {
    // Its keys are set aside by now.
    proxy.cut('after', true);
    yield makeRow(2);
  }
  const made = store.createBatch(newBatch({ createdAt: NOW + 9000, rows: rows() }));
  // Longer than any other write waits for a server.
  setTimeout(() => proxy.heal(), 12_000);
  const { id } = await made;
  expect((await store.batches()).map((batch) => batch.id)).toContain(id);
  expect(await store.batches()).toHaveLength(2);
}, 60_000);

test('an import before whose first row the server goes away has written nothing, and may be done again', async () => {
  const { proxy, store } = await rig();
  await away(proxy, 'after', () => store.createBatch(newBatch({ createdAt: NOW + 9000 })));
  expect(await store.batches()).toHaveLength(1);
  const { id } = await store.createBatch(newBatch({ createdAt: NOW + 9000 }));
  expect(await store.tasksOfRow(id, 'r2')).toHaveLength(1);
}, 60_000);

test('a pooler of connections is refused in words', async () => {
  const proxy = await startCuttingProxy(clusterSocket());
  onTestFinished(() => proxy.close());
  const dir = temporaryFolder();
  openedOnPostgres(dir).close();
  proxy.pool();
  const opened = await openStoreThread(dir, { server: throughPort(dir, proxy.port) });
  expect(opened).toMatchObject({ ok: false, error: { kind: 'unsafe' } });
  expect(opened.ok ? '' : opened.error.message).toContain('pooler');
});

describe('a process that stands still', () => {
  test('within a transaction holds the others up for less than their leases allow', () => {
    const db = new PostgresDatabase(postgresAddress(temporaryFolder()), false);
    onTestFinished(() => db.close());
    const [idleMs = 0] = db.prepareColumn<number>(
      "SELECT CAST(setting AS BIGINT) FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'",
    )();
    // A lease is renewed every 7 seconds, and holds for 25.
    expect(idleMs).toBeGreaterThan(0);
    expect(7_000 + idleMs).toBeLessThan(25_000);
  });

  test('is not waited for longer than was said, and another connection goes on', () => {
    const connection = new SynchronousConnection(postgresAddress(temporaryFolder()), 'test');
    onTestFinished(() => connection.close());
    connection.connect('SELECT 1');
    expect(() => connection.run('SELECT pg_sleep(3)', 100)).toThrow(ConnectionLostError);
    connection.connect('SELECT 1');
    expect(connection.run('SELECT 2')[0]?.rows).toEqual([[2]]);
  });
});

describe('defaults of a database', () => {
  function withDefault(setting: string, value: string): void {
    const db = new PostgresDatabase(postgresAddress('defaults'), false);
    db.exec(`ALTER ROLE postgres SET ${setting} TO '${value}'`);
    onTestFinished(() => {
      db.exec(`ALTER ROLE postgres RESET ${setting}`);
      db.close();
    });
  }

  test('change no body: bytes come as they were written', () => {
    withDefault('bytea_output', 'escape');
    const opened = openedOnPostgres(temporaryFolder());
    opened.store.createBatch(newBatch({ rows: [makeRow(2)] }));
    const body = new TextDecoder().decode(opened.store.requestBody(1));
    expect(JSON.parse(body)).toEqual(makeRow(2).body);
    expect(body.length).toBeGreaterThan(2);
    opened.close();
  });

  test('do not make a write see an older state than the one it has waited for', () => {
    withDefault('default_transaction_isolation', 'serializable');
    const db = new PostgresDatabase(postgresAddress(temporaryFolder()), false);
    onTestFinished(() => db.close());
    const isolation = db.alone('schema', () => db.prepareColumn<string>('SHOW transaction_isolation')()[0]);
    expect(isolation).toBe('read committed');
  });
});

describe('a store whose schema another process has changed', () => {
  test('is read again after a column came, and neither read nor written once it is of another version', () => {
    const dir = temporaryFolder();
    const opened = openedOnPostgres(dir);
    const reader = openStore(dir, { random: seededRandom(), server: postgresAddress(dir), owner: false });
    if (!reader.ok) throw new Error(reader.error.message);
    onTestFinished(() => {
      reader.value.close();
      opened.close();
    });
    const { id } = opened.store.createBatch(newBatch({ rows: [makeRow(2)] }));
    expect(reader.value.store.tasks([1])).toHaveLength(1);
    const db = new PostgresDatabase(postgresAddress(dir), false);
    onTestFinished(() => db.close());
    db.exec('ALTER TABLE tasks ADD COLUMN more TEXT');
    expect(reader.value.store.tasks([1])).toHaveLength(1);
    expect(opened.store.tasks([1])).toHaveLength(1);
    db.exec(`UPDATE meta SET value = '${SCHEMA_VERSION + 1}' WHERE key = 'schema version'`);
    expect(problemOf(() => reader.value.store.tasks([1]))).toBe('newer');
    expect(problemOf(() => opened.store.setBatchState(id, 'running', undefined, NOW))).toBe('newer');
    db.exec(`UPDATE meta SET value = '${SCHEMA_VERSION}' WHERE key = 'schema version'`);
    expect(opened.store.setBatchState(id, 'running', undefined, NOW)).toBeDefined();
  });
});

describe('the zone of this computer', () => {
  function connected(): SynchronousConnection {
    const connection = new SynchronousConnection(postgresAddress('zone'), 'test');
    onTestFinished(() => connection.close());
    connection.connect('SELECT 1');
    return connection;
  }
  const eastSeconds = (connection: SynchronousConnection, at: string): unknown =>
    connection.run(`SELECT CAST(extract(timezone FROM TIMESTAMPTZ '${at}') AS INTEGER)`)[0]?.rows[0]?.[0];

  test.each(['Nowhere/Town', undefined])('%s, which the server does not know: by the difference of now', (timeZone) => {
    const here = new Intl.DateTimeFormat().resolvedOptions();
    const said = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions');
    onTestFinished(() => said.mockRestore());
    said.mockReturnValueOnce({ ...here, timeZone: timeZone as string });
    const connection = connected();
    vi.stubEnv('TZ', 'Asia/Kathmandu');
    onTestFinished(() => void vi.unstubAllEnvs());
    setZone((sql) => connection.run(sql));
    expect(eastSeconds(connection, '2026-01-01Z')).toBe(20_700);
  });

  test('which the server knows by another name alone: by that', () => {
    vi.stubEnv('TZ', 'Europe/Kyiv');
    onTestFinished(() => void vi.unstubAllEnvs());
    const name = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const connection = connected();
    setZone((sql) => {
      if (sql.includes(`'${name}'`)) throw new PostgresError('no such zone', '22023');
      const isList = sql.includes('pg_timezone_names');
      return connection.run(isList ? sql.replace('WHERE', `WHERE name <> '${name}' AND`) : sql);
    });
    // Also in a season that is not this one.
    expect(eastSeconds(connection, '2026-07-01Z')).toBe(10_800);
    expect(eastSeconds(connection, '2026-01-01Z')).toBe(7200);
  });
});

test('a store whose server says nothing any more is closed all the same, soon', async () => {
  const { proxy, close } = await rig();
  proxy.silence();
  await expect(close()).resolves.toBeUndefined();
}, 30_000);
