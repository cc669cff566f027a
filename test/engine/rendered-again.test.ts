import { describe, expect, test } from 'vitest';
import type { PollReport } from '../../src/engine/ports/media-gateway.ts';
import { rowSource } from '../../src/engine/night/row-source.ts';
import type { SheetStore } from '../../src/engine/ports/sheet-store.ts';
import type { RowSummary } from '../../src/shared/domain/task/views/row-summary.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { profileWith } from '../support/night-harness.ts';
import { record, rendered, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const HEADERS = ['row', 'operation', 'prompt', 'takes', 'note'];
const ONE_AT_A_TIME = { settings: { profile: profileWith({ activePerFamily: { musicgen: 1 } }) } };
const LOST: PollReport = { answer: { kind: 'record', record: record({ status: '3', message: 'out of tune' }) } };

function prompts({ night }: SheetRig): readonly string[] {
  return night.gateway.submits.map(({ body }) => (JSON.parse(body) as { prompt: string }).prompt);
}

async function rowsOf({ night }: SheetRig, batchId: string): Promise<readonly RowSummary[]> {
  return (await night.opened.views.rowPage(batchId, { offset: 0, limit: 100 })).rows;
}

async function statuses(rig: SheetRig, batchId: string): Promise<readonly string[]> {
  return (await rowsOf(rig, batchId)).map(({ row, status }) => `${row} ${status}`);
}

async function taskOf({ night }: SheetRig, batchId: string, rowId: string): Promise<Task> {
  const [task] = await night.store.tasksOfRow(batchId, rowId);
  if (task === undefined) throw new Error(`${rowId} has no task.`);
  return task;
}

/** Has the first row rendered again. */
async function again(rig: SheetRig, batchId: string): Promise<void> {
  await rig.edit(batchId, { kind: 'render-again', rows: await rig.keys(batchId, 0) });
}

async function keep(rig: SheetRig, batchId: string, offset = 0) {
  return rig.edit(batchId, { kind: 'keep-earlier', rows: await rig.keys(batchId, offset) });
}

async function run({ editor, night }: SheetRig, batchId: string): Promise<void> {
  await editor.release(batchId);
  await night.scheduler.start(batchId);
}

describe('a row that refers to one that is to be rendered again', () => {
  /** `a` is done and is to be rendered again, and `b`, made of it, was not sent yet. */
  async function rigWithDraft(): Promise<readonly [SheetRig, string]> {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [
      ['a', 'music', 'owl', '', ''],
      ['b', 'music', 'after {{a.taskId}}', '', ''],
    ]);
    rig.night.gateway.onPoll = (code) => (code === 'code-1' ? rendered('https://media.example/a.mp3') : RUNNING);
    const { scheduler } = rig.night;
    await scheduler.decide([{ taskId: (await taskOf(rig, batchId, 'b')).id, event: { kind: 'put-on-hold' } }]);
    await scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b queued']);
    await again(rig, batchId);
    await scheduler.decide([{ taskId: (await taskOf(rig, batchId, 'b')).id, event: { kind: 'released' } }]);
    await scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    return [rig, batchId];
  }

  test('waits for its new take, says that this waits for the user, and is made of it', async () => {
    const [rig, batchId] = await rigWithDraft();
    expect(await statuses(rig, batchId)).toEqual(['a draft', 'b queued']);
    expect((await rowsOf(rig, batchId))[1]).toMatchObject({ waitsForRow: 'a', waitsForDraft: true });
    expect(prompts(rig)).toEqual(['owl']);
    await run(rig, batchId);
    await rig.night.clock.advance(60_000);
    const [, waiting] = await rowsOf(rig, batchId);
    expect(waiting).toMatchObject({ status: 'queued', waitsForRow: 'a' });
    expect(waiting?.waitsForDraft).toBeUndefined();
    rig.night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['owl', 'owl', 'after code-2']);
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b done']);
  });

  test('is made of the files that there are, once the wish is taken back', async () => {
    const [rig, batchId] = await rigWithDraft();
    rig.night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await rig.undo(batchId);
    await run(rig, batchId);
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['owl', 'after code-1']);
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b done']);
  });

  test.each(['fails', 'is cancelled'] as const)(
    'says so where the new take %s, and goes on with the next',
    async (how) => {
      const [rig, batchId] = await rigWithDraft();
      rig.night.gateway.onPoll = () => (how === 'fails' ? LOST : RUNNING);
      await run(rig, batchId);
      if (how === 'is cancelled') {
        await rig.night.scheduler.decide([
          { taskId: (await taskOf(rig, batchId, 'a')).id, event: { kind: 'cancel-requested' } },
        ]);
      }
      await rig.night.untilRest(batchId);
      const { failure } = await taskOf(rig, batchId, 'b');
      expect(failure?.code).toBe('DEPENDENCY_FAILED');
      expect(failure?.message).toContain(how === 'fails' ? 'out of tune' : 'cancelled');
      rig.night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
      const taskId = (await taskOf(rig, batchId, 'a')).id;
      await rig.night.scheduler.decide([{ taskId, event: { kind: 'user-retry' } }]);
      await rig.night.scheduler.start(batchId);
      await rig.night.untilRest(batchId);
      expect(await statuses(rig, batchId)).toEqual(['a done', 'b done']);
      expect(prompts(rig).at(-1)).toBe(`after code-${prompts(rig).length - 1}`);
    },
  );

  test('stays with what it was made of, if it was sent before', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(
      HEADERS,
      [
        ['a', 'music', 'owl', '', ''],
        ['b', 'music', 'after {{a.taskId}}', '', ''],
      ],
      ONE_AT_A_TIME,
    );
    rig.night.gateway.onPoll = (code) => (code === 'code-1' ? rendered('https://media.example/a.mp3') : RUNNING);
    await rig.night.scheduler.start(batchId);
    await rig.night.clock.advanceUntil(async () => (await taskOf(rig, batchId, 'b')).status === 'rendering');
    await again(rig, batchId);
    rig.night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await run(rig, batchId);
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['owl', 'after code-1', 'owl']);
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b done']);
  });
});

