import { listOf } from '../../src/shared/domain/base/result.ts';
import { describe, expect, test } from 'vitest';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { change, INTENT, makeRow, newBatch, NOW, only, settings } from './task-store-fixtures.ts';
import { storeForEach, type OpenTaskStore } from './task-store-rig.ts';

/** Batches, the nights in which they run, and what is spent on them. */
export function testBatches(openStore: OpenTaskStore): void {
  let store: TaskStore;
  const { commit } = storeForEach(openStore, (opened) => {
    store = opened;
  });

  describe('a new batch', () => {
    test('has one queued task for each take of each row that can run', async () => {
      const batch = await store.createBatch(
        newBatch({
          rows: [
            makeRow(2, { takes: 2, priority: 3, body: { prompt: 'a', model: 'v4' } }),
            makeRow(3, { skip: true }),
            makeRow(4),
            makeRow(5, { operation: undefined }),
            makeRow(6, { operation: 'videogen-b/image/generate' }),
          ],
          problems: [
            { severity: 'error', code: 'value-type', line: 4, row: 'r4', message: 'wrong', remedy: 'correct it' },
            { severity: 'warning', code: 'unknown-column', line: 6, row: 'r6', message: 'odd', remedy: 'remove it' },
          ],
        }),
      );

      const tasks = await listOf(store.tasksByStatus(['queued'], batch.id));
      expect(tasks.map(({ rowId, take, family, kind }) => [rowId, take, family, kind])).toEqual([
        ['r2', 1, 'musicgen', 'music'],
        ['r2', 2, 'musicgen', 'music'],
        ['r6', 1, 'videogen-b', 'image'],
      ]);
      expect(tasks[0]).toMatchObject({
        batchId: batch.id,
        model: 'v4',
        priority: 3,
        status: 'queued',
        revision: 0,
        attempts: 0,
        outputs: [],
      });
      expect(batch).toMatchObject({ state: 'ready', rowCount: 5, taskCount: 3, createdAt: NOW });
      expect((await store.counts(batch.id)).musicgen.queued).toBe(2);
      expect(await store.batch(batch.id)).toEqual(batch);
    });

    test('keeps every row as the sheet had it, also those that cannot run', async () => {
      const rows = [
        makeRow(2, {
          body: { prompt: 'line\nbreak é 🎧 \0', range: { start_s: 1, end_s: 2 }, tags: ['a', 'b'] },
          filename: '{row}',
          note: 'mine',
          cells: JSON.parse('{"__proto__":"x","prompt":"=cmd"}') as Record<string, string>,
        }),
        makeRow(3, { operation: undefined, skip: true }),
      ];
      const batch = await store.createBatch(newBatch({ rows }));
      expect(await Promise.all(rows.map(async (row) => store.row(batch.id, row.id)))).toStrictEqual(rows);
      expect(await store.row(batch.id, 'r9')).toBeUndefined();
    });

    test('sends the bytes of the body as the row gives it', async () => {
      const batch = await store.createBatch(newBatch({ rows: [makeRow(2, { body: { z: 1, prompt: 'né "q"' } })] }));
      const [task] = await store.tasksOfRow(batch.id, 'r2');
      expect(new TextDecoder().decode(await store.requestBody(only(task).id))).toBe('{"z":1,"prompt":"né \\"q\\""}');
    });

    test('has an id of its own that sorts by age, even in the same second', async () => {
      const ids = await Promise.all(
        [NOW, NOW, NOW, NOW + 60_000].map(async (createdAt) => (await store.createBatch(newBatch({ createdAt }))).id),
      );
      expect(new Set(ids).size).toBe(4);
      expect(ids.toSorted().at(-1)).toBe(ids[3]);
      expect((await store.batches()).map((batch) => batch.id)).toEqual(ids);
      expect(ids[0]).toMatch(/^20260115-220000-[a-z0-9]{3}$/);
    });

    test('is not there when its rows could not all be read', async () => {
      const rows = (function* () {
        yield makeRow(2);
        throw new Error('unreadable');
      })();
      await expect(async () => store.createBatch(newBatch({ rows }))).rejects.toThrow('unreadable');
      expect(await store.batches()).toEqual([]);
      expect(await listOf(store.tasksByStatus(['queued']))).toEqual([]);
    });
  });

  describe('a batch', () => {
    test('remembers its first start, that of its latest run, its pause and its end', async () => {
      const { id } = await store.createBatch(newBatch());
      await store.setBatchState(id, 'running', undefined, 10);
      await store.setBatchState(id, 'paused', { by: 'failure', failure: failure('AUTH_REJECTED', 'no') }, 20);
      expect(await store.batch(id)).toMatchObject({ state: 'paused', startedAt: 10, pause: { by: 'failure' } });
      await store.setBatchState(id, 'running', undefined, 30);
      expect(await store.batch(id)).toMatchObject({ state: 'running', startedAt: 10, runStartedAt: 10 });
      expect(await store.batch(id)).not.toHaveProperty('pause');
      await store.setBatchState(id, 'finished', undefined, 40);
      expect(await store.batch(id)).toMatchObject({ startedAt: 10, finishedAt: 40 });
      await store.setBatchState(id, 'running', undefined, 45);
      expect(await store.batch(id)).toMatchObject({ startedAt: 10, runStartedAt: 45, finishedAt: 40 });
      await store.setBatchState(id, 'finished', undefined, 48);
      await store.setBatchState(id, 'running', undefined, 50, [], undefined, undefined, true);
      expect(await store.batch(id)).not.toHaveProperty('finishedAt');
      expect(await store.batch(id)).toMatchObject({ startedAt: 10, runStartedAt: 50 });
    });

    test('has the times of the states before the one that is stored', async () => {
      const { id } = await store.createBatch(newBatch());
      await store.setBatchState(id, 'paused', { by: 'user' }, 20, [{ state: 'running', at: 10 }]);
      expect(await store.batch(id)).toMatchObject({ state: 'paused', startedAt: 10, runStartedAt: 10 });
      const ended = { state: 'finished', at: 30 } as const;
      await store.setBatchState(id, 'running', undefined, 40, [ended]);
      expect(await store.batch(id)).toMatchObject({ state: 'running', startedAt: 10, runStartedAt: 40 });
    });

    test('takes new settings', async () => {
      const { id } = await store.createBatch(newBatch());
      await store.updateBatchSettings(id, settings({ folder: '/other', maxSubmits: 7 }));
      expect((await store.batch(id))?.settings).toMatchObject({ folder: '/other', maxSubmits: 7 });
    });

    test('keeps its name with new settings, or takes another one with them', async () => {
      const { id, name } = await store.createBatch(newBatch());
      await store.updateBatchSettings(id, settings({ maxSubmits: 7 }));
      expect((await store.batch(id))?.name).toBe(name);
      await store.updateBatchSettings(id, settings({ maxSubmits: 8 }), 'Another name');
      expect(await store.batch(id)).toMatchObject({ name: 'Another name', settings: { maxSubmits: 8 } });
    });

    test('that is unknown is a bug where it is written or asked for tasks', async () => {
      expect(await store.batch('none')).toBeUndefined();
      await expect(async () => store.setBatchState('none', 'running', undefined, 1)).rejects.toThrow('none');
      await expect(async () => store.counts('none')).rejects.toThrow('none');
    });
  });

  describe('a night', () => {
    const DAY = 86_400_000;

    test('begins when a batch starts while none runs, and ends when none runs any more', async () => {
      const first = await store.createBatch(newBatch());
      const second = await store.createBatch(newBatch());
      expect(await store.nights()).toEqual([]);
      await store.setBatchState(first.id, 'running', undefined, NOW);
      await store.setBatchState(second.id, 'running', undefined, NOW + 1);
      await store.setBatchState(first.id, 'paused', { by: 'user' }, NOW + 2);
      expect(await store.nights()).toEqual([{ id: 1, beganAt: NOW }]);
      await store.setBatchState(second.id, 'finished', undefined, NOW + 3);
      await store.setBatchState(first.id, 'finished', undefined, NOW + 4);
      expect(await store.nights()).toEqual([{ id: 1, beganAt: NOW, endedAt: NOW + 3 }]);
    });

    test('goes on with what is started again in it; the next day has its own', async () => {
      const { id } = await store.createBatch(newBatch());
      await store.setBatchState(id, 'running', undefined, NOW);
      await store.setBatchState(id, 'paused', { by: 'user' }, NOW + 2);
      await store.setBatchState(id, 'running', undefined, NOW + 3);
      expect(await store.nights()).toEqual([{ id: 1, beganAt: NOW }]);
      await store.setBatchState(id, 'paused', { by: 'user' }, NOW + 4);
      await store.setBatchState(id, 'running', undefined, NOW + DAY);
      expect(await store.nights()).toMatchObject([{ endedAt: NOW + 4 }, { id: 2, beganAt: NOW + DAY }]);
    });

    test('never begins with the end of a batch, while another waits; without any it ended with its last sign of life', async () => {
      const waiting = await store.createBatch(newBatch());
      const other = await store.createBatch(newBatch());
      await store.setBatchState(waiting.id, 'running', undefined, NOW);
      await store.setBatchState(other.id, 'running', undefined, NOW);
      await store.setBatchState(other.id, 'paused', { by: 'user' }, NOW + DAY);
      expect(await store.nights()).toEqual([{ id: 1, beganAt: NOW }]);
      await store.setBatchState(waiting.id, 'paused', { by: 'user' }, NOW + DAY);
      expect(await store.nights()).toEqual([{ id: 1, beganAt: NOW, endedAt: NOW }]);
    });

    test('is that of its paid requests, with what they may cost; one slept through ends at its last sign of life', async () => {
      const { id: batchId } = await store.createBatch({ ...newBatch(), rows: [makeRow(2), makeRow(3)] });
      await store.setBatchState(batchId, 'running', undefined, NOW - 5);
      const [first, second] = await listOf(store.tasksByStatus(['queued'], batchId));
      const price = { amount: 0.1, currency: 'EUR' };
      const priced = { openAttempt: { ...INTENT, price } };
      await commit(change(only(first), { status: 'submitting' }, priced));
      const later = { openAttempt: { ...INTENT, startedAt: NOW + DAY } };
      await commit({ ...change(only(second), { status: 'submitting' }, later), at: NOW + DAY });
      expect(await store.attempts(only(first).id)).toMatchObject([{ night: 1, price }]);
      expect(await store.attempts(only(second).id)).toMatchObject([{ night: 2 }]);
      expect((await store.attempts(only(second).id))[0]).not.toHaveProperty('price');
      expect(await store.nights()).toEqual([
        { id: 1, beganAt: NOW - 5, endedAt: NOW },
        { id: 2, beganAt: NOW + DAY },
      ]);
    });
  });

  test.each([
    [0.250_000_1, 250_001],
    [1e12, 1e18],
  ])('spending counts a cost of %d, which nobody expects, as %d millionths', async (amount, micros) => {
    const { id: batchId } = await store.createBatch({ ...newBatch(), rows: [makeRow(2)] });
    const [first] = await listOf(store.tasksByStatus(['queued'], batchId));
    const open = await commit(change(only(first), {}, { openAttempt: INTENT }));
    const cost = { amount, currency: 'EUR' };
    await commit(change(open, {}, { closeAttempt: { answeredAt: NOW, outcome: 'accepted', cost } }));
    expect((await store.spending(NOW, [])).month.micros).toEqual({ EUR: micros });
  });

  test('what a gateway has lately said that a request cost is known for its next ones', async () => {
    const { id: batchId } = await store.createBatch({ ...newBatch(), rows: [makeRow(2), makeRow(3), makeRow(4)] });
    const [first, second, third] = await listOf(store.tasksByStatus(['queued'], batchId));
    const statedAt = async (at: number) =>
      (await store.spending(at, [batchId])).batches.get(batchId)?.queued.map(({ stated }) => stated);
    const closed = (amount: number, currency: string) => ({
      closeAttempt: { answeredAt: NOW, outcome: 'accepted' as const, cost: { amount, currency } },
    });
    expect(await statedAt(NOW)).toEqual([undefined]);
    const open = await commit(change(only(first), {}, { openAttempt: INTENT }));
    const again = await commit(change(only(second), {}, { openAttempt: INTENT }));
    await commit(change(open, {}, closed(0.5, 'EUR')));
    expect(await statedAt(NOW)).toEqual([[{ amount: 0.5, currency: 'EUR' }]]);
    await commit(change(again, {}, closed(0.25, 'EUR')));
    const last = await commit(change(only(third), {}, { openAttempt: INTENT }));
    await commit(change(last, {}, closed(3, 'CREDITS')));
    expect(await statedAt(NOW)).toEqual([
      [
        { amount: 3, currency: 'CREDITS' },
        { amount: 0.5, currency: 'EUR' },
      ],
    ]);
    expect(await statedAt(NOW + 31 * 86_400_000)).toEqual([undefined]);
  });

  test('spending counts what a request may cost, or what it has cost if that is more', async () => {
    const { id: batchId } = await store.createBatch({ ...newBatch(), rows: [makeRow(2), makeRow(3)] });
    const [first, second] = await listOf(store.tasksByStatus(['queued'], batchId));
    const price = { amount: 0.1, currency: 'EUR' };
    const open = await commit(change(only(first), {}, { openAttempt: { ...INTENT, price } }));
    await commit(change(only(second), {}, { openAttempt: INTENT }));
    const unpricedOf = { [only(second).operation]: 1 };
    const sum = { requests: 2, micros: { EUR: 100_000 }, unpriced: 1, unpricedOf };
    const [operation] = [only(first).operation];
    const batches = new Map([[batchId, { spent: sum, queued: [{ operation, isStartable: true }] }]]);
    expect(await store.spending(NOW, [batchId])).toEqual({ night: sum, month: sum, batches });
    const cost = { amount: 0.25, currency: 'EUR' };
    await commit(change(open, {}, { closeAttempt: { answeredAt: NOW, outcome: 'accepted', cost } }));
    expect((await store.spending(NOW, [])).month).toEqual({ ...sum, micros: { EUR: 250_000 } });
    expect((await store.spending(NOW + 40 * 86_400_000, [])).month).toMatchObject({ requests: 0 });
    // Noted by a clock that was ahead.
    expect((await store.spending(NOW - 40 * 86_400_000, [])).month).toMatchObject({ requests: 0 });
    await store.setSpendingLimits({ night: { requests: 3 } });
    expect(await store.spendingLimits()).toEqual({ night: { requests: 3 } });
  });

  test('documents are marked as out of date until they are not', async () => {
    expect(await store.outdatedDocuments()).toEqual([]);
    for (const id of ['b', 'a', 'b']) await store.markDocuments(id, true);
    expect(await store.outdatedDocuments()).toEqual([{ batchId: 'a' }, { batchId: 'b' }]);
    await store.markDocuments('b', false);
    await store.markDocuments('c', false);
    expect(await store.outdatedDocuments()).toEqual([{ batchId: 'a' }]);
    // Each of several processes says so for itself.
    for (const by of ['w1', 'w2']) await store.markDocuments('a', true, by);
    await store.markDocuments('a', false, 'w1');
    await store.markDocuments('a', false);
    expect(await store.outdatedDocuments()).toEqual([{ batchId: 'a', by: 'w2' }]);
  });

  test('how often the documents of a batch were written is counted for all processes', async () => {
    const { id: batchId } = await store.createBatch(newBatch());
    expect(await store.countDocuments(batchId, 0)).toBe(0);
    expect(await store.countDocuments(batchId, 1)).toBe(1);
    expect(await store.countDocuments(batchId, 0)).toBe(1);
    expect(await store.countDocuments(batchId, 1)).toBe(2);
    // They are no marks.
    expect(await store.outdatedDocuments()).toEqual([]);
    // Of a batch that is gone, nothing is kept.
    expect(await store.countDocuments('gone', 1)).toBe(1);
    expect(await store.countDocuments('gone', 1)).toBe(1);
  });
}
