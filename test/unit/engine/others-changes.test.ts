import { expect, test } from 'vitest';
import { ChangeFeed, type EngineChange } from '../../../src/engine/change-feed.ts';
import { OthersChanges } from '../../../src/engine/others-changes.ts';
import type { BatchRecord } from '../../../src/shared/domain/task/batch.ts';
import type { Task } from '../../../src/shared/domain/task/task.ts';
import { makeTask } from '../../support/make-task.ts';

function setUp() {
  const batches = new Map<string, BatchRecord>();
  const tasks = new Map<number, Task>();
  const told: EngineChange[] = [];
  const ended: number[] = [];
  const read: number[] = [];
  const changes = new ChangeFeed((error) => {
    throw error;
  });
  const store = {
    batch: (id: string) => Promise.resolve(batches.get(id)),
    batches: () => Promise.resolve([...batches.values()]),
    tasks: (ids: readonly number[]) => {
      read.push(ids.length);
      return Promise.resolve(ids.flatMap((id) => tasks.get(id) ?? []));
    },
  };
  const others = new OthersChanges({ store, changes, onEnd: ({ id }) => ended.push(id) });
  changes.listen((change) => told.push(change));
  const put = (id: string, revision: number, more: object = {}): void => {
    batches.set(id, { id, revision, state: 'running', settings: { folder: '/a' }, ...more } as unknown as BatchRecord);
  };
  const hear = (taskIds: readonly number[] = []): Promise<void> =>
    others.tell({ seen: 0, taskIds, revisions: new Map([...batches].map(([id, { revision }]) => [id, revision])) });
  return { batches, put, hear, told, ended, read, tasks, changes, kinds: () => told.map(({ kind }) => kind) };
}

test('what others have made of tasks is told, some at a time; those that ended count for the pace', async () => {
  const { hear, told, ended, read, tasks } = setUp();
  for (let id = 1; id <= 501; id += 1) tasks.set(id, makeTask({ id, status: id === 7 ? 'done' : 'rendering' }));
  await hear([...tasks.keys(), 999]);
  expect([told.length, read, ended]).toEqual([501, [500, 2], [7]]);
  expect(told[6]).toMatchObject({ kind: 'task', task: { id: 7, status: 'done' } });
});

test('a batch is told when it comes or changes, and its sheet where nothing else has changed', async () => {
  const { put, hear, told, kinds } = setUp();
  put('a', 1);
  await hear();
  await hear();
  expect(told).toEqual([]);
  put('b', 1);
  await hear();
  expect(told).toMatchObject([{ kind: 'batch', batch: { id: 'b' } }]);
  put('a', 2, { state: 'paused' });
  await hear();
  expect(kinds()).toEqual(['batch', 'batch']);
  put('a', 3, { state: 'paused' });
  await hear();
  expect(told.slice(2)).toMatchObject([{ kind: 'batch' }, { kind: 'sheet', batchId: 'a', rows: undefined }]);
});

test('a batch that another process has removed is told once', async () => {
  const { batches, put, hear, told } = setUp();
  put('a', 1);
  put('b', 1);
  await hear();
  batches.delete('a');
  await hear();
  await hear();
  expect(told).toEqual([{ kind: 'removed', batchId: 'a' }]);
});

test('an edit of this process is not told once more as that of another', async () => {
  const { put, hear, changes, kinds } = setUp();
  put('a', 1);
  await hear();
  changes.tell({ kind: 'sheet', batchId: 'a', rows: [1] });
  put('a', 2);
  await hear();
  expect(kinds()).toEqual(['sheet', 'batch']);
  put('a', 3);
  await hear();
  expect(kinds()).toEqual(['sheet', 'batch', 'batch', 'sheet']);
});