describe('the earlier files of a row that is to be rendered again', () => {
  const SHEET = [
    ['a', 'music', 'owl', '2', ''],
    ['b', 'music', 'after {{a.taskId}}', '', ''],
  ];

  /** Both rows are done, and the process was started anew: nothing is left to undo. */
  async function rigAfterNight(): Promise<readonly [SheetRig, string]> {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, SHEET);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    return [rig, batchId];
  }

  async function restart(rig: SheetRig, batchId: string): Promise<void> {
    rig.night.open();
    rig.reopen();
    await rig.night.scheduler.attach(batchId);
    expect(await rig.editor.undo(batchId)).toMatchObject({ ok: false });
  }

  async function idsOf({ night }: SheetRig, batchId: string, rowId: string): Promise<readonly number[]> {
    return (await night.store.tasksOfRow(batchId, rowId)).map(({ id }) => id);
  }

  async function keeping(rig: SheetRig, batchId: string) {
    return (await rowsOf(rig, batchId)).map(({ keepsEarlier }) => keepsEarlier);
  }

  test.each([
    ['a row of its own', 0, 'a'],
    ['one that refers to another', 1, 'b'],
  ] as const)('are kept after a restart, of %s, and that is undone and redone', async (_, offset, rowId) => {
    const [rig, batchId] = await rigAfterNight();
    const first = await idsOf(rig, batchId, rowId);
    const before = await statuses(rig, batchId);
    await rig.edit(batchId, { kind: 'render-again', rows: await rig.keys(batchId, offset) });
    await restart(rig, batchId);
    expect((await keeping(rig, batchId))[offset]).toBe('possible');

    expect(await keep(rig, batchId, offset)).toMatchObject({
      changedRows: 1,
      refusedRows: 0,
      undo: 'Keep the earlier files of a row',
    });
    expect(await idsOf(rig, batchId, rowId)).toEqual(first);
    expect(await keeping(rig, batchId)).toEqual([undefined, undefined]);
    expect(await keep(rig, batchId, offset)).toMatchObject({ changedRows: 0, refusedRows: 1 });
    await rig.undo(batchId);
    expect((await statuses(rig, batchId))[offset]).toBe(`${rowId} draft`);
    expect((await keeping(rig, batchId))[offset]).toBe('possible');
    await rig.redo(batchId);
    expect(await statuses(rig, batchId)).toEqual(before);
    expect(await idsOf(rig, batchId, rowId)).toEqual(first);
    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 0 });
    expect(rig.night.gateway.submits).toHaveLength(3);
    expect(await rig.night.opened.whole.checkIntegrity()).toEqual([]);
  });

  test('are kept in the place of a take that waits, and of one that has failed, but not of one that was sent', async () => {
    const [rig, batchId] = await rigAfterNight();
    const first = await idsOf(rig, batchId, 'b');
    const wish = async () => rig.edit(batchId, { kind: 'render-again', rows: await rig.keys(batchId, 1) });
    await wish();
    await restart(rig, batchId);
    await rig.editor.release(batchId);
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b queued']);
    await keep(rig, batchId, 1);
    expect(await idsOf(rig, batchId, 'b')).toEqual(first);
    expect(rig.night.gateway.submits).toHaveLength(3);

    await wish();
    let report: PollReport = RUNNING;
    rig.night.gateway.onPoll = () => report;
    await run(rig, batchId);
    await rig.night.clock.advanceUntil(async () => (await taskOf(rig, batchId, 'b')).status === 'rendering');
    expect(await keeping(rig, batchId)).toEqual([undefined, 'sent']);
    const late = await keep(rig, batchId, 1);
    expect(late).toMatchObject({ changedRows: 0, refusedRows: 1 });
    expect(late.refused[0]?.reason).toContain('has been sent and cannot be taken back');

    report = LOST;
    await rig.night.untilRest(batchId);
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b failed']);
    await restart(rig, batchId);
    await keep(rig, batchId, 1);
    expect(await idsOf(rig, batchId, 'b')).toEqual(first);
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b done']);
    expect(await rig.night.store.submitsUsed(batchId)).toBe(4);
    expect(await rig.night.opened.whole.checkIntegrity()).toEqual([]);
  });

  test('are not kept where the request leaves while they are about to be: it is paid for, and its take stays', async () => {
    let meanwhile = (): Promise<void> => Promise.resolve();
    const rig = new SheetRig(undefined, (part) => {
      if (!('change' in part)) return part;
      const sheets = part as unknown as SheetStore;
      const change: SheetStore['change'] = (...wanted) => meanwhile().then(() => sheets.change(...wanted));
      return { ...part, change };
    });
    const batchId = await rig.bringIn(HEADERS, SHEET);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    await rig.edit(batchId, { kind: 'render-again', rows: await rig.keys(batchId, 1) });
    await rig.editor.release(batchId);
    rig.night.gateway.onPoll = () => RUNNING;
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      await rig.night.scheduler.start(batchId);
      await rig.night.clock.advanceUntil(async () => (await taskOf(rig, batchId, 'b')).status === 'rendering');
    };
    const late = await keep(rig, batchId, 1);
    expect(late).toMatchObject({ changedRows: 0, refusedRows: 1 });
    expect(late.refused[0]?.reason).toContain('cannot be taken back');
    rig.night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await rig.night.untilRest(batchId);
    expect(await taskOf(rig, batchId, 'b')).toMatchObject({ status: 'done', taskCode: 'code-4' });
    expect(await rig.night.store.submitsUsed(batchId)).toBe(4);
    expect(await rig.night.opened.whole.checkIntegrity()).toEqual([]);
  });

  test('are earlier versions for good once the new ones are there, and once the row asks for something else', async () => {
    const [rig, batchId] = await rigAfterNight();
    await rig.edit(batchId, { kind: 'render-again', rows: await rig.keys(batchId, 0, 2) });
    await rig.set(batchId, 1, 'prompt', 'before {{a.taskId}}');
    expect(await keeping(rig, batchId)).toEqual(['possible', undefined]);
    expect(await keep(rig, batchId, 1)).toMatchObject({ changedRows: 0, refusedRows: 1 });
    await rig.set(batchId, 1, 'prompt', 'after {{a.taskId}}');
    await rig.set(batchId, 1, 'note', 'with more drums');
    expect(await keeping(rig, batchId)).toEqual(['possible', 'possible']);

    await run(rig, batchId);
    await rig.night.untilRest(batchId);
    const second = await idsOf(rig, batchId, 'b');
    expect(await keeping(rig, batchId)).toEqual([undefined, undefined]);
    // Typed back, a row that refers to another is a draft, but not because it was to be rendered again.
    await rig.set(batchId, 1, 'prompt', 'before {{a.taskId}}');
    await rig.set(batchId, 1, 'prompt', 'after {{a.taskId}}');
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b draft']);
    expect(await keeping(rig, batchId)).toEqual([undefined, undefined]);
    await rig.undo(batchId);
    await rig.undo(batchId);
    expect(await idsOf(rig, batchId, 'b')).toEqual(second);
    // And rendered again once more, it has those that it had last.
    await rig.edit(batchId, { kind: 'render-again', rows: await rig.keys(batchId, 1) });
    await restart(rig, batchId);
    await keep(rig, batchId, 1);
    expect(await idsOf(rig, batchId, 'b')).toEqual(second);
    // What was kept is not remembered as a wish that could be taken back later.
    await rig.set(batchId, 1, 'prompt', 'before {{a.taskId}}');
    await rig.set(batchId, 1, 'prompt', 'after {{a.taskId}}');
    expect(await keeping(rig, batchId)).toEqual([undefined, undefined]);
  });

  test('let the rows go on that waited for new ones', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, SHEET);
    const b = await taskOf(rig, batchId, 'b');
    await rig.night.scheduler.decide([{ taskId: b.id, event: { kind: 'put-on-hold' } }]);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    await again(rig, batchId);
    await rig.night.scheduler.decide([{ taskId: b.id, event: { kind: 'released' } }]);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    await restart(rig, batchId);
    expect((await rowsOf(rig, batchId))[1]).toMatchObject({ status: 'queued', waitsForRow: 'a', waitsForDraft: true });
    await keep(rig, batchId);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(['owl', 'owl', 'after code-1']);
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b done']);
  });
});

