import { expect, test } from 'vitest';
import { TaskJournal, type Entry } from '../../../../src/engine/night/task-journal.ts';
import type { CommitOutcome, TaskChange } from '../../../../src/engine/ports/task-change.ts';
import { FRESH_POLL_MEMORY } from '../../../../src/shared/domain/gateway/poll-answer.ts';
import type { Task } from '../../../../src/shared/domain/task/task.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { makeTask } from '../../../support/make-task.ts';

class DiskError extends Error {}

/** A journal of ten tasks that render, on a store that notes which tasks each of its commits is of. */
function withJournal() {
  const clock = new FakeClock();
  const tasks = new Map<number, Task>();
  for (let id = 1; id <= 10; id += 1) {
    tasks.set(id, makeTask({ id, status: 'rendering', taskCode: `code-${id}`, submittedAt: clock.now() }));
  }
  const commits: number[][] = [];
  const bugs: unknown[] = [];
  const store: { refuse: (ids: readonly number[]) => Error | undefined } = { refuse: () => undefined };
  const journal = new TaskJournal({
    clock,
    store: {
      tasks: () => Promise.resolve([]),
      commit: (changes: readonly TaskChange[]): Promise<readonly CommitOutcome[]> => {
        const ids = changes.map(({ next }) => next.id);
        const error = store.refuse(ids);
        if (error !== undefined) return Promise.reject(error);
        commits.push(ids);
        return Promise.resolve(changes.map(() => 'committed'));
      },
    },
    current: (id) => tasks.get(id),
    onCommitted: (task) => tasks.set(task.id, task),
    onStale: () => undefined,
    onStoreFailed: () => undefined,
    onBug: (error) => bugs.push(error),
    isRefusedByDisk: (error) => error instanceof DiskError,
  });
  return { clock, journal, store, commits, bugs };
}

const overdue = (taskId: number): Entry => ({
  taskId,
  event: { kind: 'overdue', failure: { code: 'OVERDUE', message: 'late' } },
});
const stillRunning = (taskId: number): Entry => ({
  taskId,
  event: { kind: 'still-running', dueAt: 0, poll: { ...FRESH_POLL_MEMORY, polls: 1 } },
});

test('what arrives within a group shares a commit, and so does what nobody waits for', async () => {
  const { clock, journal, commits } = withJournal();
  void journal.record(stillRunning(1), 10_000);
  await clock.advance(200);
  expect(commits).toEqual([]);
  void journal.record(overdue(2));
  await clock.advance(50);
  expect(commits).toEqual([[1, 2]]);
  void journal.record(stillRunning(3), 10_000);
  void journal.record(stillRunning(4), 90);
  await clock.advance(90);
  expect(commits.slice(1)).toEqual([[3, 4]]);
  void journal.record(stillRunning(5), 10_000);
  await clock.advance(400);
  expect(commits.slice(2)).toEqual([[5]]);
});

test('many do not wait for more', async () => {
  const { clock, journal, commits } = withJournal();
  for (let i = 0; i < 16; i += 1) void journal.record(stillRunning(1 + (i % 10)), 0);
  await clock.advance(1);
  expect(commits).toHaveLength(1);
});

test('what is recorded now is committed at once, with what waits', async () => {
  const { clock, journal, commits } = withJournal();
  const waiting = journal.record(overdue(1));
  const recorded = await journal.recordNow([overdue(2), overdue(3)]);
  expect(commits).toEqual([[1, 2, 3]]);
  expect(recorded.map((one) => one.kind === 'committed' && one.task.id)).toEqual([2, 3]);
  expect(await waiting).toMatchObject({ kind: 'committed', task: { id: 1 } });
  await clock.advance(10_000);
  expect(commits).toHaveLength(1);
});

