import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { MOVE_CRASH_POINTS } from '../../src/engine/crash-point.ts';
import { MOVED_TABLES } from '../../src/engine/store/move/move-tables.ts';
import { moveStore, type StorePlace } from '../../src/engine/store/move/move-store.ts';
import { migrate } from '../../src/engine/store/open/open-database.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import { SqliteDatabase } from '../../src/engine/store/open/sqlite-database.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import { PostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import { postgresAddress } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { change, INTENT, makeRow, newBatch, NOW, only, seededRandom } from './task-store-fixtures.ts';

const CHILD = fileURLToPath(new URL('store-move-killed-child.ts', import.meta.url));

const inFolder = (): StorePlace => ({ kind: 'folder', dataDir: temporaryFolder() });
const onServer = (): StorePlace => ({ kind: 'server', address: postgresAddress(temporaryFolder()) });

function attempt(place: StorePlace, owner = true) {
  const random = seededRandom();
  return place.kind === 'folder'
    ? openStore(place.dataDir, { random, owner })
    : openStore(temporaryFolder(), { random, owner, server: place.address });
}

function opened(place: StorePlace): OpenStore {
  const store = attempt(place);
  if (!store.ok) throw new Error(store.error.message);
  return store.value;
}

/** A store with something in most of its tables; more rows than are copied at a time. */
function fill(place: StorePlace): void {
  const { store, ...rest } = opened(place);
  const rows = Array.from({ length: 300 }, (_, i) => makeRow(i + 2, { note: 'É 🌙', takes: 1 + (i % 2) }));
  const { id } = store.createBatch(newBatch({ rows }));
  store.setBatchState(id, 'running', undefined, NOW);
  const task = only(store.tasksOfRow(id, 'r2')[0]);
  const outcomes = store.commit([
    change(task, { status: 'submitting' }, { openAttempt: { ...INTENT, price: { amount: 0.1, currency: 'USD' } } }),
  ]);
  expect(outcomes).toEqual(['committed']);
  store.setSpendingLimits({ night: { requests: 7 } });
  rest.close();
}

/** What a user sees of a store. */
function contentOf(place: StorePlace) {
  const { store, views, ledger, ...whole } = opened(place);
  const found = store.batches().map((batch) => ({
    batch,
    counts: store.counts(batch.id),
    submits: store.submitsUsed(batch.id),
    rows: [...views.exportRows(batch.id)],
    takes: ledger.takes([batch.id]),
    // Those of the first row, one of which was sent.
    tasks: store.tasksOfRow(batch.id, 'r2').map((task) => ({
      task,
      attempts: store.attempts(task.id),
      events: store.events(task.id),
    })),
  }));
  const limits = store.spendingLimits();
  const { storeId } = whole.incarnation();
  whole.close();
  return { found, limits, storeId };
}

test('every table of the schema is moved, in an order in which it can be written', () => {
  const db = new SqliteDatabase(':memory:');
  migrate(db);
  const tables = db.prepareColumn<string>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  )();
  expect(Object.keys(MOVED_TABLES).toSorted()).toEqual(tables);
});

describe.each([
  ['a folder', 'a server', inFolder, onServer],
  ['a server', 'a folder', onServer, inFolder],
  ['a folder', 'another folder', inFolder, inFolder],
  ['a server', 'another schema', onServer, onServer],
] as const)('from %s to %s', (_, __, first, second) => {
  let from: StorePlace;
  let to: StorePlace;

  beforeEach(() => {
    from = first();
    to = second();
    fill(from);
  });

  test('all of it is there, new rows get new keys, and the old place says where it went', () => {
    const before = contentOf(from);
    const moved = moveStore(from, to);
    expect(moved.ok ? '' : moved.error).toBe('');
    expect(contentOf(to)).toEqual(before);
    for (const owner of [true, false]) {
      expect(attempt(from, owner)).toMatchObject({ ok: false, error: { kind: 'moved' } });
    }
    const store = opened(to);
    const known = store.store.batches().length;
    store.store.createBatch(newBatch({ rows: [makeRow(2)], createdAt: NOW + 60_000 }));
    expect(store.store.batches()).toHaveLength(known + 1);
    const task = only(store.store.tasksOfRow(only(store.store.batches()[0]).id, 'r3')[0]);
    expect(store.store.commit([change(task, { status: 'submitting' }, { openAttempt: INTENT })])).toEqual([
      'committed',
    ]);
    store.close();
  });

  test('and back again: what was done meanwhile comes with it', () => {
    expect(moveStore(from, to)).toMatchObject({ ok: true });
    const away = opened(to);
    away.store.createBatch(newBatch({ rows: [makeRow(2)], createdAt: NOW + 60_000 }));
    away.close();
    const before = contentOf(to);
    expect(moveStore(to, from)).toMatchObject({ ok: true });
    expect(contentOf(from)).toEqual(before);
    expect(attempt(to)).toMatchObject({ ok: false, error: { kind: 'moved' } });
  });
});