describe('the earlier files of a row whose new rendering failed', () => {
  async function failed(): Promise<readonly [SheetRig, string]> {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [['a', 'music', 'owl', '', '']]);
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    await again(rig, batchId);
    rig.night.gateway.onPoll = () => LOST;
    await run(rig, batchId);
    await rig.night.untilRest(batchId);
    expect(await rowsOf(rig, batchId)).toMatchObject([{ status: 'failed', keepsEarlier: 'possible' }]);
    return [rig, batchId];
  }

  test.each([
    ['keeping them is undone', async (rig: SheetRig, id: string) => void (await keep(rig, id, 0))],
    ['the wish is undone, and done again', undefined],
  ])('can still be kept once %s', async (_, keeps) => {
    const [rig, batchId] = await failed();
    await keeps?.(rig, batchId);
    await rig.undo(batchId);
    if (keeps === undefined) await rig.redo(batchId);
    expect(await rowsOf(rig, batchId)).toMatchObject([{ status: 'failed', keepsEarlier: 'possible' }]);
    await keep(rig, batchId, 0);
    expect(await statuses(rig, batchId)).toEqual(['a done']);
    expect(prompts(rig)).toEqual(['owl', 'owl']);
  });
});

test('keeping the earlier files pays for no take that waits for the user', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, [['a', 'music', 'owl', '', '']]);
  await rig.night.scheduler.start(batchId);
  await rig.night.untilRest(batchId);
  await again(rig, batchId);
  await rig.editor.release(batchId);
  await rig.set(batchId, 0, 'takes', '2');
  await keep(rig, batchId, 0);
  expect(await statuses(rig, batchId)).toEqual(['a draft']);
  await rig.night.scheduler.start(batchId);
  await rig.night.untilRest(batchId);
  expect(prompts(rig)).toEqual(['owl']);
});

