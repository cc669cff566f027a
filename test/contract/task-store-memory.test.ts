import { describe } from 'vitest';
import { promisedPart } from '../../src/engine/store/thread/promised.ts';
import { MemoryTaskStore } from '../support/memory-task-store.ts';
import { seededRandom } from './task-store-fixtures.ts';
import { testTaskStore } from './task-store.suite.ts';

describe('the store in memory', () => {
  testTaskStore(async () => {
    const memory = new MemoryTaskStore(seededRandom());
    return { store: promisedPart('store', plain(memory)), close: () => Promise.resolve() };
  });
});

/** With all methods as its own. */
function plain(memory: MemoryTaskStore): MemoryTaskStore {
  const names = Object.getOwnPropertyNames(MemoryTaskStore.prototype) as (keyof MemoryTaskStore)[];
  return Object.fromEntries(names.map((name) => [name, memory[name].bind(memory)])) as unknown as MemoryTaskStore;
}
