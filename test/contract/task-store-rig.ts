/** What all the suites of a task store share. */
import { afterEach, beforeEach, expect } from 'vitest';
import type { RawAnswer } from '../../src/engine/ports/media-gateway.ts';
import type { TaskChange } from '../../src/engine/ports/task-change.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { type Output, type Task } from '../../src/shared/domain/task/task.ts';
import { transition } from '../../src/shared/domain/task/task-machine.ts';
import type { TaskEvent } from '../../src/shared/domain/task/task-event.ts';
import { NOW } from './task-store-fixtures.ts';

/** Opens a store of the implementation under test. */
export type OpenTaskStore = () => Promise<{ store: TaskStore; close: () => Promise<void> }>;

export const ANSWER: RawAnswer = {
  httpStatus: 200,
  headers: { 'content-type': 'application/json' },
  body: Uint8Array.of(0, 255, 10, 128),
  truncated: true,
};

export function output(different: Partial<Output>): Output {
  return { index: 1, state: 'placing', generation: 1, tries: 0, url: 'https://media.example/1', ...different };
}

/** Gives each test a store of its own, and closes it after the test; returns what tests do to that store. */
export function storeForEach(openStore: OpenTaskStore, give: (opened: TaskStore) => void) {
  let store: TaskStore;
  let close: () => Promise<void>;

  beforeEach(async () => {
    ({ store, close } = await openStore());
    give(store);
  });
  afterEach(async () => {
    await close();
  });

  /** Commits one change that must be accepted; returns the task as it is then. */
  async function commit(made: TaskChange): Promise<Task> {
    expect(await store.commit([made])).toEqual(['committed']);
    return taskById(made.next.id);
  }

  async function taskById(id: number): Promise<Task> {
    const task = await store.task(id);
    if (task === undefined) throw new Error(`No task ${id}`);
    return task;
  }

  /** Carries an event out as the scheduler does. */
  async function happen(task: Task, event: TaskEvent, more: Partial<TaskChange> = {}): Promise<Task> {
    const next = transition(task, event, NOW);
    if (!next.ok) throw new Error(`${event.kind} does not apply to ${task.status}`);
    return commit({ expectedRevision: task.revision, next: next.value, event, at: NOW, ...more });
  }

  return { commit, taskById, happen };
}
