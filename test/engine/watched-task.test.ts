import { listOf } from '../../src/shared/domain/base/result.ts';
import { describe, expect, test } from 'vitest';
import type { PollReport } from '../../src/engine/ports/media-gateway.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import { gatherEvidence } from '../../src/engine/store/tasks/evidence.ts';
import { rowDetailOf } from '../support/row-detail-of.ts';
import { record, rendered, RUNNING } from '../support/scripted-gateway.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HEADERS = ['row', 'operation', 'prompt'];

/** A gateway of whose statuses only the success is known. */
const profile = profileSchema.parse({
  baseUrl: 'https://gateway.example/api',
  status: { musicgen: { '2': 'succeeded' } },
  limits: { requestsPerSecond: 50 },
});

/** The record of a refused rendering: an end time, no file, and words. */
const REFUSED: PollReport = {
  answer: {
    kind: 'record',
    record: record({ status: '3', message: 'prompt contains sensitive words', endTime: '2026-01-15 22:01:00' }),
  },
};

/** A night of one row that has ended with a failure which was only inferred. */
async function endedBySuspicion() {
  const rig = new SheetRig();
  const { night } = rig;
  const late = new Set<string>();
  night.gateway.onPoll = (code) => (late.has(code) ? rendered(`https://media.example/${code}.mp3`) : REFUSED);
  const batchId = await rig.bringIn(HEADERS, [['k16', 'music', 'jellyfish']], { settings: { profile } });
  await night.scheduler.start(batchId);
  await night.untilRest(batchId);
  const [task] = await night.tasks(batchId);
  if (task?.taskCode === undefined) throw new Error('no task');
  expect(task).toMatchObject({ status: 'failed', failure: { code: 'MODERATED', suspected: true } });
  const { taskCode, id: taskId } = task;
  return { rig, night, batchId, taskId, taskCode, succeedLate: () => late.add(taskCode) };
}

/** Lets the user change the prompt, and say that it shall run. */
async function runChanged(rig: SheetRig, batchId: string): Promise<void> {
  const { night } = rig;
  expect(await rig.editor.release(batchId)).toEqual({ ok: true, value: 1 });
  await night.scheduler.start(batchId);
}

