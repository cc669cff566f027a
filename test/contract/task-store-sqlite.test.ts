import { describe } from 'vitest';
import { openTestStore } from './task-store-directory.ts';
import { testTaskStore } from './task-store.suite.ts';

describe('the store in SQLite', () => {
  testTaskStore(openTestStore);
});