describe('a move is refused', () => {
  test('to a place with a store in it, or out of one that was left; nothing is changed', () => {
    const [from, to, third] = [inFolder(), onServer(), inFolder()];
    fill(from);
    fill(to);
    const before = contentOf(to);
    expect(moveStore(from, to)).toMatchObject({ ok: false, error: { kind: 'denied' } });
    expect(contentOf(to)).toEqual(before);
    expect(moveStore(from, third)).toMatchObject({ ok: true });
    expect(moveStore(from, onServer())).toMatchObject({ ok: false, error: { kind: 'moved' } });
    expect(moveStore(third, third)).toMatchObject({ ok: false, error: { kind: 'denied' } });
  });

  test.each([
    ['folder', inFolder, onServer],
    ['server', onServer, inFolder],
  ] as const)('of a store in a %s that is at work, or to such a place', (_, first, second) => {
    const [from, to] = [first(), second()];
    fill(from);
    const atWork = opened(from);
    expect(moveStore(from, to)).toMatchObject({ ok: false, error: { kind: 'owned' } });
    expect(moveStore(to, from)).toMatchObject({ ok: false });
    atWork.close();
    expect(moveStore(from, to)).toMatchObject({ ok: true });
  });

  test('out of a server, of texts that a file would cut', () => {
    const [from, to] = [onServer(), inFolder()];
    fill(from);
    const store = opened(from);
    store.store.createBatch(newBatch({ name: 'a\0b', rows: [makeRow(2)], createdAt: NOW + 60_000 }));
    store.close();
    const refused = moveStore(from, to);
    expect(refused).toMatchObject({ ok: false, error: { kind: 'damaged' } });
    expect(refused.ok ? '' : refused.error.message).toContain('The table batches');
    expect(opened(from).store.batches().at(-1)?.name).toBe('a\0b');
  });

  test('of what is no store', () => {
    expect(moveStore(inFolder(), onServer())).toMatchObject({ ok: false, error: { kind: 'missing' } });
  });
});

test('a store that is not the same in its new place stays where it is', () => {
  const [from, to] = [inFolder(), onServer()];
  fill(from);
  expect(
    spawnSync(process.execPath, [CHILD, JSON.stringify(from), JSON.stringify(to), 'move.copied', '1']).signal,
  ).toBe('SIGKILL');
  if (to.kind !== 'server') return;
  const db = new PostgresDatabase(to.address, false);
  // Whatever is written while it is copied is found by what is read afterwards.
  db.exec('CREATE RULE lost AS ON INSERT TO events DO INSTEAD NOTHING');
  expect(moveStore(from, to)).toMatchObject({ ok: false, error: { kind: 'damaged' } });
  db.exec('DROP RULE lost ON events');
  db.close();
  expect(attempt(from)).toMatchObject({ ok: true });
});

describe.each([
  ['a folder to a server', inFolder, onServer],
  ['a server to a folder', onServer, inFolder],
] as const)('a move from %s that is killed', (_, first, second) => {
  test.each(MOVE_CRASH_POINTS.map((point) => ({ point, pass: point === 'move.rows-written' ? 3 : 1 })))(
    'at $point: the new place is of no use until it is repeated, and the store is never open in both',
    ({ point, pass }) => {
      const [from, to] = [first(), second()];
      fill(from);
      const before = contentOf(from);
      const bytes = from.kind === 'folder' ? readFileSync(join(from.dataDir, 'nocturne.db')) : undefined;
      const child = spawnSync(
        process.execPath,
        [CHILD, JSON.stringify(from), JSON.stringify(to), point, String(pass)],
        { encoding: 'utf8' },
      );
      expect([child.signal, child.stderr]).toEqual(['SIGKILL', '']);
      expect(attempt(to)).toMatchObject({ ok: false, error: { kind: 'moved' } });
      expect(attempt(to, false)).toMatchObject({ ok: false, error: { kind: 'moved' } });
      if (point === 'move.left') expect(attempt(from)).toMatchObject({ ok: false, error: { kind: 'moved' } });
      else {
        if (from.kind === 'folder') expect(readFileSync(join(from.dataDir, 'nocturne.db'))).toEqual(bytes);
        expect(contentOf(from)).toEqual(before);
      }
      expect(moveStore(from, to)).toMatchObject({ ok: true });
      expect(contentOf(to)).toEqual(before);
    },
    60_000,
  );
});
