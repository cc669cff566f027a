import { describe, expect, test } from 'vitest';
import type { PollReport } from '../../src/engine/ports/media-gateway.ts';
import { HEADERS, ONE_AT_A_TIME, prompts, statuses } from '../support/edited-night.ts';
import { record, rendered, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const LOST: PollReport = { answer: { kind: 'record', record: record({ status: '3', message: 'out of tune' }) } };
const SONG = ['a', 'music', 'song', '2', '', ''];
const LIKE = ['b', 'music', 'like {{a.taskId}}', '2', '', ''];

/** A night that has ended, of a gateway that by now renders everything. */
async function rigAfter(rows: readonly (readonly string[])[], report: PollReport = LOST) {
  const rig = new SheetRig();
  const batchId = await rig.bringIn([...HEADERS, 'skip'], rows, ONE_AT_A_TIME);
  rig.night.gateway.onPoll = () => report;
  await rig.night.scheduler.start(batchId);
  if (report === RUNNING) {
    await rig.night.clock.advanceUntil(() => Promise.resolve(rig.night.gateway.polls.length > 0));
    const [task] = await rig.night.tasks(batchId);
    await rig.night.scheduler.decide([{ taskId: task?.id ?? 0, event: { kind: 'cancel-requested' } }]);
  }
  await rig.night.untilRest(batchId);
  rig.night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
  return { rig, batchId, sent: prompts(rig) };
}

async function retry({ night }: SheetRig, batchId: string, rowId?: string): Promise<void> {
  const ended = (await night.tasks(batchId)).filter(({ status }) => status === 'failed' || status === 'cancelled');
  const tasks = ended.filter((task) => rowId === undefined || task.rowId === rowId);
  await night.scheduler.decide(tasks.map(({ id }) => ({ taskId: id, event: { kind: 'user-retry' } as const })));
  await night.scheduler.start(batchId);
  await night.untilRest(batchId);
}

describe('of a row whose takes have failed', () => {
  test.each([
    ['skip', 'yes', 'a skipped', 0],
    ['takes', 'many', 'a invalid', 0],
    ['takes', '1', 'a failed', 1],
  ])('a retry pays for nothing that it no longer asks for: %s “%s”', async (header, text, status, more) => {
    const { rig, batchId, sent } = await rigAfter([SONG]);
    await rig.set(batchId, 0, header, text);
    expect(await statuses(rig, batchId)).toEqual([status]);
    await retry(rig, batchId);
    expect(prompts(rig)).toHaveLength(sent.length + more);
  });

  test('undoing that brings back how they had ended, and nothing is let run', async () => {
    const { rig, batchId, sent } = await rigAfter([SONG, LIKE]);
    const before = (await rig.night.tasks(batchId)).map(({ id, status }) => [id, status]);
    for (const [header, text, changed] of [
      ['skip', 'yes', 'skipped'],
      ['takes', '1', 'failed'],
      ['operation', 'nonsense', 'invalid'],
    ] as const) {
      await rig.set(batchId, 0, header, text);
      for (let i = 0; i < 2; i += 1) {
        expect((await statuses(rig, batchId))[0]).toBe(`a ${changed}`);
        await rig.undo(batchId);
        expect(await statuses(rig, batchId)).toEqual(['a failed', 'b failed']);
        expect((await rig.night.tasks(batchId)).map(({ id, status }) => [id, status])).toEqual(before);
        await rig.redo(batchId);
      }
      await rig.undo(batchId);
    }
    await rig.night.scheduler.start(batchId);
    await rig.night.untilRest(batchId);
    expect(prompts(rig)).toEqual(sent);
    await retry(rig, batchId, 'a');
    expect(await statuses(rig, batchId)).toEqual(['a done', 'b done']);
    expect(await rig.night.opened.whole.checkIntegrity()).toEqual([]);
  });

  test('once it is asked for again by another edit, it waits for the user’s word', async () => {
    const { rig, batchId, sent } = await rigAfter([SONG]);
    await rig.set(batchId, 0, 'skip', 'yes');
    await rig.set(batchId, 0, 'skip', '');
    expect(await statuses(rig, batchId)).toEqual(['a draft']);
    await retry(rig, batchId);
    expect(prompts(rig)).toEqual(sent);
    expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 2 });
  });
});

test.each([
  ['skip', 'yes', 'b skipped', 0],
  ['takes', '1', 'b done', 1],
])(
  'a row that failed with another is not paid for beyond what it asks for: %s “%s”',
  async (header, text, status, more) => {
    const { rig, batchId, sent } = await rigAfter([SONG, LIKE]);
    expect(sent).toEqual(['song', 'song']);
    await rig.set(batchId, 1, header, text);
    await retry(rig, batchId, 'a');
    expect(await statuses(rig, batchId)).toEqual(['a done', status]);
    expect(prompts(rig)).toHaveLength(sent.length + 2 + more);
  },
);

test('what a take was paid for is still had by a retry, also once its row is skipped', async () => {
  const { rig, batchId, sent } = await rigAfter([SONG.with(3, '1')], RUNNING);
  expect(await statuses(rig, batchId)).toEqual(['a cancelled']);
  await rig.set(batchId, 0, 'skip', 'yes');
  await retry(rig, batchId);
  expect(await statuses(rig, batchId)).toEqual(['a done']);
  expect(prompts(rig)).toEqual(sent);
});
