import { listOf } from '../../src/shared/domain/base/result.ts';
import { describe, expect, test } from 'vitest';
import type { RowChange } from '../../src/engine/ports/sheet-store.ts';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { PLAIN_SHEET } from '../../src/shared/domain/task/batch.ts';
import { newTasks } from '../../src/shared/domain/task/new-tasks.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { ROW_GAP } from '../../src/shared/domain/task/task.ts';
import { rowDetailOf } from '../support/row-detail-of.ts';
import { WAYS } from './opened-store.ts';
import { makeRow, newBatch, NOW, only } from './task-store-fixtures.ts';
import { NOTHING, WRONG, sheetForEach } from './sheet-store-rig.ts';

describe.each(WAYS)('%s', (_way, openIn) => {
  let opened: PromisedStore;
  let sheets: PromisedStore['sheets'];
  let id: string;
  const { reopen, edit, stored, update, insertion, taskOf, finish, rowIds } = sheetForEach(openIn, (given) => {
    ({ opened, sheets, id } = given);
  });

  async function exported(rowId: string) {
    return only((await listOf(opened.views.exportRows(id))).find(({ row }) => row.id === rowId));
  }

  describe('a row', () => {
    test('is inserted between two others and has a line of its own from then on', async () => {
      const isRenumbered = { ...PLAIN_SHEET, isRenumbered: true };
      const [key] = await edit([insertion(makeRow(9, { id: 'new' }), 2 * ROW_GAP + 5)], { sheet: isRenumbered });
      const { rows } = await opened.views.rowPage(id, { offset: 1, limit: 3 });
      expect(rows.map(({ row, line }) => [row, line])).toEqual([
        ['r3', 3],
        ['new', 4],
        ['r4', 5],
      ]);
      expect(await sheets.linesOf(id, [only(key), (await stored('r5')).key])).toEqual(
        new Map([
          [key, 4],
          [(await stored('r5')).key, 6],
        ]),
      );
      expect((await opened.store.nextQueued(id, 'musicgen', 9, NOW)).map(({ rowId }) => rowId)).toEqual(await rowIds());
    });

    test('keeps its key and takes its tasks along under another id, also those that have ended', async () => {
      await finish('r3');
      const { key } = await stored('r3');
      await edit([update(await stored('r3'), { cells: { id: 'Éclair' } })]);
      expect((await stored('éclair')).key).toBe(key);
      expect(await opened.store.tasksOfRow(id, 'r3')).toEqual([]);
      expect(await opened.store.tasksOfRow(id, 'Éclair')).toMatchObject([{ rowId: 'Éclair', status: 'done' }]);
      expect((await opened.store.row(id, 'Éclair'))?.body).toEqual({ prompt: 'prompt 3' });
    });

    test('starts where it was moved to', async () => {
      await edit([{ kind: 'move', key: (await stored('r5')).key, position: -ROW_GAP, line: 2 }]);
      expect(await rowIds()).toEqual(['r5', 'r2', 'r3', 'r4']);
      expect(await opened.store.nextQueued(id, 'musicgen', 1, NOW)).toMatchObject([
        { rowId: 'r5', position: -ROW_GAP },
      ]);
      expect((await stored('r5')).row.line).toBe(2);
    });

    test('is sent as it was edited last', async () => {
      const next = { ...makeRow(3), body: { prompt: 'other' } };
      await edit([
        update(
          await stored('r3'),
          { row: next },
          { remove: (await stored('r3')).tasks, add: newTasks(next, id, 1, false, NOW) },
        ),
      ]);
      expect(new TextDecoder().decode(await opened.store.requestBody((await taskOf('r3')).id))).toBe(
        '{"prompt":"other"}',
      );
      expect(await opened.store.tasksOfRow(id, 'r3')).toHaveLength(1);
      expect((await opened.views.batchSummary(id))?.batch.taskCount).toBe(4);
    });

    test('that asks for something else after it was rendered keeps what was paid for', async () => {
      const done = await finish('r3');
      expect(await opened.views.filesFound(id, {})).toEqual(Float64Array.of(done.id, 1));
      await edit([
        update(await stored('r3'), { cells: { body: { prompt: 'other' } }, isDraft: true }, { supersede: [done] }),
      ]);
      expect(await opened.store.tasksOfRow(id, 'r3')).toEqual([]);
      // A gallery shows it as an earlier version.
      expect(await opened.views.filesFound(id, {})).toEqual(Float64Array.of(done.id, 1));
      expect(await opened.views.filesFound(id, { version: 'now' })).toEqual(Float64Array.of());
      expect(await opened.views.filesByIds(id, [`${done.id}-1`])).toMatchObject([{ isEarlier: true }]);
      expect(await opened.store.task(done.id)).toMatchObject({ status: 'done', taskCode: 'code-r3' });
      expect(await opened.store.isTaskCodeKnown(id, 'code-r3')).toBe(true);
      expect(await opened.store.rowWithUrl(await taskOf('r4'), 'https://m.example/r3')).toBe('r3');
      expect(await opened.store.attempts(done.id)).toHaveLength(1);
      expect((await opened.store.tasksEverOfRow(id, 'r3')).map((task) => task.id)).toEqual([done.id]);
      expect(await exported('r3')).toMatchObject({
        status: 'draft',
        tasks: [{ superseded: true, status: 'done', outputs: [{ path: 'music/r3.mp3' }] }],
      });
      expect(await opened.views.batchSummary(id)).toMatchObject({
        rows: { draft: 1, done: 0, queued: 3 },
        submitsUsed: 1,
        draftSubmits: 1,
        batch: { taskCount: 3 },
      });
    });

    test('shows the files that it had, of each take the last ones, until a new one is there', async () => {
      const views = async () => {
        const [view] = await opened.views.rowsByIds(id, ['r3']);
        const detail = only(await rowDetailOf(opened.views, id, 'r3'));
        return { now: view?.files.map(({ path }) => path), before: view?.earlier, earlier: detail.earlier };
      };
      const again = async (cells: Partial<Row>) => {
        const before = await stored('r3');
        const row = { ...before.row, ...cells };
        const add = newTasks(row, id, before.position, false, NOW);
        await edit([update(before, { row }, { supersede: before.tasks, add })]);
      };
      const first = await finish('r3');
      expect(await views()).toEqual({ now: ['music/r3.mp3'], before: undefined, earlier: [] });

      await again({ body: { prompt: 'other' } });
      const [gone] = (await views()).earlier;
      expect(await views()).toMatchObject({
        now: [],
        before: { files: [{ outputId: `${first.id}-1`, path: 'music/r3.mp3' }], fileCount: 1 },
        earlier: [{ outputId: `${first.id}-1`, madeAt: NOW + 5, isOfOtherRequest: true }],
      });
      expect(gone).not.toHaveProperty('successorId');

      const second = await finish('r3', 'r3-v2');
      expect(await views()).toMatchObject({
        now: ['music/r3-v2.mp3'],
        before: undefined,
        earlier: [{ isOfOtherRequest: true, successorId: `${second.id}-1` }],
      });

      // Rendered again as it is: of the two that it had, the grid shows the last one.
      await again({});
      expect(await views()).toMatchObject({
        before: { files: [{ path: 'music/r3-v2.mp3' }], fileCount: 1 },
        earlier: [{ outputId: `${second.id}-1` }, { isOfOtherRequest: true, successorId: `${second.id}-1` }],
      });
      expect((await views()).earlier[0]).not.toHaveProperty('isOfOtherRequest');
    });

    test('lists what it had by versions, the newest first, and of each in order of take', async () => {
      const again = async () => {
        const before = await stored('r3');
        const row = { ...before.row, takes: 3 };
        const add = newTasks(row, id, before.position, false, NOW);
        await edit([update(before, { row }, { supersede: before.tasks, add })]);
      };
      const first = await finish('r3');
      await again();
      const second = (await stored('r3')).tasks;
      for (const task of second) await finish('r3', `r3-second-${task.take}`, task);
      await again();
      const { earlier, earlierTakes } = only(await rowDetailOf(opened.views, id, 'r3'));
      const files = ['r3-second-1', 'r3-second-2', 'r3-second-3', 'r3'].map((name) => `music/${name}.mp3`);
      expect(earlier.map(({ path }) => path)).toEqual(files);
      expect(earlierTakes.shown.map(({ taskId }) => taskId)).toEqual([...second.map((task) => task.id), first.id]);
    });

    test('is as it was before when that is taken back', async () => {
      const done = await finish('r3');
      const before = await stored('r3');
      await edit([update(before, { cells: { body: { prompt: 'other' } } }, { supersede: [done] })]);
      const superseded = only(await opened.store.task(done.id));
      await edit([update(await stored('r3'), { cells: before.row }, { unsupersede: [superseded] })]);
      expect(await stored('r3')).toMatchObject({ row: before.row, tasks: [{ id: done.id, status: 'done' }] });
      expect((await exported('r3')).tasks[0]).not.toHaveProperty('superseded');
      expect(await opened.views.batchSummary(id)).toMatchObject({ rows: { done: 1, queued: 3 }, submitsUsed: 1 });
    });

    test('of which nothing was ever sent is gone when it is removed, with its tasks and events', async () => {
      const { key, tasks } = await stored('r3');
      const [task] = tasks;
      await edit([{ kind: 'remove', key, tasks: { ...NOTHING, remove: tasks } }]);
      expect([await rowIds(), (await listOf(opened.views.exportRows(id))).length]).toEqual([['r2', 'r4', 'r5'], 3]);
      expect([await opened.store.task(only(task).id), await opened.store.events(only(task).id)]).toEqual([
        undefined,
        [],
      ]);
      expect(await sheets.rowsByKeys(id, [key])).toEqual([]);
      expect(await opened.store.batch(id)).toMatchObject({ rowCount: 3, taskCount: 3 });
    });

    test('takes its keys with it, also as the last one and at the beginning of a process', async () => {
      const { key, tasks } = await stored('r5');
      await reopen();
      await edit([{ kind: 'remove', key, tasks: { ...NOTHING, remove: tasks } }]);
      await edit([insertion(makeRow(9), 9 * ROW_GAP)]);
      const added = await stored('r9');
      expect(added.key).toBeGreaterThan(key);
      expect(only(added.tasks[0]).id).toBeGreaterThan(only(tasks[0]).id);
      await reopen();
      await edit([{ kind: 'remove', key: added.key, tasks: { ...NOTHING, remove: added.tasks } }]);
      await reopen();
      await edit([insertion(makeRow(10), 10 * ROW_GAP)]);
      expect((await stored('r10')).key).toBeGreaterThan(added.key);
    });

    test('that was rendered is hidden when it is removed, and can be brought back', async () => {
      const done = await finish('r3');
      const before = await stored('r3');
      await edit([{ kind: 'remove', key: before.key, tasks: { ...NOTHING, supersede: [done] } }]);
      expect(await rowIds()).toEqual(['r2', 'r4', 'r5']);
      expect([await opened.store.row(id, 'r3'), await opened.views.rowDetail(id, before.key)]).toEqual([
        undefined,
        undefined,
      ]);
      expect((await opened.views.rowsWith(id, 'r3', undefined, 9)).rows).toEqual([]);
      expect(await opened.store.tasksEverOfRow(id, 'r3')).toMatchObject([{ id: done.id, status: 'done' }]);
      expect(await exported('r3')).toMatchObject({ isRemoved: true, status: 'done', tasks: [{ superseded: true }] });
      expect(await sheets.hiddenByIds(id, ['r3', 'r9'])).toEqual(new Map([['r3', [before.key]]]));
      const superseded = only(await opened.store.task(done.id));
      const restore = update(before, {}, { unsupersede: [superseded] }) as Extract<RowChange, { kind: 'update' }>;
      await edit([{ ...restore, kind: 'restore' }]);
      expect(await rowIds()).toEqual(['r2', 'r3', 'r4', 'r5']);
      expect(await stored('r3')).toMatchObject({ key: before.key, tasks: [{ status: 'done' }] });
      expect(await exported('r3')).not.toHaveProperty('isRemoved');
    });

    test('runs at the user’s word alone while it is a draft', async () => {
      const row = makeRow(9, { takes: 3 });
      const { add: _, ...draft } = insertion(row, 9 * ROW_GAP) as Extract<RowChange, { kind: 'insert' }>;
      await edit([{ ...draft, content: { ...draft.content, isDraft: true }, add: [] }]);
      expect(await opened.views.batchSummary(id)).toMatchObject({ rows: { draft: 1 }, draftSubmits: 3 });
      await reopen();
      expect(await opened.views.batchSummary(id)).toMatchObject({ rows: { draft: 1 }, draftSubmits: 3 });
      expect((await stored('r9')).isDraft).toBe(true);
      expect(await Promise.all(['r9', 'r4', 'r0'].map((row) => opened.store.isDraft(id, row)))).toEqual([
        true,
        false,
        false,
      ]);
      const add = newTasks(row, id, 9 * ROW_GAP, false, NOW);
      await edit([update(await stored('r9'), { isDraft: false }, { add })]);
      expect(await opened.views.batchSummary(id)).toMatchObject({ rows: { draft: 0, queued: 5 }, draftSubmits: 0 });
    });

    test('without a word in it is passed over, and invalid once something is wrong with it', async () => {
      const blank = makeRow(9, { operation: undefined, cells: { row: 'r9', prompt: ' ' } });
      await edit([insertion(blank, 9 * ROW_GAP)]);
      expect(await opened.views.rowsByIds(id, ['r9'])).toMatchObject([{ status: 'skipped' }]);
      await edit([{ kind: 'problems', key: (await stored('r9')).key, problems: [{ ...WRONG, row: 'r9' }] }]);
      expect(await opened.views.rowsByIds(id, ['r9'])).toMatchObject([
        { status: 'invalid', problem: { message: 'wrong' } },
      ]);
      expect(await opened.views.batchSummary(id)).toMatchObject({
        rows: { invalid: 1, skipped: 0 },
        problems: { errors: 1, warnings: 0 },
      });
    });
  });

  describe('keys', () => {
    async function removeLast(): Promise<number> {
      const { key, tasks } = await stored('r5');
      await edit([{ kind: 'remove', key, tasks: { ...NOTHING, remove: tasks } }]);
      return key;
    }

    test('of rows and tasks are given once, also after the last ones were removed and the store was opened again', async () => {
      const task = (await taskOf('r5')).id;
      const key = await removeLast();
      await reopen();
      const [next] = await edit([insertion(makeRow(9), 9 * ROW_GAP)]);
      expect(only(next)).toBeGreaterThan(key);
      expect((await taskOf('r9')).id).toBeGreaterThan(task);
    });

    test('are had again by a row whose removal is taken back', async () => {
      const key = await removeLast();
      await opened.store.createBatch(newBatch({ createdAt: NOW + 5_000 }));
      expect(await edit([insertion(makeRow(5), 4 * ROW_GAP, key)])).toEqual([key]);
      expect((await stored('r5')).key).toBe(key);
      const [next] = await edit([insertion(makeRow(9), 9 * ROW_GAP)]);
      expect(only(next)).toBeGreaterThan(key + 1);
    });
  });

  test('positions have room between them again, and everything keeps its order', async () => {
    for (let i = 0; i < 5; i += 1) await edit([insertion(makeRow(20 + i), ROW_GAP + 1 + i)]);
    const before = await rowIds();
    await sheets.spreadPositions(id);
    expect(await rowIds()).toEqual(before);
    expect((await opened.store.nextQueued(id, 'musicgen', 99, NOW)).map(({ rowId }) => rowId)).toEqual(before);
    const positions = (await listOf(sheets.allRows(id))).map(({ position }) => position);
    expect(positions).toEqual(positions.map((_, i) => (i + 1) * ROW_GAP));
    expect(await sheets.lastPosition(id)).toBe(positions.at(-1));
    const { key, position } = await stored('r20');
    const beside = await sheets.neighboursOf(id, [key]);
    expect(beside.get(key)).toMatchObject({ before: { position: position - ROW_GAP } });
    expect((await taskOf('r20')).position).toBe(position);
  });
});
