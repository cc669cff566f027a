import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import { promisedStore } from '../../src/engine/store/thread/promised.ts';
import { postgresAddress } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testLeases } from './leases.suite.ts';
import { openedStore, WAYS } from './opened-store.ts';
import { change, INTENT, makeRow, newBatch, NOW, only, seededRandom } from './task-store-fixtures.ts';

describe.each([
  ['SQLite', () => undefined],
  ['PostgreSQL', postgresAddress],
] as const)('leases in %s', (_, serverOf) => {
  testLeases(() => {
    let at = NOW;
    const dir = temporaryFolder();
    const opened = openStore(dir, { random: seededRandom(), now: () => at, server: serverOf(dir), isShared: true });
    if (!opened.ok) throw new Error(opened.error.message);
    const pass = (ms: number): Promise<void> => {
      at += ms;
      return Promise.resolve();
    };
    const { leases, store } = promisedStore(opened.value);
    return Promise.resolve({ leases, store, pass });
  });
});

test('several processes own a store on a server together, or one alone', () => {
  const server = postgresAddress(temporaryFolder());
  const opened = (isShared: boolean) => {
    const store = openStore(temporaryFolder(), { random: seededRandom(), server, isShared });
    if (store.ok) onTestFinished(() => store.value.close());
    return store;
  };
  const [one, other] = [opened(true), opened(true)];
  if (!one.ok || !other.ok) throw new Error('Not opened');
  const fence = only(one.value.leases.take('a', 'account', 60_000));
  expect(other.value.leases.take('b', 'account', 60_000)).toBeUndefined();
  expect(other.value.leases.fleet().leases).toMatchObject([{ ...fence, holder: 'a' }]);
  expect(opened(false)).toMatchObject({ ok: false, error: { kind: 'owned' } });
  one.value.close();
  other.value.close();
  const alone = opened(false);
  expect(alone.ok).toBe(true);
  expect(opened(true)).toMatchObject({ ok: false, error: { kind: 'owned' } });
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
