/** What every {@link TaskStore} keeps to. Each implementation runs the same tests. */
import { describe } from 'vitest';
import { testBatches } from './task-store-batches.suite.ts';
import { testChanges } from './task-store-changes.suite.ts';
import { testAnswers } from './task-store-answers.suite.ts';
import { testQuestions } from './task-store-questions.suite.ts';
import type { OpenTaskStore } from './task-store-rig.ts';

/** Declares the tests of one implementation, inside its own `describe`. */
export function testTaskStore(openStore: OpenTaskStore): void {
  describe('batches', () => {
    testBatches(openStore);
  });
  describe('changes of tasks', () => {
    testChanges(openStore);
  });
  describe('attempts and answers', () => {
    testAnswers(openStore);
  });
  describe('questions about tasks', () => {
    testQuestions(openStore);
  });
}