test('undoing a word about earlier files renders nothing again of a row that asks for something else by now', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, [['a', 'lyrics', 'owl', '', '']]);
  let isReady = true;
  rig.night.gateway.onPoll = () => (isReady ? rendered('https://media.example/a.mp3') : RUNNING);
  await rig.night.scheduler.start(batchId);
  await rig.night.untilRest(batchId);
  await again(rig, batchId);
  await keep(rig, batchId);
  isReady = false;
  await rig.edit(batchId, {
    kind: 'set-cells',
    rows: await rig.keys(batchId, 0),
    added: 0,
    headers: ['prompt'],
    values: [['fox']],
  });
  await run(rig, batchId);
  await rig.night.clock.advance(5_000);
  // What was sent cannot be taken back, and the row stays as it is.
  expect((await rig.editor.undo(batchId)).ok).toBe(true);
  isReady = true;
  await rig.night.untilRest(batchId);
  expect([prompts(rig), await statuses(rig, batchId)]).toEqual([['owl', 'fox'], ['a done']]);
  await rig.editor.undo(batchId);
  expect(await statuses(rig, batchId)).toEqual(['a done']);
  await rig.editor.undo(batchId);
  expect(await statuses(rig, batchId)).toEqual(['a done']);
  await rig.editor.redo(batchId);
  expect(await statuses(rig, batchId)).toEqual(['a done']);
});

test('a row that is run between two looks at it is coming', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(HEADERS, [['a', 'music', 'owl', '', '']]);
  await rig.night.scheduler.start(batchId);
  await rig.night.untilRest(batchId);
  await again(rig, batchId);
  const { store } = rig.night;
  const isDraft: typeof store.isDraft = async (...row) => {
    await rig.editor.release(batchId);
    return store.isDraft(...row);
  };
  expect(await rowSource({ ...store, isDraft }, batchId, 'a')).toEqual({ kind: 'coming' });
});
