import { onTestFinished, expect, test, vi } from 'vitest';
import type { NewBatch } from '../../src/engine/ports/task-store.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import { PostgresDatabase } from '../../src/engine/store/postgres/postgres-database.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { BatchRecord } from '../../src/shared/domain/task/batch.ts';
import { postgresAddress } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { change, INTENT, makeRow, newBatch, only, seededRandom, settings } from './task-store-fixtures.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Enough for several statements. */
const ROWS = 100;
const ACCOUNT = 'https://gateway.example key-1';

/** Two processes that share a store, and a connection of nobody. */
function rig() {
  const dir = temporaryFolder();
  const opened = (): OpenStore => {
    // The same random numbers, as if both drew the same id in the same second.
    const one = openStore(dir, { random: seededRandom(), server: postgresAddress(dir), isShared: true });
    if (!one.ok) throw new Error(one.error.message);
    return one.value;
  };
  const [desk, worker] = [opened(), opened()];
  const db = new PostgresDatabase(postgresAddress(dir), true);
  onTestFinished(() => {
    for (const one of [desk, worker, db]) one.close();
  });
  const counted = (...tables: readonly string[]): readonly number[] =>
    tables.map((table) => db.prepareColumn<number>(`SELECT count(*) FROM ${table}`)()[0] ?? -1);
  return { desk, worker, db, counted };
}

/** Imports rows, and does something else once nearly all of them are written. */
function importAround({ store }: OpenStore, meanwhile: () => void, different: Partial<NewBatch> = {}): BatchRecord {
  function* rows(): Generator<Row> {
    for (let line = 2; line < ROWS; line += 1) yield makeRow(line);
    meanwhile();
    yield makeRow(ROWS);
    yield makeRow(ROWS + 1);
  }
  return store.createBatch(newBatch({ ...different, rows: rows() }));
}

function keysOf({ views }: OpenStore, id: string): readonly number[] {
  return views.rowPage(id, { offset: 0, limit: 2 * ROWS }).rows.map(({ key }) => key);
}

test('an import keeps no other process from writing, and nobody sees it before all of it is there', () => {
  const { desk, worker } = rig();
  const { id: runs } = worker.store.createBatch(newBatch());
  const held = only(worker.leases.take('w', ACCOUNT, 30_000));
  let during: readonly BatchRecord[] = [];
  const large = importAround(desk, () => {
    const [task] = worker.store.tasksOfRow(runs, 'r2');
    expect(worker.leases.renew('w', [held], 30_000).leases).toMatchObject([{ account: ACCOUNT, epoch: held.epoch }]);
    expect(worker.store.commit([change(only(task), { status: 'submitting' }, { openAttempt: INTENT })])).toEqual([
      'committed',
    ]);
    worker.store.updateBatchSettings(runs, settings({ folder: '/media' }), 'renamed');
    during = worker.store.batches();
  });
  expect(during.map(({ id, name }) => [id, name])).toEqual([[runs, 'renamed']]);
  // Both know at once what the other has done.
  expect(desk.store.counts(runs).musicgen).toMatchObject({ submitting: 1, queued: 0 });
  expect(desk.store.batch(runs)?.name).toBe('renamed');
  expect(worker.store.batch(large.id)).toEqual(large);
  expect(worker.store.counts(large.id).musicgen.queued).toBe(ROWS);
  expect(worker.leases.changesSince(0).revisions.get(large.id)).toBe(large.revision);
  expect([...desk.checkIntegrity(), ...worker.checkIntegrity()]).toEqual([]);
});

test('imports beside each other, and rows that are typed meanwhile, have different keys, and the batches different ids', () => {
  const { desk, worker } = rig();
  const typed = worker.store.createBatch(newBatch({ settings: settings({ folder: '/typed' }) }));
  let other: BatchRecord | undefined;
  const one = importAround(
    desk,
    () => {
      other = importAround(worker, () => undefined, { settings: settings({ folder: '/both' }) });
      const row = makeRow(3);
      const content = { row, position: 9000, problems: [], isDraft: true, request: undefined, unused: [] };
      const said = { kind: 'insert', content, add: [] } as const;
      expect(worker.sheets.change(typed.id, { rows: [said], at: 0 })).toMatchObject({ kind: 'written' });
    },
    { settings: settings({ folder: '/both' }) },
  );
  const ids = [typed.id, one.id, only(other).id];
  expect(new Set(ids).size).toBe(3);
  const keys = ids.flatMap((id) => keysOf(desk, id));
  expect(keys).toHaveLength(2 * ROWS + 2);
  expect(new Set(keys).size).toBe(keys.length);
  const tasks = [...desk.store.tasksByStatus(['queued'])].map(({ id }) => id);
  expect(tasks).toHaveLength(2 * ROWS + 1);
  expect(new Set(tasks).size).toBe(tasks.length);
});

test('keys that an import has not needed are given to the next row, where nobody else has got some', () => {
  const { desk, worker } = rig();
  const first = importAround(desk, () => undefined);
  const second = worker.store.createBatch(newBatch());
  expect(keysOf(desk, first.id).at(-1)).toBe(ROWS);
  expect(keysOf(desk, second.id)).toEqual([ROWS + 1]);
});

test('an import that is cut off leaves nothing, and the next one is whole', () => {
  const { desk, worker, db, counted } = rig();
  const tables = ['batches', 'rows', 'row_contents', 'tasks', 'problems', 'batch_counts'];
  const cut = (): void => {
    db.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE 'nocturne ${process.pid}.%' AND state = 'idle in transaction'`);
  };
  expect(() => importAround(desk, cut)).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ kind: 'away' }) as unknown }),
  );
  expect(() =>
    importAround(desk, () => {
      throw new Error('The sheet is not readable.');
    }),
  ).toThrow('not readable');
  expect(counted(...tables)).toEqual(tables.map(() => 0));
  const { id } = importAround(desk, () => undefined);
  expect(worker.store.batches().map((batch) => batch.id)).toEqual([id]);
  expect(new Set(keysOf(worker, id)).size).toBe(ROWS);
  expect(counted('rows', 'tasks')).toEqual([ROWS, ROWS]);
});
