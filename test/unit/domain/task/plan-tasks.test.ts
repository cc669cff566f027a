import { describe, expect, test } from 'vitest';
import type { BatchState } from '../../../../src/shared/domain/task/batch.ts';
import { failure } from '../../../../src/shared/domain/base/failure.ts';
import {
  planRemoval,
  keepsEarlier,
  planTasks,
  releasedTasks,
  takesToKeep,
  type PlannedRow,
} from '../../../../src/shared/domain/task/plan-tasks.ts';
import type { Row } from '../../../../src/shared/domain/sheet/row.ts';
import type { Task, TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { makeTask } from '../../../support/make-task.ts';

const BASE: Row = {
  id: 'r1',
  line: 2,
  operation: 'musicgen/music/generate',
  body: { prompt: 'owl' },
  takes: 1,
  priority: 0,
  filename: undefined,
  note: undefined,
  skip: false,
  cells: {},
};
const OTHER = { body: { prompt: 'fox' } };

function planned(different: Partial<Row> = {}, isBlocked = false): PlannedRow {
  return { row: { ...BASE, ...different }, position: 2, isBlocked };
}

/** The plan in short: which ids go where, which takes are made, and whether it is a draft. */
function plan(tasks: readonly Task[], after: PlannedRow, batchState: BatchState, before = planned()) {
  const { tasks: made, isDraft } = planTasks(before, after, tasks, { batchId: 'batch', batchState, now: 7 });
  return {
    remove: made.remove.map(({ id }) => id),
    supersede: made.supersede.map(({ id }) => id),
    add: made.add.map(({ take }) => take),
    update: made.update.map(({ id, priority }) => [id, priority]),
    isDraft,
  };
}

const NOTHING = { remove: [], supersede: [], add: [], update: [], isDraft: false };
const touched = (status: TaskStatus): Task => makeTask({ id: 1, status, attempts: 1, taskCode: 'code' });

describe('a row that asks for something else', () => {
  // What becomes of one task, by its status before and the state of its batch.
  const fates: [string, Task, BatchState, Partial<ReturnType<typeof plan>>][] = [
    ['waits, never submitted', makeTask(), 'ready', { remove: [1], add: [1] }],
    ['waits, never submitted', makeTask(), 'running', { remove: [1], add: [1] }],
    ['waits, never submitted', makeTask(), 'paused', { remove: [1], add: [1] }],
    ['waits, never submitted', makeTask(), 'finished', { remove: [1], add: [1] }],
    ['waits after it was not sent', makeTask({ setbacks: 1 }), 'running', { supersede: [1], add: [1] }],
    [
      'waits, held by the gateway',
      makeTask({ failure: failure('AUTH_REJECTED', 'no') }),
      'running',
      { supersede: [1], add: [1] },
    ],
    ['waits for a retry of a paid submit', makeTask({ attempts: 1 }), 'running', { supersede: [1], add: [1] }],
  ];
  for (const status of ['done', 'failed', 'cancelled'] as const) {
    fates.push([`is ${status}`, touched(status), 'ready', { supersede: [1], add: [1] }]);
    for (const state of ['running', 'paused', 'finished'] as const) {
      fates.push([`is ${status}`, touched(status), state, { supersede: [1], isDraft: true }]);
    }
  }
  test.each(fates)('whose task %s', (_, task, state, expected) => {
    expect(plan([task], planned(OTHER), state)).toEqual({ ...NOTHING, ...expected });
  });

  test('that cannot run any more loses what waits and asks for nothing', () => {
    for (const state of ['ready', 'running', 'finished'] as const) {
      expect(plan([makeTask()], planned(OTHER, true), state)).toEqual({ ...NOTHING, remove: [1] });
      expect(plan([touched('done')], planned({ ...OTHER, skip: true }), state)).toEqual({ ...NOTHING, supersede: [1] });
    }
  });

  test('goes on waiting only where that costs no more than what waited', () => {
    const before = planned({ takes: 2 });
    const after = planned({ ...OTHER, takes: 2 });
    const waiting = makeTask({ id: 2, take: 2 });
    for (const state of ['running', 'paused', 'finished'] as const) {
      for (const status of ['done', 'failed', 'cancelled'] as const) {
        expect(plan([touched(status), waiting], after, state, before)).toEqual({
          ...NOTHING,
          supersede: [1],
          remove: [2],
          isDraft: true,
        });
      }
      const fewer = planned({ ...OTHER, takes: 1 });
      expect(plan([touched('done'), waiting], fewer, state, before)).toMatchObject({ add: [1], isDraft: false });
      expect(plan([makeTask()], after, state)).toEqual({ ...NOTHING, remove: [1], isDraft: true });
    }
    expect(plan([touched('done'), waiting], after, 'ready', before)).toMatchObject({ add: [1, 2], isDraft: false });
  });

  test('and asks again for what it was paid for gets that back', () => {
    const options = {
      batchId: 'batch',
      batchState: 'finished',
      now: 7,
      revive: [{ id: 9, revision: 4, take: 1 }],
    } as const;
    const { tasks, isDraft } = planTasks(planned(), planned(OTHER), [], options);
    expect(tasks).toMatchObject({ unsupersede: [{ id: 9, revision: 4 }], add: [] });
    expect(isDraft).toBe(false);
  });
});

test('a task that stays keeps its plan from being carried out once it has changed, unless it was in flight', () => {
  const keptOf = (tasks: readonly Task[], after = planned({ filename: 'song' })) =>
    planTasks(planned(), after, tasks, { batchId: 'batch', batchState: 'running', now: 7 }).tasks.keep;
  expect(keptOf([makeTask({ revision: 3 })])).toEqual([{ id: 1, revision: 3 }]);
  expect(keptOf([touched('done')])).toEqual([{ id: 1, revision: 0 }]);
  expect(keptOf([touched('rendering')])).toEqual([]);
  // What follows its row is checked anyway.
  expect(keptOf([makeTask()], planned({ priority: 5 }))).toEqual([]);
});

describe('takes that were paid for when the row asked for the same', () => {
  const paid = [1, 2].map((take) => ({ id: 10 + take, revision: 4, take }));
  const planWith = (before: PlannedRow, after: PlannedRow, tasks: readonly Task[] = []) => {
    const options = { batchId: 'batch', batchState: 'finished', now: 7, paid } as const;
    const { tasks: made, isDraft } = planTasks(before, after, tasks, options);
    return { back: made.unsupersede.map(({ id }) => id), add: made.add.map(({ take }) => take), isDraft };
  };

  test('come back in place of new ones, and only those that it asks for', () => {
    expect(planWith(planned(), planned(OTHER))).toEqual({ back: [11], add: [], isDraft: false });
    expect(planWith(planned(), planned({ ...OTHER, takes: 2 }))).toEqual({ back: [11, 12], add: [], isDraft: false });
    expect(planWith(planned(), planned({ ...OTHER, takes: 3 }))).toEqual({ back: [11, 12], add: [], isDraft: true });
  });

  test('come back when it can run again or asks for more takes, beside what it has', () => {
    expect(planWith(planned({ skip: true }), planned())).toEqual({ back: [11], add: [], isDraft: false });
    const done = touched('done');
    expect(planWith(planned(), planned({ takes: 2 }), [done])).toEqual({ back: [12], add: [], isDraft: false });
  });

  test('stay away from one that was to be rendered again, whatever else is written into it', () => {
    expect(planWith(planned(), planned({ filename: 'song' }))).toEqual({ back: [], add: [], isDraft: true });
  });

  test('stay away from a row that cannot run', () => {
    for (const after of [planned({ ...OTHER, skip: true }), planned(OTHER, true)]) {
      expect(planWith(planned(), after)).toEqual({ back: [], add: [], isDraft: false });
    }
  });
});

describe('a row that asks for the same', () => {
  const statuses: readonly TaskStatus[] = [
    'queued',
    'submitting',
    'rendering',
    'downloading',
    'done',
    'failed',
    'cancelled',
  ];
  test.each(statuses)('keeps its task that is %s', (status) => {
    for (const state of ['ready', 'running', 'paused', 'finished'] as const) {
      expect(plan([makeTask({ status })], planned({ note: 'new', filename: 'new' }), state)).toEqual(NOTHING);
    }
  });

  test('gives its priority to what waits, and to nothing that was sent', () => {
    const tasks = [makeTask({ id: 1, take: 1, status: 'done' }), makeTask({ id: 2, take: 2 })];
    const before = planned({ takes: 2 });
    expect(plan(tasks, planned({ takes: 2, priority: 5 }), 'running', before)).toEqual({
      ...NOTHING,
      update: [[2, 5]],
    });
  });

  test('makes more takes at once where nothing runs yet, and else as a draft whose agreed takes go on waiting', () => {
    const more = planned({ takes: 3 });
    for (const task of [makeTask(), touched('done')]) {
      expect(plan([task], more, 'ready')).toEqual({ ...NOTHING, add: [2, 3] });
      for (const state of ['running', 'paused', 'finished'] as const) {
        expect(plan([task], more, state)).toEqual({ ...NOTHING, isDraft: true });
      }
    }
  });

  test('stays a draft when a note is written while an ended take of it waits to be tried again', () => {
    const before = planned({ takes: 2 });
    const retried = { ...touched('queued'), failure: failure('AUTH_REJECTED', 'no') };
    expect(plan([retried], planned({ takes: 2, note: 'new' }), 'running', before)).toEqual({
      ...NOTHING,
      isDraft: true,
    });
  });

  test('drops waiting takes that are too many, and keeps those that were paid for', () => {
    const tasks = [1, 2, 3].map((take) => makeTask({ id: take, take, status: take === 2 ? 'done' : 'queued' }));
    expect(plan(tasks, planned(), 'running', planned({ takes: 3 }))).toEqual({ ...NOTHING, remove: [3] });
  });

  test('loses what waits when it cannot run any more, and keeps what has ended', () => {
    const tasks = [makeTask({ id: 1, status: 'done' }), makeTask({ id: 2, take: 2 })];
    const before = planned({ takes: 2 });
    expect(plan(tasks, planned({ takes: 2, skip: true }), 'running', before)).toEqual({ ...NOTHING, remove: [2] });
  });
});

test('a row that comes to be runs only where nothing was started yet', () => {
  const made = (batchState: BatchState) =>
    planTasks(undefined, planned({ takes: 2 }), [], { batchId: 'batch', batchState, now: 7 });
  expect(made('ready')).toMatchObject({ isDraft: false, tasks: { add: [{ take: 1, dueAt: 7 }, { take: 2 }] } });
  for (const state of ['running', 'paused', 'finished'] as const) {
    expect(made(state)).toMatchObject({ isDraft: true, tasks: { add: [] } });
  }
});

test('of a row that is removed, what was touched keeps its evidence', () => {
  const tasks = [makeTask({ id: 1 }), { ...touched('done'), id: 2 }, makeTask({ id: 3, setbacks: 2 })];
  const { remove, supersede } = planRemoval(tasks);
  expect([remove.map(({ id }) => id), supersede.map(({ id }) => id)]).toEqual([[1], [2, 3]]);
});

test('a draft that is let run makes the takes that it lacks', () => {
  const made = releasedTasks(planned({ takes: 3 }), [makeTask({ take: 2, status: 'done' })], {
    batchId: 'batch',
    now: 7,
  });
  expect(made.map(({ take }) => take)).toEqual([1, 3]);
});

describe('takes that were set aside to be rendered again', () => {
  const file = { index: 1, state: 'verified', generation: 1, tries: 0 } as const;
  const aside = (id: number, at: number, different: Partial<Task> = {}): Task =>
    makeTask({
      id,
      status: 'done',
      finishedAt: 10 * id,
      superseded: true,
      askedAnew: { request: 5, at },
      outputs: [file],
      ...different,
    });
  const kept = (tasks: readonly Task[], earlier: readonly Task[], request: number | undefined = 5) =>
    takesToKeep(request, tasks, earlier).map(({ id }) => id);

  test('count again, of each take the last one, while nothing new is finished', () => {
    const earlier = [aside(1, 15), aside(2, 25), aside(3, 35, { take: 2 })];
    expect(kept([], earlier)).toEqual([2, 3]);
    expect(kept([makeTask({ id: 9, take: 2, status: 'failed' })], earlier)).toEqual([2, 3]);
    expect(kept([makeTask({ id: 9, take: 2, status: 'done' })], earlier)).toEqual([2]);
    // The clock was put back in between.
    expect(kept([], [aside(1, 5)])).toEqual([1]);
    expect(kept([], [aside(1, 5), aside(2, 5)])).toEqual([2]);
  });

  test('do not where the row asks for something else, or the wish was fulfilled since', () => {
    expect(kept([], [aside(1, 15)], 6)).toEqual([]);
    // Its files were deleted for good.
    expect(kept([], [aside(1, 15, { outputs: [{ ...file, state: 'deleted' }] })])).toEqual([]);
    expect(takesToKeep(undefined, [], [aside(1, 15)])).toEqual([]);
    const { askedAnew: _, ...changed } = aside(2, 25);
    expect(kept([], [aside(1, 15), changed])).toEqual([]);
    // It was gone back to, and set aside once more.
    expect(kept([], [aside(1, 25), changed])).toEqual([1]);
    expect(kept([], [aside(1, 15), { ...changed, status: 'failed' }])).toEqual([1]);
  });

  test('cannot be taken back once a request has left', () => {
    const of = (...statuses: TaskStatus[]) =>
      keepsEarlier(
        5,
        statuses.map((status) => makeTask({ id: 9, status })),
        [aside(1, 15)],
      );
    expect([of(), of('queued'), of('failed'), of('cancelled')]).toEqual(Array.from({ length: 4 }, () => 'possible'));
    for (const status of ['submitting', 'submit-unknown', 'rendering', 'downloading'] as const)
      expect(of(status)).toBe('sent');
    expect(of('done')).toBeUndefined();
  });
});

describe('what the user said about a row’s turn', () => {
  const options = { batchId: 'batch', batchState: 'running', now: 7 } as const;

  test('goes for the tasks that an edit makes of it', () => {
    const { tasks } = planTasks(planned(), planned(OTHER), [makeTask({ priority: 9 })], options);
    expect(tasks.add).toMatchObject([{ priority: 9 }]);
  });

  test('gives way to a priority in the sheet', () => {
    const { tasks } = planTasks(planned(), planned({ ...OTHER, priority: 3 }), [makeTask({ priority: 9 })], options);
    expect(tasks.add).toMatchObject([{ priority: 3 }]);
  });

  test('is not that of a take that a gate has made again, which waits behind all others', () => {
    const behind = [makeTask({ priority: -10_000_000, madeAgain: 1 })];
    expect(releasedTasks(planned({ takes: 2 }), behind, options).map(({ take, priority }) => [take, priority])).toEqual(
      [[2, 0]],
    );
    // It was agreed to for what the row asked for then.
    expect(planTasks(planned(), planned(OTHER), behind, options)).toMatchObject({ tasks: { add: [] }, isDraft: true });
  });

  test('stays through an edit that changes nothing of what is asked for', () => {
    const first = makeTask({ priority: 9 });
    expect(plan([first], planned({ note: 'a note' }), 'running')).toEqual(NOTHING);
  });
});
