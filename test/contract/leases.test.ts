import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import { promisedStore } from '../../src/engine/store/thread/promised.ts';
import { postgresAddress } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testLeases } from './leases.suite.ts';
import { openedStore, WAYS } from './opened-store.ts';
import { change, INTENT, makeRow, newBatch, NOW, seededRandom } from './task-store-fixtures.ts';

describe.each([
  ['SQLite', () => undefined],
  ['PostgreSQL', postgresAddress],
] as const)('leases in %s', (_, serverOf) => {
  testLeases(() => {
    let at = NOW;
    const dir = temporaryFolder();
    const opened = openStore(dir, { random: seededRandom(), now: () => at, server: serverOf(dir) });
    if (!opened.ok) throw new Error(opened.error.message);
    const pass = (ms: number): Promise<void> => {
      at += ms;
      return Promise.resolve();
    };
    const { leases, store } = promisedStore(opened.value);
    return Promise.resolve({ leases, store, pass });
  });
});

describe.each(WAYS)('what has changed in the store, %s', (_, openIn) => {
  test('each task that was changed since is named once, and a batch by how often it was', async () => {
    const opened = await openIn(temporaryFolder());
    const { store, leases } = opened;
    const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
    const begun = await leases.changesSince(undefined);
    expect(begun.taskIds).toEqual([]);
    const [first] = await store.tasksOfRow(id, 'r2');
    if (first === undefined) throw new Error('No task');
    await store.commit([change(first, { status: 'submitting' }, { openAttempt: INTENT })]);
    await store.commit([change({ ...first, revision: first.revision + 1 }, { status: 'submit-unknown' })]);
    const changed = await leases.changesSince(begun.seen);
    expect(changed.taskIds).toEqual([first.id]);
    expect(changed.revisions).toEqual(begun.revisions);
    await store.setBatchState(id, 'running', undefined, NOW);
    const after = await leases.changesSince(changed.seen);
    expect(after.taskIds).toEqual([]);
    expect(after.revisions.get(id)).toBe((changed.revisions.get(id) ?? 0) + 1);
    await opened.close();
  });
});

test('leases outlast the process: an epoch is never given twice', () => {
  const dir = temporaryFolder();
  const first = openedStore(dir);
  expect(first.leases.take('a', 'account', 1000)?.epoch).toBe(1);
  first.close();
  const second = openedStore(dir);
  expect(second.leases.take('a', 'account', 1000)?.epoch).toBe(2);
  second.close();
});