test('a full disk refuses what is recorded now, and what waits is tried again', async () => {
  const { clock, journal, store, commits } = withJournal();
  store.refuse = () => new DiskError('full');
  const waiting = journal.record(overdue(1));
  await expect(journal.recordNow([overdue(2)])).rejects.toThrow('full');
  expect(journal.isStoreFailed).toBe(true);
  expect(journal.waiting.map(({ taskId }) => taskId)).toEqual([1]);
  store.refuse = () => undefined;
  await clock.advance(5_000);
  expect(await waiting).toMatchObject({ kind: 'committed' });
  expect(commits).toEqual([[1]]);
});

test('neither what waits nor what is recorded now is lost by a bug in the other', async () => {
  const { journal, store, commits, bugs } = withJournal();
  store.refuse = (ids) => (ids.includes(1) ? new Error('bug') : undefined);
  const waiting = [journal.record(overdue(1)), journal.record(overdue(2))];
  expect(await journal.recordNow([overdue(3)])).toMatchObject([{ kind: 'committed' }]);
  expect(commits).toEqual([[2], [3]]);
  expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(['refused', 'committed']);
  expect(bugs).toHaveLength(1);
  store.refuse = (ids) => (ids.includes(5) ? new Error('bug') : undefined);
  const other = journal.record(overdue(4));
  await expect(journal.recordNow([overdue(5)])).rejects.toThrow('bug');
  expect(await other).toMatchObject({ kind: 'committed' });
});

test('what the store has to be asked for is asked for right before the commit', async () => {
  const { clock, journal, commits } = withJournal();
  let asked = 0;
  const entry = overdue(1);
  const recorded = journal.record({
    ...entry,
    completed: () => {
      asked += 1;
      return Promise.resolve({ event: { kind: 'overdue', failure: { code: 'OVERDUE', message: 'completed' } } });
    },
  });
  expect(asked).toBe(0);
  await clock.advance(50);
  expect(await recorded).toMatchObject({ kind: 'committed', task: { failure: { message: 'completed' } } });
  expect(commits).toEqual([[1]]);
});

test('what the disk has refused up to the end of a night is refused then, and known as unsaved', async () => {
  const { clock, journal, store } = withJournal();
  store.refuse = () => new DiskError('full');
  const first = journal.record(overdue(1));
  await clock.advance(50);
  const others = [journal.record(overdue(2)), journal.record(overdue(3))];
  journal.close();
  expect(await Promise.all([first, ...others])).toEqual([first, ...others].map(() => ({ kind: 'refused' })));
  expect(journal.waiting).toEqual([]);
  expect(journal.unsaved.map(({ taskId }) => taskId)).toEqual([1, 2, 3]);
});

test('what the disk refuses after the end of a night does not wait for it', async () => {
  const { journal, store } = withJournal();
  const recorded = [journal.record(overdue(1)), journal.record(overdue(2))];
  store.refuse = (ids) => {
    journal.close();
    return ids.length > 1 ? new Error('a bug') : new DiskError('full');
  };
  journal.flush();
  expect(await Promise.all(recorded)).toEqual([{ kind: 'refused' }, { kind: 'refused' }]);
  expect(journal.unsaved.map(({ taskId }) => taskId)).toEqual([1, 2]);
});

test('what comes after the end of a night is not written, also if its group was refused meanwhile', async () => {
  const { clock, journal, store, commits } = withJournal();
  void journal.record(overdue(1));
  store.refuse = (ids) => {
    if (ids.length < 2) return undefined;
    journal.close();
    return new Error('a bug');
  };
  expect(await journal.recordNow([overdue(2)])).toEqual([{ kind: 'refused' }]);
  await clock.advance(1000);
  expect(commits).toEqual([[1]]);
});

test('a code that comes after the end of a night is not written, and known as unsaved', async () => {
  const { journal, commits } = withJournal();
  const accepted: Entry = { taskId: 1, event: { kind: 'accepted', taskCode: 'late', dueAt: 0 } };
  journal.close();
  const recorded = [journal.record(accepted), journal.record(overdue(2))];
  expect(await Promise.all(recorded)).toEqual([{ kind: 'refused' }, { kind: 'refused' }]);
  expect(journal.unsaved).toEqual([accepted]);
  expect(commits).toEqual([]);
});
