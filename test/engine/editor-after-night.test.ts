import { listOf } from '../../src/shared/domain/base/result.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { describe, expect, test } from 'vitest';
import { EARLIER_TAKES_SHOWN } from '../../src/shared/domain/task/views/full-row.ts';
import { rowDetailOf } from '../support/row-detail-of.ts';
import { accepted, rendered } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';
import { HEADERS, ONE_AT_A_TIME, lines, prompts, statuses } from '../support/edited-night.ts';

describe('after a night', () => {
  test('of a row that was changed and paid for very often the latest attempts are shown, and what all of them cost', async () => {
    const rig = new SheetRig();
    rig.night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    const batchId = await rig.bringIn(HEADERS, lines(1), ONE_AT_A_TIME);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    for (let version = 2; version <= EARLIER_TAKES_SHOWN + 3; version += 1) {
      await rig.set(batchId, 0, 'prompt', `song of version ${version}`);
      await rig.editor.release(batchId);
      await rig.night.scheduler.start(batchId);
      await rig.night.untilRest(batchId);
    }
    const takes = (await rowDetailOf(rig.night.opened.views, batchId, 's1'))?.earlierTakes;
    const paid = EARLIER_TAKES_SHOWN + 2;
    expect(takes).toMatchObject({ count: paid, submitsUsed: paid });
    expect(takes?.shown.map(({ label }) => label)).toEqual(
      Array.from({ length: EARLIER_TAKES_SHOWN }, (_, i) => `song of version ${paid - i}`),
    );
    const [exported] = await listOf(rig.night.opened.views.exportRows(batchId));
    expect(exported?.tasks.map(({ request }) => request?.['prompt'])).toEqual([
      'song 1',
      ...Array.from({ length: paid - 1 }, (_, i) => `song of version ${i + 2}`),
      undefined,
    ]);
    expect(takes?.shown[0]?.outputs).toMatchObject([{ path: `music/s1-v${paid}.mp3` }]);
  });

  test('the files of a changed row stay to be compared with, and the new ones are named after them', async () => {
    const rig = new SheetRig();
    rig.night.gateway.onPoll = (code) =>
      rendered(`https://media.example/${code}-a.mp3`, `https://media.example/${code}-b.mp3`);
    const batchId = await rig.bringIn(HEADERS, lines(1), ONE_AT_A_TIME);
    const files = async () => {
      const detail = await rowDetailOf(rig.night.opened.views, batchId, 's1');
      return [detail?.tasks.flatMap(({ outputs }) => outputs), detail?.earlier].map((of) =>
        of?.map(({ path }) => path),
      );
    };
    const filesInFolder = async () =>
      (await rig.night.opened.views.taskFiles(batchId)).reduce((sum, { files: count }) => sum + count, 0);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    const first = ['music/s1-1.mp3', 'music/s1-2.mp3'];
    expect(await files()).toEqual([first, []]);

    await rig.set(batchId, 0, 'prompt', 'another song');
    expect(await files()).toEqual([[], first]);
    expect(await filesInFolder()).toBe(2);
    for (const version of ['v2', 'v3']) {
      await rig.editor.release(batchId);
      await rig.night.scheduler.start(batchId);
      await rig.night.untilRest(batchId);
      expect((await files())[0]).toEqual([`music/s1-${version}-1.mp3`, `music/s1-${version}-2.mp3`]);
      await rig.set(batchId, 0, 'prompt', `song of ${version}`);
    }
    // The latest first.
    expect((await files())[1]).toEqual([
      ...['v3', 'v2'].flatMap((version) => [`music/s1-${version}-1.mp3`, `music/s1-${version}-2.mp3`]),
      ...first,
    ]);
    expect(await filesInFolder()).toBe(6);
  });

  test('an edited row is a draft with what it was paid for set aside, and undoing brings that back', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(3));
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    const before = await rig.night.tasks(batchId);

    await rig.set(batchId, 1, 'prompt', 'another song');
    expect(await statuses(rig, batchId)).toEqual(['s1 done', 's2 draft', 's3 done']);
    expect(await rig.night.tasks(batchId)).toHaveLength(2);
    await rig.undo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['s1 done', 's2 done', 's3 done']);
    expect((await rig.night.tasks(batchId)).map(({ id, taskCode }) => [id, taskCode])).toEqual(
      before.map(({ id, taskCode }) => [id, taskCode]),
    );

    await rig.redo(batchId);
    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 1 });
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['song 1', 'song 2', 'song 3', 'another song']);
    // Both versions were paid for by now: undoing shows the first one again, doing it again the second one.
    await rig.undo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['s1 done', 's2 done', 's3 done']);
    expect((await rig.night.store.tasksOfRow(batchId, 's2')).map(({ id }) => id)).toEqual([before[1]?.id]);
    await rig.redo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['s1 done', 's2 done', 's3 done']);
    expect(rig.night.gateway.submits).toHaveLength(4);
  });

  test('a prompt that is typed back brings back what it was paid for, also after a restart', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(3));
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    const [, second] = await rig.night.tasks(batchId);
    const files = async () =>
      (await rowDetailOf(rig.night.opened.views, batchId, 's2'))?.tasks.flatMap(({ outputs }) => outputs);
    const before = await files();

    await rig.set(batchId, 1, 'prompt', 'another song');
    rig.night.open();
    rig.reopen();
    await rig.night.scheduler.attach(batchId);
    await rig.set(batchId, 1, 'prompt', 'song 2');
    expect(await statuses(rig, batchId)).toEqual(['s1 done', 's2 done', 's3 done']);
    expect((await rig.night.store.tasksOfRow(batchId, 's2')).map(({ id }) => id)).toEqual([second?.id]);
    expect(await files()).toEqual(before);
    expect((await rig.night.opened.views.batchSummary(batchId))?.draftSubmits).toBe(0);
    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 0 });

    await rig.undo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['s1 done', 's2 draft', 's3 done']);
    await rig.redo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['s1 done', 's2 done', 's3 done']);
    expect(rig.night.gateway.submits).toHaveLength(3);
    expect(await rig.night.opened.whole.checkIntegrity()).toEqual([]);
  });

  test('of a prompt that is typed back with more takes only those are a draft that were never paid for', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(1));
    const run = async (): Promise<void> => {
      await rig.editor.release(batchId);
      await rig.night.scheduler.start(batchId);
      await rig.night.untilRest(batchId);
    };
    await run();
    await rig.set(batchId, 0, 'prompt', 'another song');
    await run();
    await rig.edit(batchId, await rig.block(batchId, 0, ['prompt', 'takes'], [['song 1', '2']]));
    expect((await rig.night.opened.views.batchSummary(batchId))?.draftSubmits).toBe(1);
    await run();
    expect(prompts(rig)).toEqual(['song 1', 'another song', 'song 1']);
    await rig.edit(batchId, await rig.block(batchId, 0, ['prompt', 'takes'], [['another song', '1']]));
    await rig.edit(batchId, await rig.block(batchId, 0, ['prompt', 'takes'], [['song 1', '1']]));
    await rig.set(batchId, 0, 'takes', '2');
    expect(await statuses(rig, batchId)).toEqual(['s1 done']);
    expect((await rig.night.opened.views.batchSummary(batchId))?.draftSubmits).toBe(0);
  });

  test('a row whose references give something else by now is a draft, although its words are what they were', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [
      ['a', 'music', 'owl', '', ''],
      ['b', 'music', 'after {{a.taskId}}', '', ''],
    ]);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    await rig.edit(batchId, await rig.block(batchId, 0, ['prompt'], [['fox'], ['after nothing']]));
    await rig.editor.release(batchId, await rig.keys(batchId, 0));
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    await rig.set(batchId, 1, 'prompt', 'after {{a.taskId}}');
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b draft']);
  });

  test('an id in other letters makes no draft of what refers to its row, and undoing that neither', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [
      ['a', 'music', 'owl', '', ''],
      ['b', 'music', 'after {{a.taskId}}', '', ''],
    ]);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    await rig.set(batchId, 0, 'row', 'A');
    expect(await statuses(rig, batchId)).toEqual(['A done', 'b done']);
    await rig.undo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b done']);
  });

  test('a finished row that is to be rendered again is a draft until the user runs it, and both renderings can be gone back to', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [['s1', 'music', 'song', '2', ''], ...lines(2).slice(1)]);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    const tasksOf = async () => (await rig.night.store.tasksOfRow(batchId, 's1')).map(({ id, status }) => [id, status]);
    const first = await tasksOf();
    const again = { kind: 'render-again', rows: await rig.keys(batchId, 0) } as const;

    expect(await rig.edit(batchId, again)).toMatchObject({
      changedRows: 1,
      refusedRows: 0,
      undo: 'Render a row again',
    });
    expect(await statuses(rig, batchId)).toEqual(['s1 draft', 's2 done']);
    expect((await rig.night.opened.views.batchSummary(batchId))?.draftSubmits).toBe(2);
    expect(await rig.edit(batchId, again)).toMatchObject({ changedRows: 0, refusedRows: 1 });
    await rig.undo(batchId);
    expect(await tasksOf()).toEqual(first);
    await rig.redo(batchId);
    await rig.set(batchId, 0, 'note', 'the drums were too loud');
    expect(await statuses(rig, batchId)).toEqual(['s1 draft', 's2 done']);
    expect(rig.night.gateway.submits).toHaveLength(3);

    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 2 });
    await rig.night.scheduler.start(batchId);
    expect(await rig.edit(batchId, again)).toMatchObject({ changedRows: 0, refusedRows: 1 });
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['song', 'song', 'song 2', 'song', 'song']);
    const second = await tasksOf();
    expect(second).not.toEqual(first);
    await rig.undo(batchId);
    await rig.undo(batchId);
    expect(await tasksOf()).toEqual(first);
    await rig.redo(batchId);
    expect(await tasksOf()).toEqual(second);
    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 0 });
    expect(rig.night.gateway.submits).toHaveLength(5);
    expect(await rig.night.opened.whole.checkIntegrity()).toEqual([]);
  });

  test('undoing a later edit or a removal leaves a row that is to be rendered again as it was', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [
      ['s1', 'music', 'song', '2', ''],
      ['s2', 'music', 'song 2', '', ''],
    ]);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    const first = (await rig.night.store.tasksOfRow(batchId, 's1')).map(({ id }) => id);
    await rig.edit(batchId, { kind: 'render-again', rows: await rig.keys(batchId, 0) });
    await rig.set(batchId, 0, 'prompt', 'another');
    await rig.undo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['s1 draft', 's2 done']);
    await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 0) });
    await rig.undo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['s1 draft', 's2 done']);
    expect((await rig.night.opened.views.batchSummary(batchId))?.draftSubmits).toBe(2);
    // Back to the files that there are, and to the wish once more.
    await rig.undo(batchId);
    expect((await rig.night.store.tasksOfRow(batchId, 's1')).map(({ id }) => id)).toEqual(first);
    await rig.redo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['s1 draft', 's2 done']);
    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 2 });
  });

  test('undoing brings back what was paid for since the row was a draft', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(2));
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    for (const prompt of ['B', 'C', 'B']) await rig.set(batchId, 0, 'prompt', prompt);
    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 1 });
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    await rig.undo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['s1 draft', 's2 done']);
    await rig.undo(batchId);
    expect((await rig.texts(batchId, 'prompt'))[0]).toEqual(['B']);
    expect(await statuses(rig, batchId)).toEqual(['s1 done', 's2 done']);
  });

  test('of a row whose only file is of a take that it no longer asks for, nothing is rendered again', async () => {
    const rig = new SheetRig();
    rig.night.gateway.onSubmit = (_, nth) =>
      nth === 1
        ? { outcome: { kind: 'rejected', failure: failure('MODERATED', 'Not this one.') } }
        : accepted(`code-${nth}`);
    const batchId = await rig.bringIn(HEADERS, [['s1', 'music', 'song', '2', '']]);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    await rig.set(batchId, 0, 'takes', '1');
    const again = await rig.edit(batchId, { kind: 'render-again', rows: await rig.keys(batchId, 0) });
    expect(again).toMatchObject({ changedRows: 0, refusedRows: 1 });
  });

  test('a removed row comes back with what it was paid for', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(3));
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 0, 2) });
    expect(await statuses(rig, batchId)).toEqual(['s3 done']);
    await rig.undo(batchId);
    expect(await statuses(rig, batchId)).toEqual(['s1 done', 's2 done', 's3 done']);
    expect((await rig.night.tasks(batchId)).map(({ status }) => status)).toEqual(['done', 'done', 'done']);
  });

  test('a note, and a list that has changed meanwhile, render nothing again', async () => {
    const rig = new SheetRig();
    rig.lists = { animals: ['owl', 'fox', 'hen', 'cat'] };
    const batchId = await rig.bringIn(HEADERS, [['a', 'music', 'a __animals__', '', '']]);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    const { body } = (await rig.rows(batchId))[0]?.row ?? {};
    rig.lists = { animals: ['eel', 'ape', 'bee', 'yak'] };
    await rig.set(batchId, 0, 'note', 'nice');
    expect(await statuses(rig, batchId)).toEqual(['a done']);
    expect((await rig.rows(batchId))[0]?.row).toMatchObject({ body, note: 'nice' });
  });
});
