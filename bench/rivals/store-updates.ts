import { TaskJournal } from '../../src/engine/night/task-journal.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { systemClock } from '../../src/engine/system-clock.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { measure, watchLoop } from '../support/measure.ts';
import { atRate } from '../support/at-rate.ts';
import {
  acceptedOf,
  changeOf,
  commitAll,
  renderingTasks,
  stillRunning,
  storeOfTasks,
} from '../support/task-fixture.ts';

/**
 * Durable updates of tasks at the gateway, first in groups and then with one commit each. Input: `folder`, `tasks`,
 * `rendering` (how many of them are at the gateway), `updates`, `group`, `singles`.
 */
export async function updateStore(input: ContenderInput): Promise<Figures> {
  const { opened, batchId } = await storeOfTasks(textIn(input, 'folder'), numberIn(input, 'tasks'));
  const tasks = await renderingTasks(opened.store, batchId, numberIn(input, 'rendering'));
  const [updates, singles] = [numberIn(input, 'updates'), numberIn(input, 'singles')];
  const grouped = await measure(async () => updateAll(opened.store, tasks, updates, numberIn(input, 'group')));
  const single = await measure(async () => updateAll(opened.store, tasks, singles, 1));
  await opened.close();
  return {
    perSecond: (updates / grouped.wallMs) * 1000,
    cpuMs: grouped.cpuMs / updates,
    singlePerSecond: (singles / single.wallMs) * 1000,
    singleCpuMs: single.cpuMs / singles,
  };
}

async function updateAll(store: TaskStore, tasks: Task[], updates: number, group: number): Promise<void> {
  for (let done = 0; done < updates; done += group) {
    const changes = Array.from({ length: Math.min(group, updates - done) }, (_, i) => {
      const at = (done + i) % tasks.length;
      const task = tasks[at];
      if (task === undefined) throw new Error(`No task ${at}`);
      const change = changeOf(task, stillRunning(task));
      tasks[at] = change.next;
      return change;
    });
    await commitAll(store, changes);
  }
}

/**
 * How late the loop is while updates arrive, recorded the way a night records them. Input: `folder`, `tasks`,
 * `rendering`, `perSecond`, `seconds`.
 */
export async function updateAtRate(input: ContenderInput): Promise<Figures> {
  const { opened, batchId } = await storeOfTasks(textIn(input, 'folder'), numberIn(input, 'tasks'));
  const tasks = await renderingTasks(opened.store, batchId, numberIn(input, 'rendering'));
  const newest = new Map(tasks.map((task) => [task.id, task]));
  const ids = [...newest.keys()];
  const fail = (): never => {
    throw new Error('The journal lost an update.');
  };
  const journal = new TaskJournal({
    store: opened.store,
    clock: systemClock,
    current: (id) => newest.get(id),
    onCommitted: (task) => newest.set(task.id, task),
    onStale: fail,
    onStoreFailed: fail,
    onBug: fail,
    isRefusedByDisk: () => false,
  });
  const recorded: Promise<unknown>[] = [];
  const loopP99Ms = watchLoop();
  const cost = await measure(async () => {
    await atRate(numberIn(input, 'perSecond'), numberIn(input, 'seconds'), (nth) => {
      const task = newest.get(ids[nth % ids.length] ?? 0) ?? fail();
      recorded.push(journal.record({ taskId: task.id, event: stillRunning(task) }));
    });
    await Promise.all(recorded);
  });
  const figures = { ...cost, loopP99Ms: loopP99Ms(), perSecond: (recorded.length / cost.wallMs) * 1000 };
  journal.close();
  await opened.close();
  return figures;
}

/**
 * Jobs that do nothing: taken from the queue, at the gateway, ended; each state is durable before the next.
 * Input: `folder`, `jobs`, `group`.
 */
export async function runOurJobs(input: ContenderInput): Promise<Figures> {
  const jobs = numberIn(input, 'jobs');
  const { opened, batchId } = await storeOfTasks(textIn(input, 'folder'), jobs);
  const { store } = opened;
  const nothing = failure('REMOTE_FAILED', 'Nothing was to be done.');
  let ended = 0;
  const cost = await measure(async () => {
    while (ended < jobs) {
      const taken = await store.nextQueued(batchId, 'musicgen', numberIn(input, 'group'), Date.now());
      const started = taken.map((task) => changeOf(task, { kind: 'submit-started' }));
      await commitAll(store, started);
      const accepted = started.map(({ next }) => changeOf(next, acceptedOf(next)));
      await commitAll(store, accepted);
      await commitAll(
        store,
        accepted.map(({ next }) =>
          changeOf(next, { kind: 'remote-failed', failure: nothing, dueAt: 0, poll: next.poll }),
        ),
      );
      ended += taken.length;
    }
  });
  await opened.close();
  return { ...cost, perSecond: (ended / cost.wallMs) * 1000 };
}
