import { listOf } from '../../src/shared/domain/base/result.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';

/** A store that answers late, and how many of its answers are on their way. */
export interface LateStore {
  readonly store: TaskStore;
  readonly underWay: () => number;
}

/**
 * Like a store in another thread, but without the thread: questions are carried out in order, each after some turns of
 * the loop, and their answers come after some more, so that one may overtake another.
 * @param turns How many turns the next way takes; those below 0 are turns of promises only.
 */
export function lateStore(store: TaskStore, turns: () => number): LateStore {
  let asked: Promise<void> = Promise.resolve();
  let underWay = 0;

  async function ask<T>(work: () => T | Promise<T>): Promise<T> {
    underWay += 1;
    const reached = asked.then(() => pass(turns()));
    asked = reached;
    try {
      await reached;
      const answer = await work();
      await pass(turns());
      return answer;
    } finally {
      underWay -= 1;
    }
  }

  async function* askEach<T>(work: () => AsyncIterable<T>): AsyncGenerator<T> {
    for (const one of await ask(() => listOf(work()))) {
      await pass(turns());
      yield one;
    }
  }

  const late = Object.fromEntries(
    Object.entries(store).map(([name, method]: [string, (...args: readonly unknown[]) => unknown]) => [
      name,
      (...args: readonly unknown[]) =>
        name === 'tasksByStatus'
          ? askEach(() => method(...args) as AsyncIterable<unknown>)
          : ask(() => method(...args)),
    ]),
  );
  return { store: late as unknown as TaskStore, underWay: () => underWay };
}

async function pass(turns: number): Promise<void> {
  for (let n = turns; n < 0; n += 1) await Promise.resolve();
  for (let n = turns; n > 0; n -= 1) await new Promise((resolve) => setImmediate(resolve));
}
