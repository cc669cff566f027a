import { listOf } from '../../src/shared/domain/base/result.ts';
import { describe, expect, test } from 'vitest';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { kindOf, type TaskStatus } from '../../src/shared/domain/task/task.ts';
import { change, makeRow, newBatch, NOW, only } from './task-store-fixtures.ts';
import { storeForEach, type OpenTaskStore, output } from './task-store-rig.ts';

/** Which tasks come next, wait, are watched or are left. */
export function testQuestions(openStore: OpenTaskStore): void {
  let store: TaskStore;
  const { commit, taskById } = storeForEach(openStore, (opened) => {
    store = opened;
  });

  describe('what comes next', () => {
    test('is due, of its family, by priority, then by line, then by take', async () => {
      const { id } = await store.createBatch(
        newBatch({
          rows: [
            makeRow(2),
            makeRow(3, { priority: 5, takes: 2 }),
            makeRow(4, { operation: 'videogen-a/video/generate', priority: 9 }),
            makeRow(5, { priority: 5 }),
            makeRow(6),
          ],
        }),
      );
      const names = async (limit: number, now = NOW) =>
        (await store.nextQueued(id, 'musicgen', limit, now)).map((task) => `${task.rowId}.${task.take}`);
      expect(await names(9)).toEqual(['r3.1', 'r3.2', 'r5.1', 'r2.1', 'r6.1']);
      expect(await names(2)).toEqual(['r3.1', 'r3.2']);
      expect(await names(9, NOW - 1)).toEqual([]);
    });

    test('is never a task that waits, is blocked, is to be cancelled or is under way', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [2, 3, 4, 5, 6].map((line) => makeRow(line)) }));
      const [later, blocked, unwanted, started] = (await listOf(store.tasksByStatus(['queued'], id))).map(only);
      await commit(change(only(later), { dueAt: NOW + 500 }));
      await commit(change(only(blocked), { blockedBy: 'r2', dueAt: NOW + 100 }));
      await commit(change(only(unwanted), { cancelWanted: true, dueAt: NOW + 100 }));
      await commit(change(only(started), { status: 'submitting', dueAt: NOW + 100 }));
      expect((await store.nextQueued(id, 'musicgen', 9, NOW)).map((task) => task.rowId)).toEqual(['r6']);
      expect(await store.nextQueuedDueAt(id, NOW)).toBe(NOW + 500);
      expect(await store.nextQueuedDueAt(id, NOW + 500)).toBeUndefined();
    });

    test('is none of the kinds that are left out', async () => {
      const song = (line: number, model: string) => makeRow(line, { body: { prompt: 'a song', model } });
      const { id } = await store.createBatch(newBatch({ rows: [song(2, 'v4'), song(3, 'v5'), song(4, 'v4')] }));
      const [first] = await store.nextQueued(id, 'musicgen', 1, NOW);
      const next = await store.nextQueued(id, 'musicgen', 9, NOW, [kindOf(only(first)), 'of no task']);
      expect(next.map(({ rowId }) => rowId)).toEqual(['r3']);
    });

    test('is due at once where it was due later than anything waits', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [2, 3, 4, 5].map((line) => makeRow(line)) }));
      const { id: other } = await store.createBatch(newBatch({ rows: [makeRow(2)] }));
      const [soon, later, blocked] = (await listOf(store.tasksByStatus(['queued'], id))).map(only);
      const [others] = await store.nextQueued(other, 'musicgen', 1, NOW);
      await commit(change(only(soon), { dueAt: NOW + 500 }));
      await commit(change(only(later), { dueAt: NOW + 501 }));
      await commit(change(only(blocked), { blockedBy: 'r2', dueAt: NOW + 501 }));
      await commit(change(only(others), { dueAt: NOW + 501 }));
      await store.makeDue(id, NOW + 500, NOW - 1);
      expect((await store.nextQueued(id, 'musicgen', 9, NOW - 1)).map((task) => task.rowId)).toEqual(['r3']);
      expect(await store.nextQueuedDueAt(id, NOW)).toBe(NOW + 500);
      expect(await store.nextQueuedDueAt(other, NOW)).toBe(NOW + 501);
    });

    test('comes with what is sent for it, for several batches and families in one go', async () => {
      const links = [
        {
          column: 'prompt',
          value: {
            kind: 'text' as const,
            text: [{ row: 'r2', path: { kind: 'task-code' as const }, text: 'r2.taskId' }],
          },
        },
      ];
      const { id: one } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3, { links })] }));
      const { id: two } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const wanted = [
        { batchId: two, family: 'musicgen', limit: 1 },
        { batchId: one, family: 'musicgen', limit: 9 },
        { batchId: one, family: 'videogen-a', limit: 9 },
      ] as const;
      const found = await store.nextToSubmit(wanted, NOW);
      const queued = [
        ...(await store.nextQueued(two, 'musicgen', 1, NOW)),
        ...(await store.nextQueued(one, 'musicgen', 9, NOW)),
      ];
      expect(found.map(({ task }) => task)).toEqual(queued);
      for (const { task, body, links: given } of found) {
        expect(body).toEqual(await store.requestBody(task.id));
        expect(given).toEqual((await store.row(task.batchId, task.rowId))?.links ?? []);
      }
    });

    test('is found for each account, also where its batch was made with one', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const { settings: alone } = (await store.batch(id)) ?? newBatch({ rows: [] });
      const foundAt = async (account?: string) => {
        const wanted = {
          batchId: id,
          family: 'musicgen',
          limit: 9,
          ...(account === undefined ? {} : { account }),
        } as const;
        return (await store.nextToSubmit([wanted], NOW)).map(({ task }) => task.rowId);
      };
      const others = [{ name: 'spare', profile: { ...alone.profile, name: 'Spare' } }];
      await store.updateBatchSettings(id, { ...alone, accounts: { first: { name: 'main' }, others } });
      expect([await foundAt('main'), await foundAt('spare')]).toEqual([
        ['r2', 'r3'],
        ['r2', 'r3'],
      ]);
      await store.updateBatchSettings(id, alone);
      expect(await foundAt()).toEqual(['r2', 'r3']);
    });

    test.each([
      ['settles itself', { again: { asks: 1, until: NOW } }, []],
      ['would settle itself, but is on hold', { again: { asks: 1, until: NOW }, onHold: true }, ['unknown']],
      ['is on hold, and needs only a poll', { again: { asks: 1, until: NOW, isTaken: true }, onHold: true }, []],
      ['waits for the user', {}, ['unknown']],
    ] as const)('holds its kind up while the outcome of the first of it %s', async (_, state, why) => {
      const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const [first] = await store.nextQueued(id, 'musicgen', 1, NOW);
      await commit(change(only(first), { status: 'submit-unknown', ...state }));
      const canary = { since: 0, released: [] };
      expect(await store.nextToSubmit([{ batchId: id, family: 'musicgen', limit: 9, canary }], NOW)).toEqual([]);
      const held = await store.heldKinds(id, canary, NOW);
      expect(held).toMatchObject(why.map((one) => ({ why: one, taskId: first?.id, waiting: 1 })));
      expect(held).toHaveLength(why.length);
    });

    test('is part of the work that is left', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const { id: other } = await store.createBatch(newBatch({ rows: [] }));
      const [later] = await store.nextQueued(id, 'musicgen', 1, NOW);
      await commit(change(only(later), { dueAt: NOW + 500 }));
      const left = await store.workLeft([id, other], NOW);
      expect(left.get(id)).toEqual({
        counts: await store.counts(id),
        submitsUsed: await store.submitsUsed(id),
        firstDueAt: await store.nextQueuedDueAt(id, -1),
        nextDueAt: NOW + 500,
      });
      expect(left.get(other)).toMatchObject({ submitsUsed: 0, firstDueAt: undefined, nextDueAt: undefined });
      expect((await store.workLeft([id], NOW + 500)).get(id)).toMatchObject({ nextDueAt: undefined });
    });

    test('is found with others by its id', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3), makeRow(4)] }));
      const tasks = await listOf(store.tasksByStatus(['queued'], id));
      const some = await store.tasks([...tasks.slice(1).map((task) => task.id), 999_999]);
      expect(some.toSorted((a, b) => a.id - b.id)).toEqual(tasks.slice(1));
      expect(await store.tasks([])).toEqual([]);
    });
  });

  describe('tasks by status', () => {
    test('come in order of batch, line and take', async () => {
      const first = await store.createBatch(newBatch({ rows: [makeRow(2, { takes: 2 }), makeRow(3)] }));
      const second = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(first.id, 'r2'))[1]);
      await commit(change(task, { status: 'rendering' }));
      const names = async (statuses: readonly TaskStatus[], batchId?: string) =>
        (await listOf(store.tasksByStatus(statuses, batchId))).map((t) => `${t.rowId}.${t.take}`);
      expect(await names(['queued', 'rendering'])).toEqual(['r2.1', 'r2.2', 'r3.1', 'r2.1']);
      expect(await names(['rendering'])).toEqual(['r2.2']);
      expect(await names(['queued'], second.id)).toEqual(['r2.1']);
      expect(await names([])).toEqual([]);
    });

    test('may be changed while they are gone through', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [2, 3, 4].map((line) => makeRow(line)) }));
      const last = only((await store.tasksOfRow(id, 'r4'))[0]);
      const seen: string[] = [];
      for await (const task of store.tasksByStatus(['queued'], id)) {
        seen.push(task.rowId);
        await commit(change(task, { status: 'submitting' }));
        if (task.rowId === 'r2') await commit(change(last, { status: 'cancelled' }));
      }
      expect(seen).toEqual(['r2', 'r3']);
    });
  });

  describe('tasks that are watched after their end', () => {
    const why = { code: 'REMOTE_FAILED' as const, message: 'no words' };
    const suspicion = { ...why, suspected: true };

    test('are those whose failure was only inferred and whose code can be asked about, in order of line', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [2, 3, 4, 5, 6].map((line) => makeRow(line)) }));
      const other = await store.createBatch(newBatch());
      const [stated, late, early, nameless, queued] = (await listOf(store.tasksByStatus(['queued'], id))).map(only);
      await commit(change(only(late), { status: 'failed', failure: suspicion, taskCode: 'c-late' }));
      await commit(change(only(early), { status: 'failed', failure: suspicion, taskCode: 'c-early' }));
      await commit(change(only(stated), { status: 'failed', failure: why, taskCode: 'c-stated' }));
      await commit(change(only(nameless), { status: 'failed', failure: suspicion }));
      await commit(change(only(queued), { failure: suspicion }));
      expect(await store.watchedTasks(id)).toEqual([await store.task(only(late).id), await store.task(only(early).id)]);
      expect(await store.watchedTasks(other.id)).toEqual([]);
    });
  });

  describe('tasks that wait for another row', () => {
    const link = (...targets: readonly string[]) => [
      {
        column: 'prompt',
        value: {
          kind: 'text' as const,
          text: targets.map((row) => ({ row, path: { kind: 'task-code' as const }, text: `${row}.taskId` })),
        },
      },
    ];

    test('are made waiting for the first row that theirs refers to, and do not start', async () => {
      const { id } = await store.createBatch(
        newBatch({ rows: [makeRow(2), makeRow(3, { links: link('r2', 'r4'), takes: 2 }), makeRow(4)] }),
      );
      expect((await store.tasksOfRow(id, 'r3')).map((task) => task.blockedBy)).toEqual(['r2', 'r2']);
      expect((await store.nextQueued(id, 'musicgen', 9, NOW)).map((task) => task.rowId)).toEqual(['r2', 'r4']);
      expect((await store.row(id, 'r3'))?.links).toEqual(link('r2', 'r4'));
    });

    test('are found by the row that they wait for, also when it failed them', async () => {
      const { id } = await store.createBatch(
        newBatch({
          rows: [makeRow(2), makeRow(3, { links: link('r2'), takes: 2 }), makeRow(4, { links: link('r3') })],
        }),
      );
      await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3, { links: link('r2') })] }));
      const names = async (rowId: string) =>
        Promise.all(
          (await store.taskIdsBlockedBy(id, rowId)).map(
            async (taskId) => `${(await taskById(taskId)).rowId}.${(await taskById(taskId)).take}`,
          ),
        );
      expect(await names('r2')).toEqual(['r3.1', 'r3.2']);
      expect(await store.rowsWaitedFor(id)).toEqual(['r2', 'r3']);
      const [first, second] = (await store.tasksOfRow(id, 'r3')).map(only);
      await commit(change(only(first), { status: 'failed' }));
      const { blockedBy: _, ...free } = only(second);
      await commit({ ...change(free, {}), next: { ...free, revision: free.revision + 1 } });
      expect(await names('r2')).toEqual(['r3.1']);
      expect((await store.nextQueued(id, 'musicgen', 9, NOW)).map((task) => `${task.rowId}.${task.take}`)).toEqual([
        'r2.1',
        'r3.2',
      ]);
      await commit(change(only(await store.task(only(first).id)), { blockedBy: 'r9' }));
      expect(await store.rowsWaitedFor(id)).toEqual(['r3', 'r9']);
    });
  });

  test('the gates have the tasks with a file that they flag or have not looked at', async () => {
    const looks = {
      unlooked: output({ state: 'verified', mediaType: 'audio/mpeg' }),
      flagged: output({
        state: 'verified',
        mediaType: 'audio/mpeg',
        flags: [{ gate: 'silence', message: 'It is silent.' }],
      }),
      good: output({ state: 'verified', mediaType: 'audio/mpeg', flags: [] }),
      saying: output({
        state: 'verified',
        mediaType: 'audio/mpeg',
        failure: failure('REMOTE_FAILED', 'it said {"flags":[]}'),
      }),
      data: output({ state: 'verified', mediaType: 'application/json' }),
      coming: output({ state: 'pending' }),
    };
    const names = Object.keys(looks);
    const { id } = await store.createBatch(newBatch({ rows: names.map((name, i) => makeRow(i + 2, { id: name })) }));
    for (const [name, found] of Object.entries(looks)) {
      const [task] = await store.tasksOfRow(id, name);
      const path = `music/${name}`;
      await commit(change(only(task), { status: 'done', outputs: [{ ...found, path }] }));
    }
    const found = await store.tasks(await store.tasksForGates(id));
    expect(found.map(({ rowId }) => rowId)).toEqual(['unlooked', 'flagged', 'saying']);
  });

  test('the kinds that are left are those of the tasks that have not ended, and not of all that their family can give', async () => {
    const lyrics = makeRow(3, { operation: 'musicgen/music/lyrics' });
    const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), lyrics, makeRow(4, { skip: true })] }));
    const end = async (rowId: string) =>
      commit(change(only((await store.tasksOfRow(id, rowId))[0]), { status: 'done' }));
    expect((await store.kindsLeft(id)).toSorted()).toEqual(['data', 'music']);
    await end('r3');
    expect(await store.kindsLeft(id)).toEqual(['music']);
    await end('r2');
    expect(await store.kindsLeft(id)).toEqual([]);
  });

  test('counts that were given do not change afterwards', async () => {
    const { id } = await store.createBatch(newBatch());
    const before = await store.counts(id);
    await commit(change(only((await store.tasksOfRow(id, 'r2'))[0]), { status: 'done' }));
    expect(before.musicgen).toMatchObject({ queued: 1, done: 0 });
    expect((await store.counts(id)).musicgen).toMatchObject({ queued: 0, done: 1 });
  });
}