describe('a row whose failure was only inferred', () => {
  test('can be edited at once, is a draft then, and nothing is sent for it without a word', async () => {
    const { rig, night, batchId } = await endedBySuspicion();
    expect(await night.state(batchId)).toBe('finished');
    expect(await rig.set(batchId, 0, 'prompt', 'seahorse')).toMatchObject({ changedRows: 1, refusedRows: 0 });
    expect((await rig.rows(batchId))[0]).toMatchObject({ isDraft: true, tasks: [] });
    await night.clock.advance(2 * HOUR);
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('that was edited gives its late file to the earlier version, and its row stays a draft', async () => {
    const { rig, night, batchId, taskId, succeedLate } = await endedBySuspicion();
    await rig.set(batchId, 0, 'prompt', 'seahorse');
    succeedLate();
    await night.clock.advance(10 * MINUTE);
    expect(await night.store.task(taskId)).toMatchObject({ status: 'done', superseded: true });
    const detail = await rowDetailOf(night.opened.views, batchId, 'k16');
    expect(detail).toMatchObject({ view: { status: 'draft', fileCount: 0 }, isEarlierWatched: false });
    expect(detail?.earlier).toMatchObject([{ state: 'verified', path: 'music/k16.mp3' }]);
    expect(night.gateway.submits).toHaveLength(1);
    expect(await night.state(batchId)).toBe('finished');
    expect(night.bugs).toEqual([]);
  });

  test('that was edited can still be talked about with the gateway: its task code, its prompt, what it cost and how it ended', async () => {
    const { rig, night, batchId, taskId, taskCode } = await endedBySuspicion();
    const asked = (await rig.texts(batchId, 'prompt'))[0]?.[0];
    for (const prompt of ['seahorse', 'starfish']) {
      await rig.set(batchId, 0, 'prompt', prompt);
      await runChanged(rig, batchId);
      await night.untilRest(batchId);
    }
    const detail = await rowDetailOf(night.opened.views, batchId, 'k16');
    expect(detail?.tasks.flatMap(({ attempts }) => attempts)).toHaveLength(1);
    expect(detail?.earlierTakes).toMatchObject({
      count: 2,
      submitsUsed: 2,
      shown: [{ label: 'seahorse' }, { taskId }],
    });
    expect(detail?.earlierTakes.shown[1]).toMatchObject({
      label: asked,
      request: { prompt: asked },
      taskCode,
      status: 'failed',
      failure: { suspected: true },
      attempts: [{ outcome: 'accepted' }],
    });
    const ids = await night.opened.views.tasksEverOfKeys(batchId, [detail?.view.key ?? 0]);
    const evidence = await gatherEvidence(night.store, batchId, ids);
    expect(evidence.map(({ superseded }) => superseded)).toEqual([true, true, undefined]);
    expect(evidence.map(({ attempts }) => attempts[0]?.body.text?.includes('seahorse'))).toEqual([false, true, false]);
  });

  test('that is typed back is that failure again, and gives its late file to its row', async () => {
    const { rig, night, batchId, taskId, succeedLate } = await endedBySuspicion();
    await rig.set(batchId, 0, 'prompt', 'seahorse');
    await rig.set(batchId, 0, 'prompt', 'jellyfish');
    expect((await rig.rows(batchId))[0]).toMatchObject({
      isDraft: false,
      tasks: [{ id: taskId, failure: { suspected: true } }],
    });
    succeedLate();
    await night.clock.advance(10 * MINUTE);
    expect(await night.statuses(batchId)).toEqual(['done']);
    expect(await rowDetailOf(night.opened.views, batchId, 'k16')).toMatchObject({
      view: { status: 'done' },
      earlier: [],
    });
    expect(night.gateway.submits).toHaveLength(1);
    expect(night.bugs).toEqual([]);
  });

  test('that is typed back while its late file is on its way keeps it', async () => {
    const { rig, night, batchId, succeedLate } = await endedBySuspicion();
    await rig.set(batchId, 0, 'prompt', 'seahorse');
    const again = { kind: 'download-failed', failure: failure('GATEWAY_UNAVAILABLE', '503') } as const;
    night.folder.onFetch = (_, nth) => (nth === 1 ? again : undefined);
    succeedLate();
    await night.clock.advanceUntil(() => night.folder.fetched.length === 1);
    await rig.set(batchId, 0, 'prompt', 'jellyfish');
    expect(await night.statuses(batchId)).toEqual(['downloading']);
    await night.clock.advance(HOUR);
    expect(await night.statuses(batchId)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(1);
    expect(night.bugs).toEqual([]);
  });

  test('that was edited is asked about until its deadline, ever more rarely, also after a restart, and no longer', async () => {
    const { rig, night, batchId } = await endedBySuspicion();
    await rig.set(batchId, 0, 'prompt', 'seahorse');
    const asked = async (ms: number): Promise<number> => {
      const before = night.gateway.polls.length;
      await night.clock.advance(ms);
      return night.gateway.polls.length - before;
    };
    expect(await rowDetailOf(night.opened.views, batchId, 'k16')).toMatchObject({ isEarlierWatched: true });
    expect(await asked(30 * MINUTE)).toBeGreaterThanOrEqual(4);
    night.open();
    rig.reopen();
    await night.scheduler.attach(batchId);
    expect(await asked(10 * HOUR)).toBeLessThanOrEqual(20);
    expect(await asked(14 * HOUR)).toBeGreaterThanOrEqual(10);
    expect(await asked(48 * HOUR)).toBe(0);
  });

  test('that is set going again ends its run without waiting for what is watched', async () => {
    const { rig, night, batchId, taskCode } = await endedBySuspicion();
    await rig.set(batchId, 0, 'prompt', 'seahorse');
    night.gateway.onPoll = (code) => (code === taskCode ? REFUSED : rendered(`https://media.example/${code}.mp3`));
    await runChanged(rig, batchId);
    const before = night.clock.now();
    await night.untilRest(batchId);
    expect(night.clock.now() - before).toBeLessThan(10 * MINUTE);
    expect(await night.statuses(batchId)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(2);
  });

  test('that is set going again waits for a late file that is on its way: it was paid for', async () => {
    const { rig, night, batchId, taskId, succeedLate } = await endedBySuspicion();
    await rig.set(batchId, 0, 'prompt', 'seahorse');
    const again = {
      kind: 'download-failed',
      failure: failure('GATEWAY_UNAVAILABLE', '503'),
      retryAfterMs: 10 * MINUTE,
    } as const;
    night.folder.onFetch = (_, nth) => (nth === 1 ? again : undefined);
    succeedLate();
    await night.clock.advanceUntil(() => night.folder.fetched.length === 1);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await runChanged(rig, batchId);
    await night.clock.advanceUntil(async () => (await night.statuses(batchId))[0] === 'done');
    await night.clock.advance(MINUTE);
    expect(await night.state(batchId)).toBe('running');
    await night.untilRest(batchId);
    expect((await night.store.task(taskId))?.status).toBe('done');
  });

  test('that is set going again does not wait for hours for a late file', async () => {
    const { rig, night, batchId, taskId, taskCode, succeedLate } = await endedBySuspicion();
    await rig.set(batchId, 0, 'prompt', 'seahorse');
    const unreachable = { kind: 'download-failed', failure: failure('GATEWAY_UNAVAILABLE', '503') } as const;
    night.folder.onFetch = ({ url }) => (url.includes(taskCode) ? unreachable : undefined);
    succeedLate();
    await night.clock.advanceUntil(() => night.folder.fetched.length === 1);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await runChanged(rig, batchId);
    const before = night.clock.now();
    await night.untilRest(batchId);
    expect(night.clock.now() - before).toBeLessThan(10 * MINUTE);
    expect((await night.store.task(taskId))?.status).toBe('downloading');
    night.folder.onFetch = () => undefined;
    await night.clock.advance(2 * HOUR);
    expect((await night.store.task(taskId))?.status).toBe('done');
  });

  test('keeps both files under names of their own when the earlier version succeeds last', async () => {
    const { rig, night, batchId, taskCode } = await endedBySuspicion();
    await rig.set(batchId, 0, 'prompt', 'seahorse');
    night.gateway.onPoll = (code) => (code === taskCode ? REFUSED : rendered(`https://media.example/${code}.mp3`));
    await runChanged(rig, batchId);
    await night.untilRest(batchId);
    night.gateway.onPoll = (code) => rendered(`https://media.example/${code}.mp3`);
    await night.clock.advance(HOUR);
    const detail = await rowDetailOf(night.opened.views, batchId, 'k16');
    expect(detail?.tasks[0]?.outputs).toMatchObject([{ path: 'music/k16.mp3' }]);
    expect(detail?.earlier).toMatchObject([{ path: 'music/k16-v2.mp3' }]);
  });

  test('that is what it was again by undoing takes its late success for its own', async () => {
    const { rig, night, batchId, succeedLate } = await endedBySuspicion();
    await rig.set(batchId, 0, 'prompt', 'seahorse');
    succeedLate();
    await night.clock.advance(10 * MINUTE);
    await rig.undo(batchId);
    expect(await rowDetailOf(night.opened.views, batchId, 'k16')).toMatchObject({
      view: { status: 'done' },
      earlier: [],
    });
    expect(night.gateway.submits).toHaveLength(1);
  });

  test('that is edited and undone while the gateway is asked about it gets its file, and the batch ends', async () => {
    const { rig, night, batchId, taskCode } = await endedBySuspicion();
    let answer: (report: PollReport) => void = () => undefined;
    const success = rendered(`https://media.example/${taskCode}.mp3`);
    const asked = night.gateway.polls.length;
    // The first answer with a file is looked at once more; the second one is slow.
    night.gateway.onPoll = (_, nth) =>
      nth === asked + 1
        ? success
        : new Promise((resolve) => {
            answer = resolve;
          });
    await night.clock.advanceUntil(() => night.gateway.polls.length === asked + 2);
    await rig.set(batchId, 0, 'prompt', 'seahorse');
    const again = {
      kind: 'download-failed',
      failure: failure('GATEWAY_UNAVAILABLE', '503'),
      retryAfterMs: 10 * MINUTE,
    } as const;
    night.folder.onFetch = (_, nth) => (nth === 1 ? again : undefined);
    await night.clock.advance(10 * MINUTE);
    answer(success);
    await night.clock.advanceUntil(() => night.folder.fetched.length === 1);
    await rig.undo(batchId);
    expect(await night.statuses(batchId)).toEqual(['downloading']);
    await night.scheduler.start(batchId);
    await night.untilRest(batchId);
    expect(await night.state(batchId)).toBe('finished');
    expect(await night.statuses(batchId)).toEqual(['done']);
    expect(night.gateway.submits).toHaveLength(1);
    expect(night.bugs).toEqual([]);
  });

  test('that is removed leaves its late file in the folder and its manifest: it was paid for', async () => {
    const { rig, night, batchId, taskId, succeedLate } = await endedBySuspicion();
    expect(await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 0) })).toMatchObject({
      changedRows: 1,
      refusedRows: 0,
    });
    succeedLate();
    await night.clock.advance(10 * MINUTE);
    expect(await night.store.task(taskId)).toMatchObject({ status: 'done', superseded: true });
    expect(await listOf(night.opened.views.exportRows(batchId))).toMatchObject([
      { isRemoved: true, tasks: [{ outputs: [{ path: 'music/k16.mp3' }] }] },
    ]);
    expect(night.bugs).toEqual([]);
  });

  test('is not asked about in a hurry while nobody answers', async () => {
    const { night } = await endedBySuspicion();
    await night.clock.advance(HOUR);
    night.gateway.onPoll = () => ({ answer: { kind: 'error', failure: failure('GATEWAY_UNAVAILABLE', 'offline') } });
    const before = night.gateway.polls.length;
    await night.clock.advance(HOUR);
    expect(night.gateway.polls.length - before).toBeLessThanOrEqual(6);
  });

  test('that was never edited takes a late success after the end of its night, too', async () => {
    const { night, batchId, succeedLate } = await endedBySuspicion();
    succeedLate();
    await night.clock.advance(10 * MINUTE);
    expect(await night.statuses(batchId)).toEqual(['done']);
    expect(await night.state(batchId)).toBe('finished');
  });
});

describe('a failure that was inferred soon', () => {
  test('is known seconds after the gateway said it, and told once', async () => {
    const { night, batchId, taskId } = await endedBySuspicion();
    const events = await night.store.events(taskId);
    const first = events.find(({ event }) => event.kind === 'still-running');
    const failed = events.find(({ event }) => event.kind === 'remote-failed');
    expect(first?.event).toMatchObject({ ended: 'ended-in-words' });
    expect((failed?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(15_000);
    expect((await rowDetailOf(night.opened.views, batchId, 'k16'))?.tasks[0]?.events).toContainEqual(
      expect.objectContaining({ kind: 'still-running', ended: 'ended-in-words' }),
    );
  });

  test('and was wrong has failed what waits for it, frees it again, and pays for each row once', async () => {
    const rig = new SheetRig();
    const { night } = rig;
    let asked = 0;
    night.gateway.onPoll = (code) => {
      if (code === 'code-2') return RUNNING;
      asked += code === 'code-1' ? 1 : 0;
      return code === 'code-1' && asked < 4 ? REFUSED : rendered(`https://media.example/${code}.mp3`);
    };
    const lines = [
      ['a', 'music', 'first'],
      ['long', 'music', 'another'],
      ['b', 'music', 'after {{a.taskId}}'],
    ];
    const batchId = await rig.bringIn(HEADERS, lines, { settings: { profile } });
    await night.scheduler.start(batchId);
    await night.clock.advanceUntil(async () => (await night.statuses(batchId))[2] === 'failed');
    expect(await night.statuses(batchId)).toEqual(['failed', 'rendering', 'failed']);
    await night.clock.advanceUntil(async () => (await night.statuses(batchId))[2] === 'done');
    expect((await night.statuses(batchId))[0]).toBe('done');
    expect(night.gateway.submits).toHaveLength(3);
  });
});

describe('what the gateway’s statuses were seen to mean', () => {
  test('is counted once for each task, however often it is asked about, and outlives the night', async () => {
    const { night, batchId, succeedLate } = await endedBySuspicion();
    await night.clock.advance(HOUR);
    const suspected = {
      operation: 'musicgen/music/generate',
      status: '3',
      hasEnded: true,
      became: 'suspected',
      tasks: 1,
    };
    expect(await night.store.seenStatuses(batchId)).toMatchObject([suspected]);
    succeedLate();
    await night.clock.advance(HOUR);
    night.open();
    expect(await night.store.seenStatuses(batchId)).toMatchObject([
      { status: '2', hasUrl: true, became: 'result', tasks: 1 },
      suspected,
    ]);
  });
});

test('once the user has said that its status means failed, a row fails with the first answer, and nobody asks again', async () => {
  const { night } = await endedBySuspicion();
  const told = { ...profile, status: { musicgen: { '3': 'failed' as const } } };
  const rig = new SheetRig(night);
  const batchId = await rig.bringIn(HEADERS, [['k17', 'music', 'jellyfish']], { settings: { profile: told } });
  const pollsBefore = night.gateway.polls.length;
  await night.scheduler.start(batchId);
  await night.untilRest(batchId);
  const [task] = await night.tasks(batchId);
  expect(task).toMatchObject({ status: 'failed', failure: { code: 'MODERATED' } });
  expect(task?.failure).not.toHaveProperty('suspected');
  const own = night.gateway.polls.slice(pollsBefore).filter((code) => code === task?.taskCode);
  expect(own).toHaveLength(1);
});

describe('after the end of a night', () => {
  test('a key that is rejected is not tried in a hurry: there is no pause that would hold it', async () => {
    const { night } = await endedBySuspicion();
    night.gateway.onPoll = () => ({
      answer: { kind: 'refused', means: 'auth', failure: failure('AUTH_REJECTED', 'no such key') },
    });
    const before = night.gateway.polls.length;
    await night.clock.advance(HOUR);
    expect(night.gateway.polls.length - before).toBeLessThanOrEqual(12);
  });

  test('what a late success would free waits for the user’s word: it would be paid for', async () => {
    const rig = new SheetRig();
    const { night } = rig;
    let isLate = false;
    night.gateway.onPoll = (code) => (isLate ? rendered(`https://media.example/${code}.mp3`) : REFUSED);
    const lines = [
      ['a', 'music', 'first'],
      ['b', 'music', 'after {{a.taskId}}'],
    ];
    const batchId = await rig.bringIn(HEADERS, lines, { settings: { profile } });
    await night.scheduler.start(batchId);
    await night.untilRest(batchId);
    expect(await night.statuses(batchId)).toEqual(['failed', 'failed']);
    isLate = true;
    await night.clock.advance(HOUR);
    expect(await night.statuses(batchId)).toEqual(['done', 'failed']);
    expect(night.gateway.submits).toHaveLength(1);
    const failed = (await night.tasks(batchId)).filter(({ status }) => status === 'failed');
    await night.scheduler.decide(failed.map(({ id }) => ({ taskId: id, event: { kind: 'user-retry' } })));
    await night.scheduler.start(batchId);
    await night.untilRest(batchId);
    expect(await night.statuses(batchId)).toEqual(['done', 'done']);
  });
});
