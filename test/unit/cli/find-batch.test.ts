import { expect, test } from 'vitest';
import { findBatch } from '../../../src/cli/with-store.ts';
import { MemoryTaskStore } from '../../support/memory-task-store.ts';
import { newBatch, NOW, only, seededRandom } from '../../contract/task-store-fixtures.ts';

test('a batch is found by its id, its name or the beginning of its id', () => {
  const store = new MemoryTaskStore(seededRandom());
  const [first, second, third] = ['songs', 'clips', 'songs'].map((name, i) =>
    store.createBatch(newBatch({ name, createdAt: NOW + i * 60_000 })),
  );
  const batches = store.batches();
  expect(findBatch(batches, only(first).id)).toBe(first);
  expect(findBatch(batches, 'songs')).toBe(third);
  expect(findBatch(batches, '20260115-2201')).toBe(second);
  expect(findBatch(batches, '20260115-22')).toBeUndefined();
  expect(findBatch(batches, '')).toBeUndefined();
  expect(findBatch(batches, 'none')).toBeUndefined();
});
