import { describe, expect, test } from 'vitest';
import type { PollReport } from '../../src/engine/ports.ts';
import type { RowSummary } from '../../src/shared/domain/task/batch-view.ts';
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

  test.each(['fails', 'is cancelled'] as const)('says so where the new take %s, and goes on with the next', async (how) => {
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
  });

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
