import { describe } from 'vitest';
import { MemoryTaskStore } from '../support/memory-task-store.ts';
import { seededRandom } from './task-store-fixtures.ts';
import { testTaskStore } from './task-store.suite.ts';

describe('the store in memory', () => {
  testTaskStore(async () => ({ store: new MemoryTaskStore(seededRandom()), close: () => Promise.resolve() }));
});
